"""Counts of the studies, goals, files and irregularities of a split, recomputed from its files."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from inspect_discoverybench.dataset.absolute_path import absolute_path
from inspect_discoverybench.dataset.custom import check_study
from inspect_discoverybench.dataset.data_files import locate
from inspect_discoverybench.dataset.file_format import unreadable_reason
from inspect_discoverybench.dataset.goals import SourcedGoal, read_goals
from inspect_discoverybench.dataset.metadata import DataFile, Study, remarks_on_unknown_keys
from inspect_discoverybench.dataset.metadata_files import metadata_files
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.splits import REAL, SYNTH
from inspect_discoverybench.dataset.table_file import Table, is_table
from inspect_discoverybench.errors.exceptions import DataError

Counts = Mapping[str, set[str]]
"""The items that were counted, such as ids of samples, by the name of their kind. A kind without items is missing."""

MISSING_COLUMNS = "described columns that are missing"
TWICE_DESCRIBED = "columns that are described twice"
TWICE_NAMED = "columns with the name of another one"
UNKNOWN_KEYS = "unknown metadata keys"
UNREADABLE = "data files that the sandbox image cannot read"

ERRORS = (MISSING_COLUMNS, UNREADABLE)
"""The kinds of items that are errors in a study.

A missing column is an error, because the task text would tell the agent of a column that does not exist. A file that
the sandbox image cannot read is an error, because a task that uses the image refuses it."""

REMARKS = (TWICE_DESCRIBED, TWICE_NAMED, UNKNOWN_KEYS)
"""The kinds of items that the author of a study may want to correct.

They are no errors, because the author may have intended them, or have received the data so."""


def audit_release(root: Path) -> dict[str, Counts]:
    """Audit every split of the released data.

    Raises:
        DataError: A file is missing or invalid.
    """
    audits = {}
    for split in (*REAL, *SYNTH):
        audits[f"{split.benchmark}/{split.name}"] = _count(split.goals(root))
    return audits


def audit_studies(path: Path, answer_key: Path | None = None) -> dict[str, Counts]:
    """Audit custom studies. Each metadata file is checked as when a task is built, and all problems are reported.

    Args:
        path: A metadata file, or a folder of them.
        answer_key: CSV file with the gold hypotheses; None if they are in the metadata files.

    Raises:
        DataError: A file is missing or invalid.
    """
    location = absolute_path(path)
    paths = metadata_files(location)
    problems: dict[str, None] = {}  # a set in the order of the files: several files may have the same problem
    for file in paths:
        try:
            check_study(file, answer_key)
        except DataError as error:
            problems[error.message] = None
    if problems:
        raise DataError("\n".join(problems))

    files_with_goals = [file for file in paths if Study.read(file).goals]
    files_without_goals = [file for file in paths if file not in files_with_goals]
    goals = read_goals("custom", files_with_goals, answer_key)
    return {location.name: _count(goals, files_without_goals)}


def _count(goals: Sequence[SourcedGoal], files_without_goals: Sequence[Path] = ()) -> Counts:
    counts: defaultdict[str, set[str]] = defaultdict(set)
    files_with_goals = {goal.source for goal in goals}
    for source in files_with_goals.union(files_without_goals):
        counts["metadata files"].add(str(source))
        for remark in remarks_on_unknown_keys(source):
            counts[UNKNOWN_KEYS].add(f"{source}: {remark}")

    read_table = cache(Table.read)  # many metadata files describe the same tables
    for goal in goals:
        _add_goal(counts, goal.metadata)
        for file in goal.metadata.data_files:
            _add_file_findings(counts, goal.source, file, read_table)

    for source in files_without_goals:
        counts["metadata files without goals"].add(str(source))
        for file in Study.read(source).data_files:
            _add_file_findings(counts, source, file, read_table)
    return counts


def _add_goal(counts: defaultdict[str, set[str]], goal: SampleMetadata) -> None:
    """Add to the counts what the metadata of a goal say."""
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


def _add_file_findings(
    counts: defaultdict[str, set[str]], source: Path, file: DataFile, read_table: Callable[[Path], Table]
) -> None:
    """Add what the author of a study will want to correct in a data file and in the descriptions of its columns.

    These are a file that the sandbox image cannot read, columns that are described twice, columns with the name of
    another one (apart from spaces around it), and described columns that are missing.
    """
    path = locate(source.parent, file.name)
    reason = unreadable_reason(path)
    if reason:
        counts[UNREADABLE].add(f"{path}: {reason}. Convert it to Parquet or CSV.")

    described = [column.name for column in file.columns]
    for name in _repeated(described):
        counts[TWICE_DESCRIBED].add(f"{source}: {file.name}: {name}")

    if not is_table(path):
        return
    columns = read_table(path).columns
    stripped = [column.strip() for column in columns]
    for name in _repeated(stripped):
        shown_name = name or "columns without a name"
        counts[TWICE_NAMED].add(f"{path}: {shown_name}")
    # The spaces around a name count here. The agent is told the described name, and pandas finds a column only by its
    # exact name.
    for name in described:
        if name not in columns:
            counts[MISSING_COLUMNS].add(f"{source}: {file.name}: {name}")


def _repeated(names: Sequence[str]) -> list[str]:
    occurrences = Counter(names)
    return [name for name, number in occurrences.items() if number > 1]
