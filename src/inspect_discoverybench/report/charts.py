"""Charts that several sections share: points with intervals, scatter plots, stacked bars and paired differences."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspect_discoverybench.report.figures import PALETTE, SHAPES

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

WIDTH = 400
"""Width of a panel in pixels."""

SCATTER_SIZE = 270

ROW_HEIGHT, LINE_HEIGHT = 21, 14

MAX_LINE = 46
"""Length of a label, in characters, above which agent and model are put on separate lines."""

MARK_HEIGHT = 13
"""Height of one of several marks in a row."""

MIN_LABELLED_SHARE = 6
"""Smallest segment of a bar, in percent, that has room for its number."""

LOGARITHMIC_TICKS = [float(f"{digit}e{exponent}") for exponent in range(-6, 9) for digit in (1, 2, 5)]

LABEL_LINES = "split(datum.label, '\\n')"
"""Vega expression for labels with several lines."""


@dataclass(frozen=True)
class IntervalColumns:
    """Columns of a value and of its interval's endpoints, and the title of their axis."""

    value: str
    low: str
    high: str
    title: str


def dots(
    table: "pd.DataFrame",
    row: str,
    interval: IntervalColumns,
    mark: str | None = None,
    marks: Mapping[str, int] | None = None,
) -> "alt.LayerChart | None":
    """One row per label: the value as a point, its interval as a line. None if there are no values.

    Args:
        table: The data. Rows without a value show their label only.
        row: Column of labels.
        interval: The value.
        mark: Column that sets colour and shape. Values of one label are drawn next to each other.
        marks: All values of `mark` in all panels, with the index of their colour and shape.
    """
    import altair as alt

    if table[interval.value].isna().all():
        return None
    table = table.assign(**{row: table[row].map(_wrapped)})
    labels = list(dict.fromkeys(table[row]))
    encodings: dict[str, Any] = {"y": _rows(row, labels)}
    shape: dict[str, Any] = {}
    in_row = int(table[row].value_counts().max())
    if mark is not None:
        places = marks or _places(table[mark])
        choices = list(places)
        columns = _legend_columns(choices)
        encodings["color"] = alt.Color(
            field=mark, type="nominal", title=None, scale=_scale(places, PALETTE), legend=alt.Legend(columns=columns)
        )
        shape["shape"] = alt.Shape(
            field=mark, type="nominal", title=None, scale=_scale(places, SHAPES), legend=alt.Legend(columns=columns)
        )
        if in_row > 1:
            encodings["yOffset"] = alt.YOffset(field=mark, type="nominal", sort=choices)
    else:
        encodings["color"] = alt.value(PALETTE[0])
    used = [row, interval.value, interval.low, interval.high, *([mark] if mark else [])]
    base = alt.Chart(table[[*dict.fromkeys(used)]]).encode(**encodings)
    lines = base.mark_rule(strokeWidth=2).encode(x=_x(interval.low, interval.title), x2=alt.X2(field=interval.high))
    points = base.mark_point().encode(x=_x(interval.value, interval.title), **shape)
    return alt.LayerChart(layer=[lines, points]).properties(width=WIDTH, height=_height(labels, in_row))


