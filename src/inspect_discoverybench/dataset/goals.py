"""Goals: each query of the metadata files, with its gold hypothesis and its flags."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from inspect_discoverybench.dataset.answer_key import GoalKey, Golds, read_answer_key
from inspect_discoverybench.dataset.irregularities import flag_repeated_questions, reveals
from inspect_discoverybench.dataset.metadata import Goal, Study
from inspect_discoverybench.dataset.metadata_files import metadata_number
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.synth_folder import target_depth
from inspect_discoverybench.dataset.table_file import Table
from inspect_discoverybench.dataset.target_column import synth_targets
from inspect_discoverybench.errors.exceptions import DataError

SURVIVING_GOLDS = Path(__file__).with_name("surviving_golds.csv")
"""The goals of DB-REAL that have a true answer in a placebo, too: the gold hypothesis also holds there, or another
hypothesis of the same form does, such as its opposite (docs/false_claims.md).

Each row has the id of a goal and the reason. The gold hypothesis is about the proportion of values in single columns
(`proportion`), compares two columns (`columns`), or compares columns of several years (`trend`)."""

_STEP_NUMBER = re.compile(r"(?<![\w.,])(\d+)[.)](?!\d)")
"""Matches a number in a workflow that may be that of a step, such as `2.` or `2)`. Decimal numbers are not matched."""


@dataclass(frozen=True)
class SourcedGoal:
    """The metadata of a goal, and the path of its metadata file. Its data files are in the same folder."""

    source: Path
    metadata: SampleMetadata


def read_goals(split: str, paths: Sequence[Path], answer_key: Path | None) -> list[SourcedGoal]:
    """Read every goal of some metadata files.

    Args:
        split: Name of the split.
        paths: Absolute paths of the metadata files. The name of a file's folder is the name of its data set.
        answer_key: CSV file with the gold hypotheses; None if they are in the metadata files.

    Raises:
        DataError: A file is missing or invalid, a metadata file has no goals, two goals have the same id, or a goal has
            no gold hypothesis.
    """
    golds = None
    remedy = "Add its true_hypothesis to the metadata file, or its row to an answer key."
    if answer_key:
        golds = read_answer_key(answer_key)
        remedy = "Add its row to the answer key, whose gold hypotheses take precedence."

    goals: list[SampleMetadata] = []
    sources: dict[str, Path] = {}
    for path in paths:
        study = Study.read(path)
        if not study.goals:
            raise DataError(
                f"{path}: `queries` has no goals. Add one with its true_hypothesis, or ask one that is not scored: "
                f"discoverybench ask --metadata {path} --goal …"
            )
        for goal in study.goals:
            metadata = goal_metadata(split, path, study, goal, golds)
            sample_id = metadata.sample_id
            if not metadata.gold_hypothesis:
                raise DataError(f"{answer_key or path}: no gold hypothesis for {sample_id}. {remedy}")
            if sample_id in sources:
                raise DataError(
                    f"{sample_id} is defined in both {sources[sample_id]} and {path}. "
                    "Rename one of them, or use a different qid for each query."
                )
            sources[sample_id] = path
            goals.append(metadata)

    flagged = flag_repeated_questions(goals)
    return [SourcedGoal(sources[goal.sample_id], goal) for goal in flagged]


def goal_metadata(split: str, path: Path, study: Study, goal: Goal, golds: Golds | None = None) -> SampleMetadata:
    """Metadata of a goal.

    With `golds`, the gold hypothesis is taken only from there, and is empty if `golds` lacks the goal. Without `golds`,
    it is taken from the metadata file, where it may be empty.

    Raises:
        DataError: The name of the metadata file is invalid.
    """
    folder = path.parent.name
    number = metadata_number(path)
    gold = goal.true_hypothesis
    if golds is not None:
        key = GoalKey(folder, str(number), str(goal.query_id))
        gold = golds.get(key, "")

    length = workflow_length(study.workflow)
    sample_id = f"{split}/{folder}/{number}/{goal.query_id}"
    target = synth_targets().get(sample_id)
    return SampleMetadata(
        split=split,
        dataset=folder,
        metadata_number=number,
        query_id=goal.query_id,
        domain=study.domain,
        question_type=goal.question_type,
        difficulty=goal.difficulty,
        tree_level=target_depth(folder, study.domain),
        goal=goal.question,
        gold_hypothesis=gold,
        gold_workflow=study.workflow or None,
        workflow_length=length,
        workflow_bucket=workflow_bucket(length) if length else None,
        data_files=study.data_files,
        workflow_tags=study.workflow_tags,
        domain_knowledge=study.domain_knowledge,
        reveals_gold="goal" if reveals(goal.question, gold) else None,
        solvable=target.solvable if target else None,
        near_constant=target.near_constant if target else None,
        survives_permutation=goal.survives_permutation or gold_survives(sample_id),
    )


def gold_survives(sample_id: str) -> bool:
    """Whether the goal of this sample is one of `SURVIVING_GOLDS`, so that a placebo has a true answer to it."""
    return sample_id in _surviving_golds()


@cache
def _surviving_golds() -> frozenset[str]:
    table = Table.read(SURVIVING_GOLDS)
    return frozenset(row["id"] for row in table.rows.values())


def workflow_length(workflow: str) -> int | None:
    """Count the steps of a numbered workflow (paper §4.1); None if the steps are not numbered.

    A number starts a step only if it continues the numbering. Other numbers are values.
    """
    steps = 0
    for number in _STEP_NUMBER.findall(workflow):
        if int(number) == steps + 1:
            steps += 1
    return steps or None


def workflow_bucket(length: int) -> str:
    """Category of a workflow length: `s` below 10 steps, `m` from 10 to 20, `l` above (paper, Figure 5c)."""
    if length < 10:
        return "s"
    if length <= 20:
        return "m"
    return "l"
