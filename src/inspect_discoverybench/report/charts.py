"""Charts: dots with intervals, stacked bars and scatter plots, with one panel for each benchmark.

The panels of a chart share their axes, so that bars and distances can be compared. Charts take a table and names of its
columns; `benchmark` sets the panel, and `agent` the colour.
"""

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


def _assigned(names: Sequence[str], choices: Sequence[str]) -> dict[str, str]:
    """A choice for each name, in turn."""
    return {name: choices[place % len(choices)] for place, name in enumerate(names)}


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
    base = alt.Chart().encode(color=_channel(alt.Color, table, "agent", style.colors))
    line = base.mark_rule(strokeWidth=2).encode(x=_horizontal(low, title), x2=alt.X2(field=high))
    point = base.mark_point().encode(x=_horizontal(value, title))
    if kinds:
        point = point.encode(shape=_channel(alt.Shape, table, "kind", _assigned(kinds, SHAPES)))
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
    end = table.groupby(["benchmark", row], sort=False)[share].cumsum()
    table = table.assign(end=end, start=end - table[share])
    color = _channel(alt.Color, table, segment, colors)
    bar = alt.Chart().mark_bar().encode(x=_horizontal("start", [share]), x2=alt.X2(field="end"), color=color)
    return _rows([bar], table, row, style)


def scatter(table: pd.DataFrame, pairs: Sequence[tuple[Interval, Interval]], style: Style) -> Chart | None:
    """Points with intervals, with a shape for each model; None if there are none.

    Args:
        table: The points.
        pairs: What is on the horizontal and on the vertical axis of each plot.
        style: Titles and colours.
    """
    values = {columns[0] for pair in pairs for columns in pair}
    table = table.dropna(subset=list(values))
    if table.empty:
        return None
    plots = [_plot(table, x, y, style) for x, y in pairs]
    return alt.hconcat(*plots, spacing=30)


def _plot(table: pd.DataFrame, x: Interval, y: Interval, style: Style) -> alt.FacetChart:
    models = _assigned(sorted(set(table.model)), SHAPES)
    shape = _channel(alt.Shape, table, "model", models)
    base = alt.Chart().encode(color=_channel(alt.Color, table, "agent", style.colors))
    lines = base.mark_rule(opacity=0.4)
    layers = [
        lines.encode(x=_axis(alt.X, x, 0), y=_axis(alt.Y, y, 1), y2=alt.Y2(field=y[2])),
        lines.encode(x=_axis(alt.X, x, 1), x2=alt.X2(field=x[2]), y=_axis(alt.Y, y, 0)),
        base.mark_point().encode(x=_axis(alt.X, x, 0), y=_axis(alt.Y, y, 0), shape=shape),
    ]
    layered = alt.LayerChart(layer=layers)
    return _faceted(layered.properties(width=SCATTER_SIZE, height=SCATTER_SIZE), table, style)


def _axis(channel: Any, interval: Interval, column: int) -> Any:
    """An axis of a scatter plot: of scores from 0 to 100, or of usage, which is logarithmic with powers of ten."""
    scale = alt.Scale(domain=[0, 100]) if interval[0] != interval[1] else alt.Scale(type="log", nice=True)
    axis = alt.Axis(format="~g", tickCount=5)
    return channel(field=interval[column], type="quantitative", title=interval[0], scale=scale, axis=axis)


def _rows(layers: Sequence[alt.Chart], table: pd.DataFrame, row: str, style: Style) -> Chart:
    """The layers with one row per label, in the order of the table."""
    places = table.groupby("benchmark", sort=False)[row].transform(lambda labels: pd.factorize(labels)[0])
    table = table.assign(**{row: table[row].map(_wrapped)})[places < MAX_ROWS]
    is_tall = table[row].str.contains("\n").any()

    axis = alt.Axis(labelExpr=LINES, grid=True)
    vertical = alt.Y(field=row, type="nominal", sort=None, title=None, axis=axis)
    layered = alt.LayerChart(layer=[layer.encode(y=vertical) for layer in layers])
    height = alt.Step(TALL_ROW_HEIGHT if is_tall else ROW_HEIGHT)
    panels = _faceted(layered.properties(width=WIDTH, height=height), table, style)
    independent: Chart = panels.resolve_scale(y="independent")
    return independent


def _wrapped(label: str) -> str:
    """Put what a long label has in parentheses on a second line."""
    return label if len(label) <= MAX_LINE else label.replace(" (", "\n(", 1)


def _faceted(layers: alt.LayerChart, table: pd.DataFrame, style: Style) -> alt.FacetChart:
    """A panel for each benchmark."""
    data = table.assign(panel=table.benchmark.map(style.titles))
    header = alt.Header(labelOrient="top", labelAnchor="start")
    panels = alt.Row(field="panel", type="nominal", sort=None, title=None, header=header)
    return layers.properties(data=data).facet(row=panels, spacing=30)


def _horizontal(field: str, title: Sequence[str]) -> alt.X:
    return alt.X(field=field, type="quantitative", title=list(title), scale=alt.Scale(zero=True))


def _channel(channel: Any, table: pd.DataFrame, field: str, choices: Mapping[str, str]) -> Any:
    """A colour or shape for each name; the legend has those that occur."""
    scale = alt.Scale(domain=list(choices), range=list(choices.values()))
    occurring = [name for name in choices if name in set(table[field])]
    return channel(field=field, type="nominal", scale=scale, legend=alt.Legend(values=occurring))
