"""Charts: their kinds, which take a table and names of its columns, their common theme, and how they are rendered."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Literal

import altair as alt
import pandas as pd
import vl_convert

from inspect_discoverybench.report.aggregates import DIFFERENCE, HIGH, HMS, LOW

Chart = alt.Chart | alt.LayerChart | alt.HConcatChart | alt.VConcatChart

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow."""

MAX_TEXT = 500
"""Length of a text, in characters, above which it is cut. Text of a megabyte takes minutes to measure."""

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"

PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#8C6BB1", "#8C8C8C")
"""Colour-blind-safe colours that show on light and on dark backgrounds (Okabe and Ito, without yellow and black)."""

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")

WIDTH, SCATTER_SIZE = 400, 270
"""Width of a panel, and width and height of a scatter plot, in pixels."""

ROW_HEIGHT, LINE_HEIGHT, MARK_HEIGHT = 21, 14, 13
"""Smallest height of a row, and heights of a line of its label and of one of several marks in it, in pixels."""

MAX_LINE = 46
"""Length of a label, in characters, above which agent and model are put on separate lines."""

MIN_LABELLED_SHARE = 6
"""Smallest segment of a bar, in percent, that has room for its number."""

LOGARITHMIC_RATIO = 5
"""An axis is logarithmic if its largest value is more than this many times its smallest."""

TICKS = [float(f"{digit}e{exponent}") for exponent in range(-6, 9) for digit in (1, 2, 5)]
"""Ticks of logarithmic axes."""

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
    table = table.assign(**{row: table[row].map(_wrapped)})
    labels = list(dict.fromkeys(table[row]))
    encodings: dict[str, Any] = {"y": _rows(row, labels, has_labels), "color": alt.value(color)}
    shape: dict[str, Any] = {}
    in_row = 1 if overlaid else int(table[row].value_counts().max())
    if mark is not None:
        choices = list(dict.fromkeys(table[mark] if marks is None else marks))
        encodings["color"] = _by_name(alt.Color, mark, None, choices, PALETTE)
        shape["shape"] = _by_name(alt.Shape, mark, None, choices, SHAPES)
        if in_row > 1:
            encodings["yOffset"] = alt.YOffset(field=mark, type="nominal", sort=choices)
    horizontal = partial(alt.X, type="quantitative", title=_title(interval), scale=alt.Scale(zero=True))
    base = alt.Chart(table[[*dict.fromkeys([row, *interval, *([mark] if mark else [])])]]).encode(**encodings)
    layers = [
        base.mark_rule(strokeWidth=2).encode(x=horizontal(field=low), x2=alt.X2(field=high)),
        base.mark_point().encode(x=horizontal(field=value), **shape),
    ]
    if table[low].min() < 0:
        zero = alt.Chart(pd.DataFrame({"zero": [0]}))
        layers.insert(0, zero.mark_rule(strokeDash=[3, 3]).encode(x=horizontal(field="zero")))
    return alt.LayerChart(layer=layers).properties(width=WIDTH, height=_height(labels, in_row))


