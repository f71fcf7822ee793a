"""Answer keys: gold hypotheses that are kept apart from the metadata."""

import re
from pathlib import Path

from inspect_discoverybench.dataset.table import Table
from inspect_discoverybench.errors import InvalidMetadata

COLUMNS = ("dataset", "metadataid", "query_id", "gold_hypo")


class AnswerKey:
    """Gold hypotheses by study folder, metadata number and query id."""

    def __init__(self, path: Path) -> None:
        """Read a CSV file with the columns `dataset`, `metadataid`, `query_id` and `gold_hypo`.

        Raises:
            DataMissing: The file cannot be read.
            UnreadableTable: The file is empty, a quoted value is not closed, or a row has too few or too many values.
            InvalidMetadata: A column is missing, or a row has an invalid number, or a gold hypothesis that contradicts
                an earlier row.
        """
        self.path = path
        self._golds: dict[tuple[str, int, int], tuple[str, int]] = {}
        table = Table.read(path)
        columns = [name.strip() for name in table.columns]
        if missing := [column for column in COLUMNS if column not in columns]:
            raise InvalidMetadata(
                f"{path}: no column {', '.join(missing)}. The columns are {', '.join(columns)}; "
                f"an answer key needs {', '.join(COLUMNS)}."
            )
        for line, values in table.rows.items():
            row = {column.strip(): value.strip() for column, value in values.items()}
            if any(row.values()):
                self._add(line, row)

    def gold(self, folder: str, number: int, query_id: int) -> str:
        """The gold hypothesis of one goal; empty if there is none."""
        return self._golds.get((folder, number, query_id), ("", 0))[0]

    def _add(self, line: int, row: dict[str, str]) -> None:
        for column in ("metadataid", "query_id"):
            if re.fullmatch(r"-?[0-9]+", row[column]) is None:
                expected = "the number in metadata_<number>.json" if column == "metadataid" else "the qid of the query"
                raise InvalidMetadata(
                    f"{self.path}: line {line}: {column} {row[column]!r} is not an integer. Use {expected}."
                )
        key = (row["dataset"], int(row["metadataid"]), int(row["query_id"]))
        gold, first_line = self._golds.setdefault(key, (row["gold_hypo"], line))
        if gold != row["gold_hypo"]:
            raise InvalidMetadata(
                f"{self.path}: line {line}: the gold hypothesis for {', '.join(map(str, key))} "
                f"differs from the one in line {first_line}. Remove one of the rows."
            )
