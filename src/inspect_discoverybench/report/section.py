"""A section of the report: a table, how to read it, and the figure that visualizes it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from numbers import Integral, Real

import numpy as np
import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict

from inspect_discoverybench.report.charts import Chart
from inspect_discoverybench.report.report_columns import SCORES

MISSING = "–"

FORMATS = {
    rf"^({'|'.join(SCORES)})$|kappa|tau$": ".2f",
    r"\bp$": ".3f",
    r"USD per": ".4f",
    r"tokens per|^difficulty$|^tree_level$": ".0f",
    r"HMS|× 100|average$|^corrected|low$|high$|in %|per sample": ".1f",
}
"""Format specifications of numbers by pattern of the column. The first one that matches applies."""


class Description(BaseModel):
    """A section as `sections.yaml` describes it.

    Attributes:
        title: Heading.
        text: What the table shows and how to read it; values in braces are filled in.
        column: Column of the table of tasks by which they are grouped. A task with a tuple of values counts for each.
        order: Groups in their order; others follow in alphabetical order.
        by_size: Order the groups by decreasing number of tasks instead.
        means: Names of two means of the same tasks.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    text: str
    column: str | None = None
    order: tuple[str, ...] = ()
    by_size: bool = False
    means: tuple[str, str] | None = None


@cache
def descriptions() -> dict[str, Description]:
    """The sections by name, in reading order."""
    content = yaml.safe_load(files(__package__).joinpath("sections.yaml").read_text("utf-8"))
    return {name: Description.model_validate(section) for name, section in content.items()}


@dataclass(frozen=True)
class Section:
    """A section of the report.

    Attributes:
        name: Name of its description and its files, such as `hms` for `tables/hms.csv` and `figures/hms.svg`.
        table: The numbers, one row per aggregate. Scores are in 0–1 or, where the column says so, in percent.
        draw: Draws the figure of the table; returns None if there is nothing to draw. None for tables without a figure.
        notes: Sentences that follow the text of the description.
        values: What replaces the names in braces in that text.
    """

    name: str
    table: pd.DataFrame
    draw: Callable[[pd.DataFrame], Chart | None] | None = None
    notes: Sequence[str] = ()
    values: Mapping[str, object] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Heading."""
        return descriptions()[self.name].title

    @property
    def text(self) -> str:
        """What the table shows and how to read it."""
        return " ".join([descriptions()[self.name].text.format(**self.values), *self.notes])

    @cached_property
    def chart(self) -> Chart | None:
        """The figure; None if there is nothing to draw."""
        return None if self.draw is None else self.draw(self.table)

    @cached_property
    def columns(self) -> Sequence[str]:
        """Headings of the table."""
        return [str(name).replace("_", " ") for name in self.table.columns]

    @cached_property
    def is_numeric(self) -> Sequence[bool]:
        """Whether each column has numbers."""
        is_number = self.table.map(lambda value: isinstance(value, Real) and not isinstance(value, bool))
        return [*(is_number & self.table.notna()).any()]

    @cached_property
    def rows(self) -> Sequence[Sequence[str]]:
        """The cells as readers see them."""
        formats = [
            next((spec for pattern, spec in FORMATS.items() if re.search(pattern, str(name))), None)
            for name in self.table.columns
        ]
        return [
            [cell_text(value, spec) for value, spec in zip(row, formats, strict=True)]
            for row in self.table.itertuples(index=False, name=None)
        ]


def cell_text(value: object, format_spec: str | None = None) -> str:
    """The text of a cell. Without a format, integers are written in full, and other numbers with three digits."""
    if value is None or value is pd.NA or value != value:  # NaN
        return MISSING
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, Real):
        return f"{value:{format_spec or (',' if isinstance(value, Integral) else '.3g')}}"
    return str(value)
