"""Charts: their kinds, which take a table and names of its columns, their common theme, and how they are rendered."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

import altair as alt
import pandas as pd
import vl_convert

from inspect_discoverybench.report.aggregates import DIFFERENCE, HIGH, HMS, LOW

Chart = alt.Chart | alt.LayerChart | alt.HConcatChart | alt.VConcatChart

PIXELS_PER_INCH = 144

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow."""

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"

PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#8C6BB1", "#8C8C8C")
"""Colour-blind-safe colours that show on light and on dark backgrounds (Okabe and Ito, without yellow and black)."""

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")

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

LOGARITHMIC_RATIO = 5
"""An axis is logarithmic if its largest value is more than this many times its smallest."""

TICKS = [float(f"{digit}e{exponent}") for exponent in range(-6, 9) for digit in (1, 2, 5)]
"""Ticks of logarithmic axes."""

LABEL_LINES = "split(datum.label, '\\n')"
"""Vega expression for labels with several lines."""

Interval = tuple[str, str, str]
"""Columns of a value and of the endpoints of its interval; all the same without an interval."""

HMS_INTERVAL: Interval = (HMS, LOW, HIGH)


def panels(
    table: pd.DataFrame, draw: Callable[[pd.DataFrame], Chart | None], by: Sequence[str] = ("benchmark",)
) -> Chart | None:
    """One panel for each benchmark, stacked; None if no panel has a chart. `by` has a panel's title and subtitle."""
    titled = [
        panel.properties(title=alt.Title(text=str(title), subtitle=[*map(str, subtitle)]))
        for (title, *subtitle), rows in table.groupby([*by], sort=False)
        if (panel := draw(rows)) is not None
    ]
    if len(titled) < 2:
        return titled[0] if titled else None
    return alt.vconcat(*titled, spacing=30)


def dots(
    table: pd.DataFrame,
    row: str,
    mark: str | None = None,
    marks: Iterable[str] | None = None,
    interval: Interval = HMS_INTERVAL,
    overlaid: bool = False,
    has_labels: bool = True,
    color: str = PALETTE[0],
) -> alt.LayerChart | None:
    """One row per label: the value as a point, its interval as a line. None if there are no values.

    The column `mark` sets colour and shape, in the order of `marks` if the panels have different ones. The values of
    one label are next to each other, or on one line if they are overlaid. Rows without a value show their label only.
    """
    value, low, high = interval
    if table[value].isna().all():
        return None
    title = value if low == value else f"{value}, 95 % interval"
    table = table.assign(**{row: table[row].map(_wrapped)})
    labels = list(dict.fromkeys(table[row]))
    encodings: dict[str, Any] = {"y": _rows(row, labels, has_labels), "color": alt.value(color)}
    shape: dict[str, Any] = {}
    in_row = 1 if overlaid else int(table[row].value_counts().max())
    if mark is not None:
        choices = list(dict.fromkeys(table[mark] if marks is None else marks))
        legend = alt.Legend(columns=_legend_columns(choices))
        encodings["color"] = alt.Color(
            field=mark, type="nominal", title=None, scale=_scale(choices, PALETTE), legend=legend
        )
        shape["shape"] = alt.Shape(field=mark, type="nominal", title=None, scale=_scale(choices, SHAPES), legend=legend)
        if in_row > 1:
            encodings["yOffset"] = alt.YOffset(field=mark, type="nominal", sort=choices)
    columns = dict.fromkeys([row, *interval, *([mark] if mark else [])])
    base = alt.Chart(table[[*columns]]).encode(**encodings)
    lines = base.mark_rule(strokeWidth=2).encode(x=_x(low, title), x2=alt.X2(field=high))
    points = base.mark_point().encode(x=_x(value, title), **shape)
    layers = [lines, points]
    if table[low].min() < 0:
        zero = alt.Chart(pd.DataFrame({"zero": [0]})).mark_rule(strokeDash=[3, 3]).encode(x=_x("zero", title))
        layers.insert(0, zero)
    return alt.LayerChart(layer=layers).properties(width=WIDTH, height=_height(labels, in_row))


