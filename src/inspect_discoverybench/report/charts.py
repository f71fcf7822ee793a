"""Charts: dots with intervals, stacked bars and scatter plots, with one panel for each benchmark.

The panels of a chart share their axes, so that bars and distances can be compared. Charts take a table and names of its
columns; the column `panel` has the titles, and `agent` sets the colour.
"""

from collections.abc import Iterable, Mapping, Sequence

import altair as alt
import pandas as pd

Chart = alt.FacetChart | alt.HConcatChart

PANEL = "panel"

PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#8C6BB1", "#8C8C8C")
"""Colour-blind-safe colours that show on light and on dark backgrounds (Okabe and Ito, without yellow and black)."""

AGENTS = ("react", "codegen", "datavoyager", "reflexion", "no_data_guess", "goal_echo")
"""Agents that have the same colour in every report, in the order of the palette."""

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")

WIDTH, SCATTER_SIZE = 400, 270
"""Width of a panel, and width and height of a scatter plot, in pixels."""

ROW_HEIGHT, LINE_HEIGHT = 22, 14
"""Height of a row, and of the second line of its label, in pixels."""

MAX_ROWS = 40
"""Number of rows that a panel shows: a longer one cannot be read, and takes minutes to draw."""

MAX_LINE = 46
"""Length of a label, in characters, above which it is put on two lines."""

MIN_LABELLED_SHARE = 6
"""Smallest segment of a bar, in percent, that has room for its number."""

LOGARITHMIC_RATIO = 5
"""An axis is logarithmic if its largest value is more than this many times its smallest."""

LINES = "split(datum.label, '\\n')"
"""Expression that shows a label on several lines."""

LOGARITHMIC_TICKS = [float(f"{digit}e{exponent}") for exponent in range(-6, 9) for digit in (1, 2, 5)]

Interval = tuple[str, str, str]
"""Columns of a value and of the endpoints of its interval."""


def agent_colors(agents: Iterable[str]) -> dict[str, str]:
    """A colour for each agent, the same in all charts."""
    order = [*AGENTS, *sorted(set(agents) - set(AGENTS))]
    return {agent: PALETTE[place % len(PALETTE)] for place, agent in enumerate(order)}


def dots(
    table: pd.DataFrame, row: str, interval: Interval, colors: Mapping[str, str], kinds: Sequence[str] = ()
) -> Chart | None:
    """One row per label with the value as a point and its interval as a line; None if there are no values.

    Args:
        table: The values.
        row: Column of the labels.
        interval: Columns of the value and its interval.
        colors: Colour of each agent.
        kinds: Values of the column `kind`, which sets the shape of points; without any, all are circles.
    """
    value, low, high = interval
    if table[value].isna().all():
        return None

    table = _readable(table, row)
    base = alt.Chart().encode(y=_rows(row), color=_color(table, "agent", colors))
    title = [value, "with 95 % CI on these tasks"]
    line = base.mark_rule(strokeWidth=2).encode(x=_horizontal(low, title), x2=alt.X2(field=high))
    point = base.mark_point().encode(x=_horizontal(value, title))
    if kinds:
        point = point.encode(shape=_shape(table, "kind", kinds))

    layers = [line, point]
    if table[low].min() < 0:
        zero = alt.Chart().mark_rule(strokeDash=[3, 3]).encode(x=alt.datum(0))
        layers.insert(0, zero)
    return _panels(alt.LayerChart(layer=layers), table, row)


def bars(table: pd.DataFrame, row: str, segment: str, share: str, colors: Mapping[str, str]) -> Chart:
    """One stacked bar per label.

    Args:
        table: The segments of bars, in their order.
        row: Column of the labels.
        segment: Column of the segments' names.
        share: Column of their sizes in percent.
        colors: Colours of all segments in their order.
    """
    table = _readable(table, row)
    end = table.groupby([PANEL, row], sort=False)[share].cumsum()
    table = table.assign(end=end, start=end - table[share], middle=end - table[share] / 2)
    title = [f"{share} of samples"]
    color = _color(table, segment, colors).legend(columns=4, orient="top", title=None)

    base = alt.Chart().encode(y=_rows(row))
    bar = base.mark_bar().encode(x=_horizontal("start", title), x2=alt.X2(field="end"), color=color)
    wide = alt.FieldGTEPredicate(field=share, gte=MIN_LABELLED_SHARE)
    number = base.transform_filter(wide).mark_text(color="#111111")
    number = number.encode(
        x=_horizontal("middle", title), text=alt.Text(field=share, type="quantitative", format=".0f")
    )
    return _panels(alt.LayerChart(layer=[bar, number]), table, row)


