"""A section of the report: a table, how to read it, and the chart that shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict

from inspect_discoverybench.report.charts import Chart


class Description(BaseModel):
    """A section as `sections.yaml` describes it.

    Attributes:
        title: Heading.
        text: What the table shows and how to read it. Terms of the glossary are between asterisks.
        column: Column of the samples by which tasks are grouped; None if the section has no groups.
        order: Groups in the order in which the table shows them. Groups that are not named here follow in alphabetical
            order.
        shows_figure: Whether the page shows the section's figure. HMS, its released form and the facets are already
            drawn at the top of the page, so the page does not show the figures of their sections.
        is_folded: Whether the page folds the section even if it has few rows (`MAX_OPEN_ROWS` in page.py).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    text: str
    column: str | None = None
    order: tuple[str, ...] = ()
    shows_figure: bool = True
    is_folded: bool = False


@cache
def section_descriptions() -> dict[str, Description]:
    """The sections by name, in reading order."""
    sections = _read("sections.yaml")
    return {name: Description(**fields) for name, fields in sections.items()}


@cache
def glossary() -> dict[str, str]:
    """The terms of the texts with their definitions."""
    return _read("glossary.yaml")


def _read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(files(__package__).joinpath(name).read_text("utf-8"))
    return content


@dataclass(frozen=True)
class Section:
    """A section of the report.

    Attributes:
        name: Name of its description and its files, such as `hms` for `tables/hms.csv` and `figures/hms.svg`.
        table: The numbers, one row per aggregate.
        chart: The chart of the table; None if there is nothing to draw.
        notes: Sentences that follow the text of the description.
    """

    name: str
    table: pd.DataFrame
    chart: Chart | None = None
    notes: Sequence[str] = ()

    @property
    def description(self) -> Description:
        """How `sections.yaml` describes it."""
        return section_descriptions()[self.name]

    @property
    def title(self) -> str:
        """Heading."""
        return self.description.title

    @property
    def text(self) -> str:
        """What the table shows and how to read it."""
        return " ".join([self.description.text, *self.notes])