def scatter(
    table: pd.DataFrame, x: Interval, y: Interval, color: str, shape: str, front: pd.DataFrame | None = None
) -> alt.LayerChart:
    """Points with intervals; a dashed step line connects the rows of the front.

    Without horizontal intervals, the horizontal axis is logarithmic if its values differ much.
    """
    colors, shapes = (sorted(set(table[column])) for column in (color, shape))
    circles = alt.Legend(symbolOpacity=1, symbolType="circle", symbolStrokeWidth=0, columns=_legend_columns(colors))
    grey = alt.Legend(symbolFillColor=PALETTE[-1], symbolStrokeWidth=0, columns=_legend_columns(shapes))
    hue = alt.Color(field=color, type="nominal", title=color, scale=_scale(colors, PALETTE), legend=circles)
    kind = alt.Shape(field=shape, type="nominal", title=shape, scale=_scale(shapes, SHAPES), legend=grey)
    smallest, largest = table[x[0]].min(), table[x[0]].max()
    is_logarithmic = x[0] == x[1] and smallest > 0 and largest / smallest > LOGARITHMIC_RATIO

    def horizontal(column: str) -> alt.X:
        scale = alt.Scale(type="log", padding=12) if is_logarithmic else alt.Scale(zero=False, padding=12)
        linear = alt.Axis(format="~s", tickCount=5)
        axis = alt.Axis(format="~g", values=TICKS, labelOverlap="greedy") if is_logarithmic else linear
        return alt.X(field=column, type="quantitative", title=x[0], scale=scale, axis=axis)

    def vertical(column: str) -> alt.Y:
        return alt.Y(field=column, type="quantitative", title=y[0], scale=alt.Scale(zero=False))

    base = alt.Chart(table[[*dict.fromkeys([*x, *y, color, shape])]]).encode(color=hue)
    lines = base.mark_rule(opacity=0.4)
    layers = [lines.encode(x=horizontal(x[0]), y=vertical(y[1]), y2=alt.Y2(field=y[2]))]
    if x[1] != x[0]:
        layers.append(lines.encode(x=horizontal(x[1]), x2=alt.X2(field=x[2]), y=vertical(y[0])))
    layers.append(base.mark_point().encode(x=horizontal(x[0]), y=vertical(y[0]), shape=kind))
    if front is not None:
        steps = alt.Chart(front.sort_values(x[0])[[x[0], y[0]]])
        steps = steps.mark_line(strokeDash=[5, 4], strokeWidth=1.5, interpolate="step-after")
        layers.insert(0, steps.encode(x=horizontal(x[0]), y=vertical(y[0])))
    return alt.LayerChart(layer=layers).properties(width=SCATTER_SIZE, height=SCATTER_SIZE)


def bars(table: pd.DataFrame, row: str, stage: str, share: str, colors: Mapping[str, str]) -> alt.LayerChart:
    """Stacked bars, one per label, of shares in percent. Colours are those of all stages in their order."""
    table = table.assign(**{row: table[row].map(_wrapped), "order": table[stage].map([*colors].index)})
    labels = list(dict.fromkeys(table[row]))
    frame = table.sort_values([row, "order"])
    frame["end"] = frame.groupby(row)[share].cumsum()
    frame["start"] = frame["end"] - frame[share]
    frame["middle"] = (frame["end"] + frame["start"]) / 2
    frame["number"] = [f"{value:.0f}" if value >= MIN_LABELLED_SHARE else "" for value in frame[share]]
    base = alt.Chart(frame[[row, stage, "start", "middle", "end", "number"]]).encode(y=_rows(row, labels))
    color = alt.Color(
        field=stage,
        type="nominal",
        title=None,
        sort=[*colors],
        scale=alt.Scale(domain=[*colors], range=[*colors.values()]),
        legend=alt.Legend(columns=4, orient="top", offset=8),
    )

    def horizontal(column: str) -> alt.X:
        scale = alt.Scale(domain=[0, 100], nice=False)
        return alt.X(field=column, type="quantitative", title="share of samples in %", scale=scale)

    rectangles = base.mark_bar().encode(x=horizontal("start"), x2=alt.X2(field="end"), color=color)
    number = alt.Text(field="number", type="nominal")
    numbers = base.mark_text(color="#111111").encode(x=horizontal("middle"), text=number)
    return alt.LayerChart(layer=[rectangles, numbers]).properties(width=WIDTH, height=_height(labels, 1, minimum=26))


