"""A run in shards on a real Slurm cluster, one of whose jobs is killed."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest
from inspect_ai.log import list_eval_logs, read_eval_log_sample_summaries

from inspect_discoverybench.experiment.log_lock import is_locked
from inspect_discoverybench.results.frame import read_results
from tests.command_line import discoverybench

ENVIRONMENT = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
# One sample at a time, so that there is time to kill a job between two of them.
ONE_BY_ONE = "--set options.max_samples=1 --set options.max_tasks=1"
IDENTITY = ["task", "agent", "model", "id", "epoch"]
SCORES = [*IDENTITY, "outcome", "hms", "context", "variables", "relationship", "hypothesis"]
SECONDS = 900


def slurm(*words: str) -> str:
    """Output of a command of Slurm."""
    return subprocess.run(words, env=ENVIRONMENT, check=True, capture_output=True, text=True, timeout=60).stdout.strip()


def finished(shard: int) -> int:
    """Number of samples that a shard has written to its logs."""
    folder = f"logs/demo/shard-{shard}-of-4"
    with suppress(OSError, ValueError):  # a log that is just being replaced
        return sum(len(read_eval_log_sample_summaries(log)) for log in list_eval_logs(folder))
    return 0


def scores(folder: str) -> pd.DataFrame:
    return read_results([folder]).samples[SCORES].sort_values(IDENTITY, ignore_index=True)


@pytest.mark.timeout(2 * SECONDS)
@pytest.mark.usefixtures("cluster", "command_line")
def test_a_killed_and_requeued_job_leaves_every_sample_once_with_the_scores_of_one_machine(tmp_path: Path) -> None:
    sbatch = "--sbatch partition=main --sbatch time=00:10:00 --sbatch mem=1M"
    container = "--container \"env 'NOTE=two words'\""
    script = discoverybench(f"plan demo --print slurm --shards 4 {sbatch} {container} {ONE_BY_ONE}")
    assert script.exit_code == 0, script.output
    (tmp_path / "demo.sh").write_text(script.output, "utf-8")
    job = slurm("sbatch", "--parsable", "demo.sh")
    end = time.monotonic() + SECONDS
    try:
        running: list[int] = []
        while not (running := [n for n in (1, 2, 3, 4) if is_locked(f"logs/demo/shard-{n}-of-4")]):
            assert time.monotonic() < end, output()
            time.sleep(0.1)
        victim = running[0]
        second = discoverybench(f"run demo --shard {victim}/4 {ONE_BY_ONE}")
        assert second.exit_code == 2, second.output
        assert second.output == (
            f"Error: logs/demo/shard-{victim}-of-4 is in use by another run. Wait for it, or use another log_dir.\n"
        )
        while not (before := finished(victim)):
            assert time.monotonic() < end, output()
            time.sleep(0.1)
        slurm("scancel", "--signal=KILL", "--batch", f"{job}_{victim}")
        while "JobState=FAILED" not in slurm("scontrol", "show", "job", f"{job}_{victim}"):
            assert time.monotonic() < end, output()
            time.sleep(0.2)
        assert 1 <= before <= finished(victim) < 6
        slurm("scontrol", "requeue", f"{job}_{victim}")
        # Slurm waits two minutes before it starts a requeued job.
        slurm("scontrol", "update", f"jobid={job}_{victim}", "starttime=now")

        whole = discoverybench("run demo --set log_dir=logs/whole")
        assert whole.exit_code == 0, whole.output
        while slurm("squeue", "--noheader", f"--jobs={job}"):
            assert time.monotonic() < end, output()
            time.sleep(0.5)
    finally:
        subprocess.run(["scancel", job], check=False)
    status = discoverybench(f"status demo --shards 4 {ONE_BY_ONE}")
    assert status.exit_code == 0, status.output + output()
    result = scores("logs/demo")
    assert result[IDENTITY].value_counts().tolist() == [1] * 24
    pd.testing.assert_frame_equal(result, scores("logs/whole"))
    compared = discoverybench("compare logs/demo logs/whole --json")
    assert compared.exit_code == 0, compared.output


def output() -> str:
    """What the jobs have printed."""
    return "\n".join(path.read_text("utf-8")[-2000:] for path in sorted(Path().glob("slurm-*.out")))
