"""What the data say about a target column: a gold hypothesis about a constant cannot be found from the data."""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

MISSING = frozenset({"", "nan", "NaN", "NA"})
NEAR = 0.95


@dataclass(frozen=True)
class Target:
    """Facts about the values of a target column.

    Attributes:
        column: Its name.
        distinct_values: Different values among those that are not missing.
        top_share: Share of the commonest among those that are not missing, 0 to 1.
    """

    column: str
    distinct_values: int
    top_share: float

    @property
    def solvable(self) -> bool:
        """Whether it varies at all."""
        return self.distinct_values > 1

    @property
    def near_constant(self) -> bool:
        """Whether it varies, but in fewer than 5 % of the rows."""
        return self.solvable and self.top_share >= NEAR

    @classmethod
    def of(cls, column: str, rows: Sequence[Mapping[str, str]]) -> "Target":
        """Look at the rows of a data file; a column that is not there has no values."""
        values = Counter(row.get(column) or "" for row in rows)
        for missing in MISSING:
            del values[missing]
        top = max(values.values(), default=0) / max(1, values.total())
        return cls(column, len(values), top)


@cache
def synth_targets() -> Mapping[tuple[str, str, int, int], Target]:
    """Targets of the 903 tasks of DB-SYNTH by split, folder, metadata number and query id.

    Released metadata name the target of 183 tasks only; the others are from the public history of the same repository.
    `discoverybench data audit` recomputes the counts from the data files.
    """
    with Path(__file__).with_name("synth_targets.csv").open(encoding="utf-8", newline="") as file:
        return {
            (row["split"], row["folder"], int(row["metadata"]), int(row["query"])): Target(
                row["target_column"], int(row["distinct_values"]), float(row["top_share"])
            )
            for row in csv.DictReader(file)
        }
