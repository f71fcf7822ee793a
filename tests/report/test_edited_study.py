"""A study that was edited between two runs: its versions are different tasks, and are named."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from inspect_ai import eval as inspect_eval
from inspect_ai import eval_retry

from inspect_discoverybench import custom
from inspect_discoverybench.cli.main import main
from tests.dataset.studies import QUERY, study, write_study


def write(folder: Path, gold: str = "Because y rises with x.", table: str = "x,y\n1,2\n3,4\n", **fields: Any) -> None:
    queries = [{**QUERY, "true_hypothesis": gold}, {**QUERY, "question": "How?", "qid": 1}]
    write_study(folder, study(queries=queries, **fields), table)


def run(folder: Path, logs: Path) -> None:
    task = custom(path=str(folder), sandbox="local")
    judge = {"grader": "discoverybench/lexical"}
    [log] = inspect_eval(task, model="discoverybench/baseline", model_roles=judge, log_dir=str(logs))
    assert log.status == "success"


def command(*arguments: object) -> str:
    return CliRunner().invoke(main, list(map(str, arguments))).output


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(
    ("edit", "change", "tasks"),
    [
        # The gold hypothesis is that of the first of two samples. All other edits are of both samples.
        (lambda folder: write(folder, gold="Nobody knows."), "gold hypothesis", 3),
        (lambda folder: write(folder, workflow="1. Fit a line."), "gold workflow", 4),
        (lambda folder: write(folder, table="x,y\n1,2\n3,5\n"), "data file a.csv", 4),
        (write, None, 2),  # written again as it was
    ],
)
def test_versions_of_a_sample_are_different_tasks(
    tmp_path: Path, edit: Callable[[Path], None], change: str | None, tasks: int
) -> None:
    folder = tmp_path / "mine"
    write(folder)
    run(folder, tmp_path / "before")
    edit(folder)
    run(folder, tmp_path / "after")

    out = tmp_path / "report"
    command("report", tmp_path / "before", tmp_path / "after", "--out", out)
    page = (out / "report.html").read_text("utf-8")
    shown = pd.read_csv(out / "tables" / "hms.csv")
    assert list(shown.tasks) == [tasks]
    assert f'<td class="number count">{tasks}</td>' in page  # the leaderboard
    compared = command("compare", tmp_path / "before", tmp_path / "after")
    if change is None:
        assert "run again after a change" not in page
        assert "Use comparable logs" not in compared
    else:
        edited = tasks - 2  # each edited sample counts as another task
        assert f"run again after a change: {edited}, such as custom/mine/0/0 ({change})." in page
        assert "Use comparable logs" in compared


@pytest.mark.usefixtures("slow")
def test_a_retry_after_an_edit_keeps_old_and_new_samples_apart(tmp_path: Path) -> None:
    """The log of the retry has the first sample of the old study and the second sample of the new one.

    The run after the edit has both samples of the new study. So there are three tasks: two versions of the first
    sample, and one of the second.
    """
    folder = tmp_path / "mine"
    write(folder)
    task = custom(path=str(folder), sandbox="local")
    # The second sample finds that its data file was changed, which is an error, so that the log can be retried.
    sample = task.dataset[1]
    sample.metadata = {**(sample.metadata or {}), "data_checksums": {"a.csv": "another"}}
    judge = {"grader": "discoverybench/lexical"}
    logs = str(tmp_path / "first")
    [failed] = inspect_eval(task, model="discoverybench/baseline", model_roles=judge, max_samples=1, log_dir=logs)
    assert failed.status == "error"

    write(folder, gold="Nobody knows.", table="x,y\n1,2\n3,5\n")
    [retried] = eval_retry(failed, log_dir=str(tmp_path / "retried"))
    assert retried.status == "success", retried.error
    old, new = sorted(retried.samples or [], key=lambda sample: str(sample.id))
    assert old.metadata["data_checksums"] != new.metadata["data_checksums"]
    run(folder, tmp_path / "after")

    out = tmp_path / "report"
    command("report", tmp_path / "retried", tmp_path / "after", "--out", out)
    page = (out / "report.html").read_text("utf-8")
    shown = pd.read_csv(out / "tables" / "hms.csv")
    assert list(shown.tasks) == [3]
    notice = "run again after a change: 1, such as custom/mine/0/0 (gold hypothesis, data file a.csv)."
    assert notice in page
