"""Studies: reading their goals with flags for known irregularities, and the study that a data set belongs to."""

import csv
import os
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal
from unicodedata import category

from inspect_discoverybench.dataset.metadata import Goal, Study, locate, metadata_number
from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.dataset.table import Golds, Table, is_table, read_answer_key
from inspect_discoverybench.errors.exceptions import DataError, DataMissing
from inspect_discoverybench.errors.file_failures import file_errors
from inspect_discoverybench.submission.text import normalized

STUDIES: Mapping[str, str] = {
    "evolution_freshwater_fish": "cerezer2023",
    "introduction_pathways_non-native_plants": "riera2024",
    "immigration_offshoring_effect_on_employment": "ottaviano2013",
    "requirements_engineering_for_ML_enabled_systems": "alves2023",
    "meta_regression": "heyard2024",
    "meta_regression_raw": "heyard2024",
    "nls_bmi": "nls",
    "nls_bmi_raw": "nls",
    "nls_incarceration": "nls",
    "nls_raw": "nls",
    "nls_ses": "nls",
    "worldbank_education_gdp": "worldbank",
    "worldbank_education_gdp_indicators": "worldbank",
    "archaeology": "archaeology",
}
"""Folders of DB-REAL with their study: the work in the paper's appendix B with the topic of the folder.

Folders with the same prefix have the same underlying data (appendix D.2)."""

GUESSED_STUDIES = frozenset({"nls", "worldbank", "archaeology"})
"""Studies of five, four and twelve works. The appendix does not say which task is from which, but they share data."""

PROCESSED_FOLDERS: Mapping[str, str] = {
    "meta_regression_raw": "meta_regression",
    "worldbank_education_gdp_indicators": "worldbank_education_gdp",
    "nls_bmi_raw": "nls_bmi",  # the two share no question
}
"""Folders of DB-REAL with raw data, each with the folder of the processed data (paper, appendix D.2)."""

REVEALED = 0.8
"""Share of the words of a gold hypothesis from which a text counts as revealing it."""

MISSING = frozenset({"", "nan", "NaN", "NA"})
NEAR_CONSTANT_SHARE = 0.95
"""A column is nearly constant if its most common value has at least this share of the rows, without missing values."""

Flags = Mapping[str, Any]
"""Fields of `SampleMetadata` about the target column."""

_CONTENT = re.compile(r"[^\W\d_]{4,}|\d+(?:\.\d+)?")
_STEP = re.compile(r"(?P<line_start>^[ \t]*)?(?<![\w.,])(?P<number>\d+)[.)](?!\d)", re.MULTILINE)


def slug_of(domain: str) -> str:
    """The name of a domain in the form of a folder name."""
    return "-".join(re.findall(r"[a-z0-9]+", domain.lower()))


def study_of(metadata: Mapping[str, Any]) -> str | None:
    """The study of a sample, by its metadata: the recorded one, or that of its data set; None without a data set.

    Tasks of one study share data and authors, so their scores are dependent.
    """
    folder, domain = (str(metadata.get(name) or "") for name in ("dataset", "domain"))
    # Of a synthetic data set, it is the domain, because one author invents a whole domain.
    of_domain = domain if re.fullmatch(rf"{slug_of(domain)}_\d+_\d+", folder) else ""
    return str(metadata.get("study") or STUDIES.get(folder) or of_domain or folder) or None


@file_errors()
def absolute(path: Path) -> Path:
    """Make a path absolute, without `~`, `.` and `..`. Symbolic links are not resolved.

    Raises:
        DataMissing: There is no such home folder.
        Refused: The path is too long.
    """
    expanded = os.path.expanduser(path)  # noqa: PTH111 - Path.expanduser() raises RuntimeError
    if expanded.startswith("~"):
        raise DataMissing(f"{path}: there is no such home folder. Pass an absolute path.")
    Path(expanded).exists()
    return Path(os.path.abspath(expanded))  # noqa: PTH100 - Path.resolve() would follow the links


def metadata_files(path: Path) -> list[Path]:
    """Find metadata files: one, or all in a folder and its direct subfolders, sorted by folder and number.

    Args:
        path: Absolute path of a file `metadata_<number>.json`, or of a folder.

    Raises:
        DataMissing: There are none.
        DataError: The name of a file is invalid.
    """
    if not path.exists():
        raise DataMissing(f"The path '{path}' does not exist. Check the spelling or pass an absolute path.")
    paths = [*path.glob("metadata_*.json"), *path.glob("*/metadata_*.json")] if path.is_dir() else [path]
    if not paths:
        raise DataMissing(f"{path}: no metadata_<number>.json in this folder or its subfolders. Check the path.")
    return sorted(paths, key=lambda path: (path.parent.name, metadata_number(path)))


def read_goals(split: str, paths: Sequence[Path], answer_key: Path | None) -> list[tuple[Path, SampleMetadata]]:
    """Read every goal of some metadata files.

    Args:
        split: Name of the split.
        paths: Absolute paths of the metadata files. The name of a file's folder is the name of its study.
        answer_key: CSV file with the gold hypotheses; otherwise they are in the metadata.

    Returns:
        The goals, each with the folder of its study.

    Raises:
        DataError: A file is missing or invalid, two goals have the same id, or a goal has no gold hypothesis.
    """
    golds = read_answer_key(answer_key) if answer_key else None
    goals: list[SampleMetadata] = []
    sources: dict[str, Path] = {}
    for path in paths:
        study = Study.read(path)
        for goal in study.goals:
            metadata = goal_metadata(split, path, study, goal, golds)
            if not metadata.gold_hypothesis:
                remedy = "Add a row." if answer_key else "Add its true_hypothesis, or pass an answer key."
                raise DataError(
                    f"{answer_key or path}: no gold hypothesis for dataset {metadata.dataset}, "
                    f"metadataid {metadata.metadata_number}, query_id {metadata.query_id}. {remedy}"
                )
            if metadata.sample_id in sources:
                raise DataError(
                    f"{metadata.sample_id} is defined in both {sources[metadata.sample_id]} and {path}. "
                    "Rename one of them, or use a different qid for each query."
                )
            sources[metadata.sample_id] = path
            _, flags = synth_targets().get(metadata.key) or (None, _described_target(metadata, goal, path.parent))
            goals.append(metadata.model_copy(update=flags))
    return [(sources[goal.sample_id].parent, goal) for goal in with_repeated_questions(goals)]


