"""Properties of target columns. A gold hypothesis about a constant column cannot be found from the data."""

import csv
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from inspect_discoverybench.dataset.table import Table

MISSING = frozenset({"", "nan", "NaN", "NA"})
NEAR_CONSTANT_SHARE = 0.95
"""A column is nearly constant if its most common value has at least this share of the rows."""


@dataclass(frozen=True)
class Target:
    """Properties of a target column. Missing values are not counted.

    Attributes:
        column: Name of the column.
        distinct_values: Number of distinct values.
        top_share: Share of the most common value, 0 to 1.
        predictors_present: Whether the data file has every other column of the gold expression; None if unknown.
        agreement: Agreement of the column with the gold expression evaluated on the released data: Spearman's rank
            correlation, −1 to 1, or the share of equal labels, 0 to 1. None if unknown.
        measure: `spearman` or `equal_labels`; None without agreement.
    """

    column: str
    distinct_values: int
    top_share: float
    predictors_present: bool | None = None
    agreement: float | None = None
    measure: str | None = None

    @property
    def solvable(self) -> bool:
        """Whether the column has at least two distinct values."""
        return self.distinct_values > 1

    @property
    def near_constant(self) -> bool:
        """Whether the column varies, but one value fills at least 95 % of the rows."""
        return self.solvable and self.top_share >= NEAR_CONSTANT_SHARE

    @classmethod
    def of(cls, column: str, table: Table, relevant_columns: Collection[str] = ()) -> "Target":
        """Examine a column of a table. A column that is missing from the table has no values.

        Args:
            column: Name of the target column.
            table: The data file.
            relevant_columns: Columns of the gold expression; may include the target.
        """
        values = Counter(row.get(column, "") for row in table.rows.values())
        for missing in MISSING:
            del values[missing]
        top = max(values.values(), default=0) / max(1, values.total())
        predictors = set(relevant_columns) - {column}
        return cls(column, len(values), top, predictors <= set(table.columns) if predictors else None)


@cache
def synth_targets() -> Mapping[tuple[str, str, int, int], Target]:
    """Targets of the 903 tasks of DB-SYNTH, by split, study folder, metadata number and query id.

    The released metadata names the target of only 183 tasks. The other targets come from the public commit history of
    the same repository. `discoverybench data audit` recomputes the properties that can be derived from the
    released files.
    """
    with Path(__file__).with_name("synth_targets.csv").open(encoding="utf-8", newline="") as file:
        return {
            (row["split"], row["folder"], int(row["metadata"]), int(row["query"])): Target(
                row["target_column"],
                int(row["distinct_values"]),
                float(row["top_share"]),
                row["predictors_present"] == "1",
                float(row["agreement"]) if row["agreement"] else None,
                row["measure"] if row["agreement"] else None,
            )
            for row in csv.DictReader(file)
        }
