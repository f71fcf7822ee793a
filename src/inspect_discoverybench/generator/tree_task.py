"""The tasks of a tree: one for each inner node and each path length down to observed columns (paper §4.2)."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from inspect_discoverybench.errors.exceptions import ExpressionRefused
from inspect_discoverybench.generator.expression import Expression
from inspect_discoverybench.generator.tree import Node, Text, Tree
from inspect_discoverybench.replies import Reply
from inspect_discoverybench.scorer.facets import FACET_KEYS

MAX_PREDICTORS = 13
"""Maximum number of columns of a gold expression. The released ones have at most 13."""

MASKED_FACETS = FACET_KEYS[::-1]
"""The facets that goals ask for, in turn; the context is last."""

MASKED_FACETS_WITHOUT_CONTEXT = MASKED_FACETS[:-1]
"""The facets that goals ask for, in turn, if the hypothesis holds in all rows: its context is no discovery."""

DATA_FILE = "data.csv"

Criterion = Literal[
    "expression",  # a node has no valid expression, or the gold expression is too large
    "variables",  # a variable of the gold expression does not matter
    "text",  # the author gave no valid hypothesis and goal
    "review",  # the reviewer gave no valid answers
    "statement",  # the reviewer says that the hypothesis is not true
    "goal",  # the reviewer quotes a part of the goal that gives the answer away
    "description",  # the reviewer quotes a part of a description that gives the formula away
    "duplicate",  # another task of the domain has the same goal
]
"""The criteria that a task must meet, in the order in which they are applied.

The published DB-SYNTH was made without such criteria: 212 of its 903 target columns are constant.
"""


class Rejection(NamedTuple):
    """A node or task that was rejected.

    Attributes:
        name: `<node>` or `<node>/<path length>`.
        criterion: The criterion that it does not meet.
        reason: One sentence.
    """

    name: str
    criterion: Criterion
    reason: str


class HypothesisAndGoal(Reply):
    """The gold hypothesis of a task, and the goal that asks for it."""

    hypothesis: Text
    goal: Text


@dataclass(frozen=True)
class TreeTask:
    """One task.

    Attributes:
        node: The target.
        depth: Distance of the target from the root.
        length: Path length from the target to the observed columns: 1 if its children are observed, 2 if its inner
            children are hidden and their children observed, and so on. It is the difficulty, as in DB-SYNTH.
        expression: The gold expression over the observed columns.
        masked: The facet that the goal asks for.
    """

    node: Node
    depth: int
    length: int
    expression: Expression
    masked: str

    @property
    def name(self) -> str:
        """`<target>/<path length>`."""
        return f"{self.node.name}/{self.length}"

    @property
    def start_height(self) -> int:
        """Height of the observed nodes above the leaves, as the names of DB-SYNTH's folders give it."""
        return self.node.height - self.length

    @property
    def is_handwritten(self) -> bool:
        """Whether the tree has the goal of this task, written by hand. A tree has goals only for path length 1."""
        return self.length == 1 and self.node.goal is not None

    def composed_nodes(self) -> list[Node]:
        """The target and the hidden nodes whose expressions make up the gold expression, parents first."""
        observed = set(self.expression.columns)
        # `node.names` has the names of the node and of all nodes below it. The nodes below an observed one are left
        # out, because no name there is observed.
        observed_and_ancestors = [node for node in self.node.walk() if node.names & observed]
        return [node for node in observed_and_ancestors if node.name not in observed]


def tree_tasks(tree: Tree) -> tuple[list[TreeTask], list[Rejection]]:
    """Return the tasks of a tree, and a rejection for each task whose gold expression is too large."""
    tasks: list[TreeTask] = []
    rejected: list[Rejection] = []
    inner_nodes = [node for node in tree.nodes() if node.is_computed]
    for number, node in enumerate(inner_nodes):
        depth = tree.depth(node.name)
        facets = MASKED_FACETS if node.sub_population else MASKED_FACETS_WITHOUT_CONTEXT
        for length in range(1, node.height + 1):
            try:
                expression = _composed(node, length)
            except ExpressionRefused as error:
                rejected.append(Rejection(f"{node.name}/{length}", "expression", error.message))
                continue
            # The facets take turns, both over the path lengths of a node and over the nodes.
            masked = facets[(number + length) % len(facets)]
            tasks.append(TreeTask(node=node, depth=depth, length=length, expression=expression, masked=masked))
    return tasks, rejected


def file_columns(tree: Tree, tasks: Sequence[TreeTask], key: str) -> list[str]:
    """Select the columns of a data file, in random order.

    A column is left out if a goal could be answered with it in another way than by the gold hypothesis. These columns
    are hidden nodes, nodes below the observed nodes, ancestors of a target, and distractors that are second records of
    a target or of a column that is left out.

    Args:
        tree: The tree.
        tasks: The tasks that share the data file. Their targets have the same depth, and the tasks have the same start
            height.
        key: Seed of the order.
    """
    # A column that is left out for one task is not needed by another task:
    # - A task needs only its target and nodes below its target.
    # - All targets have the same depth. So no target is below another target, and no node is below two targets.
    # - All tasks have the same start height. Two tasks with the same target would have different path lengths, and so
    #   different start heights. So no two tasks have the same target.
    targets = {task.node.name for task in tasks}
    # The ancestors of the targets.
    left_out = {node.name for node in tree.nodes() if node.names & targets} - targets
    for task in tasks:
        # Of the nodes below the target, only the observed ones are kept.
        left_out |= task.node.names - {task.node.name, *task.expression.columns}
    for column in tree.distractors:
        if column.follows in left_out | targets:
            left_out.add(column.name)

    names = [name for name in tree.names() if name not in left_out]
    random.Random(key).shuffle(names)
    return names


def goal_entry(task: TreeTask, query_id: int, text: HypothesisAndGoal) -> dict[str, Any]:
    """A goal as an entry of `queries` in a metadata file of DB-SYNTH, and with one more key: `masked_facet`."""
    fields = {
        "qid": query_id,
        "question": text.goal,
        "question_type": "general",
        "difficulty": task.length,
        "target_col": task.node.name,
        "true_hypothesis": text.hypothesis,
        "true_hypothesis_expr": task.expression.text,
        "relevant_cols": [*task.expression.columns, task.node.name],
    }
    if not task.is_handwritten:  # a person's goal does not depend on `masked`
        fields["masked_facet"] = task.masked
    return fields


def _composed(node: Node, length: int) -> Expression:
    """Express a node over the columns that are `length` edges below it, or over leaves that are nearer."""
    hidden = {}
    for child in node.children:
        if child.is_computed and length > 1:
            hidden[child.name] = _composed(child, length - 1)
    expression = node.parsed.substitute(hidden)
    count = len(expression.columns)
    if count > MAX_PREDICTORS:
        raise ExpressionRefused(f"the expression has {count} columns, more than {MAX_PREDICTORS}")
    return expression
