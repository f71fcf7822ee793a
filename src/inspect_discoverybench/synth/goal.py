"""Discovery goals, made by masking one facet of a gold hypothesis (paper §4.1, §4.2)."""

from typing import Any

from inspect_discoverybench.errors import AuthorFailed, ReplyRejected
from inspect_discoverybench.hypothesis import Facet
from inspect_discoverybench.synth.author import Author
from inspect_discoverybench.synth.gate import Gate, GoalRules, Rejection
from inspect_discoverybench.synth.replies import GoalText, Review
from inspect_discoverybench.synth.tree import Tree, TreeColumn
from inspect_discoverybench.synth.variant import Variant


def goal_rules(tree: Tree, variant: Variant, gold: str) -> GoalRules:
    """The rules for the goal of a task."""
    labels = {column.name: column.label for column in tree.columns()}
    hidden: tuple[str, ...] = ()
    numbers: frozenset[float] = frozenset()
    match variant.masked:
        case Facet.VARIABLES:
            hidden = tuple(labels[name] for name in variant.predictors)
        case Facet.CONTEXT:
            hidden = (tree.context,)
        case Facet.RELATIONSHIP:
            numbers = variant.expression.numbers - {0.0, 1.0}
    return GoalRules(gold, variant.node.label, hidden, numbers)


async def write_goal(author: Author, tree: Tree, variant: Variant, gold: str) -> str | Rejection:
    """Ask the author for the goal of a task; a goal that breaks a rule is sent back."""
    if variant.length == 1 and variant.node.goal is not None:
        return variant.node.goal
    rules = goal_rules(tree, variant, gold)

    async def check(reply: GoalText) -> str:
        goal = " ".join(reply.goal.split())
        if violation := rules.violation(goal):
            raise ReplyRejected(f"{violation}.")
        return goal

    try:
        return await author.ask("goal", _values(tree, variant, gold), GoalText, check)
    except AuthorFailed as error:
        return Rejection(variant.name, Gate.GOAL, error.message)


async def review_goal(reviewer: Author, tree: Tree, variant: Variant, gold: str, goal: str) -> Rejection | None:
    """Ask the reviewer whether a goal is answerable. Goals that the tree specifies are not reviewed."""
    if variant.length == 1 and variant.node.goal is not None:
        return None

    async def check(reply: Review) -> Review:
        return reply

    columns = {column.name: column for column in tree.columns()}
    values = {
        "name": variant.name,
        "goal": goal,
        "gold_hypothesis": gold,
        "rows": tree.description,
        "target": variant.node.label,
        "columns": [_described(columns[name]) for name in variant.columns],
    }
    try:
        review = await reviewer.ask("review", values, Review, check)
    except AuthorFailed as error:
        return Rejection(variant.name, Gate.ANSWERABLE, error.message)
    return None if review.answerable else Rejection(variant.name, Gate.ANSWERABLE, review.reason or "no reason given")


def _values(tree: Tree, variant: Variant, gold: str) -> dict[str, Any]:
    columns = {column.name: column for column in tree.columns()}
    return {
        "name": variant.name,
        "masked": variant.masked.value,
        "context": tree.context,
        "rows": tree.description,
        "gold_hypothesis": gold,
        "target": _described(variant.node),
        "predictors": [_described(columns[name]) for name in variant.predictors],
    }


def _described(column: TreeColumn) -> dict[str, str]:
    return {"name": column.name, "label": column.label, "description": column.description}
