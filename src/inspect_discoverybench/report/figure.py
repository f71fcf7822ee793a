"""Figures: charts rendered as images, with the theme of the page."""

import json
import re
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
    specification = chart.to_dict()
    specification["config"] = theme(dark)
    specification["padding"] = 8
    text = json.dumps(_printable(specification), allow_nan=False)
    return _render(text).encode()


def png(chart: Chart) -> bytes:
    """A PNG image with a white background."""
    image = svg(chart).decode()
    background = '<rect width="100%" height="100%" fill="#FFFFFF"/>'
    end_of_tag = image.index(">") + 1
    image = image[:end_of_tag] + background + image[end_of_tag:]
    return vl_convert.svg_to_png(image, ppi=144)


# The figures and the page show the same charts, and rendering is most of a report's time.
@lru_cache(maxsize=64)
def _render(specification: str) -> str:
    return vl_convert.vegalite_to_svg(specification)


def _printable(value: Any) -> Any:
    """A copy of a specification without characters that are invalid in an SVG image, and with no endless text."""
    if isinstance(value, str):
        return NOT_XML.sub("\N{REPLACEMENT CHARACTER}", value[:MAX_TEXT])
    if isinstance(value, list):
        return [_printable(item) for item in value]
    if isinstance(value, dict):
        return {_printable(key): _printable(item) for key, item in value.items()}
    return value


def theme(dark: bool) -> dict[str, Any]:
    """Vega-Lite configuration of all charts."""
    ink = "#E4E6EB" if dark else "#24292F"
    faint = "#4A4F57" if dark else "#D5D9DE"
    text = {
        "labelColor": ink,
        "labelFontSize": 12,
        "titleColor": ink,
        "titleFontSize": 12,
    }
    axis = {
        "domain": False,
        "ticks": False,
        "gridColor": faint,
        "labelPadding": 6,
        "titlePadding": 8,
        "titleFontWeight": "normal",
    }
    header = {
        "labelColor": ink,
        "labelFontSize": 13,
        "labelFontWeight": "bold",
        "labelLimit": 800,
        "labelOrient": "top",
        "labelAnchor": "start",
    }
    legend = {
        "symbolSize": 90,
        "symbolType": "circle",
        "symbolOpacity": 1,
        "symbolBaseFillColor": ink,
        "symbolBaseStrokeColor": ink,
        "labelLimit": 300,
        "orient": "bottom",
        "direction": "vertical",
        "columns": 2,
        "offset": 14,
    }
    view = {
        "stroke": None,
        "continuousWidth": 330,  # fits on the screen of a phone
        "continuousHeight": 270,
        "step": 34,  # room for the label above the points and bars of a row
    }
    row_label = {
        "grid": True,
        "labelAlign": "left",
        "labelPadding": 0,
        "labelOffset": -14,
        "labelLimit": 900,
    }
    return {
        "background": "transparent",
        "font": FONT,
        "lineBreak": "\n",
        "view": view,
        "header": header,
        "axis": text | axis,
        "axisQuantitative": {"format": ",~r", "tickCount": 5},
        "axisYDiscrete": row_label,
        "scale": {"zero": True},
        "facet": {"spacing": 30},
        "concat": {"spacing": 30},
        "legend": text | legend,
        "bar": {"discreteBandSize": 12},
        "point": {"filled": True, "size": 80, "opacity": 1},
        "rule": {"color": ink},
    }