def differences(table: pd.DataFrame, row: "pd.Series[str]", before: str, after: str) -> alt.HConcatChart:
    """Two panels: both means of each row, and their difference with its interval."""
    table = table.assign(row=row)
    means = table.melt(id_vars=["row"], value_vars=[before, after], var_name="mean", value_name=HMS)
    means["mean"] = means["mean"].str.removesuffix(f" {HMS}")
    left = dots(means, "row", "mean", interval=(HMS, HMS, HMS), overlaid=True)
    right = dots(table, "row", interval=(DIFFERENCE, LOW, HIGH), has_labels=False, color=PALETTE[4])
    return alt.hconcat(*(panel.properties(width=WIDTH // 2) for panel in (left, right) if panel), spacing=24)


def _rows(column: str, labels: Sequence[str], has_labels: bool = True) -> alt.Y:
    axis = alt.Axis(labelExpr=LABEL_LINES, grid=True) if has_labels else alt.Axis(labels=False, grid=True)
    return alt.Y(field=column, type="nominal", sort=list(labels), title=None, axis=axis)


def _x(column: str, title: str) -> alt.X:
    return alt.X(field=column, type="quantitative", title=title, scale=alt.Scale(zero=True))


def _height(labels: Sequence[str], in_row: int, minimum: int = ROW_HEIGHT) -> int:
    lines = max(label.count("\n") + 1 for label in labels)
    return max(minimum, LINE_HEIGHT * lines + 6, MARK_HEIGHT * in_row + 8) * len(labels)


def _wrapped(label: str) -> str:
    """Put the parenthesized part of a label, and the model in a long label, on separate lines."""
    name, parenthesis, details = label.partition(" (")
    lines = [name] if len(name) <= MAX_LINE else name.split(" · ")
    return "\n".join([*lines, f"({details}"] if parenthesis else lines)


def _legend_columns(names: Iterable[str]) -> int:
    return 3 if max(map(len, names)) <= MAX_LINE // 2 else 1


def _scale(names: Sequence[str], choices: Sequence[str]) -> alt.Scale:
    return alt.Scale(domain=list(names), range=[choices[place % len(choices)] for place in range(len(names))])


def theme(dark: bool = False) -> dict[str, Any]:
    """Vega-Lite configuration of all charts, with a transparent background; dark has light text."""
    ink, faint = ("#E4E6EB", "#4A4F57") if dark else ("#24292F", "#D5D9DE")
    labels = {"labelColor": ink, "titleColor": ink, "labelFontSize": 12, "titleFontSize": 12, "labelLimit": 360}
    subtitle = {"subtitleColor": ink, "subtitleFontSize": 12}
    return {
        "background": "transparent",
        "font": FONT,
        "view": {"stroke": None},
        "title": {"color": ink, "fontSize": 14, "limit": 640, "anchor": "start", "frame": "group", "offset": 10}
        | subtitle,
        "axis": {**labels, "domain": False, "ticks": False, "gridColor": faint, "labelPadding": 6, "titlePadding": 8},
        "legend": {**labels, "symbolSize": 90, "orient": "bottom", "columns": 3, "offset": 14},
        "point": {"filled": True, "size": 80, "opacity": 1},
        "rule": {"color": ink},
        "text": {"color": ink, "fontSize": 11},
        "line": {"color": ink},
    }


def render(chart: Chart, form: Literal["svg", "png"], dark: bool = False) -> bytes:
    """Render a chart: an SVG with a transparent background, or a PNG with a white one (almost black if dark)."""
    specification = _printable({**chart.to_dict(), "config": theme(dark), "padding": 8})
    svg = _svg(json.dumps(specification, allow_nan=False))
    if form == "svg":
        return svg.encode()
    tag, _, content = svg.partition(">")
    background = f'<rect width="100%" height="100%" fill="{"#14171A" if dark else "#FFFFFF"}"/>'
    return vl_convert.svg_to_png(f"{tag}>{background}{content}", ppi=PIXELS_PER_INCH)


def _printable(value: Any) -> Any:
    """A copy of a specification without characters that are invalid in an SVG image."""
    if isinstance(value, str):
        return NOT_XML.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, Mapping):
        return {_printable(key): _printable(content) for key, content in value.items()}
    return [_printable(item) for item in value] if isinstance(value, list) else value


# The figures and the page show the same charts, and rendering is most of a report's time.
@lru_cache(maxsize=64)
def _svg(specification: str) -> str:
    return vl_convert.vegalite_to_svg(specification)
