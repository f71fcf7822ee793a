"""Shards: parts of an experiment that run independently and are read as one."""

import errno
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_discoverybench.experiment.log_folder import locked
from inspect_discoverybench.experiment.shard import assign_samples
from inspect_discoverybench.results.frame import read_results
from tests.experiment.command import logs, run

SCORES = ["task", "agent", "model_settings", "id", "epoch", "outcome", "hms", "context", "variables", "relationship"]


def scores(folder: str) -> pd.DataFrame:
    """The scores in a folder of logs, without what differs between two equal runs."""
    return read_results([folder]).samples[SCORES].sort_values(SCORES[:5], ignore_index=True)


def states(*arguments: str) -> tuple[int, list[dict[str, object]]]:
    """Exit code and shards of `--status --json`."""
    result = run(*arguments, "--status", "--json")
    return result.exit_code, json.loads(result.output)["shards"]


SIZES = st.lists(st.integers(0, 40), min_size=1, max_size=8)


@given(SIZES, st.integers(1, 12), st.integers(0, 10))
def test_shards_are_disjoint_balanced_and_stable(sizes: list[int], count: int, more: int) -> None:
    runs: list[list[int | str]] = [[*range(size)] for size in sizes]
    shards = assign_samples(runs, count)
    for run_number, ids in enumerate(runs):
        assert Counter(i for shard in shards for i in shard[run_number]) == Counter(ids)
        counts = [len(shard[run_number]) for shard in shards]
        assert max(counts) - min(counts) <= 1
    limited = assign_samples([ids[:5] for ids in runs], count)
    larger = assign_samples([ids[: 5 + more] for ids in runs], count)
    assert all(set(a) <= set(b) for x, y in zip(limited, larger, strict=True) for a, b in zip(x, y, strict=True))
    equal = [sum(map(len, shard)) for shard in assign_samples([runs[0]] * len(runs), count)]
    assert max(equal) - min(equal) <= 1


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["--shard", "0/4"],
            "--shard must be K/N with 1 ≤ K ≤ N ≤ 10,000, such as 1/4 for the first of four, got 0/4.",
        ),
        (["--shard", "1/10001"], "--shard must be K/N "),
        (["--shard", "x"], "--shard must be K/N "),
        (["--shard", "1/4", "--dry-run"], "These options do not go together. Give one of --dry-run, "),
        (["--print", "commands", "--json"], "These options do not go together. "),
        (["--status"], "These options do not go together. "),
        (["--mem", "8G"], "These options do not go together. "),
        (["--shard", "1/4", "--set", "options.sample_shuffle=true"], "--shard needs a seed in options.sample_shuffle"),
    ],
)
def test_options_that_do_not_fit_together_are_one_clear_line(file: str, arguments: list[str], line: str) -> None:
    result = run(file, *arguments)
    assert result.exit_code == 2
    assert line in result.output
    assert len(result.output.splitlines()) == 1


@pytest.mark.usefixtures("sweep")
def test_shards_are_run_one_by_one_and_read_as_one(file: str) -> None:
    code, shards = states(file, "--shards", "2")
    assert code == 1
    assert [(shard["state"], shard["samples"]) for shard in shards] == [("missing", 4)] * 2
    assert not Path("logs").exists(), "--status writes nothing"

    with locked("logs/small/shard-2-of-2"):
        result = run(file, "--shard", "2/2")
        assert result.exit_code == 2, result.output
        assert result.output == (
            "Error: logs/small/shard-2-of-2 is in use by another run. Wait for it, or use another log_dir.\n"
        )
        assert [shard["state"] for shard in states(file, "--shards", "2")[1]] == ["missing", "running"]

    first = run(file, "--shard", "2/2")
    assert first.exit_code == 0, first.output
    assert "discoverybench run small.yaml --shards 2 --status" in first.output
    for arguments, line in (
        (
            ["--shard", "1/4"],
            "logs/small has logs of shard 2/2. Divide the experiment in the same way, or use another l",
        ),
        ([], "logs/small has logs of shard 2/2."),
        (["--shard", "1/2", "--set", "solvers=[discoverybench/gold]"], "does not belong to this experiment"),
        (["--shard", "1/2", "--limit", "1"], "in logs/small would be dropped, because "),
    ):
        result = run(file, *arguments)
        assert result.exit_code == 2, result.output
        assert line in result.output
        assert len(result.output.splitlines()) == 1

    assert run(file, "--shard", "1/2").exit_code == 0
    code, shards = states(file, "--shards", "2")
    assert (code, [shard["finished"] for shard in shards]) == (0, [4, 4])
    whole = run(file, "--set", "log_dir=logs/whole")
    assert whole.exit_code == 0, whole.output
    pd.testing.assert_frame_equal(scores("logs/small"), scores("logs/whole"))
    assert {(Path(log.location).parent.name, (log.eval.metadata or {})["shard"]) for log in logs()} == {
        ("shard-1-of-2", "1/2"),
        ("shard-2-of-2", "2/2"),
    }
    rejection = run(file, "--shard", "1/2", "--set", "log_dir=logs/whole")
    assert rejection.exit_code == 2
    assert "logs/whole has logs of a run without shards. " in rejection.output

    # With more samples and epochs, finished samples stay where they are.
    before = set(read_results(["logs/small/shard-1-of-2"]).samples.uuid)
    again = run(file, "--shard", "1/2", "--limit", "3", "--set", "epochs=2")
    assert again.exit_code == 0, again.output
    after = read_results(["logs/small/shard-1-of-2"]).samples
    assert before < set(after.uuid)
    assert after[SCORES[:5]].value_counts().tolist() == [1] * 12