def scatter(
    table: pd.DataFrame, x: Interval, y: Interval, color: str, shape: str, front: pd.DataFrame | None = None
) -> alt.LayerChart:
    """Points with intervals; a dashed step line connects the rows of the front.

    With horizontal intervals, both axes are from 0 to 100. Without, the horizontal one is logarithmic if its values
    differ much.
    """
    colors, shapes = (sorted(set(table[column])) for column in (color, shape))
    filled = partial(_by_name, symbolStrokeWidth=0)
    hue = filled(alt.Color, color, color, colors, PALETTE, symbolOpacity=1, symbolType="circle")
    kind = filled(alt.Shape, shape, shape, shapes, SHAPES, symbolFillColor=PALETTE[-1])
    smallest, largest = table[x[0]].min(), table[x[0]].max()
    score_scale = alt.Scale(domain=[0, 100], padding=12) if x[0] != x[1] else alt.Scale(zero=False, padding=12)
    scale, axis = score_scale, alt.Axis(format="~s", tickCount=5)
    if x[0] == x[1] and smallest > 0 and largest / smallest > LOGARITHMIC_RATIO:
        scale = alt.Scale(type="log", padding=12)
        axis = alt.Axis(format="~g", values=TICKS, labelOverlap="greedy")
    horizontal = partial(alt.X, type="quantitative", title=_title(x), scale=scale, axis=axis)
    vertical = partial(alt.Y, type="quantitative", title=_title(y), scale=score_scale)
    x_value, y_value = horizontal(field=x[0]), vertical(field=y[0])
    base = alt.Chart(table[[*dict.fromkeys([*x, *y, color, shape])]]).encode(color=hue)
    lines = base.mark_rule(opacity=0.4)
    layers = [lines.encode(x=x_value, y=vertical(field=y[1]), y2=alt.Y2(field=y[2]))]
    if x[1] != x[0]:
        layers.append(lines.encode(x=horizontal(field=x[1]), x2=alt.X2(field=x[2]), y=y_value))
    layers.append(base.mark_point().encode(x=x_value, y=y_value, shape=kind))
    if front is not None:
        steps = alt.Chart(front.sort_values(x[0])[[x[0], y[0]]]).encode(x=x_value, y=y_value)
        layers.insert(0, steps.mark_line(strokeDash=[5, 4], strokeWidth=1.5, interpolate="step-after"))
    return alt.LayerChart(layer=layers).properties(width=SCATTER_SIZE, height=SCATTER_SIZE)


def bars(table: pd.DataFrame, row: str, stage: str, share: str, colors: Mapping[str, str]) -> alt.LayerChart:
    """Stacked bars, one per label, of shares in percent. Colours are those of all stages in their order."""
    table = table.assign(**{row: table[row].map(_wrapped), "order": table[stage].map([*colors].index)})
    labels = list(dict.fromkeys(table[row]))
    frame = table.sort_values([row, "order"])
    end = frame.groupby(row)[share].cumsum()
    numbers = [f"{value:.0f}" if value >= MIN_LABELLED_SHARE else "" for value in frame[share]]
    frame = frame.assign(end=end, start=end - frame[share], middle=end - frame[share] / 2, number=numbers)
    base = alt.Chart(frame[[row, stage, "start", "middle", "end", "number"]]).encode(y=_rows(row, labels))
    color = alt.Color(
        field=stage,
        type="nominal",
        title=None,
        sort=[*colors],
        scale=alt.Scale(domain=[*colors], range=[*colors.values()]),
        legend=alt.Legend(columns=4, orient="top", offset=8),
    )
    scale = alt.Scale(domain=[0, 100], nice=False)
    horizontal = partial(alt.X, type="quantitative", title="share of samples in %", scale=scale)
    layers = [
        base.mark_bar().encode(x=horizontal(field="start"), x2=alt.X2(field="end"), color=color),
        base.mark_text(color="#111111").encode(
            x=horizontal(field="middle"), text=alt.Text(field="number", type="nominal")
        ),
    ]
    return alt.LayerChart(layer=layers).properties(width=WIDTH, height=_height(labels, 1, minimum=26))


