"""Discovery goals, made by masking one facet of a gold hypothesis (paper §4.1, §4.2)."""

import re

from pydantic import Field

from inspect_discoverybench.dataset.studies import reveals
from inspect_discoverybench.errors import AuthorFailed, ReplyRejected
from inspect_discoverybench.structured_reply import Reply
from inspect_discoverybench.synth.author import Author
from inspect_discoverybench.synth.criterion import Criterion, Rejection
from inspect_discoverybench.synth.tree import Tree, TreeColumn
from inspect_discoverybench.synth.tree_task import TreeTask
from inspect_discoverybench.text import fold

MIN_TARGET_WORDS = 0.5
"""Minimum share of the words of the target's name that a goal must contain."""


class GoalText(Reply):
    """A discovery goal."""

    goal: str = Field(min_length=10, max_length=600)


class Review(Reply):
    """The reviewer's decision."""

    answerable: bool
    reason: str = ""


async def write_goal(author: Author, reviewer: Author, tree: Tree, task: TreeTask, gold: str) -> str | Rejection:
    """Ask the author for the goal of a task, and the reviewer whether it is answerable."""
    described = {column.name: _described(column) for column in tree.columns()}

    async def check_goal(reply: GoalText) -> str:
        goal = " ".join(reply.goal.split())
        if violation := _violation(goal, tree, task, gold):
            raise ReplyRejected(f"{violation}.")
        return goal

    async def accept(reply: Review) -> Review:
        return reply

    values = {
        "name": task.name,
        "masked": task.masked,
        "context": tree.context,
        "rows": tree.description,
        "gold_hypothesis": gold,
        "target": _described(task.node),
        "predictors": [described[name] for name in task.predictors],
    }
    criterion = Criterion.GOAL
    try:
        goal = await author.ask("goal", values, GoalText, check_goal)
        criterion = Criterion.ANSWERABLE
        values = {
            "name": task.name,
            "goal": goal,
            "gold_hypothesis": gold,
            "rows": tree.description,
            "target": task.node.label,
            "columns": [described[name] for name in task.columns],
        }
        review = await reviewer.ask("review", values, Review, accept)
    except AuthorFailed as error:
        return Rejection(task.name, criterion, error.message)
    return goal if review.answerable else Rejection(task.name, criterion, review.reason or "no reason given")


def _violation(goal: str, tree: Tree, task: TreeTask, gold: str) -> str | None:
    """The first rule that a goal violates; None if it violates none."""
    if "?" not in goal:
        return "the goal is not a question"
    if reveals(goal, gold):
        return "the goal contains the gold hypothesis"
    target = task.node.label
    words, target_words = ({word[:4] for word in re.findall(r"[a-z]{3,}", fold(text))} for text in (goal, target))
    if len(target_words & words) < MIN_TARGET_WORDS * len(target_words):
        return f"the goal does not name the target, {target!r}"
    hidden = {
        "variables": [column.label for column in tree.columns() if column.name in task.predictors],
        "context": [tree.context],
    }
    for phrase in hidden.get(task.masked, ()):
        if _plain(phrase) in _plain(goal):
            return f"the goal contains {phrase!r}, which it must ask for"
    numbers = {float(number) for number in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", goal)}
    shared = numbers & (task.expression.numbers - {0.0, 1.0})
    if task.masked == "relationship" and shared:
        return f"the goal contains {min(shared):g}, a number of the gold hypothesis"
    return None


def _plain(text: str) -> str:
    """The words of a text between spaces."""
    return f" {' '.join(re.findall(r'[a-z0-9]+', fold(text)))} "


def _described(column: TreeColumn) -> dict[str, str]:
    return {"name": column.name, "label": column.label, "description": column.description}