def scatter(
    table: pd.DataFrame, x: Interval, y: Interval, colors: Mapping[str, str], front: str | None = None
) -> Chart:
    """Points with intervals, coloured by agent, with a shape for each model.

    Args:
        table: The points.
        x: Columns of the horizontal value and its interval; all the same without an interval.
        y: Columns of the vertical value and its interval.
        colors: Colour of each agent.
        front: Column that is `yes` for points that a dashed step line connects.
    """
    has_interval = x[0] != x[1]
    score = alt.Scale(domain=[0, 100])
    scale, axis = (score, alt.Axis(tickCount=5)) if has_interval else _usage_scale(table[x[0]])

    def horizontal(field: str) -> alt.X:
        return alt.X(field=field, type="quantitative", title=x[0], scale=scale, axis=axis)

    def vertical(field: str) -> alt.Y:
        return alt.Y(
            field=field, type="quantitative", title=y[0], scale=score if has_interval else alt.Scale(zero=True)
        )

    base = alt.Chart().encode(color=_color(table, "agent", colors))
    lines = base.mark_rule(opacity=0.4)
    points = base.mark_point().encode(
        x=horizontal(x[0]), y=vertical(y[0]), shape=_shape(table, "model", sorted(set(table.model)))
    )
    layers = [lines.encode(x=horizontal(x[0]), y=vertical(y[1]), y2=alt.Y2(field=y[2])), points]
    if has_interval:
        layers.append(lines.encode(x=horizontal(x[1]), x2=alt.X2(field=x[2]), y=vertical(y[0])))
    if front is not None:
        on_front = alt.Chart().transform_filter(alt.FieldEqualPredicate(field=front, equal="yes"))
        steps = on_front.mark_line(strokeDash=[5, 4], strokeWidth=1.5, interpolate="step-after")
        layers.insert(0, steps.encode(x=horizontal(x[0]), y=vertical(y[0])))
    layered = alt.LayerChart(layer=layers).properties(width=SCATTER_SIZE, height=SCATTER_SIZE)
    return _faceted(layered, table)


def side_by_side(left: Chart, right: Chart) -> Chart:
    """Two charts with common legends."""
    return alt.hconcat(left, right, spacing=30)


def _readable(table: pd.DataFrame, row: str) -> pd.DataFrame:
    """The first rows of each panel, with labels that are not too long."""
    labels = table[row].map(_wrapped)
    place = table.groupby(PANEL, sort=False)[row].transform(lambda names: pd.factorize(names)[0])
    return table.assign(**{row: labels})[place < MAX_ROWS]


def _wrapped(label: str) -> str:
    """Put what a long label has in parentheses on a second line."""
    if len(label) <= MAX_LINE:
        return label
    name, parenthesis, details = label.partition(" (")
    return f"{name}\n({details}" if parenthesis else label


def _panels(layers: alt.LayerChart, table: pd.DataFrame, row: str) -> Chart:
    """A panel for each benchmark with rows of equal height."""
    is_wrapped = table[row].str.contains("\n").any()
    height = ROW_HEIGHT + LINE_HEIGHT if is_wrapped else ROW_HEIGHT
    panels = _faceted(layers.properties(width=WIDTH, height=alt.Step(height)), table)
    independent: Chart = panels.resolve_scale(y="independent")
    return independent


def _faceted(layers: alt.LayerChart, table: pd.DataFrame) -> alt.FacetChart:
    header = alt.Header(labelOrient="top", labelAnchor="start", labelExpr=LINES)
    panels = alt.Row(field=PANEL, type="nominal", sort=None, title=None, header=header)
    return layers.properties(data=table).facet(row=panels, spacing=30)


def _horizontal(field: str, title: Sequence[str]) -> alt.X:
    return alt.X(field=field, type="quantitative", title=list(title), scale=alt.Scale(zero=True))


def _rows(field: str) -> alt.Y:
    axis = alt.Axis(labelExpr=LINES, grid=True)
    return alt.Y(field=field, type="nominal", sort=None, title=None, axis=axis)


def _color(table: pd.DataFrame, field: str, colors: Mapping[str, str]) -> alt.Color:
    """A colour for each name; the legend has those that occur."""
    scale = alt.Scale(domain=list(colors), range=list(colors.values()))
    occurring = [name for name in colors if name in set(table[field])]
    legend = alt.Legend(values=occurring, symbolType="circle", symbolOpacity=1)
    return alt.Color(field=field, type="nominal", scale=scale, legend=legend)


def _shape(table: pd.DataFrame, field: str, names: Sequence[str]) -> alt.Shape:
    """A shape for each name; the legend has those that occur."""
    shapes = [SHAPES[place % len(SHAPES)] for place in range(len(names))]
    scale = alt.Scale(domain=list(names), range=shapes)
    occurring = [name for name in names if name in set(table[field])]
    return alt.Shape(field=field, type="nominal", scale=scale, legend=alt.Legend(values=occurring))


def _usage_scale(values: "pd.Series[float]") -> tuple[alt.Scale, alt.Axis]:
    """Scale and axis of usage, which is logarithmic if configurations differ much."""
    smallest, largest = values.min(), values.max()
    if smallest > 0 and largest / smallest > LOGARITHMIC_RATIO:
        return alt.Scale(type="log"), alt.Axis(format="~g", values=LOGARITHMIC_TICKS, labelOverlap="greedy")
    return alt.Scale(zero=False, padding=12), alt.Axis(format="~g", tickCount=5)
