"""Pictures of semantic trees as SVG, and the page that collects them."""

from collections.abc import Iterable
from html import escape

from inspect_discoverybench.synth.tree import Node, Tree

WIDTH, HEIGHT, GAP, LAYER = 210, 46, 14, 110
"""Size of a box, gap between boxes and height of a layer, in pixels."""

MAX_LINE = 32
"""Maximum number of characters per line in a box."""


def tree_picture(tree: Tree) -> str:
    """A tree or forest as SVG: one box per node, with its expression. The full texts are in tooltips."""
    boxes: list[str] = []
    edges: list[str] = []
    left: float = GAP
    for root in tree.roots:
        left = _draw(root, left, 0, boxes, edges)[1]
    top = (1 + max(root.height for root in tree.roots)) * LAYER
    for number, column in enumerate(tree.distractors):
        boxes.append(_box(GAP + number * (WIDTH + GAP), top, column.label, "distractor", column.description, "aside"))
    width = max(left, GAP + len(tree.distractors) * (WIDTH + GAP)) + GAP
    style = (
        "rect{fill:#eef3fb;stroke:#4a6fa5}.leaf rect{fill:#fff}.aside rect{fill:#f3f3f3;stroke:#aaa;"
        "stroke-dasharray:4}path{stroke:#8a97a8;fill:none}text{font:12px sans-serif}.small{font-size:10px;fill:#555}"
    )
    drawn = "\n".join(edges + boxes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top + HEIGHT + 2 * GAP}" width="{width}" '
        f'role="img"><title>{escape(tree.domain)}</title><style>{style}</style>\n{drawn}\n</svg>\n'
    )


def page(pictures: Iterable[tuple[str, int, str]]) -> str:
    """A self-contained page with the pictures of a set.

    Args:
        pictures: Name of the domain, number of its tasks, and the SVG.
    """
    parts = "\n".join(
        f'<section><h2>{escape(name)}</h2><p>{tasks} tasks</p><div class="tree">{svg}</div></section>'
        for name, tasks, svg in pictures
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Semantic trees</title>'
        "<style>body{font-family:sans-serif;margin:2em}.tree{overflow-x:auto}</style></head>\n"
        f"<body><h1>Semantic trees</h1>\n{parts}\n</body></html>\n"
    )


def _draw(node: Node, left: float, level: int, boxes: list[str], edges: list[str]) -> tuple[float, float]:
    """Draw a node and those below it; return its centre and the left end of the next tree."""
    top, right = GAP + level * LAYER, left
    centres = []
    for child in node.children:
        centre, right = _draw(child, right, level + 1, boxes, edges)
        centres.append(centre)
    middle = (centres[0] + centres[-1]) / 2 if centres else left + WIDTH / 2
    for centre in centres:
        start, end = top + HEIGHT, top + LAYER
        edges.append(f'<path d="M{middle:g} {start}C{middle:g} {end - 30} {centre:g} {start + 30} {centre:g} {end}"/>')
    tooltip = "\n".join(filter(None, (node.description, node.expression)))
    kind = "leaf" if node.sampled else "inner"
    boxes.append(_box(middle - WIDTH / 2, top, node.label, node.expression or _range(node), tooltip, kind))
    return middle, max(right, left + WIDTH + GAP)


def _box(left: float, top: float, name: str, line: str, tooltip: str, kind: str) -> str:
    centre, lines = left + WIDTH / 2, ((19, name, "name"), (36, line, "small"))
    texts = "".join(
        f'<text class="{size}" x="{centre:g}" y="{top + offset}" text-anchor="middle">{escape(_shortened(text))}</text>'
        for offset, text, size in lines
    )
    return (
        f'<g class="{kind}"><title>{escape(tooltip)}</title>'
        f'<rect x="{left:g}" y="{top}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>{texts}</g>'
    )


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_LINE else f"{text[: MAX_LINE - 1]}…"


def _range(node: Node) -> str:
    if node.type == "category":
        return ", ".join(node.values)
    if node.low is None:
        return node.type
    return f"{node.type}, from {node.low:g}" + ("" if node.high is None else f" to {node.high:g}")
