"""Target columns: whether the gold hypothesis can be found in the data at all."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

NEAR_CONSTANT_SHARE = 0.95
"""A column is nearly constant if at least this share of its values, without missing ones, is its most common value.

The value is a choice of this package."""


@dataclass(frozen=True)
class TargetColumn:
    """The dependent column of a gold hypothesis.

    Attributes:
        distinct_values: Number of different values.
        top_share: Share of the most common value, 0 to 1.
    """

    distinct_values: int
    top_share: float

    @property
    def solvable(self) -> bool:
        """Whether the column varies."""
        return self.distinct_values > 1

    @property
    def near_constant(self) -> bool:
        """Whether one value fills nearly all rows of a column that varies."""
        return self.solvable and self.top_share >= NEAR_CONSTANT_SHARE


@cache
def synth_targets() -> Mapping[str, TargetColumn]:
    """Target columns of the 903 tasks of DB-SYNTH, by sample id.

    The released metadata names the target of only 183 tasks. The other targets come from the public commit history of
    the same repository. A test recomputes the properties from the released files.
    """
    targets = {}
    table = Path(__file__).with_name("synth_targets.csv").read_text("utf-8")
    for row in csv.DictReader(table.splitlines()):
        sample_id = "/".join([row["split"], row["folder"], row["metadata"], row["query"]])
        targets[sample_id] = TargetColumn(
            distinct_values=int(row["distinct_values"]),
            top_share=float(row["top_share"]),
        )
    return targets
