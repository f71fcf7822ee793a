"""Shards: parts of an experiment that run independently and are read as one."""

import errno
import re
import shutil
import threading
import time
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.experiment.log_lock import locked
from inspect_discoverybench.experiment.shard import Shard
from inspect_discoverybench.results.frame import read_results
from tests.command_line import completed, discoverybench, failed, refused
from tests.experiment.experiments import logs, metadata

IDENTITY = ["task", "agent", "model_settings", "id", "epoch"]
SCORES = [*IDENTITY, "outcome", "hms", "context", "variables", "relationship"]


def scores(folder: str) -> pd.DataFrame:
    """The scores in a folder of logs, without what differs between two equal runs."""
    samples = read_results([folder]).samples
    return samples[SCORES].sort_values(IDENTITY, ignore_index=True)


def states(options: str) -> list[str]:
    """What `status` says of the shards, such as `finished: 1,3`. Checks its exit code, too."""
    result = discoverybench(f"status {options}")
    found = re.findall(r"^Shards (\w+: [\d,]+) \(of \d+\)$", result.output, re.MULTILINE)
    is_complete = all(state.startswith("finished") for state in found)
    assert result.exit_code == (0 if found and is_complete else 1), result.output
    return found


@given(size=st.integers(0, 40), more=st.integers(0, 10), run=st.integers(0, 20), count=st.integers(1, 12))
def test_shards_are_disjoint_balanced_and_keep_their_samples(size: int, more: int, run: int, count: int) -> None:
    all_samples: list[int | str] = []
    lengths = []
    for number in range(1, count + 1):
        shard = Shard(number, count)
        samples = shard.share_of([*range(size)], run)
        larger = shard.share_of([*range(size + more)], run)
        assert set(samples) <= set(larger)
        all_samples += samples
        lengths.append(len(samples))

    assert sorted(all_samples, key=int) == [*range(size)]
    assert max(lengths) - min(lengths) <= 1


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("--shard 0/4", "--shard must be K/N with 1 ≤ K ≤ N ≤ 10,000, such as 1/4 for the first of four, got 0/4."),
        ("--shard 1/10001", "--shard must be K/N "),
        ("--shard 1/4 --dry-run", "--dry-run shows the whole experiment. Omit --shard 1/4."),
        ("--shard 1/4 --set options.sample_shuffle=true", "--shard needs a seed in options.sample_shuffle"),
    ],
)
def test_a_shard_that_cannot_be_run_is_refused_and_leaves_nothing(options: str, line: str) -> None:
    assert line in refused(f"run small.yaml {options}")
    assert not Path("logs").exists()


@pytest.mark.usefixtures("slow")
def test_a_shard_of_another_division_or_another_experiment_is_refused_and_leaves_nothing() -> None:
    completed("run gold.yaml --limit 1 --shard 1/2")
    before = sorted(Path("logs").rglob("*"))
    assert "logs/small has logs of shard 1/2." in refused("run gold.yaml --limit 1 --shard 2/3")
    assert "logs/small has logs of shard 1/2." in refused("run gold.yaml --limit 1")
    other_solver = refused("run gold.yaml --set solvers=[discoverybench/no_data_guess] --shard 2/2")
    assert "does not belong to this experiment" in other_solver
    assert sorted(Path("logs").rglob("*")) == before


@pytest.mark.usefixtures("slow")
def test_a_shard_of_an_experiment_that_was_run_whole_is_refused_and_leaves_nothing() -> None:
    completed("run gold.yaml --limit 1")
    message = refused("run gold.yaml --limit 1 --shard 1/2")
    assert "logs/small has logs of a run without shards." in message
    assert not Path("logs/small/shard-1-of-2").exists()


@pytest.mark.usefixtures("slow")
def test_a_shard_that_runs_is_refused_a_second_time() -> None:
    with locked("logs/small/shard-2-of-2"):
        message = refused("run small.yaml --shard 2/2")
        assert states("small.yaml") == ["running: 2", "missing: 1"]
    in_use = "logs/small/shard-2-of-2 is in use by another run. Wait for it, or use another log_dir."
    assert message == f"Error: {in_use}"


IN_USE = "logs/small is in use by another run. Wait for it, or use another log_dir."


@pytest.mark.parametrize(
    ("seconds_locked", "result"),
    [pytest.param(0.3, "started", id="status looks at the lock"), pytest.param(20, IN_USE, id="another run")],
)
def test_a_log_directory_is_refused_if_it_stays_locked_and_not_if_status_only_looks_at_it(
    seconds_locked: float, result: str
) -> None:
    """A run waits for the lock for a second. `status` holds it for a moment, and another run until it ends.

    A run is refused when it takes the lock, and not by an earlier check: two runs that start at the same time would
    both pass the check.
    """
    results: list[str] = []

    def run() -> None:
        try:
            with locked("logs/small"):
                results.append("started")
        except InvalidExperiment as error:
            results.append(str(error))

    later_run = threading.Thread(target=run, daemon=True)
    with locked("logs/small"):
        later_run.start()
        later_run.join(seconds_locked)  # returns earlier if the run is refused
    later_run.join(20)
    assert results == [result]


