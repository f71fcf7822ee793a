"""One sample of each study, for tests that do not need a whole split."""

from inspect_ai import Task


def first_of_each_study(task: Task) -> list[str]:
    """Ids of the first sample of each study."""
    ids: dict[str, str] = {}
    for sample in task.dataset:
        assert sample.metadata
        ids.setdefault(sample.metadata["dataset"], str(sample.id))
    return list(ids.values())
