"""The task version: its number rises whenever a prompt, the task text, a tool, the image or the data change."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import fingerprints
import pytest
import yaml
from inspect_ai import Task

from inspect_discoverybench import demo, judge_audit, real, synth
from inspect_discoverybench.public_names import TASKS
from inspect_discoverybench.tasks import VERSION


def test_what_sets_scores_changes_only_with_the_task_version() -> None:
    names = fingerprints.changed_names()
    assert not names, "Undo the change, or see docs/versions.md. If no release has used the number: make fingerprints"


def test_the_entry_of_the_package_has_its_version_and_tasks() -> None:
    entry = package_entry()
    counts = sample_counts(entry)
    assert entry["version"] == VERSION
    assert counts["demo"] == len(demo().dataset)
    assert set(counts) == set(TASKS)


@pytest.mark.parametrize("task", [real, synth, judge_audit])
def test_the_entry_of_the_package_has_the_number_of_samples(task: Callable[[], Task], upstream: Path) -> None:
    assert sample_counts(package_entry())[task.__name__] == len(task().dataset)


def package_entry() -> dict[str, Any]:
    """The package's entry for listings of evals, in the form of Inspect Evals."""
    entry: dict[str, Any] = yaml.safe_load((files("inspect_discoverybench") / "eval.yaml").read_text("utf-8"))
    return entry


def sample_counts(entry: dict[str, Any]) -> dict[str, int | None]:
    return {task["name"]: task.get("dataset_samples") for task in entry["tasks"]}
