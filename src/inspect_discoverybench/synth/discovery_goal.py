"""Discovery goals, made by masking one facet of a gold hypothesis (paper §4.1, §4.2)."""

import re

from pydantic import Field

from inspect_discoverybench.dataset.irregularities import reveals
from inspect_discoverybench.errors.exceptions import AuthorFailed, ReplyRejected
from inspect_discoverybench.replies import Reply
from inspect_discoverybench.submission.answer import is_placeholder
from inspect_discoverybench.submission.text import normalize_case_and_spaces
from inspect_discoverybench.synth.author import Author
from inspect_discoverybench.synth.tree import Tree, TreeColumn
from inspect_discoverybench.synth.tree_task import Rejection, TreeTask


class GoalText(Reply):
    """A discovery goal."""

    goal: str = Field(min_length=10, max_length=600)


class Review(Reply):
    """The reviewer's decision.

    Attributes:
        answerable: Whether the goal can be answered from the data.
        giveaway: A quotation from the goal or a description that states the relationship; a placeholder if none does.
        reason: One sentence.
    """

    answerable: bool
    giveaway: str = ""
    reason: str = ""


async def write_goal(author: Author, reviewer: Author, tree: Tree, task: TreeTask, gold: str) -> str | Rejection:
    """Ask the author for the goal of a task, and the reviewer whether it is answerable."""
    described = {column.name: _described(column) for column in tree.columns()}

    async def check_goal(reply: GoalText) -> str:
        goal = " ".join(reply.goal.split())
        if violation := _violation(goal, tree, task, gold):
            raise ReplyRejected(f"{violation}.")
        return goal

    async def check_review(reply: Review) -> Review:
        texts = (goal, tree.description, tree.context, *(described[name]["description"] for name in task.columns))
        if not is_placeholder(reply.giveaway) and _plain(reply.giveaway) not in _plain("\n".join(texts)):
            raise ReplyRejected("the giveaway must be a quotation from the goal or a description, or empty.")
        return reply

    values = {
        "name": task.name,
        "masked": task.masked,
        "population": tree.context,
        "rows": tree.description,
        "gold_hypothesis": gold,
        "target": _described(task.node),
        "condition": [described[name] for name in task.condition_columns],
        "predictors": [described[name] for name in task.expression.columns if name not in task.condition_columns],
    }
    goal = ""
    try:
        goal = await author.ask("goal", values, GoalText, check_goal)
        values = {
            "name": task.name,
            "goal": goal,
            "gold_hypothesis": gold,
            "rows": tree.description,
            "target": task.node.name,
            "columns": [described[name] for name in task.columns],
        }
        review = await reviewer.ask("review", values, Review, check_review)
    except AuthorFailed as error:
        return Rejection(task.name, "answerable" if goal else "goal", error.message)
    if not is_placeholder(review.giveaway):
        return Rejection(task.name, "giveaway", f"{review.giveaway!r} states the relationship")
    return goal if review.answerable else Rejection(task.name, "answerable", review.reason or "no reason given")


def _violation(goal: str, tree: Tree, task: TreeTask, gold: str) -> str | None:
    """The first rule that a goal violates; None if it violates none."""
    if "?" not in goal:
        return "the goal is not a question"
    shown = _plain(" ".join((tree.context, *(column.label for column in tree.columns())))).split()
    if reveals(goal, " ".join(word for word in _plain(gold).split() if word not in shown)):
        return "the goal contains the gold hypothesis"
    condition, *relations = task.expression.branches or (task.expression, task.expression)
    masked = [condition] if task.masked == "context" else relations
    constants = {constant for expression in masked for constant in expression.constants}
    names = [
        one for one in constants if isinstance(one, str) and len(_plain(one)) > 4 and task.masked != "relationship"
    ]
    if told := [name for name in names if re.search(rf"{_plain(name)[:-1]}(?:e?s)? ", _plain(goal))]:
        return f"the goal contains {min(told)!r}, which it must ask for"
    numbers = {float(number) for number in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", goal)} - {0.0, 1.0}
    if task.masked != "variables" and (numbers := numbers & constants):
        return f"the goal contains {min(numbers):g}, a number of the gold hypothesis"
    return None


def _plain(text: str) -> str:
    """The words of a text between spaces."""
    return f" {' '.join(re.findall(r'[a-z0-9]+', normalize_case_and_spaces(text)))} "


def _described(column: TreeColumn) -> dict[str, str]:
    return {"name": column.name, "label": column.label, "description": column.description}