def differences(table: pd.DataFrame, row: "pd.Series[str]", before: str, after: str) -> alt.HConcatChart:
    """Two panels: both means of each row, and their difference with its interval."""
    table = table.assign(row=row)
    names = {column: column.removesuffix(f" {HMS}") for column in (before, after)}
    means = table.rename(columns=names).melt(["row"], [*names.values()], "mean", HMS)
    left = dots(means, "row", "mean", interval=(HMS, HMS, HMS), overlaid=True)
    right = dots(table, "row", interval=(DIFFERENCE, LOW, HIGH), has_labels=False, color=PALETTE[4])
    return alt.hconcat(*(panel.properties(width=WIDTH // 2) for panel in (left, right) if panel), spacing=24)


def _title(interval: Interval) -> list[str]:
    """The lines of an axis' title."""
    return [interval[0], "95 % interval on these tasks"] if interval[0] != interval[1] else [interval[0]]


def _rows(column: str, labels: Sequence[str], has_labels: bool = True) -> alt.Y:
    # Labels have several lines.
    labelled = alt.Axis(labelExpr="split(datum.label, '\\n')", grid=True)
    axis = labelled if has_labels else alt.Axis(labels=False, grid=True)
    return alt.Y(field=column, type="nominal", sort=list(labels), title=None, axis=axis)


def _height(labels: Sequence[str], in_row: int, minimum: int = ROW_HEIGHT) -> int:
    lines = max(label.count("\n") + 1 for label in labels)
    return max(minimum, LINE_HEIGHT * lines + 6, MARK_HEIGHT * in_row + 8) * len(labels)


def _wrapped(label: str) -> str:
    """Put the parenthesized part of a label, and the model in a long label, on separate lines."""
    name, parenthesis, details = label.partition(" (")
    lines = [name] if len(name) <= MAX_LINE else name.split(" · ")
    return "\n".join([*lines, f"({details}"] if parenthesis else lines)


def _by_name(
    channel: Callable[..., Any],
    column: str,
    title: str | None,
    names: Sequence[str],
    choices: Sequence[str],
    **symbols: Any,
) -> Any:
    """A colour or shape for each name in a column, with a legend."""
    scale = alt.Scale(domain=[*names], range=[choices[place % len(choices)] for place in range(len(names))])
    legend = alt.Legend(columns=3 if max(map(len, names)) <= MAX_LINE // 2 else 1, **symbols)
    return channel(field=column, type="nominal", title=title, scale=scale, legend=legend)


def theme(dark: bool = False) -> dict[str, Any]:
    """Vega-Lite configuration of all charts, with a transparent background; dark has light text."""
    ink, faint = ("#E4E6EB", "#4A4F57") if dark else ("#24292F", "#D5D9DE")
    labels = {"labelColor": ink, "titleColor": ink, "labelFontSize": 12, "titleFontSize": 12, "labelLimit": 360}
    title = {"color": ink, "fontSize": 14, "limit": 640, "anchor": "start", "frame": "group", "offset": 10}
    return {
        "background": "transparent",
        "font": FONT,
        "view": {"stroke": None},
        "title": {**title, "subtitleColor": ink, "subtitleFontSize": 12},
        "axis": {**labels, "domain": False, "ticks": False, "gridColor": faint, "labelPadding": 6, "titlePadding": 8},
        "legend": {**labels, "symbolSize": 90, "orient": "bottom", "columns": 3, "offset": 14},
        "point": {"filled": True, "size": 80, "opacity": 1},
        "rule": {"color": ink},
        "text": {"color": ink, "fontSize": 11},
        "line": {"color": ink},
    }


def render(chart: Chart, form: Literal["svg", "png"], dark: bool = False) -> bytes:
    """Render a chart: an SVG with a transparent background, or a PNG with a white one (almost black if dark)."""
    svg = _svg(json.dumps(_printable({**chart.to_dict(), "config": theme(dark), "padding": 8}), allow_nan=False))
    if form == "svg":
        return svg.encode()
    tag, _, content = svg.partition(">")
    background = f'<rect width="100%" height="100%" fill="{"#14171A" if dark else "#FFFFFF"}"/>'
    return vl_convert.svg_to_png(f"{tag}>{background}{content}", ppi=144)


def _printable(value: Any) -> Any:
    """A copy of a specification without characters that are invalid in an SVG image, and with no endless text."""
    if isinstance(value, str):
        return NOT_XML.sub("\N{REPLACEMENT CHARACTER}", value[:MAX_TEXT])
    if isinstance(value, Mapping):
        return {_printable(key): _printable(content) for key, content in value.items()}
    return [_printable(item) for item in value] if isinstance(value, list) else value


# The figures and the page show the same charts, and rendering is most of a report's time.
_svg = lru_cache(maxsize=64)(vl_convert.vegalite_to_svg)
