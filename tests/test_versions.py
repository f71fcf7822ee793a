"""The task version: its number rises whenever a prompt, the task text, a tool, the image or the data change."""

from importlib.resources import files

import fingerprints
import yaml

from inspect_discoverybench import demo
from inspect_discoverybench.public_names import TASKS
from inspect_discoverybench.tasks import VERSION


def test_what_sets_scores_changes_only_with_the_task_version() -> None:
    names = fingerprints.changed_names()
    assert not names, "Undo the change, or see docs/versions.md. If no release has used the number: make fingerprints"


def test_the_entry_of_the_package_has_its_version_and_tasks() -> None:
    entry = yaml.safe_load((files("inspect_discoverybench") / "eval.yaml").read_text("utf-8"))
    counts = {task["name"]: task.get("dataset_samples") for task in entry["tasks"]}
    assert entry["version"] == VERSION
    assert counts["demo"] == len(demo().dataset)
    assert set(counts) == set(TASKS)
