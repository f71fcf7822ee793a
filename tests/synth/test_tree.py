"""Trees: the one in the guide, the errors of one that is invalid, and the tasks and data files of trees."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from inspect_discoverybench.errors.exceptions import InvalidTree
from inspect_discoverybench.synth.tree import Tree
from inspect_discoverybench.synth.tree_task import TreeTask, file_columns, tree_tasks
from tests.synth.authoring import derived, generate, leaf, scripted_author, state_of

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
        ({"distractors": [leaf("pages")]}, "the name pages is used twice"),
        ({"distractors": [{**leaf("x1"), "low": None}]}, "x1: a sampled real column needs low and high"),
        ({"distractors": [leaf("x1", 2, 1)]}, "x1: low 2.0 must be below high 1.0"),
        ({"distractors": [leaf("x1", 0, 1e13)]}, "high: Input should be less than or equal to 1000000000000"),
        ({"distractors": [leaf("x1", high=float("inf"))]}, "high: Input should be a finite number"),
        ({"distractors": [leaf("x1", 0.2, 0.8, type="integer")]}, "x1: low and high of an integer must be whole"),
        ({"distractors": [leaf("x1", type="category")]}, "x1: a category needs 2 to 12 different values"),
        ({"distractors": [leaf("x1", follows="x1")]}, "x1: x1 is not a column that it can follow"),
        (
            {"roots": [{**leaf("days"), "expression": "df['x1'] * 2", "children": [leaf("x1"), leaf("x2")]}]},
            "the expression uses x1, but the children are x1, x2",
        ),
        ({"roots": [{**leaf("days"), "goal": "How?"}]}, "days: a goal needs the hypothesis that answers it"),
    ],
)
def test_an_invalid_tree_is_one_line(changes: dict[str, Any], message: str, parse: Callable[..., Tree]) -> None:
    with pytest.raises(InvalidTree, match=message) as error:
        parse(**changes)
    assert "\n" not in error.value.message
    assert "tree.json: " in error.value.message


def test_tasks_are_inner_nodes_times_path_lengths(parse: Callable[..., Tree]) -> None:
    tasks, rejected = tree_tasks(parse())
    assert not rejected
    assert [(task.name, task.start_height, task.depth, task.length) for task in tasks] == [
        ("waiting_days/1", 1, 0, 1),
        ("waiting_days/2", 0, 0, 2),
        ("queue_ratio/1", 0, 1, 1),
    ]
    assert tasks[0].masked != tasks[1].masked


def test_a_data_file_has_only_columns_that_leave_the_gold_expression_the_answer(parse: Callable[..., Tree]) -> None:
    """Hidden nodes, nodes below observed ones, ancestors of the target, and second records of these stay out."""
    names = ("waiting_days", "queue_ratio", "reservations", "pages", "shelf")
    copies = [leaf(f"{name}_2", follows=name) for name in names]
    tree = parse(distractors=[leaf("shelf"), *copies])
    tasks, _ = tree_tasks(tree)

    def columns(task: TreeTask) -> set[str]:
        return set(file_columns(tree, [task], "seed")) - {"shelf", "shelf_2", "pages", "pages_2"}

    assert [columns(task) for task in tasks] == [
        {"waiting_days", "queue_ratio", "queue_ratio_2"},
        {"waiting_days", "reservations", "reservations_2", "copies"},
        {"queue_ratio", "reservations", "reservations_2", "copies"},
    ]


def test_each_leaf_is_derived_with_the_probability_of_the_paper(tmp_path: Path) -> None:
    generate(tmp_path / "set", scripted_author(expand=derived), height=4)
    tree = Tree.read(tmp_path / "set" / "trees" / "sailing.json")
    [root] = tree.roots
    candidates = [node for node in tree.nodes() if 1 <= tree.depth(node.name) <= 3]
    share = sum(node.is_computed for node in candidates) / len(candidates)
    assert root.height == 4
    assert 0.3 <= share <= 0.9
    branching = [[child.is_computed for child in node.children].count(True) for node in tree.nodes()]
    assert max(branching) > 1


def generate_by_hand(out: Path, *roots: dict[str, Any]) -> Path:
    """Generate the set of a forest, without noise. Returns the folder of the roots' tasks."""
    tree = {"domain": "sailing", "description": "Boats.", "context": "Among boats", "roots": roots}
    file = out / "tree.json"
    file.write_text(json.dumps(tree), "utf-8")
    log = generate(out / "set", "none", trees=str(file), noise_share=0, missing=0)
    assert state_of(log).rejected == []
    return out / "set" / "sailing_0_0"


def root(name: str, expression: str, *children: dict[str, Any]) -> dict[str, Any]:
    texts = {"goal": f"What sets the {name}?", "hypothesis": f"The {name} follows from its causes."}
    return leaf(name, -50, 100) | texts | {"expression": expression, "children": children}


def test_targets_of_the_same_depth_share_a_data_file(tmp_path: Path) -> None:
    folder = generate_by_hand(
        tmp_path, root("speed", "df['wind'] + 1", leaf("wind")), root("drift", "df['x1']", leaf("x1"))
    )
    assert sorted(path.name for path in folder.iterdir()) == ["data.csv", "metadata_0.json", "metadata_1.json"]


def test_choices_mappings_and_groups_are_computed(tmp_path: Path) -> None:
    rig = leaf("rig", type="category", values=["sloop", "ketch"])
    folder = generate_by_hand(
        tmp_path,
        root("choice", "np.select([df['rig'] == 'sloop', df['area'] > 5], [60, 40], default=20)", rig, leaf("area")),
        root("mapping", "df['crew'].map({'one': 1, 'two': 12})", leaf("crew", type="category", values=["one", "two"])),
        root("grouping", "df['x1'].groupby(df['x2']).transform('mean')", leaf("x1"), leaf("x2", 0, 2, type="integer")),
    )
    table = pd.read_csv(folder / "data.csv")
    means = table.groupby("x2")["x1"].transform("mean")
    assert set(table[table.rig == "sloop"].choice) == {60}
    assert set(table[table.rig == "ketch"].choice) == {20, 40}
    assert set(table[table.crew == "two"].mapping) == {12}
    assert table.grouping.to_numpy() == pytest.approx(means.to_numpy(), abs=0.01)
