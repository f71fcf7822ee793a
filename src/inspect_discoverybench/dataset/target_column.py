"""Target columns: whether the gold hypothesis can be found in the released data."""

import csv
from collections import Counter
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from inspect_discoverybench.dataset.table import Table

MISSING = frozenset({"", "nan", "NaN", "NA"})

NEAR_CONSTANT_SHARE = 0.95
"""A column is nearly constant if its most common value has at least this share of the rows, without missing values.

The value is a choice of this package."""

Flags = Mapping[str, Any]
"""Fields of `SampleMetadata` about the target column."""

GoalId = tuple[str, str, int, int]
"""Split, dataset folder, number of the metadata file and query id of a goal."""


def target_flags(column: str, table: Table, relevant_columns: Collection[str] = ()) -> Flags:
    """Examine a column of a table. A column that is missing from the table has no values.

    Args:
        column: Name of the target column.
        table: The data file.
        relevant_columns: Columns of the gold expression; may include the target.
    """
    values = Counter(row.get(column, "") for row in table.rows.values())
    for missing in MISSING:
        del values[missing]
    top_share = max(values.values(), default=0) / max(1, values.total())

    predictors = set(relevant_columns) - {column}
    predictors_present = predictors <= set(table.columns) if predictors else None
    return {**_variation(len(values), top_share), "predictors_present": predictors_present}


@cache
def synth_targets() -> Mapping[GoalId, tuple[str, Flags]]:
    """Target columns of the 903 tasks of DB-SYNTH with their flags.

    The released metadata names the target of only 183 tasks. The other targets come from the public commit history of
    the same repository. `discoverybench data audit` recomputes the properties that can be derived from the
    released files.
    """
    targets = {}
    with Path(__file__).with_name("synth_targets.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key = (row["split"], row["folder"], int(row["metadata"]), int(row["query"]))
            targets[key] = (row["target_column"], _recorded_flags(row))
    return targets


def _recorded_flags(row: Mapping[str, str]) -> Flags:
    flags = {
        **_variation(int(row["distinct_values"]), float(row["top_share"])),
        "predictors_present": row["predictors_present"] == "1",
    }
    if row["agreement"]:
        flags["gold_agreement"] = float(row["agreement"])
        flags["gold_agreement_measure"] = row["measure"]
    return flags


def _variation(distinct_values: int, top_share: float) -> dict[str, Any]:
    """Whether a column varies, by the number of its distinct values and the share of the most common one, 0 to 1."""
    solvable = distinct_values > 1
    return {"solvable": solvable, "near_constant": solvable and top_share >= NEAR_CONSTANT_SHARE}
