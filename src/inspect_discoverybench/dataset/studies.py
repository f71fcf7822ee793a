"""Reading the goals of studies, with flags for known irregularities."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from inspect_discoverybench.dataset.answer_key import AnswerKey
from inspect_discoverybench.dataset.data_path import locate
from inspect_discoverybench.dataset.metadata import Goal, Study, metadata_number
from inspect_discoverybench.dataset.question import group_by_question
from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.dataset.table import Table, is_table
from inspect_discoverybench.dataset.target import Target
from inspect_discoverybench.dataset.variant import with_variants
from inspect_discoverybench.dataset.workflow import bucket, workflow_length
from inspect_discoverybench.errors import DataMissing, InvalidMetadata
from inspect_discoverybench.text import fold

FindTarget = Callable[[SampleMetadata, Goal, Path], Target | None]
"""Function that returns the target column of a goal, given its metadata, the goal and the folder of its study."""


def absolute(path: Path) -> Path:
    """Make a path absolute, without `~`, `.` and `..`. Symbolic links are not resolved."""
    return Path(os.path.abspath(path.expanduser()))  # noqa: PTH100 - Path.resolve() would follow the links


def metadata_files(folder: Path) -> list[Path]:
    """Find the files `metadata_<number>.json` in a folder and its direct subfolders, sorted by folder and number.

    Raises:
        DataMissing: There are none.
    """
    paths = [*folder.glob("metadata_*.json"), *folder.glob("*/metadata_*.json")]
    if not paths:
        raise DataMissing(f"{folder}: no metadata_<number>.json in this folder or its subfolders. Check the path.")
    return sorted(paths, key=lambda path: (path.parent.name, metadata_number(path)))


def read_goals(
    split: str, paths: Sequence[Path], answer_key: AnswerKey | None, find_target: FindTarget
) -> list[tuple[Path, SampleMetadata]]:
    """Read every goal of some metadata files.

    Args:
        split: Name of the split.
        paths: Absolute paths of the metadata files. The name of a file's folder is the name of its study.
        answer_key: The gold hypotheses; otherwise they are in the metadata.
        find_target: Finds the target column of a goal.

    Returns:
        The goals, each with the folder of its study.

    Raises:
        DataError: A file is missing or invalid, or a goal has no gold hypothesis.
    """
    goals: list[tuple[Path, SampleMetadata]] = []
    sources: dict[str, Path] = {}
    for path in paths:
        for metadata in _goals_of(split, path, answer_key, find_target):
            other = sources.setdefault(metadata.sample_id, path)
            if other is not path:
                raise InvalidMetadata(
                    f"{metadata.sample_id} is defined in both {other} and {path}. Rename one of them."
                )
            goals.append((path.parent, metadata))
    flagged = with_variants(_with_duplicates([metadata for _, metadata in goals]))
    return [(folder, metadata) for (folder, _), metadata in zip(goals, flagged, strict=True)]


def described_target(metadata: SampleMetadata, goal: Goal, folder: Path) -> Target | None:
    """The target column that the metadata names, if the study has a single data file and it is a table."""
    if goal.target_column is None or len(metadata.data_files) != 1:
        return None
    path = locate(folder, metadata.data_files[0].name)
    return Target.of(goal.target_column, Table.read(path), goal.relevant_columns) if is_table(path) else None


def goal_metadata(path: Path, question: str) -> SampleMetadata:
    """Metadata of a goal about the study of one metadata file.

    The gold hypothesis is empty unless the metadata file has the same goal.

    Args:
        path: The metadata file.
        question: The discovery goal.

    Raises:
        DataError: The metadata file is missing or invalid.
    """
    study = Study.read(path)
    next_id = max(goal.query_id for goal in study.goals) + 1
    new_goal = Goal.model_validate({"qid": next_id, "question": question, "question_type": "general"})
    goal = next((goal for goal in study.goals if fold(goal.question) == fold(question)), new_goal)
    return _metadata("custom", path, study, goal, goal.true_hypothesis)


def _goals_of(split: str, path: Path, answer_key: AnswerKey | None, find_target: FindTarget) -> list[SampleMetadata]:
    folder, number = path.parent.name, metadata_number(path)
    study = Study.read(path)
    goals = []
    for goal in study.goals:
        gold = answer_key.gold(folder, number, goal.query_id) if answer_key else goal.true_hypothesis
        if not gold:
            raise InvalidMetadata(
                f"{path}: the query with qid {goal.query_id} has no true_hypothesis. Add it, or pass an answer key."
            )
        metadata = _metadata(split, path, study, goal, gold)
        target = find_target(metadata, goal, path.parent)
        goals.append(_with_target(metadata, target) if target else metadata)
    return goals


def _with_target(metadata: SampleMetadata, target: Target) -> SampleMetadata:
    return metadata.model_copy(
        update={
            "solvable": target.solvable,
            "near_constant": target.near_constant,
            "predictors_present": target.predictors_present,
            "gold_agreement": target.agreement.value if target.agreement else None,
            "gold_agreement_measure": target.agreement.measure if target.agreement else None,
        }
    )


def _metadata(split: str, path: Path, study: Study, goal: Goal, gold: str) -> SampleMetadata:
    length = workflow_length(study.workflow)
    return SampleMetadata(
        split=split,
        dataset=path.parent.name,
        metadata_number=metadata_number(path),
        query_id=goal.query_id,
        domain=study.domain,
        question_type=goal.question_type,
        difficulty=goal.difficulty,
        goal=goal.question,
        gold_hypothesis=gold,
        gold_workflow=study.workflow or None,
        workflow_length=length,
        workflow_bucket=bucket(length) if length else None,
        data_files=study.data_files,
        data_file_count=len(study.data_files),
        workflow_tags=study.workflow_tags,
        domain_knowledge=study.domain_knowledge,
    )


def _with_duplicates(goals: list[SampleMetadata]) -> list[SampleMetadata]:
    """Flag goals that ask the same question, and those whose gold hypotheses differ."""
    flags: dict[str, dict[str, str | bool | None]] = {}
    for group in group_by_question(goals, lambda goal: goal.goal):
        first = group[0]
        conflicting = any(goal.gold_hypothesis != first.gold_hypothesis for goal in group)
        for goal in group:
            duplicate_of = None if goal is first else first.sample_id
            flags[goal.sample_id] = {"duplicate_of": duplicate_of, "conflicting_gold": conflicting}
    return [goal.model_copy(update=flags[goal.sample_id]) for goal in goals]
