"""Figures: how charts are rendered."""

from typing import Any, Literal


def render(chart: Any, form: Literal["svg", "png"], dark: bool = False) -> bytes:
    """Render a chart.

    Args:
        chart: The chart.
        form: `svg` or `png`.
        dark: Use light text for a dark background.
    """
    import vl_convert

    spec = {**chart.to_dict(), "background": "transparent" if form == "svg" else "white"}
    theme: Literal["dark"] | None = "dark" if dark else None
    if form == "svg":
        return vl_convert.vegalite_to_svg(spec, theme=theme).encode()
    return vl_convert.vegalite_to_png(spec, theme=theme)
