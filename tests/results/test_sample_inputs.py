"""The recorded inputs of a sample: what a log says was changed between two runs of a study."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries

from inspect_discoverybench import custom
from inspect_discoverybench.results.sample_inputs import changed_inputs
from tests.dataset.studies import COLUMNS, QUERY, study, write_study

FILES = ("a.csv", "b.csv")


def edit(folder: Path, **fields: Any) -> None:
    path = folder / "metadata_0.json"
    content = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**content, **fields}), "utf-8")


def edit_gold(folder: Path) -> None:
    edit(folder, queries=[{**QUERY, "true_hypothesis": "Because y falls with x."}])


def edit_workflow(folder: Path) -> None:
    edit(folder, workflow="1. Fit another line.")


def edit_description(folder: Path) -> None:
    edit(folder, datasets=[{"name": name, "columns": COLUMNS, "description": "New."} for name in FILES])


def edit_file(folder: Path) -> None:
    (folder / "b.csv").write_text("x,y\n9,9\n", "utf-8")


def edit_gold_and_files(folder: Path) -> None:
    edit_gold(folder)
    for name in FILES:
        (folder / name).write_text("x,y\n8,8\n", "utf-8")


def remove_file(folder: Path) -> None:
    edit(folder, datasets=[{"name": "a.csv", "columns": COLUMNS}])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study with two data files."""
    folder = write_study(tmp_path / "mine", study(*FILES, workflow="1. Fit a line."))
    (folder / "b.csv").write_text("x,y\n5,6\n", "utf-8")
    return folder


def planned(folder: Path, **arguments: Any) -> Mapping[str, Any]:
    task = custom(path=str(folder), sandbox="local", **arguments)
    return task.dataset[0].metadata or {}


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(
    ("change", "names"),
    [
        (lambda folder: None, []),
        (edit_gold, ["gold hypothesis"]),
        (edit_workflow, ["gold workflow"]),
        (edit_description, ["task text"]),
        (edit_file, ["data file b.csv"]),
        (edit_gold_and_files, ["gold hypothesis", "data file a.csv", "data file b.csv"]),
        (remove_file, ["task text", "data file b.csv"]),
    ],
)
def test_a_sample_and_its_summary_say_what_was_changed_since(
    folder: Path, change: Callable[[Path], None], names: list[str]
) -> None:
    task = custom(path=str(folder), sandbox="local")
    judge = {"grader": "discoverybench/lexical"}
    [log] = inspect_eval(task, model="discoverybench/baseline", model_roles=judge)
    [summary] = read_eval_log_sample_summaries(log.location)
    [sample] = read_eval_log(log.location).samples or []
    change(folder)
    # An experiment that is continued reads the summaries of samples, and a report reads the samples.
    assert changed_inputs(summary.metadata, planned(folder)) == names
    assert changed_inputs(sample.metadata, planned(folder)) == names


def test_a_changed_file_among_very_many_is_noticed_without_its_name(folder: Path) -> None:
    # The checksums of 40 files have more than 1024 characters, so Inspect replaces them by a sentence in the summary of
    # the sample. The summary keeps the fingerprint of all files together, which shows that one of them was changed.
    names = [f"table-{number}.csv" for number in range(40)]
    for name in names:
        (folder / name).write_text("x,y\n1,2\n", "utf-8")
    edit(folder, datasets=[{"name": name, "columns": COLUMNS} for name in names])
    task = custom(path=str(folder), sandbox="local")
    [log] = inspect_eval(task, model="discoverybench/baseline", model_roles={"grader": "discoverybench/lexical"})
    [summary] = read_eval_log_sample_summaries(log.location)
    (folder / "table-7.csv").write_text("x,y\n1,3\n", "utf-8")
    assert changed_inputs(summary.metadata, planned(folder)) == ["data files"]


def test_a_hint_changes_only_the_task_text_and_a_placebo_only_the_data(folder: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (folder / name).write_text("x,y\n" + "".join(f"{row},{row}\n" for row in range(30)), "utf-8")
    edit(folder, domain_knowledge="Known.")
    original = planned(folder)
    assert changed_inputs(original, planned(folder, domain_knowledge=True)) == ["task text"]
    assert changed_inputs(original, planned(folder, placebo=1)) == ["data file a.csv", "data file b.csv"]


def test_what_a_log_of_an_earlier_version_does_not_record_is_not_compared(folder: Path) -> None:
    earlier = {name: value for name, value in planned(folder).items() if name != "fingerprints"}
    edit_gold_and_files(folder)
    assert changed_inputs(earlier, planned(folder)) == []
