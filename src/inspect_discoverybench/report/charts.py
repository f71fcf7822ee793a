"""Charts: dots with intervals, stacked bars and scatter plots, with one panel for each benchmark.

The panels of a chart share their axes of numbers, so that bars and distances can be compared. Rows are not shared:
each panel has only its own. Charts take a table and names of its columns; `benchmark` sets the panel, and `agent` the
colour.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from inspect_discoverybench.report.means import IntervalNames

Chart = alt.FacetChart | alt.VConcatChart

COLORS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#D55E00",
    "#56B4E9",
    "#8C6BB1",
)
"""Colours of agents: colour-blind-safe ones that show on light and on dark backgrounds (Okabe and Ito, without yellow
and black), and another one."""

SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)
"""Shapes of points. In scatter plots, each model has one. In charts of joined points, each kind of value has one."""


MAX_ROWS = 60
"""Maximum number of rows in a panel. A panel with more rows cannot be read, and takes minutes to draw."""


@dataclass(frozen=True)
class Style:
    """What the charts of a report have in common: titles of panels by benchmark, and colours by agent."""

    titles: Mapping[str, str]
    colors: Mapping[str, str]


def agent_colors(agents: Iterable[str]) -> dict[str, str]:
    """A colour for each agent, the same in all charts."""
    return _assigned(sorted(agents), COLORS)


def _assigned(names: Iterable[str], choices: Sequence[str]) -> dict[str, str]:
    """A choice for each name, in turn. With more names than choices, the choices repeat."""
    endless = itertools.cycle(choices)
    return dict(zip(names, endless, strict=False))


def dots(table: pd.DataFrame, row: str, interval: IntervalNames, style: Style) -> Chart | None:
    """One row per label with the value as a point and its interval as a line; None if there are no values to draw.

    Args:
        table: The values, with the columns `benchmark` and `agent`.
        row: Column of the labels.
        interval: Columns of the value and its interval.
        style: Titles and colours.
    """
    table = table.dropna(subset=interval.value)
    if table.empty:
        return None

    title = [interval.value, "with 95 % CI on these tasks"]
    base = alt.Chart().encode(color=_by_name(alt.Color, table, "agent", style.colors))
    line = base.mark_rule(strokeWidth=2).encode(
        x=_axis(alt.X, interval.low, title=title),
        x2=alt.X2(field=interval.high),
    )
    point = base.mark_point().encode(x=_axis(alt.X, interval.value, title=title))
    return _rows([line, point], table, row, style)


def bars(table: pd.DataFrame, row: str, segment: str, share: str, colors: Mapping[str, str], style: Style) -> Chart:
    """One stacked bar per label.

    Args:
        table: The segments of bars. The bars are in the order in which their labels occur.
        row: Column of the labels.
        segment: Column of the segments' names.
        share: Column of their sizes in percent.
        colors: Colours of all segments, in the order in which a bar has them.
        style: Titles of panels.
    """
    place_of = list(colors).index
    table = table.assign(place=table[segment].map(place_of))
    bar = (
        alt.Chart()
        .mark_bar()
        .encode(
            x=_axis(alt.X, share, title=share).scale(domain=[0, 100]).stack("zero"),
            color=_by_name(alt.Color, table, segment, colors),
            order=alt.Order(field="place", type="quantitative"),
        )
    )
    return _rows([bar], table, row, style)


def joined_points(table: pd.DataFrame, row: str, value: str, kind: str, style: Style) -> Chart:
    """One row per label. Its values are points, with a shape for each kind of value, and a line joins them.

    Args:
        table: The values from 0 to 100, with the columns `benchmark` and `agent`.
        row: Column of the labels.
        value: Column of the values.
        kind: Column of the kind of each value, as the legend names it.
        style: Titles and colours.
    """
    base = alt.Chart().encode(
        x=_axis(alt.X, value, title=value).scale(domain=[0, 100]),
        color=_by_name(alt.Color, table, "agent", style.colors),
    )
    shapes = _assigned(dict.fromkeys(table[kind]), SHAPES)
    line = base.mark_line().encode(detail=alt.Detail(field=row, type="nominal"))
    shape = _by_name(alt.Shape, table, kind, shapes).title(None)
    # Only outlines are drawn, so that two points of equal value are both seen.
    point = base.mark_point(filled=False, strokeWidth=2.5, size=90).encode(shape=shape)
    return _rows([line, point], table, row, style)


def scatter(table: pd.DataFrame, pairs: Sequence[tuple[IntervalNames, IntervalNames]], style: Style) -> Chart | None:
    """Points with intervals, with a shape for each model. A point that lacks a value is in none of the plots.

    Args:
        table: The points.
        pairs: What is on the horizontal and on the vertical axis of each plot.
        style: Titles and colours.

    Returns:
        None if there are no points to draw.
    """
    for x, y in pairs:
        table = table.dropna(subset=[x.value, y.value])
    if table.empty:
        return None

    plots = [_plot(table, x, y, style) for x, y in pairs]
    return alt.vconcat(*plots)


def _plot(table: pd.DataFrame, x: IntervalNames, y: IntervalNames, style: Style) -> alt.FacetChart:
    """Points, each with a horizontal and a vertical interval. The colour is the agent, and the shape the model."""
    base = alt.Chart().encode(
        x=_axis(alt.X, x.value, title=x.value),
        y=_axis(alt.Y, y.value, title=y.value),
        color=_by_name(alt.Color, table, "agent", style.colors),
    )
    line = base.mark_rule(opacity=0.6)
    horizontal = line.encode(x=_axis(alt.X, x.low, title=x.value), x2=alt.X2(field=x.high))
    vertical = line.encode(y=_axis(alt.Y, y.low, title=y.value), y2=alt.Y2(field=y.high))

    shapes = _assigned(sorted(set(table.model)), SHAPES)
    point = base.mark_point().encode(shape=_by_name(alt.Shape, table, "model", shapes))
    return _panels([horizontal, vertical, point], table, style)


def _axis(channel: Any, column: str, title: str | Sequence[str]) -> Any:
    """A quantitative axis. Layers that share one need the same title, because Vega-Lite joins different titles."""
    return channel(field=column, type="quantitative", title=title)


def _by_name(channel: Any, table: pd.DataFrame, field: str, choices: Mapping[str, str]) -> Any:
    """A colour or shape for each name that occurs in a column of the table."""
    occurring = set(table[field])
    shown = {name: choice for name, choice in choices.items() if name in occurring}
    return channel(field=field, type="nominal", scale=alt.Scale(domain=[*shown], range=[*shown.values()]))


def _rows(layers: Sequence[alt.Chart], table: pd.DataFrame, row: str, style: Style) -> Chart:
    """The layers with one row per label, in the order of the table. A panel has at most `MAX_ROWS` rows."""
    first_labels = table[["benchmark", row]].drop_duplicates().groupby("benchmark").head(MAX_ROWS)
    shown = table.merge(first_labels)  # an inner join: only the part of the table with these labels
    vertical = alt.Y(field=row, type="nominal", sort=None)
    in_rows = [layer.encode(y=vertical) for layer in layers]
    # With a shared vertical axis, each panel would have the rows of all benchmarks.
    panels: Chart = _panels(in_rows, shown, style).resolve_scale(y="independent")
    return panels


def _panels(layers: Sequence[alt.Chart], table: pd.DataFrame, style: Style) -> alt.FacetChart:
    """The layers in a panel for each benchmark."""
    titles = table.benchmark.map(style.titles)
    titles_on_two_lines = titles.str.replace(" (", "\n(", regex=False)
    titled_table = table.assign(panel=titles_on_two_lines)

    # One panel for each title in the new column, in the order of the table.
    panels = alt.Row(field="panel", type="nominal", sort=None)
    return alt.LayerChart(layer=layers).facet(row=panels, data=titled_table)