def scatter(
    table: "pd.DataFrame", x: IntervalColumns, y: IntervalColumns, color: str, shape: str, logarithmic: bool = False
) -> "alt.LayerChart":
    """Points with intervals.

    Args:
        table: The data.
        x: Horizontal values. Without a horizontal interval, all its columns are the same.
        y: Vertical values.
        color: Column that sets the colour.
        shape: Column that sets the shape.
        logarithmic: Use a logarithmic horizontal axis.
    """
    import altair as alt

    hue = alt.Color(
        field=color,
        type="nominal",
        title=color,
        scale=_scale(_places(sorted(set(table[color]))), PALETTE),
        legend=alt.Legend(
            symbolOpacity=1, symbolType="circle", symbolStrokeWidth=0, columns=_legend_columns(table[color])
        ),
    )
    kind = alt.Shape(
        field=shape,
        type="nominal",
        title=shape,
        scale=_scale(_places(sorted(set(table[shape]))), SHAPES),
        legend=alt.Legend(symbolFillColor=PALETTE[-1], symbolStrokeWidth=0, columns=_legend_columns(table[shape])),
    )
    columns = {x.value, x.low, x.high, y.value, y.low, y.high, color, shape}
    base = alt.Chart(table[[*columns]]).encode(color=hue)
    x_value = _measure(x.value, x.title, logarithmic)
    layers = [base.mark_rule(opacity=0.4).encode(x=x_value, y=_y(y.low, y.title), y2=alt.Y2(field=y.high))]
    if x.low != x.value:
        x_low = _measure(x.low, x.title, logarithmic)
        layers.append(base.mark_rule(opacity=0.4).encode(x=x_low, x2=alt.X2(field=x.high), y=_y(y.value, y.title)))
    layers.append(base.mark_point().encode(x=x_value, y=_y(y.value, y.title), shape=kind))
    return alt.LayerChart(layer=layers).properties(width=SCATTER_SIZE, height=SCATTER_SIZE)


def front(table: "pd.DataFrame", x: str, y: IntervalColumns, logarithmic: bool = False) -> "alt.Chart":
    """A dashed step line through all rows in the order of a column."""
    import altair as alt

    points = table.sort_values(x)[[x, y.value]]
    steps: alt.Chart = alt.Chart(points).mark_line(strokeDash=[5, 4], strokeWidth=1.5, interpolate="step-after")
    encoded: alt.Chart = steps.encode(x=_measure(x, x, logarithmic), y=_y(y.value, y.title))
    return encoded


def bars(
    table: "pd.DataFrame", row: str, stage: str, share: str, stages: Mapping[str, str], title: str
) -> "alt.LayerChart":
    """Stacked bars, one per label.

    Args:
        table: One row per bar and stage.
        row: Column of labels.
        stage: Column of stages.
        share: Column of shares in percent.
        stages: Colours of all stages in their order.
        title: Title of the axis.
    """
    import altair as alt

    table = table.assign(**{row: table[row].map(_wrapped)})
    labels = list(dict.fromkeys(table[row]))
    order = list(stages)
    frame = table.assign(order=table[stage].map(order.index)).sort_values([row, "order"])
    frame["end"] = frame.groupby(row)[share].cumsum()
    frame["start"] = frame["end"] - frame[share]
    frame["middle"] = (frame["end"] + frame["start"]) / 2
    frame["number"] = [f"{value:.0f}" if value >= MIN_LABELLED_SHARE else "" for value in frame[share]]
    base = alt.Chart(frame[[row, stage, "start", "middle", "end", "number"]]).encode(y=_rows(row, labels))
    scale = alt.Scale(domain=[0, 100], nice=False)
    color = alt.Color(
        field=stage,
        type="nominal",
        title=None,
        sort=order,
        scale=alt.Scale(domain=order, range=list(stages.values())),
        legend=alt.Legend(columns=4, orient="top", offset=8),
    )
    start = alt.X(field="start", type="quantitative", title=title, scale=scale)
    rectangles = base.mark_bar().encode(x=start, x2=alt.X2(field="end"), color=color)
    middle = alt.X(field="middle", type="quantitative", title=title, scale=scale)
    numbers = base.mark_text(color="#111111").encode(x=middle, text=alt.Text(field="number", type="nominal"))
    return alt.LayerChart(layer=[rectangles, numbers]).properties(width=WIDTH, height=_height(labels, 1, minimum=26))


