"""Reading studies: every goal of some metadata files, with what is known and irregular about it."""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from inspect_discoverybench.dataset.metadata import AnswerKey, Goal, Study, metadata_number
from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.dataset.table import Table
from inspect_discoverybench.dataset.target import Target
from inspect_discoverybench.errors import DataMissing, InvalidMetadata

FindTarget = Callable[[SampleMetadata, Goal, Path], Target | None]
"""How to learn about the target column of a goal, given the folder of its study."""


def metadata_files(folder: Path) -> list[Path]:
    """`metadata_<number>.json` in a folder and in its subfolders, by folder and number.

    Raises:
        DataMissing: There is none.
    """
    found = [*folder.glob("metadata_*.json"), *folder.glob("*/metadata_*.json")]
    if not found:
        raise DataMissing(f"{folder}: no metadata_<number>.json in this folder or in a subfolder of it.")
    return sorted(found, key=lambda path: (path.parent.name, metadata_number(path)))


def read_goals(
    split: str, paths: Sequence[Path], answer_key: AnswerKey | None, find_target: FindTarget
) -> list[tuple[Path, SampleMetadata]]:
    """Every goal of these metadata files, with the folder of its study.

    Args:
        split: Name of the split.
        paths: The metadata files.
        answer_key: Gold hypotheses; otherwise they stand in the metadata.
        find_target: Finds the target column, from which `solvable` and `near_constant` follow.

    Raises:
        DataError: A file does not follow its form, or a goal has no gold hypothesis.
    """
    goals = [(path.parent, metadata) for path in paths for metadata in _goals_of(split, path, answer_key, find_target)]
    known = _with_duplicates([metadata for _, metadata in goals])
    return [(folder, metadata) for (folder, _), metadata in zip(goals, known, strict=True)]


def described_target(metadata: SampleMetadata, goal: Goal, folder: Path) -> Target | None:
    """The target column that the metadata name, looked up in the one data file."""
    if goal.target_column is None or len(metadata.data_files) != 1:
        return None
    return Target.of(goal.target_column, Table.read(folder / metadata.data_files[0].name).rows)


def own_goal(path: Path, text: str) -> SampleMetadata:
    """A goal in words on the study of one metadata file; its gold hypothesis is empty unless the file has this goal.

    Raises:
        DataError: The file cannot be read or does not follow its form.
    """
    study = Study.read(path)
    number = max(goal.query_id for goal in study.goals) + 1
    own = Goal.model_validate({"qid": number, "question": text, "question_type": "general"})
    asked = " ".join(text.casefold().split())
    goal = next((goal for goal in study.goals if " ".join(goal.question.casefold().split()) == asked), own)
    return _metadata("custom", path, study, goal, goal.true_hypothesis)


def _goals_of(split: str, path: Path, answer_key: AnswerKey | None, find_target: FindTarget) -> list[SampleMetadata]:
    study, folder, number = Study.read(path), path.parent.name, metadata_number(path)
    known = []
    for goal in study.goals:
        gold = answer_key.gold(folder, number, goal.query_id) if answer_key else goal.true_hypothesis
        if not gold:
            raise InvalidMetadata(
                f"{path}: queries: qid {goal.query_id} has no true_hypothesis; write it there, or give an answer key."
            )
        metadata = _metadata(split, path, study, goal, gold)
        target = find_target(metadata, goal, path.parent)
        if target is not None:
            flags = {"solvable": target.solvable, "near_constant": target.near_constant}
            metadata = metadata.model_copy(update=flags)
        known.append(metadata)
    return known


def _metadata(split: str, path: Path, study: Study, goal: Goal, gold: str) -> SampleMetadata:
    length = len(re.findall(r"^\s*\d+[.)]", study.workflow, re.MULTILINE)) or None
    return SampleMetadata(
        split=split,
        dataset=path.resolve().parent.name,
        metadata_number=metadata_number(path),
        query_id=goal.query_id,
        domain=study.domain,
        question_type=goal.question_type,
        difficulty=goal.difficulty,
        goal=goal.question,
        gold_hypothesis=gold,
        gold_workflow=study.workflow or None,
        workflow_length=length,
        workflow_bucket=_bucket(length) if length else None,
        data_files=study.data_files,
        data_file_count=len(study.data_files),
        workflow_tags=study.workflow_tags,
        domain_knowledge=study.domain_knowledge,
    )


def _bucket(length: int) -> Literal["s", "m", "l"]:
    return "s" if length < 10 else "m" if length <= 20 else "l"


def _with_duplicates(goals: list[SampleMetadata]) -> list[SampleMetadata]:
    """Mark goals that ask the same question, and those whose answers differ."""
    asked: dict[str, list[SampleMetadata]] = defaultdict(list)
    for goal in goals:
        asked[" ".join(goal.goal.casefold().split())].append(goal)
    marked = {}
    for first, *others in asked.values():
        conflicting = any(other.gold_hypothesis != first.gold_hypothesis for other in others)
        for goal in (first, *others):
            duplicate_of = None if goal is first else first.sample_id
            flags = {"duplicate_of": duplicate_of, "conflicting_gold": conflicting}
            marked[goal.sample_id] = goal.model_copy(update=flags)
    return [marked[goal.sample_id] for goal in goals]