@pytest.mark.usefixtures("slow")
def test_shards_are_run_one_by_one_and_read_as_one() -> None:
    assert not states("small.yaml")
    assert not Path("logs").exists(), "status writes nothing"

    output = completed("run small.yaml --shard 2/2")
    assert "To see all shards, run: discoverybench status small.yaml\n" in output
    assert "discoverybench/demo: 1 of 8 tasks (1 selected: " in output
    assert ") in shard 2/2" in output
    table = failed("status small.yaml")
    assert "Shards finished: 2 (of 2)\nShards missing: 1 (of 2)\n" in table
    assert "To continue, run: discoverybench run small.yaml --shard 1/2\n" in table
    # The limit selects samples before they are divided into shards, so it would drop some of shard 2.
    assert "in logs/small would be dropped, because " in refused("run small.yaml --shard 1/2 --limit 1")

    completed("run small.yaml --shard 1/2")
    assert states("small.yaml") == ["finished: 1,2"]
    assert "To make a report, run: discoverybench report logs/small" in completed("status small.yaml")

    completed("run small.yaml --set log_dir=logs/whole")
    pd.testing.assert_frame_equal(scores("logs/small"), scores("logs/whole"))
    for log in logs():
        folder = Path(log.location).parent.name
        shard_name = metadata(log)["shard"].replace("/", "-of-")
        assert folder == f"shard-{shard_name}"


@pytest.mark.usefixtures("slow")
def test_shards_from_different_folders_go_on_in_one_folder() -> None:
    completed("run gold.yaml --shard 1/2 --set log_dir=logs/a")
    completed("run gold.yaml --shard 2/2 --set log_dir=logs/b")
    for folder in ("logs/a/shard-1-of-2", "logs/b/shard-2-of-2"):
        shutil.copytree(folder, Path("logs/small", Path(folder).name))
    # Shard 2 first: it must not take the id of the eval set from the log of shard 1, although this log is older and is
    # read first. Inspect refuses to continue a shard with another id.
    completed("run gold.yaml --shard 2/2 --limit 4")
    completed("run gold.yaml --shard 1/2 --limit 4")
    assert states("gold.yaml --limit 4") == ["finished: 1,2"]
    assert len(read_results(["logs/small"]).rows) == 4


def test_a_shard_starts_while_the_log_of_another_one_is_just_being_written(monkeypatch: pytest.MonkeyPatch) -> None:
    completed("run gold.yaml --shard 1/2")
    [path] = Path("logs/small/shard-1-of-2").glob("*.eval")
    content = path.read_bytes()
    path.write_bytes(content[:-1])

    def write_the_rest(_: float) -> None:
        path.write_bytes(content)

    # While the command waits, the other process goes on.
    monkeypatch.setattr(time, "sleep", write_the_rest)
    completed("run gold.yaml --shard 2/2")
    assert path.read_bytes() == content


@pytest.mark.usefixtures("slow")
def test_finished_samples_of_a_shard_stay_when_samples_and_epochs_are_added() -> None:
    completed("run small.yaml --shard 1/2")
    before = set(read_results(["logs/small/shard-1-of-2"]).samples.uuid)
    completed("run small.yaml --shard 1/2 --limit 3 --set epochs=2")
    after = read_results(["logs/small/shard-1-of-2"]).samples
    assert before < set(after.uuid)
    # Half of four runs with three samples in two epochs.
    assert after[IDENTITY].value_counts().tolist() == [1] * 12


@pytest.mark.usefixtures("slow")
def test_a_file_system_without_locks_is_named_and_the_shard_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    no_locks = OSError(errno.ENOSYS, "Function not implemented")
    monkeypatch.setattr("fcntl.flock", Mock(side_effect=no_locks))
    output = completed("run gold.yaml --limit 1 --shard 1/2")
    folder = "logs/small/shard-1-of-2"
    assert f"The file system of {folder} does not support locks. Do not start a second run in it.\n" in output


@pytest.mark.usefixtures("slow")
def test_a_shard_without_samples_is_finished() -> None:
    assert "0 of 0 runs are complete." in completed("run gold.yaml --limit 1 --shard 2/2")
    completed("run gold.yaml --limit 1 --shard 1/2")
    assert states("gold.yaml --limit 1") == ["finished: 1,2"]
