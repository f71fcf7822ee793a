"""Reading the goals of studies, with flags for known irregularities."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from inspect_discoverybench.dataset.answer_key import AnswerKey
from inspect_discoverybench.dataset.data_files import locate
from inspect_discoverybench.dataset.metadata import DataFile, Goal, Study, metadata_number
from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.dataset.table import Table, is_table
from inspect_discoverybench.dataset.target import Target, synth_targets
from inspect_discoverybench.errors import DataMissing, InvalidMetadata
from inspect_discoverybench.text import fold

PROCESSED_FOLDERS: Mapping[str, str] = {
    "meta_regression_raw": "meta_regression",
    "worldbank_education_gdp_indicators": "worldbank_education_gdp",
    "nls_bmi_raw": "nls_bmi",  # the two share no question
}
"""Folders of DB-REAL with raw data, each with the folder of the processed data (paper, appendix D.2)."""

REVEALED = 0.8
"""Share of the words of a gold hypothesis from which a text counts as revealing it."""

_CONTENT = re.compile(r"[^\W\d_]{4,}|\d+(?:\.\d+)?")
_STEP = re.compile(r"(?P<line_start>^[ \t]*)?(?<![\w.,])(?P<number>\d+)[.)](?!\d)", re.MULTILINE)


def absolute(path: Path) -> Path:
    """Make a path absolute, without `~`, `.` and `..`. Symbolic links are not resolved."""
    return Path(os.path.abspath(path.expanduser()))  # noqa: PTH100 - Path.resolve() would follow the links


def metadata_files(path: Path) -> list[Path]:
    """Find metadata files: one, or all in a folder and its direct subfolders, sorted by folder and number.

    Args:
        path: Absolute path of a file `metadata_<number>.json`, or of a folder.

    Raises:
        DataMissing: There are none.
        InvalidMetadata: The name of a file is invalid.
    """
    if not path.exists():
        raise DataMissing(f"The path '{path}' does not exist. Check the spelling or pass an absolute path.")
    paths = [*path.glob("metadata_*.json"), *path.glob("*/metadata_*.json")] if path.is_dir() else [path]
    if not paths:
        raise DataMissing(f"{path}: no metadata_<number>.json in this folder or its subfolders. Check the path.")
    return sorted(paths, key=lambda path: (path.parent.name, metadata_number(path)))


def read_goals(split: str, paths: Sequence[Path], answer_key: AnswerKey | None) -> list[tuple[Path, SampleMetadata]]:
    """Read every goal of some metadata files.

    Args:
        split: Name of the split.
        paths: Absolute paths of the metadata files. The name of a file's folder is the name of its study.
        answer_key: The gold hypotheses; otherwise they are in the metadata.

    Returns:
        The goals, each with the folder of its study.

    Raises:
        DataError: A file is missing or invalid, two goals have the same id, or a goal has no gold hypothesis.
    """
    goals: list[SampleMetadata] = []
    sources: dict[str, Path] = {}
    for path in paths:
        study = Study.read(path)
        for goal in study.goals:
            metadata = goal_metadata(split, path, study, goal, answer_key)
            if not metadata.gold_hypothesis:
                remedy = "Add a row." if answer_key else "Add its true_hypothesis, or pass an answer key."
                raise InvalidMetadata(
                    f"{answer_key.path if answer_key else path}: no gold hypothesis for dataset {metadata.dataset}, "
                    f"metadataid {metadata.metadata_number}, query_id {metadata.query_id}. {remedy}"
                )
            if metadata.sample_id in sources:
                raise InvalidMetadata(
                    f"{metadata.sample_id} is defined in both {sources[metadata.sample_id]} and {path}. "
                    "Rename one of them, or use a different qid for each query."
                )
            sources[metadata.sample_id] = path
            target = synth_targets().get(metadata.key) or _described_target(metadata, goal, path.parent)
            goals.append(with_target(metadata, target) if target else metadata)
    return [(sources[goal.sample_id].parent, goal) for goal in with_repeated_questions(goals)]


def goal_metadata(
    split: str, path: Path, study: Study, goal: Goal, answer_key: AnswerKey | None = None
) -> SampleMetadata:
    """Metadata of a goal. The gold hypothesis is empty if neither the metadata file nor an answer key has it.

    Raises:
        InvalidMetadata: The name of the metadata file is invalid.
    """
    folder, number = path.parent.name, metadata_number(path)
    gold = answer_key.gold(folder, number, goal.query_id) if answer_key else goal.true_hypothesis
    length = workflow_length(study.workflow)
    return SampleMetadata(
        split=split,
        dataset=folder,
        metadata_number=number,
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
        reveals_gold=_revealing_place(goal.question, gold, study.data_files),
    )


def reveals(text: str, gold: str) -> bool:
    """Whether a text contains at least `REVEALED` of the numbers and longer words of a gold hypothesis."""
    words = set(_CONTENT.findall(gold.casefold()))
    return len(words.intersection(_CONTENT.findall(text.casefold()))) >= REVEALED * len(words) > 0


def _revealing_place(goal: str, gold: str, files: Iterable[DataFile]) -> Literal["goal", "column"] | None:
    if reveals(goal, gold):
        return "goal"
    return "column" if any(reveals(column.description, gold) for file in files for column in file.columns) else None


def with_target(goal: SampleMetadata, target: Target) -> SampleMetadata:
    """Add the properties of the target column."""
    return goal.model_copy(
        update={
            "solvable": target.solvable,
            "near_constant": target.near_constant,
            "predictors_present": target.predictors_present,
            "gold_agreement": target.agreement,
            "gold_agreement_measure": target.measure,
        }
    )


def with_repeated_questions(goals: Sequence[SampleMetadata]) -> list[SampleMetadata]:
    """Flag goals that ask the same question: duplicates, different gold hypotheses, and easy and hard variants.

    The paper makes two tasks of some hypotheses (§4.1). In the easy one, the data files contain the derived variables.
    In the hard one, they must be derived from raw data.
    """
    flags: dict[str, dict[str, str | bool]] = {}
    for group in group_by_question(goals):
        first, by_folder = group[0], {goal.dataset: goal for goal in group}
        conflicting = any(goal.gold_hypothesis != first.gold_hypothesis for goal in group)
        flags |= {goal.sample_id: {"conflicting_gold": conflicting} for goal in group}
        for goal in group[1:]:
            flags[goal.sample_id]["duplicate_of"] = first.sample_id
        for goal in group:
            easy = by_folder.get(PROCESSED_FOLDERS.get(goal.dataset, ""))
            if easy is not None:
                flags[easy.sample_id]["variant"] = "easy"
                flags[goal.sample_id] |= {"variant": "hard", "variant_of": easy.sample_id}
    return [goal.model_copy(update=flags[goal.sample_id]) for goal in goals]


def group_by_question(goals: Iterable[SampleMetadata]) -> list[list[SampleMetadata]]:
    """Group goals that ask the same question, in the order of the first goal of each group."""
    groups: dict[str, list[SampleMetadata]] = defaultdict(list)
    for goal in goals:
        groups[fold(goal.goal)].append(goal)
    return list(groups.values())


def workflow_length(workflow: str) -> int | None:
    """Count the steps of a numbered workflow (paper §4.1); None if the steps are not numbered.

    A number at the start of a line starts a step. Within a line it may be a value, so it starts a step only if it
    continues the numbering.
    """
    steps, previous = 0, 0
    for match in _STEP.finditer(workflow):
        number = int(match["number"])
        if match["line_start"] is not None or (steps and number == previous + 1):
            steps, previous = steps + 1, number
    return steps or None


def bucket(length: int) -> Literal["s", "m", "l"]:
    """Category of a workflow length: `s` below 10 steps, `m` from 10 to 20, `l` above (paper, Figure 5c)."""
    return "s" if length < 10 else "m" if length <= 20 else "l"


def _described_target(metadata: SampleMetadata, goal: Goal, folder: Path) -> Target | None:
    """The target column that the metadata names, if the study has a single data file and it is a table."""
    if goal.target_column is None or len(metadata.data_files) != 1:
        return None
    path = locate(folder, metadata.data_files[0].name)
    return Target.of(goal.target_column, Table.read(path), goal.relevant_columns) if is_table(path) else None
