"""The gold hypotheses of a split whose metadata do not contain them."""

import re
from pathlib import Path

from inspect_discoverybench.dataset.metadata import decode
from inspect_discoverybench.dataset.table import numbered_rows
from inspect_discoverybench.errors import InvalidMetadata

COLUMNS = ("dataset", "metadataid", "query_id", "gold_hypo")

GoalKey = tuple[str, int, int]
"""Folder of the study, number in the metadata file's name, id of the query."""


class AnswerKey:
    """Gold hypotheses by folder, metadata number and query id."""

    def __init__(self, path: Path) -> None:
        """Read a CSV file with the columns `dataset`, `metadataid`, `query_id` and `gold_hypo`.

        Raises:
            DataMissing: The file cannot be read.
            UnreadableTable: It is empty, or a quoted value does not end.
            InvalidMetadata: A column is missing; a row is too short or too long, has something else than a number, or
                contradicts an earlier row.
        """
        self.path = path
        self._golds: dict[GoalKey, str] = {}
        rows = numbered_rows(path, decode(path))
        _, header = next(rows)
        columns = [name.strip() for name in header]
        if missing := [column for column in COLUMNS if column not in columns]:
            raise InvalidMetadata(
                f"{path}: no column {', '.join(missing)}. The file has {', '.join(columns)}; "
                f"an answer key has {', '.join(COLUMNS)}."
            )
        lines: dict[GoalKey, int] = {}
        for line, values in rows:
            if not any(value.strip() for value in values):
                continue
            key, gold = self._row(line, columns, values)
            if self._golds.setdefault(key, gold) != gold:
                raise InvalidMetadata(
                    f"{path}: line {line}: another gold hypothesis for {', '.join(map(str, key))} "
                    f"than in line {lines[key]}. Remove one of the two rows."
                )
            lines.setdefault(key, line)

    def gold(self, folder: str, number: int, query_id: int) -> str:
        """The gold hypothesis of one goal.

        Raises:
            InvalidMetadata: The key has no row for it, or an empty one.
        """
        gold = self._golds.get((folder, number, query_id))
        if not gold:
            raise InvalidMetadata(
                f"{self.path}: no gold hypothesis for dataset {folder}, metadataid {number}, query_id {query_id}. "
                "Add a row for it."
            )
        return gold

    def _row(self, line: int, columns: list[str], values: list[str]) -> tuple[GoalKey, str]:
        if len(values) != len(columns):
            raise InvalidMetadata(
                f"{self.path}: line {line} has {len(values)} values, but there are {len(columns)} columns; "
                "put a hypothesis that has a separator or a line break in it into double quotes."
            )
        row = {column: value.strip() for column, value in zip(columns, values, strict=True)}
        numbers = [self._number(line, column, row[column]) for column in ("metadataid", "query_id")]
        return (row["dataset"], numbers[0], numbers[1]), row["gold_hypo"]

    def _number(self, line: int, column: str, value: str) -> int:
        if re.fullmatch(r"-?[0-9]+", value) is None:
            source = "the number in the name of metadata_<number>.json" if column == "metadataid" else "the goal's qid"
            raise InvalidMetadata(f"{self.path}: line {line}: {column} {value!r} is not a whole number; give {source}.")
        return int(value)
