"""The task version: its number rises whenever a prompt, the task text, a tool, the image or the data change."""

import fingerprints


def test_what_sets_scores_changes_only_with_the_task_version() -> None:
    names = fingerprints.changed_names()
    assert not names, "Undo the change, or see docs/versions.md. If no release has used the number: make fingerprints"
