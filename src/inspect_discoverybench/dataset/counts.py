"""Counts of the studies, goals, files and irregularities of a split, recomputed from its files."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from inspect_discoverybench.dataset.custom import custom_samples
from inspect_discoverybench.dataset.data_files import locate
from inspect_discoverybench.dataset.goals import SourcedGoal, read_goals
from inspect_discoverybench.dataset.paths import absolute, metadata_files
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.splits import REAL, SYNTH
from inspect_discoverybench.dataset.table_file import Table, is_table
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.errors.exceptions import DataError

Counts = Mapping[str, set[str]]
"""The items that were counted, such as ids of samples, by what they are called. What there is none of is missing."""


def audit_release(root: Path) -> dict[str, Counts]:
    """Audit every split of the released data.

    Raises:
        DataError: A file is missing or invalid.
    """
    return {f"{split.benchmark}/{split.name}": _count(split.goals(root)) for split in (*REAL, *SYNTH)}


def audit_studies(path: Path, answer_key: Path | None = None) -> dict[str, Counts]:
    """Audit custom studies. Each metadata file is checked as when a task is built, and all problems are reported.

    Args:
        path: A metadata file, or a folder of them.
        answer_key: CSV file with the gold hypotheses; otherwise they are in the metadata.

    Raises:
        DataError: A file is missing or invalid.
    """
    location = absolute(path)
    paths = metadata_files(location)
    problems: dict[str, None] = {}
    for file in paths:
        try:
            custom_samples(file, answer_key, Hints())
        except DataError as error:
            problems[error.message] = None
    if problems:
        raise DataError("\n".join(problems))

    return {location.name: _count(read_goals("custom", paths, answer_key))}


def _count(goals: Sequence[SourcedGoal]) -> Counts:
    counts: Counts = defaultdict(set)
    read_table = cache(Table.read)  # many metadata files describe the same tables
    for goal in goals:
        counts["metadata files"].add(str(goal.source))
        _count_metadata(counts, goal.metadata)
        _count_missing_columns(counts, goal, read_table)
    return counts


def _count_metadata(counts: Counts, goal: SampleMetadata) -> None:
    sample_id = goal.sample_id
    counts["study folders"].add(goal.dataset)
    counts["goals"].add(sample_id)
    counts["distinct gold hypotheses"].add(goal.gold_hypothesis)
    counts["domains"].add(goal.domain)
    counts[f"question type: {goal.question_type}"].add(sample_id)
    if goal.difficulty:
        counts[f"difficulty: {goal.difficulty}"].add(sample_id)
    if len(goal.data_files) > 1:
        counts["goals with several data files"].add(sample_id)
    if goal.duplicate_of:
        counts["duplicate questions"].add(sample_id)
    if goal.variant == "hard":
        counts["duplicates: hard variants"].add(sample_id)
    if goal.conflicting_gold:
        counts["duplicates: different gold hypotheses"].add(sample_id)
    if goal.reveals_gold:
        counts["questions that reveal the gold hypothesis"].add(sample_id)
    if goal.solvable is False:
        counts["constant target columns"].add(sample_id)
    if goal.near_constant:
        counts["nearly constant target columns"].add(sample_id)


def _count_missing_columns(counts: Counts, goal: SourcedGoal, read_table: Callable[[Path], Table]) -> None:
    """Count columns that are described but not in their data file."""
    for file in goal.metadata.data_files:
        path = locate(goal.source.parent, file.name)
        if not is_table(path):
            continue
        columns = read_table(path).columns
        for column in file.columns:
            if column.name not in columns:
                counts["described columns that are missing"].add(f"{goal.source}: {file.name}: {column.name}")
