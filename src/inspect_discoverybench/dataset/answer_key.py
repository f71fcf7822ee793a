"""Answer keys: the gold hypotheses of a split, in a CSV file of their own."""

from pathlib import Path

from inspect_discoverybench.dataset.table import Table
from inspect_discoverybench.errors.exceptions import DataError

COLUMNS = ("dataset", "metadataid", "query_id", "gold_hypo")

Golds = dict[tuple[str, str, str], str]
"""Gold hypotheses by dataset folder, number of the metadata file and query id, as they are written in the file."""


def read_answer_key(path: Path) -> Golds:
    """Read a CSV file with the columns `dataset`, `metadataid`, `query_id` and `gold_hypo`.

    Raises:
        DataError: The file cannot be read or is no table, a column is missing or occurs twice, or a row contradicts an
            earlier one.
    """
    table = Table.read(path)
    table.require_different_columns(path)
    column_of = {column.strip(): column for column in table.columns}
    if not column_of.keys() >= set(COLUMNS):
        needed = ", ".join(COLUMNS)
        present = ", ".join(column_of)
        raise DataError(f"{path}: an answer key needs the columns {needed}. The columns are {present}.")

    golds: Golds = {}
    for line, row in table.rows.items():
        dataset, number, query_id, gold = [row[column_of[name]].strip() for name in COLUMNS]
        key = (dataset, number, query_id)
        known = golds.setdefault(key, gold)
        if known != gold:
            place = f"{path}: line {line}"
            raise DataError(f"{place}: the gold hypothesis for {key} differs from an earlier one. Remove a row.")
    return golds
