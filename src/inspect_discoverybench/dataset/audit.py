"""Counts of the studies, goals, files and irregularities of a split, recomputed from its files.

A file that cannot be used is reported instead of raised, so an audit also checks custom studies before they are run.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from inspect_discoverybench.dataset.answer_key import Golds, read_answer_key
from inspect_discoverybench.dataset.custom import custom_samples
from inspect_discoverybench.dataset.data_files import locate
from inspect_discoverybench.dataset.goals import goal_metadata, measure_target
from inspect_discoverybench.dataset.irregularities import flag_repeated_questions, group_by_question
from inspect_discoverybench.dataset.metadata import Study
from inspect_discoverybench.dataset.paths import absolute, metadata_files
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.splits import REAL, SYNTH
from inspect_discoverybench.dataset.table import Table, is_table
from inspect_discoverybench.dataset.target_column import synth_targets
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.errors.exceptions import DataError


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
        contents = _read(split.name, root / split.folder, split.answer_key_in(root))
        audits.append(_audit(f"{split.benchmark}/{split.name}", contents))
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
    contents = _read("custom", location, answer_key)
    if not contents.problems:
        # Loading the samples finds what remains, such as an answer key that is listed as a data file.
        with contents.collect_error():
            custom_samples(path, answer_key, Hints())
    return _audit(location.name, contents)


@dataclass
class _Contents:
    """Everything that could be read of some studies, and the errors of the rest.

    Attributes:
        studies: The studies by metadata file.
        tables: The tables by data file; None for files in other formats.
        goals: The goals of the studies. The gold hypothesis is empty if there is none.
        errors: Messages about files that cannot be used.
    """

    studies: dict[Path, Study] = field(default_factory=dict)
    tables: dict[Path, Table | None] = field(default_factory=dict)
    goals: list[SampleMetadata] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @contextmanager
    def collect_error(self) -> Iterator[None]:
        """Record a data error instead of raising it."""
        try:
            yield
        except DataError as error:
            self.errors.append(error.message)

    @property
    def problems(self) -> list[str]:
        """Reasons why the studies cannot be run."""
        without_gold = [goal for goal in self.goals if not goal.gold_hypothesis]
        return [f"{_short_id(goal)}: no gold hypothesis" for goal in without_gold] + self.errors


def _read(split: str, path: Path, answer_key: Path | None) -> _Contents:
    contents = _Contents()
    golds: Golds | None = None
    if answer_key is not None:
        with contents.collect_error():
            golds = read_answer_key(answer_key)
    for metadata_file in metadata_files(path):
        with contents.collect_error():
            study = Study.read(metadata_file)
            contents.studies[metadata_file] = study
            for file in study.data_files:
                data_file = locate(metadata_file.parent, file.name)
                contents.tables[data_file] = Table.read(data_file) if is_table(data_file) else None
            for goal in study.goals:
                metadata = goal_metadata(split, metadata_file, study, goal, golds)
                # For DB-SYNTH, only the column's name is as recorded.
                recorded = synth_targets().get(metadata.key)
                name = recorded.name if recorded else goal.target_column
                target = measure_target(name, metadata, metadata_file.parent)
                contents.goals.append(metadata.model_copy(update=target.flags if target else {}))
    contents.goals = flag_repeated_questions(contents.goals)
    return contents


def _audit(name: str, contents: _Contents) -> Audit:
    return Audit(name, {**_sizes(contents), **_irregularities(contents)}, contents.problems)


def _sizes(contents: _Contents) -> Mapping[str, Count]:
    goals = contents.goals
    golds = {goal.gold_hypothesis for goal in goals} - {""}
    file_counts = [len(goal.data_files) for goal in goals]
    domains = Counter(goal.domain for goal in goals)
    return {
        "study folders": Count(len({path.parent for path in contents.studies})),
        "metadata files": Count(len(contents.studies)),
        "goals": Count(len(goals)),
        "distinct gold hypotheses": Count(len(golds)),
        "data files": Count(len(contents.tables)),
        "goals with several data files": Count(sum(count > 1 for count in file_counts)),
        "maximum data files per goal": Count(max(file_counts, default=0)),
        "domains": _listed(f"{domain}: {count}" for domain, count in sorted(domains.items())),
        **_count_by_value("question type", (goal.question_type for goal in goals)),
        **_count_by_value("difficulty", (goal.difficulty for goal in goals)),
        "studies with a public workflow": Count(sum(bool(study.workflow) for study in contents.studies.values())),
        **_count_by_value("workflow length", (goal.workflow_bucket for goal in goals)),
    }


def _irregularities(contents: _Contents) -> Mapping[str, Count]:
    """What deviates from most of the release. Goals have it as a flag in the metadata of their samples."""
    goals = contents.goals
    groups = [group for group in group_by_question(goals) if len(group) > 1]
    conflicting = [group for group in groups if group[0].conflicting_gold]
    other_formats = [path for path, table in contents.tables.items() if table is None]
    return {
        "data files in other formats": _listed(f"{path.parent.name}/{path.name}" for path in other_formats),
        "described columns that are missing": _listed(_missing_columns(contents)),
        "duplicate questions": _listed(" = ".join(map(_short_id, group)) for group in groups),
        "duplicates: hard variants": _flagged(goals, "variant", "hard"),
        "duplicates: different gold hypotheses": _listed(" = ".join(map(_short_id, group)) for group in conflicting),
        "goals without a gold hypothesis": _flagged(goals, "gold_hypothesis", ""),
        "constant target columns": _flagged(goals, "solvable", False),
        "nearly constant target columns": _flagged(goals, "near_constant", True),
        "questions that reveal the gold hypothesis": _flagged(goals, "reveals_gold", "goal"),
        "unusable files": _listed(contents.errors),
    }


def _missing_columns(contents: _Contents) -> Iterator[str]:
    for path, study in contents.studies.items():
        for file in study.data_files:
            table = contents.tables.get(path.parent / file.name)
            for column in file.columns:
                if table is not None and column.name not in table.columns:
                    yield f"{path.parent.name}/{path.name}: {file.name}: {column.name}"


def _flagged(goals: Sequence[SampleMetadata], flag: str, value: object) -> Count:
    """The goals whose flag has a value."""
    return _listed(_short_id(goal) for goal in goals if getattr(goal, flag) == value)


def _listed(items: Iterable[str]) -> Count:
    items = list(items)
    return Count(len(items), items)


def _count_by_value(name: str, values: Iterable[object]) -> Mapping[str, Count]:
    counts = Counter(str(value) for value in values if value is not None)
    return {f"{name}: {value}": Count(count) for value, count in sorted(counts.items())}


def _short_id(goal: SampleMetadata) -> str:
    """`<dataset folder>/<metadata number>/<query id>`."""
    return goal.sample_id.partition("/")[2]
