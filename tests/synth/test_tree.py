"""Trees: the form that a person writes by hand, and the errors of one that is invalid."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspect_discoverybench.errors import DataMissing, InvalidTree
from inspect_discoverybench.synth.tree import Tree
from inspect_discoverybench.synth.tree_task import tree_tasks
from tests.synth.trees import LIBRARY, inner, leaf, library


@pytest.fixture
def parse(tmp_path: Path) -> Callable[..., Tree]:
    """Read the hand-written tree with changes from a file."""

    def read(**changes: Any) -> Tree:
        file = tmp_path / "tree.json"
        file.write_text(json.dumps({**LIBRARY, **changes}), "utf-8")
        return Tree.read(file)

    return read


def test_a_tree_is_read_from_a_file(parse: Callable[..., Tree]) -> None:
    tree = parse()
    assert tree == library()
    assert tree.levels() == {"waiting_days": 0, "queue_ratio": 1, "copies": 2, "reservations": 2, "pages": 1}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"domain": 7}, "domain: Input should be a valid string"),
        ({"colour": "red"}, "colour: Extra inputs are not permitted"),
        ({"roots": []}, "roots: Tuple should have at least 1 item"),
        ({"roots": [leaf("pages")]}, "pages: the root needs an expression and children"),
        ({"roots": [leaf("Pages")]}, r"roots.0.name: String should match"),
        ({"roots": [{**leaf("pages"), "low": None}]}, "pages: a sampled real column needs low and high"),
        ({"roots": [{**leaf("pages"), "high": -1}]}, "pages: low 0 must be below high -1"),
        ({"distractors": [leaf("pages")]}, "the name pages is used twice"),
        ({"distractors": [{**leaf("x1"), "type": "category"}]}, "x1: a category needs 2 to 12 different values"),
        ({"distractors": [{**leaf("x1"), "description": ""}]}, "distractors.0.description: String should have"),
    ],
)
def test_an_invalid_tree_is_one_line(changes: dict[str, Any], message: str, parse: Callable[..., Tree]) -> None:
    with pytest.raises(InvalidTree, match=message) as error:
        parse(**changes)
    assert "\n" not in error.value.message
    assert "tree.json: " in error.value.message


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("df['copies'] * 2", "the expression uses copies, but the children are copies, pages"),
        ("df['copies'] + df['pages'] + df['shelf']", "the expression uses copies, pages, shelf"),
        ("__import__('os')", "is not allowed in an expression"),
    ],
)
def test_an_expression_must_use_each_child_and_nothing_else(
    expression: str, message: str, parse: Callable[..., Tree]
) -> None:
    with pytest.raises(InvalidTree, match=message):
        parse(roots=[inner("ratio", expression, leaf("copies"), leaf("pages"))])


def test_a_missing_file() -> None:
    with pytest.raises(DataMissing):
        Tree.read(Path("none.json"))


def test_tasks_are_inner_nodes_times_path_lengths() -> None:
    tasks, rejected = tree_tasks(library(), 0)
    assert not rejected
    assert [(task.name, task.level, task.difficulty) for task in tasks] == [
        ("waiting_days/1", 0, 1),
        ("waiting_days/2", 0, 3),
        ("queue_ratio/1", 1, 2),
    ]
    assert len({task.masked for task in tasks[:2]}) == 2
    # Hidden nodes and ancestors of the target are not released.
    children, leaves, outside = {"queue_ratio", "pages"}, {"reservations", "copies", "pages"}, {"shelf", "binding"}
    assert [set(task.columns[:-1]) - outside for task in tasks] == [children, leaves, leaves]
    assert [task.columns[-1] for task in tasks] == ["waiting_days", "waiting_days", "queue_ratio"]
