"""A run in shards on a real Slurm cluster, one of whose jobs is killed."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest
from inspect_ai.log import list_eval_logs, read_eval_log_sample_summaries

from inspect_discoverybench.experiment.log_lock import is_locked
from inspect_discoverybench.results.frame import read_results
from tests.command_line import completed, failed, refused

BIN = Path(sys.executable).parent
ENVIRONMENT = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
SOLVERS = "solvers=[discoverybench/react,discoverybench/codegen]"
# One sample at a time, so that there is time to kill a job between two of them.
ONE_BY_ONE = f"--set options.max_samples=1 --set options.max_tasks=1 --set epochs=3 --set {SOLVERS}"
IDENTITY = ["task", "agent", "model", "id", "epoch"]
SCORES = [*IDENTITY, "outcome", "hms", "context", "variables", "relationship", "hypothesis"]
SECONDS = 900

SAMPLES_OF_A_SHARD = 12
"""Two of the eight samples of the demo, with two solvers, in three epochs."""

SCRIPT = Path(__file__).parents[2] / "evals" / "slurm.sh"


def slurm(command: str) -> str:
    """Output of a command of Slurm."""
    result = subprocess.run(command.split(), env=ENVIRONMENT, check=True, capture_output=True, text=True, timeout=60)
    return result.stdout.strip()


def finished(shard: int) -> int:
    """Number of samples that a shard has written to its logs."""
    folder = f"logs/demo/shard-{shard}-of-4"
    count = 0
    with suppress(OSError, ValueError):  # a log that is just being replaced
        for log in list_eval_logs(folder):
            samples = read_eval_log_sample_summaries(log)
            count += len(samples)
    return count


def scores(folder: str) -> pd.DataFrame:
    samples = read_results([folder]).samples
    return samples[SCORES].sort_values(IDENTITY, ignore_index=True)


@pytest.mark.timeout(2 * SECONDS)
@pytest.mark.usefixtures("cluster", "command_line")
def test_shards_of_a_job_array_with_a_killed_and_requeued_job_have_the_scores_of_one_machine() -> None:
    first = submit("1,3")
    try:
        wait_until(running_shards)
        [victim, *_] = running_shards()
        message = refused(f"run demo --shard {victim}/4 {ONE_BY_ONE}")
        assert f"logs/demo/shard-{victim}-of-4 is in use by another run." in message

        wait_until(lambda: finished(victim))
        slurm(f"scancel --signal=KILL --batch {first}_{victim}")
        wait_until(lambda: "JobState=FAILED" in slurm(f"scontrol show job {first}_{victim}"))
        assert 1 <= finished(victim) < SAMPLES_OF_A_SHARD
        slurm(f"scontrol requeue {first}_{victim}")
        # Slurm waits two minutes before it starts a requeued job. In the second in which a job was killed, its node
        # refuses to start it again: "Job credential revoked".
        slurm(f"scontrol update jobid={first}_{victim} starttime=now+3")
        # While a job is requeued, the queue lacks it for a moment. `has_ended` alone would then be true too early.
        wait_until(lambda: finished(victim) == SAMPLES_OF_A_SHARD)
        wait_until(lambda: has_ended(first))
    finally:
        subprocess.run(["scancel", first], check=False)
    assert "Shards missing: 2,4 (of 4)" in failed(f"status demo {ONE_BY_ONE}")

    second = submit("2,4")
    try:
        completed(f"run demo --set log_dir=logs/whole {ONE_BY_ONE}")
        wait_until(lambda: has_ended(second))
    finally:
        subprocess.run(["scancel", second], check=False)
    completed(f"status demo {ONE_BY_ONE}")
    result = scores("logs/demo")
    whole = scores("logs/whole")
    assert result[IDENTITY].value_counts().tolist() == [1] * 4 * SAMPLES_OF_A_SHARD
    pd.testing.assert_frame_equal(result, whole)
    completed("compare logs/demo logs/whole --json")


def submit(array: str) -> str:
    """Submit some of the shards. Returns the number of the job."""
    options = "--partition=main --time=00:10:00 --mem=1M"
    return slurm(f"sbatch --parsable --array={array} {options} {SCRIPT} demo {ONE_BY_ONE}")


def has_ended(job: str) -> bool:
    return not slurm(f"squeue --noheader --jobs={job}")


def running_shards() -> list[int]:
    return [number for number in (1, 2, 3, 4) if is_locked(f"logs/demo/shard-{number}-of-4")]


def wait_until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, [path.read_text("utf-8") for path in Path().glob("slurm-*.out")]
        time.sleep(0.1)
