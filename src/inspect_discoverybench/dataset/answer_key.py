"""Answer keys: gold hypotheses that are kept apart from the metadata."""

import re
from pathlib import Path

from inspect_discoverybench.dataset.table import numbered_rows
from inspect_discoverybench.dataset.text_file import read_text
from inspect_discoverybench.errors import InvalidMetadata

COLUMNS = ("dataset", "metadataid", "query_id", "gold_hypo")

GoalKey = tuple[str, int, int]
"""Study folder, metadata number, query id."""


class AnswerKey:
    """Gold hypotheses by study folder, metadata number and query id."""

    def __init__(self, path: Path) -> None:
        """Read a CSV file with the columns `dataset`, `metadataid`, `query_id` and `gold_hypo`.

        Raises:
            DataMissing: The file cannot be read.
            UnreadableTable: The file is empty, or a quoted value is not closed.
            InvalidMetadata: A column is missing; or a row has too few or too many values, an invalid number, or a gold
                hypothesis that contradicts an earlier row.
        """
        self.path = path
        self._golds: dict[GoalKey, str] = {}
        rows = numbered_rows(path, read_text(path))
        _, header = next(rows)
        columns = [name.strip() for name in header]
        if missing := [column for column in COLUMNS if column not in columns]:
            raise InvalidMetadata(
                f"{path}: no column {', '.join(missing)}. The columns are {', '.join(columns)}; "
                f"an answer key needs {', '.join(COLUMNS)}."
            )
        lines: dict[GoalKey, int] = {}
        for line, values in rows:
            if not any(value.strip() for value in values):
                continue
            key, gold = self._row(line, columns, values)
            if self._golds.setdefault(key, gold) != gold:
                raise InvalidMetadata(
                    f"{path}: line {line}: the gold hypothesis for {', '.join(map(str, key))} "
                    f"differs from the one in line {lines[key]}. Remove one of the rows."
                )
            lines.setdefault(key, line)

    def gold(self, folder: str, number: int, query_id: int) -> str:
        """The gold hypothesis of one goal.

        Raises:
            InvalidMetadata: The key has no gold hypothesis for this goal.
        """
        gold = self._golds.get((folder, number, query_id))
        if not gold:
            raise InvalidMetadata(
                f"{self.path}: no gold hypothesis for dataset {folder}, metadataid {number}, query_id {query_id}. "
                "Add it."
            )
        return gold

    def _row(self, line: int, columns: list[str], values: list[str]) -> tuple[GoalKey, str]:
        if len(values) != len(columns):
            raise InvalidMetadata(
                f"{self.path}: line {line} has {len(values)} values, expected {len(columns)}. "
                "Put hypotheses that contain a separator or a line break in double quotes."
            )
        row = {column: value.strip() for column, value in zip(columns, values, strict=True)}
        numbers = [self._number(line, column, row[column]) for column in ("metadataid", "query_id")]
        return (row["dataset"], numbers[0], numbers[1]), row["gold_hypo"]

    def _number(self, line: int, column: str, value: str) -> int:
        if re.fullmatch(r"-?[0-9]+", value) is None:
            expected = "the number in metadata_<number>.json" if column == "metadataid" else "the qid of the query"
            raise InvalidMetadata(f"{self.path}: line {line}: {column} {value!r} is not an integer. Use {expected}.")
        return int(value)
