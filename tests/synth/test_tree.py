"""Trees: the one in the guide, and the errors of one that is invalid."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspect_discoverybench.dataset.stated_formula import stated_formula
from inspect_discoverybench.errors.exceptions import InvalidTree
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
        ({"distractors": [leaf("x1", 0, 1e13)]}, "high: Input should be less than or equal to 1000000000000"),
        ({"distractors": [leaf("x1", high=float("inf"))]}, "high: Input should be a finite number"),
        ({"distractors": [leaf("x1", 0.2, 0.8, type="integer")]}, "x1: low and high of an integer must be whole"),
        ({"description": "Titles, waiting_days = 3 + 4 * queue_ratio."}, "rows: the description states a formula"),
        ({"context": "Among titles with pages > 4"}, "context: the description states a formula, 'pages > 4'"),
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


FORMULAS = r"""0.5 * pages|√pages|√(pages)|pages²|0.5pages|2 * (pages)|2 * `pages`|df['pages'] * 2|exp(-pages)|pages > 4
pages % 7|max(pages, copies)|log(1 + pages)|$3 \times pages$|\frac{pages}{copies}|$0.5\,\text{pages}$|Queue ratio * 4
pages - copies|pages · copies|pages ⋅ copies|pages ÷ copies"""
MEANINGS = """2015 - copies|number of pages (total)|Share of pages (%)|copies per pages|A4 pages|pages = printed sheets
the top 5 % pages|Copies or pages, and/or both|3 copies - as counted|pages read/copies|Level (pages)"""


def test_formulas_are_told_from_meanings() -> None:
    formulas = {*re.split(r"[|\n]", FORMULAS), "pages \u2217 copies", "pages \u2044 copies"}
    for text in formulas.union(re.split(r"[|\n]", MEANINGS)):
        assert bool(stated_formula(text, ["pages", "copies", "queue_ratio"])) == (text in formulas), text


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
