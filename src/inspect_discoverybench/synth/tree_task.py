"""The tasks of a tree: one for each inner node and each path length down to observed columns (paper §4.2)."""

import random
from dataclasses import dataclass
from typing import Any

from inspect_discoverybench.errors import ExpressionRefused
from inspect_discoverybench.synth.criterion import Criterion, Rejection
from inspect_discoverybench.synth.expression import Expression
from inspect_discoverybench.synth.tree import Node, Tree

MAX_PREDICTORS = 8
"""Maximum number of columns of a gold expression; a hypothesis about more columns is hard to state and to judge."""

MAX_OTHER_COLUMNS = 8
"""Maximum number of released columns that the gold hypothesis does not use."""

QUESTION_TYPES = ("relationship", "variables", "context")
"""The facets that goals ask for, in turn."""

DATA_FILE = "data.csv"


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
    """

    node: Node
    level: int
    length: int
    expression: Expression
    columns: tuple[str, ...]
    masked: str

    @property
    def predictors(self) -> tuple[str, ...]:
        """The observed columns of the gold expression."""
        return self.expression.columns

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
        """Difficulty from 1 to 4: the path length, plus one for each further form of the expression.

        The forms are products of columns, functions or powers, and conditions. DB-SYNTH defines the difficulty "using
        the semantic tree definition" (appendix D.1) without a formula.
        """
        if self.length == 1 and self.node.difficulty is not None:
            return self.node.difficulty
        return min(4, self.length + len(self.expression.forms))

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
                    "relevant_cols": [*self.predictors, self.node.name],
                }
            ],
        }


def tree_tasks(tree: Tree, seed: int) -> tuple[list[TreeTask], list[Rejection]]:
    """The tasks of a tree with columns chosen by the seed, and those whose expression has too many parts or columns."""
    tasks: list[TreeTask] = []
    rejected: list[Rejection] = []
    levels = tree.levels()
    inner = [node for node in tree.nodes() if node.expression is not None]
    for number, node in enumerate(inner):
        for length in range(1, node.height + 1):
            name = f"{node.name}/{length}"
            try:
                expression = _composed(node, length)
            except ExpressionRefused as error:
                rejected.append(Rejection(name, Criterion.EXPRESSION, error.message))
                continue
            columns = _columns(tree, node, expression, f"{seed}/{name}")
            masked = QUESTION_TYPES[(number + length - 1) % len(QUESTION_TYPES)]
            tasks.append(TreeTask(node, levels[node.name], length, expression, columns, masked))
    return tasks, rejected


def _composed(node: Node, length: int) -> Expression:
    """The expression over the columns that are `length` edges below, or leaves above them."""
    deeper = [child for child in node.children if child.expression is not None and length > 1]
    expression = node.parsed.substitute({child.name: _composed(child, length - 1) for child in deeper})
    if len(expression.columns) > MAX_PREDICTORS:
        raise ExpressionRefused(f"the expression has {len(expression.columns)} columns, more than {MAX_PREDICTORS}")
    return expression


def _columns(tree: Tree, node: Node, expression: Expression, key: str) -> tuple[str, ...]:
    """Predictors, distractors and leaves outside the subtree in random order, then the target.

    Hidden nodes are left out, and so are the ancestors of the target, which would reveal it.
    """
    choice = random.Random(key)
    below = {part.name for part in node.walk()}
    leaves = [part.name for part in tree.nodes() if part.expression is None and part.name not in below]
    choice.shuffle(leaves)
    others = ([column.name for column in tree.distractors] + leaves)[:MAX_OTHER_COLUMNS]
    released = [*expression.columns, *others]
    choice.shuffle(released)
    return (*released, node.name)
