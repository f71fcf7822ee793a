"""Answer keys: the gold hypotheses of a split, in a CSV file of their own."""

import re
from pathlib import Path

from inspect_discoverybench.dataset.table import Table
from inspect_discoverybench.errors.exceptions import DataError

COLUMNS = ("dataset", "metadataid", "query_id", "gold_hypo")

GoalKey = tuple[str, int, int]
"""Dataset folder, number of the metadata file and query id of a goal."""

Golds = dict[GoalKey, str]
"""Gold hypotheses by goal."""


def read_answer_key(path: Path) -> Golds:
    """Read a CSV file with the columns `dataset`, `metadataid`, `query_id` and `gold_hypo`.

    Raises:
        DataMissing: The file cannot be read.
        UnreadableTable: The file is empty, a quoted value is not closed, or a row has too few or too many values.
        DataError: A column is missing, or a row has an invalid number, or a gold hypothesis that contradicts an
            earlier row.
    """
    table = Table.read(path)
    _require_columns(path, [name.strip() for name in table.columns])

    golds: Golds = {}
    lines: dict[GoalKey, int] = {}
    for line, values in table.rows.items():
        row = {column.strip(): value.strip() for column, value in values.items()}
        if not any(row.values()):
            continue
        number = _parse_number(row, "metadataid", "the number in metadata_<number>.json", f"{path}: line {line}")
        query_id = _parse_number(row, "query_id", "the qid of the query", f"{path}: line {line}")
        key = (row["dataset"], number, query_id)
        if golds.get(key, row["gold_hypo"]) != row["gold_hypo"]:
            raise DataError(
                f"{path}: line {line}: the gold hypothesis for {', '.join(map(str, key))} "
                f"differs from the one in line {lines[key]}. Remove one of the rows."
            )
        golds[key] = row["gold_hypo"]
        lines[key] = line
    return golds


def _require_columns(path: Path, columns: list[str]) -> None:
    missing = [column for column in COLUMNS if column not in columns]
    if missing:
        raise DataError(
            f"{path}: no column {', '.join(missing)}. The columns are {', '.join(columns)}; "
            f"an answer key needs {', '.join(COLUMNS)}."
        )


def _parse_number(row: dict[str, str], column: str, expected: str, place: str) -> int:
    text = row[column]
    # `int` also reads other digits, spaces and underscores, and refuses more than 4,300 digits by a message of its own.
    if re.fullmatch(r"-?[0-9]{1,18}", text) is None:
        raise DataError(f"{place}: {column} {text[:40]!r} is not an integer. Use {expected}.")
    return int(text)