def differences(
    table: "pd.DataFrame", row: str, before: str, after: str, interval: IntervalColumns
) -> "alt.HConcatChart":
    """Two panels: both means of each row, and their difference with its interval.

    Args:
        table: The data.
        row: Column of labels.
        before: Column of the first mean.
        after: Column of the second mean.
        interval: The difference.
    """
    import altair as alt
    import pandas as pd

    table = table.assign(**{row: table[row].map(_wrapped)})
    labels = list(dict.fromkeys(table[row]))
    means = table.melt(id_vars=[row], value_vars=[before, after], var_name="mean", value_name="value")
    means["name"] = means["mean"].str.removesuffix(" HMS × 100")
    names = list(dict.fromkeys(means["name"]))
    height = _height(labels, 1)
    lines = (
        alt.Chart(table[[row, before, after]])
        .mark_rule(opacity=0.5)
        .encode(y=_rows(row, labels), x=_x(before, "HMS × 100"), x2=alt.X2(field=after))
    )
    points = (
        alt.Chart(means)
        .mark_point()
        .encode(
            y=_rows(row, labels),
            x=_x("value", "HMS × 100"),
            color=alt.Color(field="name", type="nominal", title=None, scale=_scale(_places(names), PALETTE)),
            shape=alt.Shape(field="name", type="nominal", title=None, scale=_scale(_places(names), SHAPES)),
        )
    )
    left = alt.LayerChart(layer=[lines, points]).properties(width=WIDTH // 2, height=height)
    zero = alt.Chart(pd.DataFrame({"zero": [0]})).mark_rule(strokeDash=[3, 3]).encode(x=_x("zero", interval.title))
    numbers = table[[row, interval.value, interval.low, interval.high]]
    base = alt.Chart(numbers).encode(y=_rows(row, labels, shown=False), color=alt.value(PALETTE[4]))
    lines = base.mark_rule(strokeWidth=2).encode(x=_x(interval.low, interval.title), x2=alt.X2(field=interval.high))
    marks = base.mark_point().encode(x=_x(interval.value, interval.title))
    right = alt.LayerChart(layer=[zero, lines, marks]).properties(width=WIDTH // 2, height=height)
    return alt.hconcat(left, right, spacing=24)


def _rows(column: str, labels: Sequence[str], shown: bool = True) -> "alt.Y":
    import altair as alt

    axis = alt.Axis(labelExpr=LABEL_LINES, grid=True) if shown else alt.Axis(labels=False, grid=True)
    return alt.Y(field=column, type="nominal", sort=list(labels), title=None, axis=axis)


def _height(labels: Iterable[str], in_row: int, minimum: int = ROW_HEIGHT) -> int:
    names = list(labels)
    lines = max(name.count("\n") + 1 for name in names)
    return max(minimum, LINE_HEIGHT * lines + 6, MARK_HEIGHT * in_row + 8) * len(names)


def _wrapped(label: str) -> str:
    """Put the parenthesized part of a label, and the model in a long label, on separate lines."""
    name, parenthesis, details = label.partition(" (")
    lines = [name] if len(name) <= MAX_LINE else name.split(" · ")
    return "\n".join([*lines, f"({details}"] if parenthesis else lines)


def _legend_columns(names: Iterable[str]) -> int:
    return 3 if max(map(len, names)) <= MAX_LINE // 2 else 1


def _scale(places: Mapping[str, int], choices: Sequence[str]) -> "alt.Scale":
    import altair as alt

    return alt.Scale(domain=list(places), range=[choices[place % len(choices)] for place in places.values()])


def _places(names: Iterable[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(dict.fromkeys(names))}


def _x(column: str, title: str) -> "alt.X":
    import altair as alt

    return alt.X(field=column, type="quantitative", title=title, scale=alt.Scale(zero=True))


def _measure(column: str, title: str, logarithmic: bool) -> "alt.X":
    import altair as alt

    scale = alt.Scale(type="log", padding=12) if logarithmic else alt.Scale(zero=False, padding=12)
    axis = (
        alt.Axis(format="~g", values=LOGARITHMIC_TICKS, labelOverlap="greedy")
        if logarithmic
        else alt.Axis(format="~s", tickCount=5)
    )
    return alt.X(field=column, type="quantitative", title=title, scale=scale, axis=axis)


def _y(column: str, title: str) -> "alt.Y":
    import altair as alt

    return alt.Y(field=column, type="quantitative", title=title, scale=alt.Scale(zero=False))