def goal_metadata(split: str, path: Path, study: Study, goal: Goal, golds: Golds | None = None) -> SampleMetadata:
    """Metadata of a goal. The gold hypothesis is empty if neither the metadata file nor the answer key has it.

    Raises:
        DataError: The name of the metadata file is invalid.
    """
    folder, number = path.parent.name, metadata_number(path)
    gold = goal.true_hypothesis if golds is None else golds.get((folder, number, goal.query_id), "")
    length = workflow_length(study.workflow)
    in_column = any(reveals(column.description, gold) for file in study.data_files for column in file.columns)
    return SampleMetadata(
        split=split,
        dataset=folder,
        study=study_of({"dataset": folder, "domain": study.domain}),
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
        reveals_gold="goal" if reveals(goal.question, gold) else "column" if in_column else None,
    )


def reveals(text: str, gold: str) -> bool:
    """Whether a text contains at least `REVEALED` of the numbers and longer words of a gold hypothesis."""
    words = set(_CONTENT.findall(gold.casefold()))
    return len(words.intersection(_CONTENT.findall(text.casefold()))) >= REVEALED * len(words) > 0


def stated_formula(text: str, columns: Iterable[str]) -> str | None:
    """The first formula with a column in a text, such as "0.5 * weight" or "log(weight)"; None if there is none.

    The name may have spaces for underscores, be in the plural, in quotes or brackets, or as in pandas or LaTeX.
    """
    names = re.sub(r"\\?[ _-]", "[ _-]", re.escape("\n".join(columns))).replace("\\\n", "|")
    name, number = rf"(?:{names})s?", r"\d+(?:[.,]\d+)?"
    # A text of the same length, in which a mathematical symbol is a star, and a command of LaTeX a root.
    plain = re.sub(r"\\[A-Za-z]+", lambda command: "√".center(len(command[0])), text)
    plain = "".join(
        " "
        if mark in "()[]{}\"'`$"
        else "*"
        if (category(mark) in ("Sm", "Sk") and mark != "√") or mark in "*/·"
        else mark
        for mark in plain
    )
    value, symbol = rf"(?:{number}|{name})", r"\s*[*√][\s*√]*"
    formula = rf"{name}(?:(?:{symbol}|\s*%\s*|\s-\s){value}|[²³])|{value}{symbol}{name}|(?:{number}|√\s*){name}"
    function = rf"(?i)(?<!\w)[a-z]\w*\([^a-z()]*{name}\s*[^\w\s]"
    match = re.search(rf"(?i)(?<!\w)(?:{formula})(?!\w)", plain) or re.search(function, text)
    return text[slice(*match.span())] if match else None


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
        groups[normalized(goal.goal)].append(goal)
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


def _described_target(metadata: SampleMetadata, goal: Goal, folder: Path) -> Flags:
    """Flags of the target column that the metadata names, if the study has a single data file and it is a table."""
    if goal.target_column is None or len(metadata.data_files) != 1:
        return {}
    path = locate(folder, metadata.data_files[0].name)
    return target_flags(goal.target_column, Table.read(path), goal.relevant_columns) if is_table(path) else {}


def target_flags(column: str, table: Table, relevant_columns: Collection[str] = ()) -> Flags:
    """Examine a column of a table. A column that is missing from the table has no values.

    Args:
        column: Name of the target column.
        table: The data file.
        relevant_columns: Columns of the gold expression; may include the target.
    """
    values = Counter(value for row in table.rows.values() if (value := row.get(column, "")) not in MISSING)
    top = max(values.values(), default=0) / max(1, values.total())
    predictors = set(relevant_columns) - {column}
    return _flags(len(values), top, predictors_present=predictors <= set(table.columns) if predictors else None)


@cache
def synth_targets() -> Mapping[tuple[str, str, int, int], tuple[str, Flags]]:
    """Target columns of the 903 tasks of DB-SYNTH with their flags, by `SampleMetadata.key`.

    The released metadata names the target of only 183 tasks. The other targets come from the public commit history of
    the same repository. `discoverybench data audit` recomputes the properties that can be derived from the
    released files.
    """
    with Path(__file__).with_name("synth_targets.csv").open(encoding="utf-8", newline="") as file:
        return {
            (row["split"], row["folder"], int(row["metadata"]), int(row["query"])): (
                row["target_column"],
                _flags(
                    int(row["distinct_values"]),
                    float(row["top_share"]),
                    predictors_present=row["predictors_present"] == "1",
                    gold_agreement=float(row["agreement"]) if row["agreement"] else None,
                    gold_agreement_measure=row["measure"] if row["agreement"] else None,
                ),
            )
            for row in csv.DictReader(file)
        }


def _flags(distinct_values: int, top_share: float, **others: Any) -> Flags:
    """The flags of a column by the number of its distinct values and the share of the most common one, 0 to 1."""
    solvable = distinct_values > 1
    return {"solvable": solvable, "near_constant": solvable and top_share >= NEAR_CONSTANT_SHARE, **others}
