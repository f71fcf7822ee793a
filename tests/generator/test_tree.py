"""Trees: the one in the guide, the errors of one that is invalid, and the tasks and data files of trees."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from inspect_discoverybench.errors.exceptions import DataError, InvalidArgument
from inspect_discoverybench.generator.tree import Tree
from inspect_discoverybench.generator.tree_task import file_columns, tree_tasks
from tests.generator.authoring import contents, derived, generate, leaf, scripted_author, state_of

GUIDE = Path(__file__).parents[2] / "docs" / "generator.md"


@pytest.fixture
def parse(tmp_path: Path) -> Callable[..., Tree]:
    """Read the tree of the guide with changes from a file."""
    _, _, text = GUIDE.read_text("utf-8").partition("```json\n")
    tree, _ = json.JSONDecoder().raw_decode(text)

    def read(**changes: Any) -> Tree:
        file = tmp_path / "tree.json"
        file.write_text(json.dumps({**tree, **changes}), "utf-8")
        return Tree.read(file)

    return read


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (leaf("pages"), "the name pages is used twice"),
        (leaf("x1", low=None), "x1: a sampled real column needs low and high"),
        (leaf("x1", 2, 1), "distractors.0: low 2.0 must be below high 1.0"),
        (leaf("x1", 0.2, 0.8, type="integer"), "low and high of an integer must be whole"),
        (leaf("x1", type="category"), "a category needs 2 to 12 different values"),
        (leaf("x1", follows="sails"), "x1: sails is not a column that it can follow"),
        (leaf("x1", colour="red"), "colour: Extra inputs are not permitted"),
    ],
)
def test_an_invalid_column_is_refused_in_one_line(
    column: dict[str, Any], message: str, parse: Callable[..., Tree]
) -> None:
    with pytest.raises(DataError, match=message) as error:
        parse(distractors=[column])
    assert "\n" not in error.value.message
    assert "tree.json: " in error.value.message


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "days: the root needs an expression and children"),
        ({"goal": "How?"}, "a goal needs the hypothesis that answers it"),
        ({"expression": "df['x1'] * 2"}, "x1 must be a child and a column of the expression"),
    ],
)
def test_an_invalid_root_is_named(fields: dict[str, Any], message: str, parse: Callable[..., Tree]) -> None:
    with pytest.raises(DataError, match=message):
        parse(roots=[leaf("days", **fields)])


def test_each_inner_node_has_a_task_for_each_path_length_below_it(parse: Callable[..., Tree]) -> None:
    # The root waiting_days has the children queue_ratio and pages, and queue_ratio has reservations and copies.
    tasks, rejected = tree_tasks(parse())
    assert not rejected
    assert [(task.name, task.start_height, task.depth) for task in tasks] == [
        ("waiting_days/1", 1, 0),
        ("waiting_days/2", 0, 0),
        ("queue_ratio/1", 0, 1),
    ]
    # Both tasks have the same target, but their goals ask for different facets.
    assert tasks[0].masked != tasks[1].masked


def test_a_data_file_lacks_the_columns_from_which_the_target_would_follow_in_another_way(
    parse: Callable[..., Tree],
) -> None:
    """These columns are hidden nodes, nodes below observed ones, ancestors of the target, and some second records.

    A second record is left out if it follows the target or a column that is left out.
    """
    # The root waiting_days has the children queue_ratio and pages, and queue_ratio has reservations and copies.
    names = ("waiting_days", "queue_ratio", "reservations", "pages", "shelf")
    second_records = [leaf(f"{name}_2", follows=name) for name in names]
    tree = parse(distractors=[leaf("shelf"), *second_records])
    tasks, _ = tree_tasks(tree)

    # `shelf` is no part of the tree, and `pages` is observed or unrelated in every task.
    in_all_files = {"shelf", "shelf_2", "pages", "pages_2"}
    other_columns = [set(file_columns(tree, [task], "seed")) - in_all_files for task in tasks]
    assert other_columns == [
        # Target waiting_days, with queue_ratio observed.
        {"waiting_days", "queue_ratio", "queue_ratio_2"},
        # Target waiting_days, with queue_ratio hidden.
        {"waiting_days", "reservations", "reservations_2", "copies"},
        # Target queue_ratio, whose ancestor is waiting_days.
        {"queue_ratio", "reservations", "reservations_2", "copies"},
    ]


@pytest.mark.usefixtures("slow")
def test_each_leaf_is_derived_with_the_probability_of_the_paper(tmp_path: Path) -> None:
    generate(tmp_path / "set", scripted_author(expand=derived), height=4)
    tree = Tree.read(tmp_path / "set" / "trees" / "sailing.json")
    [root] = tree.roots
    assert root.height == 4

    nodes = list(root.walk())
    inner = [node for node in nodes if node.is_computed]
    candidates = [node for node in nodes if 1 <= tree.depth(node.name) <= 3]
    # A tree of this height has an inner node on each of four levels. If it has more, both children of some node are
    # inner nodes.
    assert len(inner) > 4
    # The root is always derived. The probability of the others is 0.6 (footnote 6), and one tree has few of them.
    share = (len(inner) - 1) / len(candidates)
    assert 0.3 <= share <= 0.9


def generate_by_hand(out: Path, *roots: dict[str, Any]) -> Path:
    """Generate the set of a forest, without noise. Returns the folder of the roots' tasks."""
    tree = {
        "domain": "sailing",
        "description": "Boats.",
        "context": "Among boats",
        "roots": roots,
    }
    file = out / "tree.json"
    file.write_text(json.dumps(tree), "utf-8")
    log = generate(out / "set", "none", trees=str(file), noise_share=0, missing=0)
    assert state_of(log).rejected == []
    return out / "set" / "sailing_0_0"


