"""Charts: dots with intervals, stacked bars and scatter plots, with one panel for each benchmark.

The panels of a chart share their axes, so that bars and distances can be compared. Charts take a table and names of its
columns; `benchmark` sets the panel, and `agent` the colour.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from inspect_discoverybench.report.means import Interval

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
"""Shapes of points, by model."""


MAX_ROWS = 60
"""Number of rows that a panel shows: a longer one cannot be read, and takes minutes to draw."""


@dataclass(frozen=True)
class Style:
    """What the charts of a report have in common: titles of panels by benchmark, and colours by agent."""

    titles: Mapping[str, str]
    colors: Mapping[str, str]


def agent_colors(agents: Iterable[str]) -> dict[str, str]:
    """A colour for each agent, the same in all charts."""
    return _assigned(sorted(agents), COLORS)


def _assigned(names: Iterable[str], choices: Sequence[str]) -> dict[str, str]:
    """A choice for each name, in turn."""
    endless = itertools.cycle(choices)
    return dict(zip(names, endless, strict=False))


def dots(table: pd.DataFrame, row: str, interval: Interval, style: Style) -> Chart | None:
    """One row per label with the value as a point and its interval as a line; None if there are no values.

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
    color = _by_name(alt.Color, table, "agent", style.colors)
    base = alt.Chart().encode(color=color)

    start = _axis(alt.X, interval.low, title)
    end = alt.X2(field=interval.high)
    line = base.mark_rule(strokeWidth=2)
    line = line.encode(x=start, x2=end)

    center = _axis(alt.X, interval.value, title)
    point = base.mark_point()
    point = point.encode(x=center)
    return _rows([line, point], table, row, style)


def bars(table: pd.DataFrame, row: str, segment: str, share: str, colors: Mapping[str, str], style: Style) -> Chart:
    """One stacked bar per label.

    Args:
        table: The segments of bars, in their order.
        row: Column of the labels.
        segment: Column of the segments' names.
        share: Column of their sizes in percent.
        colors: Colours of all segments in their order.
        style: Titles of panels.
    """
    names = list(colors)
    places = table[segment].map(names.index)
    table = table.assign(place=places)

    size = _axis(alt.X, share, share)
    size = size.scale(domain=[0, 100])
    size = size.stack("zero")
    color = _by_name(alt.Color, table, segment, colors)
    order = alt.Order(field="place", type="quantitative")

    bar = alt.Chart().mark_bar()
    bar = bar.encode(x=size, color=color, order=order)
    return _rows([bar], table, row, style)


def scatter(table: pd.DataFrame, pairs: Sequence[tuple[Interval, Interval]], style: Style) -> Chart | None:
    """Points with intervals, with a shape for each model; None if there are none.

    Args:
        table: The points.
        pairs: What is on the horizontal and on the vertical axis of each plot.
        style: Titles and colours.
    """
    for x, y in pairs:
        table = table.dropna(subset=[x.value, y.value])
    if table.empty:
        return None

    plots = []
    for x, y in pairs:
        plot = _plot(table, x, y, style)
        plots.append(plot)
    return alt.vconcat(*plots)


def _plot(table: pd.DataFrame, x: Interval, y: Interval, style: Style) -> alt.FacetChart:
    center_x = _axis(alt.X, x.value, x.value)
    center_y = _axis(alt.Y, y.value, y.value)
    color = _by_name(alt.Color, table, "agent", style.colors)
    base = alt.Chart().encode(x=center_x, y=center_y, color=color)
    line = base.mark_rule(opacity=0.6)

    start_x = _axis(alt.X, x.low, x.value)
    end_x = alt.X2(field=x.high)
    horizontal = line.encode(x=start_x, x2=end_x)

    start_y = _axis(alt.Y, y.low, y.value)
    end_y = alt.Y2(field=y.high)
    vertical = line.encode(y=start_y, y2=end_y)

    models = sorted(set(table.model))
    shapes = _assigned(models, SHAPES)
    shape = _by_name(alt.Shape, table, "model", shapes)
    point = base.mark_point()
    point = point.encode(shape=shape)
    return _panels([horizontal, vertical, point], table, style)


def _axis(channel: Any, column: str, title: str | Sequence[str]) -> Any:
    """A quantitative axis."""
    return channel(field=column, type="quantitative", title=title)


def _by_name(channel: Any, table: pd.DataFrame, field: str, choices: Mapping[str, str]) -> Any:
    """A colour or shape for each name that occurs."""
    occurring = set(table[field])
    names = [name for name in choices if name in occurring]
    values = [choices[name] for name in names]
    scale = alt.Scale(domain=names, range=values)
    return channel(field=field, type="nominal", scale=scale)


def _rows(layers: Sequence[alt.Chart], table: pd.DataFrame, row: str, style: Style) -> Chart:
    """The layers with one row per label, in the order of the table."""
    label_rows = table.drop_duplicates(["benchmark", row])
    by_benchmark = label_rows.groupby("benchmark")
    first_labels = by_benchmark.head(MAX_ROWS)
    shown = table.merge(first_labels[["benchmark", row]])

    vertical = alt.Y(field=row, type="nominal", sort=None)
    in_rows = [layer.encode(y=vertical) for layer in layers]
    panels = _panels(in_rows, shown, style)
    independent: Chart = panels.resolve_scale(y="independent")
    return independent


def _panels(layers: Sequence[alt.Chart], table: pd.DataFrame, style: Style) -> alt.FacetChart:
    """The layers in a panel for each benchmark."""
    titles = table.benchmark.map(style.titles)
    on_two_lines = titles.str.replace(" (", "\n(", regex=False)
    data = table.assign(panel=on_two_lines)
    panel = alt.Row(field="panel", type="nominal", sort=None)
    layered = alt.LayerChart(layer=layers)
    return layered.facet(row=panel, data=data)
