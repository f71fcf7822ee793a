"""A small hand-written tree of height 2."""

from typing import Any

from inspect_discoverybench.synth.tree import Tree


def leaf(name: str, low: float = 0, high: float = 10, **fields: Any) -> dict[str, Any]:
    return {"name": name, "description": f"The {name}", "type": "real", "low": low, "high": high, **fields}


def inner(name: str, expression: str, *children: dict[str, Any], **fields: Any) -> dict[str, Any]:
    node = {"name": name, "description": f"The {name}", "type": "real"}
    return {**node, "expression": expression, "children": list(children), **fields}


LIBRARY: dict[str, Any] = {
    "domain": "Library lending",
    "description": "One row for each title.",
    "context": "Among the reserved titles",
    "roots": [
        inner(
            "waiting_days",
            "3 + 4 * df['queue_ratio'] + 0.001 * df['pages']",
            inner(
                "queue_ratio",
                "df['reservations'] / df['copies']",
                leaf("reservations", 4, 60, type="integer"),
                leaf("copies", 2, 12, type="integer"),
            ),
            leaf("pages", 80, 700, type="integer"),
        )
    ],
    "distractors": [
        {"name": "shelf", "description": "Shelf", "type": "category", "values": ["fiction", "travel"]},
        {"name": "binding", "description": "Whether it is bound", "type": "boolean"},
    ],
}


def library(**changes: Any) -> Tree:
    return Tree.model_validate({**LIBRARY, **changes})
