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
from tests.command_line import completed, refused

BIN = Path(sys.executable).parent
ENVIRONMENT = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
SOLVERS = "solvers=[discoverybench/react,discoverybench/codegen]"
# One sample at a time, so that there is time to kill a job between two of them.
ONE_BY_ONE = f"--set options.max_samples=1 --set options.max_tasks=1 --set {SOLVERS}"
IDENTITY = ["task", "agent", "model", "id", "epoch"]
SCORES = [*IDENTITY, "outcome", "hms", "context", "variables", "relationship", "hypothesis"]
SECONDS = 900


def slurm(command: str) -> str:
    """Output of a command of Slurm."""
    result = subprocess.run(command.split(), env=ENVIRONMENT, check=True, capture_output=True, text=True, timeout=60)
    return result.stdout.strip()


def finished(shard: int) -> int:
    """Number of samples that a shard has written to its logs."""
    folder = f"logs/demo/shard-{shard}-of-2"
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
def test_a_killed_and_requeued_job_leaves_every_sample_once_with_the_scores_of_one_machine(tmp_path: Path) -> None:
    sbatch = "--sbatch partition=main --sbatch time=00:10:00 --sbatch mem=1M"
    script = completed(f"plan demo --print slurm --shards 2 {sbatch} {ONE_BY_ONE}")
    (tmp_path / "demo.sh").write_text(script, "utf-8")
    job = slurm("sbatch --parsable demo.sh")
    try:
        wait_until(running_shards)
        [victim, *_] = running_shards()
        message = refused(f"run demo --shard {victim}/2 {ONE_BY_ONE}")
        assert f"logs/demo/shard-{victim}-of-2 is in use by another run." in message

        wait_until(lambda: finished(victim))
        slurm(f"scancel --signal=KILL --batch {job}_{victim}")
        wait_until(lambda: "JobState=FAILED" in slurm(f"scontrol show job {job}_{victim}"))
        assert 1 <= finished(victim) < 8
        slurm(f"scontrol requeue {job}_{victim}")
        # Slurm waits two minutes before it starts a requeued job.
        slurm(f"scontrol update jobid={job}_{victim} starttime=now")

        completed(f"run demo --set log_dir=logs/whole {ONE_BY_ONE}")
        wait_until(lambda: not slurm(f"squeue --noheader --jobs={job}"))
    finally:
        subprocess.run(["scancel", job], check=False)
    completed(f"status demo --shards 2 {ONE_BY_ONE}")
    result = scores("logs/demo")
    whole = scores("logs/whole")
    assert result[IDENTITY].value_counts().tolist() == [1] * 16
    pd.testing.assert_frame_equal(result, whole)
    completed("compare logs/demo logs/whole --json")


def running_shards() -> list[int]:
    return [number for number in (1, 2) if is_locked(f"logs/demo/shard-{number}-of-2")]


def wait_until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, [path.read_text("utf-8") for path in Path().glob("slurm-*.out")]
        time.sleep(0.1)
