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

Chart = alt.FacetChart | alt.HConcatChart

PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#8C6BB1", "#8C8C8C")
"""Colour-blind-safe colours that show on light and on dark backgrounds (Okabe and Ito, without yellow and black)."""

AGENTS = ("react", "codegen", "datavoyager", "reflexion", "no_data_guess", "goal_echo")
"""Agents that have the same colour in every report, in the order of the palette."""

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")

WIDTH, SCATTER_SIZE = 400, 270
"""Width of a panel, and width and height of a scatter plot, in pixels."""

ROW_HEIGHT, TALL_ROW_HEIGHT = 22, 36
"""Height of a row, and of one whose label has two lines, in pixels."""

MAX_ROWS = 40
"""Number of rows that a panel shows: a longer one cannot be read, and takes minutes to draw."""

MAX_LINE = 46
"""Length of a label, in characters, above which it is put on two lines."""

LINES = "split(datum.label, '\\n')"
"""Expression that shows a label on several lines."""

Interval = tuple[str, str, str]
"""Columns of a value and of the endpoints of its interval; all the same without an interval."""


@dataclass(frozen=True)
class Style:
    """What the charts of a report have in common: titles of panels by benchmark, and colours by agent."""

    titles: Mapping[str, str]
    colors: Mapping[str, str]


def agent_colors(agents: Iterable[str]) -> dict[str, str]:
    """A colour for each agent, the same in all charts."""
    others = sorted(set(agents).difference(AGENTS))
    return _assigned([*AGENTS, *others], PALETTE)


def _assigned(names: Iterable[str], choices: Sequence[str]) -> dict[str, str]:
    """A choice for each name, in turn."""
    return dict(zip(names, itertools.cycle(choices), strict=False))


def dots(table: pd.DataFrame, row: str, interval: Interval, style: Style, kinds: Sequence[str] = ()) -> Chart | None:
    """One row per label with the value as a point and its interval as a line; None if there are no values.

    Args:
        table: The values.
        row: Column of the labels.
        interval: Columns of the value and its interval.
        style: Titles and colours.
        kinds: Values of the column `kind`, which sets the shape of points; without any, all are circles.
    """
    value, low, high = interval
    table = table.dropna(subset=value)
    if table.empty:
        return None

    title = [value, "with 95 % CI on these tasks"]
    scale = alt.Scale(zero=True)
    start = alt.X(field=low, type="quantitative", title=title, scale=scale)
    center = alt.X(field=value, type="quantitative", title=title, scale=scale)
    end = alt.X2(field=high)
    color = _by_name(alt.Color, table, "agent", style.colors)

    line = alt.Chart().mark_rule(strokeWidth=2)
    line = line.encode(x=start, x2=end, color=color)
    point = alt.Chart().mark_point()
    point = point.encode(x=center, color=color)
    if kinds:
        shapes = _assigned(kinds, SHAPES)
        shape = _by_name(alt.Shape, table, "kind", shapes)
        point = point.encode(shape=shape)
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
    order = list(colors)
    places = table[segment].map(order.index)
    table = table.assign(place=places)
    whole = alt.Scale(domain=[0, 100])
    size = alt.X(field=share, type="quantitative", stack="zero", title=share, scale=whole)
    color = _by_name(alt.Color, table, segment, colors)
    stacked = alt.Order(field="place", type="quantitative")

    bar = alt.Chart().mark_bar()
    bar = bar.encode(x=size, color=color, order=stacked)
    return _rows([bar], table, row, style)


def scatter(table: pd.DataFrame, pairs: Sequence[tuple[Interval, Interval]], style: Style) -> Chart | None:
    """Points with intervals, with a shape for each model; None if there are none.

    Args:
        table: The points.
        pairs: What is on the horizontal and on the vertical axis of each plot.
        style: Titles and colours.
    """
    for x, y in pairs:
        table = table.dropna(subset=[x[0], y[0]])
    if table.empty:
        return None
    plots = [_plot(table, x, y, style) for x, y in pairs]
    return alt.hconcat(*plots, spacing=30)


def _plot(table: pd.DataFrame, x: Interval, y: Interval, style: Style) -> alt.FacetChart:
    models = sorted(set(table.model))
    shapes = _assigned(models, SHAPES)
    color = _by_name(alt.Color, table, "agent", style.colors)
    shape = _by_name(alt.Shape, table, "model", shapes)
    center_x = _axis(alt.X, x, 0)
    center_y = _axis(alt.Y, y, 0)
    start_x = _axis(alt.X, x, 1)
    start_y = _axis(alt.Y, y, 1)
    end_x = alt.X2(field=x[2])
    end_y = alt.Y2(field=y[2])

    base = alt.Chart().encode(color=color)
    lines = base.mark_rule(opacity=0.4)
    points = base.mark_point()
    layers = [
        lines.encode(x=center_x, y=start_y, y2=end_y),
        lines.encode(x=start_x, x2=end_x, y=center_y),
        points.encode(x=center_x, y=center_y, shape=shape),
    ]
    layered = alt.LayerChart(layer=layers)
    layered = layered.properties(width=SCATTER_SIZE, height=SCATTER_SIZE)
    return _faceted(layered, table, style)


def _axis(channel: Any, interval: Interval, end: int) -> Any:
    """An axis of a scatter plot, from 0."""
    scale = alt.Scale(zero=True)
    axis = alt.Axis(format=",~r", tickCount=5)
    return channel(field=interval[end], type="quantitative", title=interval[0], scale=scale, axis=axis)


def _rows(layers: Sequence[alt.Chart], table: pd.DataFrame, row: str, style: Style) -> Chart:
    """The layers with one row per label, in the order of the table."""
    labels = table.drop_duplicates(["benchmark", row])
    labels = labels.groupby("benchmark").head(MAX_ROWS)
    shown = table[table[row].isin(labels[row])]
    shown = shown.assign(label=shown[row].map(_wrapped))
    is_tall = shown.label.str.contains("\n").any()
    height = alt.Step(TALL_ROW_HEIGHT if is_tall else ROW_HEIGHT)

    axis = alt.Axis(labelExpr=LINES, grid=True)
    vertical = alt.Y(field="label", type="nominal", sort=None, title=None, axis=axis)
    in_rows = [layer.encode(y=vertical) for layer in layers]
    layered = alt.LayerChart(layer=in_rows)
    layered = layered.properties(width=WIDTH, height=height)
    panels = _faceted(layered, shown, style)
    independent: Chart = panels.resolve_scale(y="independent")
    return independent


def _wrapped(label: str) -> str:
    """Put what a long label has in parentheses on a second line."""
    if len(label) <= MAX_LINE:
        return label
    return label.replace(" (", "\n(", 1)


def _faceted(layers: alt.LayerChart, table: pd.DataFrame, style: Style) -> alt.FacetChart:
    """A panel for each benchmark."""
    titles = table.benchmark.map(style.titles)
    header = alt.Header(labelOrient="top", labelAnchor="start")
    panels = alt.Row(field="panel", type="nominal", sort=None, title=None, header=header)
    layers = layers.properties(data=table.assign(panel=titles))
    return layers.facet(row=panels, spacing=30)


def _by_name(channel: Any, table: pd.DataFrame, field: str, choices: Mapping[str, str]) -> Any:
    """A colour or shape for each name; the legend has those that occur."""
    names = list(choices)
    values = list(choices.values())
    scale = alt.Scale(domain=names, range=values)
    occurring = set(table[field])
    shown = [name for name in names if name in occurring]
    legend = alt.Legend(values=shown)
    title = field.replace("_", " ")
    return channel(field=field, type="nominal", title=title, scale=scale, legend=legend)
