"""Counts of the studies, goals, files and irregularities of a split, recomputed from its files.

A file that cannot be used is reported instead of raised, so an audit also checks custom studies before they are run.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from inspect_discoverybench.dataset.custom import custom_samples
from inspect_discoverybench.dataset.data_files import locate
from inspect_discoverybench.dataset.goals import SourcedGoal, read_goals
from inspect_discoverybench.dataset.irregularities import flag_repeated_questions
from inspect_discoverybench.dataset.paths import absolute, metadata_files
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.splits import REAL, SYNTH
from inspect_discoverybench.dataset.table import Table, is_table
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.errors.exceptions import DataError

COUNTED_VALUES = {
    "question_type": "question type",
    "difficulty": "difficulty",
    "workflow_bucket": "workflow length",
}
"""Metadata fields whose values are counted, with what the counts are called."""

LISTED_FLAGS = {
    "duplicate_of": "duplicate questions",
    "variant_of": "duplicates: hard variants",
    "conflicting_gold": "duplicates: different gold hypotheses",
    "near_constant": "nearly constant target columns",
    "reveals_gold": "questions that reveal the gold hypothesis",
}
"""Flags in the metadata, with what the goals that have them are called."""


class Count(NamedTuple):
    """A number, and the items that were counted, where they can be listed."""

    number: int
    items: Sequence[str] = ()


@dataclass(frozen=True)
class Audit:
    """The audit of one split, or of one folder of custom studies.

    Attributes:
        name: Name of the split or folder.
        counts: The counts by what is counted.
        problems: Reasons why the studies cannot be run; empty if they can.
    """

    name: str
    counts: Mapping[str, Count]
    problems: Sequence[str]


def audit_release(root: Path) -> list[Audit]:
    """Audit every split of the released data.

    Raises:
        DataMissing: A split has no metadata files.
    """
    audits = []
    for split in (*REAL, *SYNTH):
        name = f"{split.benchmark}/{split.name}"
        paths = metadata_files(root / split.folder)
        answer_key = split.answer_key(root)
        goals, problems = _read_goals(split.name, paths, answer_key)
        counts = _count(goals, problems)
        audit = Audit(name, counts, problems)
        audits.append(audit)
    return audits


def audit_studies(path: Path, answer_key: Path | None = None) -> Audit:
    """Audit custom studies.

    Args:
        path: A metadata file, or a folder of them.
        answer_key: CSV file with the gold hypotheses; otherwise they are in the metadata.

    Raises:
        DataMissing: There is no metadata file at the path.
        DataError: The name of a metadata file is invalid.
    """
    location = absolute(path)
    paths = metadata_files(location)
    goals, problems = _read_goals("custom", paths, answer_key)
    counts = _count(goals, problems)
    if not problems:
        # Loading the samples finds what remains, such as an id that two metadata files use.
        with _collected(problems):
            custom_samples(location, answer_key, Hints())
    return Audit(location.name, counts, problems)


def _read_goals(split: str, paths: Sequence[Path], answer_key: Path | None) -> tuple[list[SourcedGoal], list[str]]:
    """The goals of the metadata files that can be read, and what is wrong with the others."""
    goals: list[SourcedGoal] = []
    problems: list[str] = []
    for path in paths:
        with _collected(problems):
            goals += read_goals(split, [path], answer_key, measure_targets=True)
    return goals, problems


@contextmanager
def _collected(problems: list[str]) -> Iterator[None]:
    """Record a data error instead of raising it. A broken answer key is a problem of every file, but recorded once."""
    try:
        yield
    except DataError as error:
        if error.message not in problems:
            problems.append(error.message)


def _count(goals: Sequence[SourcedGoal], problems: list[str]) -> dict[str, Count]:
    """All counts. Tables that cannot be read become problems."""
    metadata = [goal.metadata for goal in goals]
    metadata = flag_repeated_questions(metadata)
    sources = {goal.source for goal in goals}
    folders = {source.parent for source in sources}
    golds = {goal.gold_hypothesis for goal in metadata}
    domains = {goal.domain for goal in metadata}
    missing_columns = list(_missing_columns(goals, problems))
    counts = {
        "study folders": Count(len(folders)),
        "metadata files": Count(len(sources)),
        "goals": Count(len(metadata)),
        "distinct gold hypotheses": Count(len(golds)),
        "domains": Count(len(domains), sorted(domains)),
        "described columns that are missing": Count(len(missing_columns), missing_columns),
    }
    for field, subject in COUNTED_VALUES.items():
        values = Counter(getattr(goal, field) for goal in metadata)
        del values[None]
        for value in sorted(values):
            counts[f"{subject}: {value}"] = Count(values[value])
    for field, subject in LISTED_FLAGS.items():
        flagged = [goal for goal in metadata if getattr(goal, field)]
        counts[subject] = _listed(flagged)

    with_several_files = [goal for goal in metadata if len(goal.data_files) > 1]
    unsolvable = [goal for goal in metadata if goal.solvable is False]
    counts["goals with several data files"] = _listed(with_several_files)
    counts["constant target columns"] = _listed(unsolvable)
    return counts


def _missing_columns(goals: Sequence[SourcedGoal], problems: list[str]) -> Iterator[str]:
    """Columns that a metadata file describes and that are not in the table."""
    read_table = cache(Table.read)  # many metadata files describe the same tables
    described = {goal.source: goal.metadata.data_files for goal in goals}
    for source, files in described.items():
        folder = source.parent
        for file in files:
            with _collected(problems):
                path = locate(folder, file.name)
                if not is_table(path):
                    continue
                present = read_table(path).columns
                place = f"{folder.name}/{source.name}: {file.name}"
                for column in file.columns:
                    if column.name not in present:
                        yield f"{place}: {column.name}"


def _listed(goals: Sequence[SampleMetadata]) -> Count:
    # Without the split, which is the name of the audit.
    ids = []
    for goal in goals:
        prefix = f"{goal.split}/"
        ids.append(goal.sample_id.removeprefix(prefix))
    return Count(len(ids), ids)
