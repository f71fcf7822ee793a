"""Discovery goals, made by masking one facet of a gold hypothesis (paper §4.1, §4.2)."""

import re

from pydantic import Field

from inspect_discoverybench.dataset.studies import reveals
from inspect_discoverybench.messages.errors import AuthorFailed, ReplyRejected
from inspect_discoverybench.messages.structured_reply import Reply
from inspect_discoverybench.messages.text import fold
from inspect_discoverybench.synth.author import Author
from inspect_discoverybench.synth.tree import Tree, TreeColumn
from inspect_discoverybench.synth.tree_task import Criterion, Rejection, TreeTask


class GoalText(Reply):
    """A discovery goal."""

    goal: str = Field(min_length=10, max_length=600)


class Review(Reply):
    """The reviewer's decision.

    Attributes:
        answerable: Whether the goal can be answered from the data.
        giveaway: A quotation from the goal or a description that states the relationship; empty if none does.
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
        shown = "\n".join((goal, *(described[name]["description"] for name in (*task.columns,))))
        if _plain(reply.giveaway).strip() and _plain(reply.giveaway) not in _plain(shown):
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
    criterion: Criterion = "goal"
    try:
        goal = await author.ask("goal", values, GoalText, check_goal)
        criterion = "answerable"
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
        return Rejection(task.name, criterion, error.message)
    if review.giveaway.strip():
        return Rejection(task.name, "giveaway", f"{review.giveaway!r} states the relationship")
    return goal if review.answerable else Rejection(task.name, criterion, review.reason or "no reason given")


def _violation(goal: str, tree: Tree, task: TreeTask, gold: str) -> str | None:
    """The first rule that a goal violates; None if it violates none."""
    if "?" not in goal:
        return "the goal is not a question"
    shown = _plain(" ".join((tree.context, *(column.label for column in tree.columns())))).split()
    if reveals(goal, " ".join(word for word in _plain(gold).split() if word not in shown)):
        return "the goal contains the gold hypothesis"
    condition = set(task.condition_columns)
    hidden = {"variables": set(task.expression.columns) - condition, "context": condition}.get(task.masked, set())
    for phrase in (column.label for column in tree.columns() if column.name in hidden):
        if _plain(phrase) in _plain(goal):
            return f"the goal contains {phrase!r}, which it must ask for"
    numbers = {float(number) for number in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", goal)}
    relations = task.expression.branches[1:] if task.expression.branches else (task.expression,)
    shared = {number for relation in relations for number in relation.numbers & numbers} - {0.0, 1.0}
    if task.masked == "relationship" and shared:
        return f"the goal contains {min(shared):g}, a number of the gold hypothesis"
    return None


def _plain(text: str) -> str:
    """The words of a text between spaces."""
    return f" {' '.join(re.findall(r'[a-z0-9]+', fold(text)))} "


def _described(column: TreeColumn) -> dict[str, str]:
    return {"name": column.name, "label": column.label, "description": column.description}