def root(name: str, expression: str, *children: dict[str, Any]) -> dict[str, Any]:
    node = leaf(name, -50, 100)
    return {
        **node,
        "goal": f"What sets the {name}?",
        "hypothesis": f"The {name} follows from its causes.",
        "expression": expression,
        "children": children,
    }


def test_a_set_is_not_continued_with_an_edited_tree(tmp_path: Path) -> None:
    """Its tasks would stay those of the tree as it was before."""
    children = [leaf("sail_area", 4, 20), leaf("hull_drag", 0, 6)]
    original = root("top_speed", "5 + 2 * df['sail_area'] - 3 * df['hull_drag']", *children)
    edited = original | {"expression": "5 + 4 * df['sail_area'] - 3 * df['hull_drag']"}
    generate_by_hand(tmp_path, original)
    before = contents(tmp_path / "set")
    generate_by_hand(tmp_path, original)
    with pytest.raises(
        InvalidArgument, match=r"contains the tasks of another tree of the domain 'sailing' \(see trees/"
    ):
        generate_by_hand(tmp_path, edited)
    assert contents(tmp_path / "set") == before


def test_choices_mappings_and_groups_are_computed(tmp_path: Path) -> None:
    rig = leaf("rig", type="category", values=["sloop", "ketch"])
    crew = leaf("crew", type="category", values=["one", "two"])
    month = leaf("month", 0, 2, type="integer")
    choice = "np.select([df['rig'] == 'sloop', df['area'] > 5], [60, 40], default=20)"
    mapping = "df['crew'].map({'one': 1, 'two': 12})"
    grouping = "df['wind'].groupby(df['month']).transform('mean')"
    folder = generate_by_hand(
        tmp_path,
        root("choice", choice, rig, leaf("area")),
        root("mapping", mapping, crew),
        root("grouping", grouping, leaf("wind"), month),
    )
    table = pd.read_csv(folder / "data.csv")
    choices = table.groupby("rig").choice.unique()
    numbers = table.groupby("crew").mapping.unique()
    means = table.groupby("month").wind.mean()
    groups = table.groupby("month").grouping.mean()
    assert set(choices.sloop) == {60}
    assert set(choices.ketch) == {20, 40}
    assert numbers.two == [12]
    assert list(groups) == pytest.approx(list(means), abs=0.01)


@pytest.mark.parametrize("key", ["domain", "hypothesis"])
def test_a_key_that_occurs_twice_is_refused(key: str, tmp_path: Path) -> None:
    file = tmp_path / "tree.json"
    file.write_text(f'{{"roots": [], "{key}": "tea", "{key}": "sailing"}}', "utf-8")
    with pytest.raises(DataError, match=rf"tree\.json: the key '{key}' occurs twice"):
        Tree.read(file)
