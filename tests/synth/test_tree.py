"""Trees: the one in the guide, and the errors of one that is invalid."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspect_discoverybench.messages.errors import InvalidTree
from inspect_discoverybench.synth.tree import Tree
from inspect_discoverybench.synth.tree_task import tree_tasks
from tests.synth.authoring import leaf

GUIDE = Path(__file__).parents[2] / "docs" / "generator.md"


@pytest.fixture
def parse(tmp_path: Path) -> Callable[..., Tree]:
    """Read the tree of the guide with changes from a file."""
    tree = GUIDE.read_text("utf-8").partition("```json\n")[2].partition("```")[0]

    def read(**changes: Any) -> Tree:
        file = tmp_path / "tree.json"
        file.write_text(json.dumps({**json.loads(tree), **changes}), "utf-8")
        return Tree.read(file)

    return read


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"colour": "red"}, "colour: Extra inputs are not permitted"),
        ({"roots": [leaf("pages")]}, "pages: the root needs an expression and children"),
        ({"roots": [{**leaf("pages"), "low": None}]}, "pages: a sampled real column needs low and high"),
        ({"distractors": [leaf("pages")]}, "the name pages is used twice"),
        (
            {"distractors": [leaf("x1", follows="shelf")]},
            "x1: only a distractor can follow a column, and only one of the",
        ),
        (
            {"distractors": [{**leaf("x1", follows="pages"), "high": None, "distribution": "sequence"}]},
            "x1: a sampled real column needs low and high",
        ),
        (
            {"distractors": [{**leaf("x1"), "description": "Days, computed as 3 + 0.5 * pages"}]},
            "x1: the description states a formula, '0.5 [*] pages'",
        ),
        ({"distractors": [{**leaf("x1"), "type": "category"}]}, "x1: a category needs 2 to 12 different values"),
        (
            {"roots": [{**leaf("days"), "expression": "df['x1'] * 2", "children": [leaf("x1"), leaf("x2")]}]},
            "the expression uses x1, but the children are x1, x2",
        ),
    ],
)
def test_an_invalid_tree_is_one_line(changes: dict[str, Any], message: str, parse: Callable[..., Tree]) -> None:
    with pytest.raises(InvalidTree, match=message) as error:
        parse(**changes)
    assert "\n" not in error.value.message
    assert "tree.json: " in error.value.message


def test_tasks_are_inner_nodes_times_path_lengths(parse: Callable[..., Tree]) -> None:
    tasks, rejected = tree_tasks(parse(), 0)
    assert not rejected
    assert [(task.name, task.level, task.difficulty) for task in tasks] == [
        ("waiting_days/1", 0, 1),
        ("waiting_days/2", 0, 2),
        ("queue_ratio/1", 1, 1),
    ]
    assert len({task.masked for task in tasks[:2]}) == 2
    # Hidden nodes and ancestors of the target are not released.
    leaves = {"reservations", "copies", "pages"}
    assert [set(task.columns[:-1]) - {"shelf"} for task in tasks] == [leaves | {"queue_ratio"}, leaves, leaves]
    assert [task.columns[-1] for task in tasks] == ["waiting_days", "waiting_days", "queue_ratio"]
