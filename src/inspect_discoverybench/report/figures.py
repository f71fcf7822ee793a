"""Figures: the common theme of charts, and how they are rendered."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

import altair as alt
import vl_convert

Chart = alt.Chart | alt.LayerChart | alt.HConcatChart | alt.VConcatChart

PIXELS_PER_INCH = 144

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow."""

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"


def theme(dark: bool = False) -> dict[str, Any]:
    """Vega-Lite configuration of all charts, with a transparent background.

    Args:
        dark: Use light text for dark backgrounds.
    """
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
    """Render a chart.

    Args:
        chart: The chart.
        form: `svg` with a transparent background, or `png` with a white one (almost black if dark).
        dark: Use light text for dark backgrounds.
    """
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
