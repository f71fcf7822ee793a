"""Answer keys: the gold hypotheses of a split, in a CSV file of their own."""

from pathlib import Path
from typing import NamedTuple

from inspect_discoverybench.dataset.table_file import Table
from inspect_discoverybench.errors.exceptions import DataError

ANSWER_KEY_COLUMNS = ("dataset", "metadataid", "query_id", "gold_hypo")


class GoalKey(NamedTuple):
    """What names a goal in an answer key. The parts are texts as in the file, without spaces around them."""

    dataset: str
    metadata_number: str
    query_id: str


Golds = dict[GoalKey, str]
"""The gold hypothesis of each goal."""


def read_answer_key(path: Path) -> Golds:
    """Read a CSV file with the columns `dataset`, `metadataid`, `query_id` and `gold_hypo`.

    Raises:
        DataError: The file cannot be read or is no table, a column is missing or occurs twice, or a row contradicts an
            earlier one.
    """
    table = Table.read(path)
    table.require_different_columns(path)
    column_of = {column.strip(): column for column in table.columns}
    missing = set(ANSWER_KEY_COLUMNS) - column_of.keys()
    if missing:
        needed = ", ".join(ANSWER_KEY_COLUMNS)
        present = ", ".join(column_of)
        raise DataError(f"{path}: an answer key needs the columns {needed}. The columns are {present}.")

    golds: Golds = {}
    for line, row in table.rows.items():
        dataset, metadata_number, query_id, gold = [row[column_of[name]].strip() for name in ANSWER_KEY_COLUMNS]
        key = GoalKey(dataset, metadata_number, query_id)
        if key in golds and golds[key] != gold:
            raise DataError(
                f"{path}: line {line}: the gold hypothesis for {tuple(key)} differs from an earlier one. Remove a row."
            )
        golds[key] = gold
    return golds
