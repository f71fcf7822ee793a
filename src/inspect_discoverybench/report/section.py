"""A section of the report: a table and the figure that visualizes it."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd


@dataclass(frozen=True)
class Section:
    """A section of the report.

    Attributes:
        name: Name of its files, such as `hms` for `tables/hms.csv` and `figures/hms.svg`.
        title: Heading.
        text: What the table shows and how to read it, in one to three sentences.
        table: The numbers, one row per aggregate. Scores are in 0–1 or, where the column says so, in percent.
        filters: Columns of the table whose values select the samples behind a row. Each is a column of the frame of
            samples, so that the page can link a row to its samples.
        chart: The figure; None if there is nothing to draw.
        formats: Python format specification by column, such as `.1f`; `.3g` for other numbers.
    """

    name: str
    title: str
    text: str
    table: "pd.DataFrame"
    filters: tuple[str, ...] = ()
    chart: "alt.Chart | alt.LayerChart | alt.VConcatChart | alt.HConcatChart | None" = None
    formats: dict[str, str] = field(default_factory=dict)