@pytest.mark.usefixtures("sweep")
def test_a_file_system_without_locks_is_named_and_no_sample_counts_twice(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fcntl.flock", Mock(side_effect=OSError(errno.ENOSYS, "Function not implemented")))
    arguments = (file, "--limit", "1", "--set", "solvers=[discoverybench/gold]")
    result = run(*arguments, "--shard", "1/3")
    assert result.exit_code == 0, result.output
    assert "The file system of logs/small/shard-1-of-3 does not support locks. Do not start a sec" in result.output
    # What a second process at the same time would leave.
    shutil.move("logs/small/shard-1-of-3", "other")
    assert run(*arguments, "--shard", "1/3").exit_code == 0
    [log] = Path("other").glob("*.eval")
    shutil.move(log, "logs/small/shard-1-of-3")
    assert len(scores("logs/small")) == 1
    # There are two samples, so the third shard has none.
    code, shards = states(*arguments, "--shards", "3")
    assert (code, [shard["state"] for shard in shards]) == (1, ["finished", "missing", "finished"])
    empty = run(*arguments, "--shard", "3/3")
    assert empty.exit_code == 0, empty.output
    assert "Shard 3/3 has no samples: there are only 2. Use at most 2 shards." in empty.output


def test_the_slurm_script_passes_every_word_unchanged(file: str, tmp_path: Path) -> None:
    stub = tmp_path / "bin" / "discoverybench"
    stub.parent.mkdir()
    stub.write_text(
        f'#!{sys.executable}\nimport json, os, sys\nprint(json.dumps([sys.argv[1:], os.environ["NOTE"]]))\n'
    )
    stub.chmod(0o755)
    note, change = "two 'quoted' words; $HOME", 'tags=["it\'s; $(date)"]'
    script = run(
        *(file, "--print", "slurm", "--shards", "4", "--partition", "long runs", "--time", "02:00:00", "--mem", "8G"),
        *("--sbatch", "account=lab", "--sbatch", "exclusive", "--container", f'env "NOTE={note}"', "--set", change),
        *("--limit", "2", "--model", "discoverybench/baseline", "--retries", "0"),
    )
    assert script.exit_code == 0, script.output
    assert {"#SBATCH --array=1-4", "#SBATCH --partition=long\\ runs", "#SBATCH --account=lab"} < {
        *script.output.splitlines()
    }
    environment = os.environ | {"PATH": f"{stub.parent}:{os.environ['PATH']}", "SLURM_ARRAY_TASK_ID": "3"}
    result = subprocess.run(["bash"], input=script.output, env=environment, capture_output=True, text=True, check=True)
    words, comment = json.loads(result.stdout)
    assert comment == note
    options = ["--model", "discoverybench/baseline", "--set", change, "--limit", "2", "--retries", "0"]
    assert words == ["run", file, *options, "--shard", "3/4"]
    error = run(file, "--print", "slurm", "--shards", "4", "--sbatch", "comment=a\nb")
    assert (error.exit_code, len(error.output.splitlines())) == (2, 1)
