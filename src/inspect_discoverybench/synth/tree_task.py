"""The tasks of a tree: one for each inner node and each path length down to observed columns (paper §4.2)."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from inspect_discoverybench.errors.exceptions import ExpressionRefused
from inspect_discoverybench.synth.expression import Expression
from inspect_discoverybench.synth.tree import Node, Tree

MAX_PREDICTORS = 10
"""Maximum number of columns of a gold expression; a hypothesis about more columns is hard to state and to judge."""

QUESTION_TYPES = ("context", "relationship", "variables")
"""The facets that goals ask for, in turn. A goal asks for the context only if columns encode it."""

NUMBERED = 0.36
"""Share of gold hypotheses that state the numbers of the expression; 39 % of the released ones have two or more."""

KEPT = {1: 1.0, 2: 0.82, 3: 0.75, 4: 0.8}
"""Share of the tasks of each path length that are kept, so that the difficulties have the released shares."""

DATA_FILE = "data.csv"

Criterion = Literal["expression", "distractors", "variables", "goal", "duplicate", "giveaway", "answerable"]
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


class Part(NamedTuple):
    """A part of a hypothesis: all of it, or the relation inside or outside its sub-population.

    Attributes:
        expression: The relation.
        columns: Its columns.
        tested: Those that must count: without one of them, a fit on held-out rows must be worse.
        condition: Expression of the rows in which it holds; empty for all rows.
    """

    expression: str
    columns: tuple[str, ...]
    tested: tuple[str, ...]
    condition: str


@dataclass(frozen=True)
class TreeTask:
    """One task.

    Attributes:
        node: The target.
        level: Distance of the target from the root.
        length: Path length from the target to the observed columns: 1 if its children are observed, 2 if its inner
            children are hidden and their children observed, and so on.
        expression: The gold expression over the observed columns.
        columns: The columns of the data file. The target is the last one.
        masked: The facet that the goal asks for.
        numbered: Whether the gold hypothesis states the numbers of the expression.
    """

    node: Node
    level: int
    length: int
    expression: Expression
    columns: tuple[str, ...]
    masked: str
    numbered: bool

    @property
    def parts(self) -> tuple[Part, ...]:
        """The whole hypothesis, then the relations inside and outside its sub-population if it has one."""
        whole = self.expression
        if whole.branches is None:
            return (Part(whole.text, whole.columns, whole.columns, ""),)
        condition, inside, outside = whole.branches
        parts = (
            Part(whole.text, whole.columns, condition.columns, ""),
            Part(inside.text, inside.columns, inside.columns, condition.text),
            Part(outside.text, outside.columns, outside.columns, f"~({condition.text})"),
        )
        return parts if outside.columns else parts[:2]

    @property
    def condition_columns(self) -> tuple[str, ...]:
        """The columns that encode the sub-population; empty if the hypothesis holds in all rows."""
        return self.expression.branches[0].columns if self.expression.branches else ()

    @property
    def name(self) -> str:
        """`<target>/<path length>`."""
        return f"{self.node.name}/{self.length}"

    @property
    def handwritten_goal(self) -> str | None:
        """The goal that the tree specifies; None if the author writes it."""
        return self.node.goal if self.length == 1 else None

    @property
    def difficulty(self) -> int:
        """Difficulty from 1 to 4: the path length, as in DB-SYNTH, whose difficulty is never above the height left."""
        return self.node.difficulty if self.length == 1 and self.node.difficulty is not None else self.length

    def metadata(self, tree: Tree, query_id: int, goal: str, gold: str) -> dict[str, Any]:
        """The metadata file, in the format of DB-SYNTH."""
        descriptions = {column.name: column.description for column in tree.columns()}
        columns = [{"name": name, "description": descriptions[name]} for name in self.columns]
        return {
            "id": 0,
            "domain": tree.domain,
            "datasets": [{"name": DATA_FILE, "description": tree.description, "columns": columns}],
            "queries": [
                {
                    "qid": query_id,
                    "question": goal,
                    "question_type": "general" if self.handwritten_goal else self.masked,
                    "difficulty": self.difficulty,
                    "target_col": self.node.name,
                    "true_hypothesis": gold,
                    "true_hypothesis_expr": self.expression.text,
                    "relevant_cols": [*self.expression.columns, self.node.name],
                }
            ],
        }


def tree_tasks(tree: Tree, seed: int) -> tuple[list[TreeTask], list[Rejection]]:
    """The tasks of a tree with columns chosen by the seed, and those whose expression has too many parts or columns."""
    tasks: list[TreeTask] = []
    rejected: list[Rejection] = []
    start = random.Random(f"{seed}/{tree.domain}/numbered").random()
    inner = [node for node in tree.nodes() if node.expression is not None]
    for number, node in enumerate(inner):
        for length in range(1, node.height + 1):
            name = f"{node.name}/{length}"
            try:
                expression = _composed(node, length)
            except ExpressionRefused as error:
                rejected.append(Rejection(name, "expression", error.message))
                continue
            columns = _columns(tree, node, expression, f"{seed}/{name}")
            types = QUESTION_TYPES if expression.branches else QUESTION_TYPES[1:]
            masked = types[(number + length - 1) % len(types)]
            numbered = (start + NUMBERED * len(tasks)) % 1 < NUMBERED
            tasks.append(TreeTask(node, tree.level(node.name), length, expression, columns, masked, numbered))
    return tasks, rejected


def thinned(tasks: Sequence[TreeTask], domain: int, height: int) -> list[TreeTask]:
    """The tasks of a domain that are kept, evenly over the domains of a set."""
    places = {length: domain * (height + 1 - length) for length in KEPT}
    kept = []
    for task in tasks:
        place, share = places[task.length], KEPT[task.length]
        places[task.length] += 1
        if int((place + 1) * share + 0.5) > int(place * share + 0.5):
            kept.append(task)
    return kept


def _composed(node: Node, length: int) -> Expression:
    """The expression over the columns that are `length` edges below, or leaves above them."""
    deeper = [child for child in node.children if child.expression is not None and length > 1]
    expression = node.parsed.substitute({child.name: _composed(child, length - 1) for child in deeper})
    if len(expression.columns) > MAX_PREDICTORS:
        raise ExpressionRefused(f"the expression has {len(expression.columns)} columns, more than {MAX_PREDICTORS}")
    return expression


def _columns(tree: Tree, node: Node, expression: Expression, key: str) -> tuple[str, ...]:
    """All columns in random order but for these, then the target.

    Left out are the hidden nodes, the ancestors of the target, which would reveal it, and columns that follow it.
    """
    inside = {part.name for part in node.walk()}
    observed = {name for part in node.walk() if part.name in expression.columns for name in part.names}
    left_out = (inside - observed) | {other.name for other in tree.nodes() if node.name in other.names}
    others = [*tree.distractors, *tree.nodes()]
    kept = [one.name for one in others if one.name not in left_out and one.follows != node.name]
    released = list(dict.fromkeys((*expression.columns, *kept)))
    random.Random(key).shuffle(released)
    return (*released, node.name)
