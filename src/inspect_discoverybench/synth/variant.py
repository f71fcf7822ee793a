"""The tasks of a tree: one for each inner node and each path length down to observed columns (paper §4.2)."""

import random
from dataclasses import dataclass

from inspect_discoverybench.errors import ExpressionRefused
from inspect_discoverybench.hypothesis import Facet
from inspect_discoverybench.synth.expression import Expression
from inspect_discoverybench.synth.gate import Gate, Rejection
from inspect_discoverybench.synth.tree import Node, Tree

MAX_PREDICTORS = 8
"""Maximum number of columns of a gold expression; a hypothesis about more columns is hard to state and to judge."""

MAX_OTHER_COLUMNS = 8
"""Maximum number of released columns that the gold hypothesis does not use."""

FACETS = (Facet.RELATIONSHIP, Facet.VARIABLES, Facet.CONTEXT)


@dataclass(frozen=True)
class Variant:
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
    masked: Facet

    @property
    def predictors(self) -> tuple[str, ...]:
        """The observed columns of the gold expression."""
        return self.expression.columns

    @property
    def name(self) -> str:
        """`<target>/<path length>`."""
        return f"{self.node.name}/{self.length}"

    @property
    def difficulty(self) -> int:
        """Difficulty from 1 to 4: the path length, plus one for each further form of the expression.

        The forms are products of columns, functions or powers, and conditions. DB-SYNTH defines the difficulty "using
        the semantic tree definition" (appendix D.1) without a formula.
        """
        if self.length == 1 and self.node.difficulty is not None:
            return self.node.difficulty
        return min(4, self.length + len(self.expression.forms))


def variants(tree: Tree, seed: int) -> tuple[list[Variant], list[Rejection]]:
    """The tasks of a tree, and those whose expression has too many parts or columns.

    Args:
        tree: The tree.
        seed: Seed of the order and choice of columns.
    """
    variants: list[Variant] = []
    rejected: list[Rejection] = []
    levels = tree.levels()
    inner = [node for node in tree.nodes() if node.expression is not None]
    for number, node in enumerate(inner):
        for length in range(1, node.height + 1):
            try:
                expression = _composed(node, length)
            except ExpressionRefused as error:
                rejected.append(Rejection(f"{node.name}/{length}", Gate.EXPRESSION, error.message))
                continue
            if len(expression.columns) > MAX_PREDICTORS:
                reason = f"the expression has {len(expression.columns)} columns, more than {MAX_PREDICTORS}"
                rejected.append(Rejection(f"{node.name}/{length}", Gate.EXPRESSION, reason))
                continue
            columns = _columns(tree, node, expression, f"{seed}/{node.name}/{length}")
            masked = FACETS[(number + length - 1) % len(FACETS)]
            variants.append(Variant(node, levels[node.name], length, expression, columns, masked))
    return variants, rejected


def _composed(node: Node, length: int) -> Expression:
    """The expression over the columns that are `length` edges below, or leaves above them."""
    if length == 1:
        return node.parsed
    inner = {child.name: _composed(child, length - 1) for child in node.children if child.expression is not None}
    return node.parsed.substitute(inner)


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
