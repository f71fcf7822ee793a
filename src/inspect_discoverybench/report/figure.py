"""Figures: charts rendered as images, with the theme of the page."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import vl_convert

from inspect_discoverybench.report.charts import Chart

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow."""

MAX_TEXT = 500
"""Length of a text, in characters, above which it is cut. Text of a megabyte takes minutes to measure."""

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"


def svg(chart: Chart, dark: bool = False) -> bytes:
    """An SVG image with a transparent background; dark has light text."""
    specification = {**chart.to_dict(), "config": theme(dark), "padding": 8}
    return _render(json.dumps(_printable(specification), allow_nan=False)).encode()


def png(chart: Chart) -> bytes:
    """A PNG image with a white background."""
    tag, _, content = svg(chart).decode().partition(">")
    background = '<rect width="100%" height="100%" fill="#FFFFFF"/>'
    return vl_convert.svg_to_png(f"{tag}>{background}{content}", ppi=144)


# The figures and the page show the same charts, and rendering is most of a report's time.
@lru_cache(maxsize=64)
def _render(specification: str) -> str:
    return vl_convert.vegalite_to_svg(specification)


def _printable(value: Any) -> Any:
    """A copy of a specification without characters that are invalid in an SVG image, and with no endless text."""
    if isinstance(value, str):
        return NOT_XML.sub("\N{REPLACEMENT CHARACTER}", value[:MAX_TEXT])
    if isinstance(value, Mapping):
        return {_printable(key): _printable(content) for key, content in value.items()}
    if isinstance(value, list):
        return [_printable(item) for item in value]
    return value


def theme(dark: bool) -> dict[str, Any]:
    """Vega-Lite configuration of all charts."""
    ink, faint = ("#E4E6EB", "#4A4F57") if dark else ("#24292F", "#D5D9DE")
    labels = {"labelColor": ink, "titleColor": ink, "labelFontSize": 12, "titleFontSize": 12, "labelLimit": 360}
    return {
        "background": "transparent",
        "font": FONT,
        "view": {"stroke": None},
        "header": {"labelColor": ink, "labelFontSize": 14, "labelFontWeight": "bold", "labelLimit": 800},
        "axis": {**labels, "domain": False, "ticks": False, "gridColor": faint, "labelPadding": 6, "titlePadding": 8},
        "axisX": {"titleFontWeight": "normal"},
        "legend": {**labels, "symbolSize": 90, "orient": "bottom", "columns": 3, "offset": 14},
        "point": {"filled": True, "size": 80, "opacity": 1},
        "rule": {"color": ink},
        "text": {"color": ink, "fontSize": 11},
        "line": {"color": ink},
    }
