"""The task version: its number rises whenever a prompt, the task text, a tool, the image or the data change."""

from importlib.resources import files
from pathlib import Path

import fingerprints
import pytest
import yaml

import inspect_discoverybench
from inspect_discoverybench.tasks import VERSION


def test_what_sets_scores_changes_only_with_the_task_version() -> None:
    problem = fingerprints.problem(VERSION, fingerprints.recorded(), fingerprints.current())
    assert problem is None, problem


def test_the_entry_of_the_package_has_its_version_and_tasks() -> None:
    entry = yaml.safe_load(files("inspect_discoverybench").joinpath("eval.yaml").read_text("utf-8"))
    counts = {task["name"]: task.get("dataset_samples") for task in entry["tasks"]}
    assert entry["version"] == VERSION
    assert sorted(counts) == sorted(inspect_discoverybench.__all__)
    assert counts["demo"] == len(inspect_discoverybench.demo().dataset)


def test_a_change_without_a_new_number_is_named_with_the_remedy() -> None:
    now = fingerprints.current()
    for name in ("prompt judge/variables", "task text", "image Dockerfile", "tool submit"):
        assert name in now
        problem = str(fingerprints.problem("2-B", {"2": {**now, name: "before"}}, now))
        assert f"did not (2-B): {name}. Undo" in problem
        assert 'VERSION = "3-A"' in problem
    assert fingerprints.problem("2-A", {"2": {**now, "prompt judge/old": "x"}}, now)
    assert "Run `make fingerprints`" in str(fingerprints.problem("9-A", {}, now))


def test_only_fingerprints_of_an_unused_number_are_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real command on a copy of the record."""
    record = tmp_path / "fingerprints.json"
    monkeypatch.setattr(fingerprints, "RECORD", record)
    assert fingerprints.update() == 0
    content = record.read_text("utf-8")
    edit = content.replace(fingerprints.current()["task text"], "before")
    for used, status, after in (({"3"}, 1, edit), (set[str](), 0, content)):
        monkeypatch.setattr(fingerprints, "USED_NUMBERS", used)
        record.write_text(edit, "utf-8")
        assert fingerprints.update() == status
        assert record.read_text("utf-8") == after
