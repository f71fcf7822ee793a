"""What the data say about a target column: a gold hypothesis about a constant cannot be found from the data."""

import csv
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from inspect_discoverybench.dataset.table import Table

MISSING = frozenset({"", "nan", "NaN", "NA"})
NEAR = 0.95

Measure = Literal["spearman", "equal_labels"]


@dataclass(frozen=True)
class Agreement:
    """How well the gold expression, evaluated on the released data, reproduces the target column.

    Attributes:
        value: Spearman's rank correlation, −1 to 1, or the share of equal labels, 0 to 1.
        measure: Which of both.
    """

    value: float
    measure: Measure


@dataclass(frozen=True)
class Target:
    """Facts about the values of a target column.

    Attributes:
        column: Its name.
        distinct_values: Different values among those that are not missing.
        top_share: Share of the commonest among those that are not missing, 0 to 1.
        predictors_present: Whether the data have every other column of the gold expression; None if it is not known.
        agreement: Of the gold expression with the column; None if it is not known or cannot be evaluated.
    """

    column: str
    distinct_values: int
    top_share: float
    predictors_present: bool | None = None
    agreement: Agreement | None = None

    @property
    def solvable(self) -> bool:
        """Whether it varies at all."""
        return self.distinct_values > 1

    @property
    def near_constant(self) -> bool:
        """Whether it varies, but in fewer than 5 % of the rows."""
        return self.solvable and self.top_share >= NEAR

    @classmethod
    def of(cls, column: str, table: Table, relevant_columns: Collection[str] = ()) -> "Target":
        """Look at the data; a column that is not there has no values.

        Args:
            column: Name of the target column.
            table: The data file.
            relevant_columns: Columns of the gold expression, with or without the target.
        """
        values = Counter(row.get(column) or "" for row in table.rows)
        for missing in MISSING:
            del values[missing]
        top = max(values.values(), default=0) / max(1, values.total())
        predictors = set(relevant_columns) - {column}
        return cls(column, len(values), top, predictors <= set(table.columns) if predictors else None)


@cache
def synth_targets() -> Mapping[tuple[str, str, int, int], Target]:
    """Targets of the 903 tasks of DB-SYNTH by split, folder, metadata number and query id.

    Released metadata name the target of 183 tasks only; the others are from the public history of the same repository.
    `discoverybench data audit` recomputes what can be recomputed from the released files.
    """
    with Path(__file__).with_name("synth_targets.csv").open(encoding="utf-8", newline="") as file:
        return {
            (row["split"], row["folder"], int(row["metadata"]), int(row["query"])): Target(
                row["target_column"],
                int(row["distinct_values"]),
                float(row["top_share"]),
                row["predictors_present"] == "1",
                _agreement(row["agreement"], row["measure"]),
            )
            for row in csv.DictReader(file)
        }


def _agreement(value: str, measure: str) -> Agreement | None:
    """None where the expression could not be evaluated, and where a correlation is not defined."""
    if not value:
        return None
    return Agreement(float(value), "spearman" if measure == "spearman" else "equal_labels")
