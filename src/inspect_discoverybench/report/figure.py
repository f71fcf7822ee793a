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
"""Length of a text, in characters, above which it is cut. The renderer measures each text, and needs minutes for a
megabyte."""

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"


INK, FAINT = "#24292F", "#D5D9DE"
"""Colours of text and of grid lines."""

DARK = {INK: "#E4E6EB", FAINT: "#4A4F57"}
"""What replaces them on a dark background."""


def svg(chart: Chart) -> str:
    """An SVG image with a transparent background, for light pages."""
    # Our own charts need no validation, which takes seconds.
    specification = chart.to_dict(validate=False)
    specification["config"] = theme()
    specification["padding"] = 8
    text = json.dumps(_printable(specification), allow_nan=False)
    return _render(text)


def dark(image: str) -> str:
    """The image for dark pages."""
    for color, replacement in DARK.items():
        image = image.replace(color, replacement)
    return image


# The figures and the page show the same charts, and rendering is most of a report's time.
@lru_cache(maxsize=64)
def _render(specification: str) -> str:
    return vl_convert.vegalite_to_svg(specification)


def _printable(value: Any) -> Any:
    """A copy of a specification without characters that are invalid in an SVG image, and with long texts cut."""
    if isinstance(value, str):
        return NOT_XML.sub("\N{REPLACEMENT CHARACTER}", value[:MAX_TEXT])
    if isinstance(value, list):
        return [_printable(item) for item in value]
    if isinstance(value, dict):
        return {_printable(key): _printable(item) for key, item in value.items()}
    return value


def theme() -> dict[str, Any]:
    """Vega-Lite configuration of all charts."""
    text = {
        "labelColor": INK,
        "labelFontSize": 12,
        "titleColor": INK,
        "titleFontSize": 12,
    }
    axis = {
        "domain": False,
        "ticks": False,
        "gridColor": FAINT,
        "labelPadding": 6,
        "titlePadding": 8,
        "titleFontWeight": "normal",
    }
    header = {
        "labelColor": INK,
        "labelFontSize": 13,
        "labelFontWeight": "bold",
        "labelLimit": 800,
        "labelOrient": "top",
        "labelAnchor": "start",
        "title": None,
    }
    legend = {
        "symbolSize": 90,
        "symbolType": "circle",
        "symbolOpacity": 1,
        "symbolBaseFillColor": INK,
        "symbolBaseStrokeColor": INK,
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
        "title": None,
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
        "rule": {"color": INK},
    }
