"""The gold hypothesis and the goal of a task: written by the author, examined by the reviewer.

The goal masks one facet of the hypothesis (paper §4.1, §4.2).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from inspect_ai.model import Model

from inspect_discoverybench.errors.exceptions import AuthorFailed, ReplyRejected
from inspect_discoverybench.generator.conversation import ask
from inspect_discoverybench.generator.sampler import Measures
from inspect_discoverybench.generator.tree import Tree
from inspect_discoverybench.generator.tree_task import HypothesisAndGoal, Rejection, TreeTask, file_columns
from inspect_discoverybench.replies import Reply


class Review(Reply):
    """The reviewer's answers to the three questions about a task.

    The fields are in the order of the reply: the reviewer is to give its reason before it answers.

    Attributes:
        reason: One or two sentences.
        statement_is_true: Whether the hypothesis is true of the expression on the rows of the data.
        goal_giveaway: The part of the goal that gives the answer away, quoted; empty if there is none.
        description_giveaway: The part of a description that gives the formula away, quoted; empty if there is none.
    """

    reason: str
    statement_is_true: bool
    goal_giveaway: str
    description_giveaway: str


class AcceptedTask(NamedTuple):
    """A task that `write_task` did not reject, and its texts."""

    task: TreeTask
    text: HypothesisAndGoal


async def write_task(
    author: Model, reviewer: Model, tree: Tree, task: TreeTask, measures: Measures
) -> AcceptedTask | Rejection:
    """Have the author write the texts of a task, and the reviewer examine them.

    The author is not asked about a task whose measures reject it. A task that a person wrote has its texts already, and
    they are not reviewed.
    """
    rejection = measures.rejection(task.name)
    if rejection is not None:
        return rejection
    if task.is_handwritten:
        fields = task.node.model_dump(include={"hypothesis", "goal"})
        return AcceptedTask(task, HypothesisAndGoal.model_validate(fields))

    descriptions = tree.descriptions()
    facts = {
        "name": task.name,
        "population": tree.context,
        "rows": tree.description,
        "target": {task.node.name: task.node.description},
        "expression": task.expression.text,
        "variables": {name: descriptions[name] for name in task.expression.columns},
        "table": measures.table,
    }
    try:
        text = await _ask_author(author, task, facts)
    except AuthorFailed as error:
        return Rejection(task.name, "text", error.message)

    # It is not known yet which other tasks will share the data file of this task. For each of them, `file_columns` can
    # leave out more columns, but adds none. So the reviewer sees all columns that an agent will see, and perhaps more.
    columns = file_columns(tree, [task], task.name)
    shown = {
        **facts,
        "columns": {name: descriptions[name] for name in columns},
        "masked": task.masked,
        **text.model_dump(),
    }
    try:
        review = await _ask_reviewer(reviewer, shown)
    except AuthorFailed as error:
        return Rejection(task.name, "review", error.message)

    objection = _objection(task.name, review)
    if objection is not None:
        return objection
    return AcceptedTask(task, text)


async def _ask_author(author: Model, task: TreeTask, facts: Mapping[str, Any]) -> HypothesisAndGoal:
    async def check(reply: HypothesisAndGoal) -> HypothesisAndGoal:
        if reply.hypothesis.rstrip(".") in reply.goal:
            raise ReplyRejected("the goal contains the hypothesis.")
        return reply

    # The hypothesis of each node whose expression is a part of the gold expression.
    drafts = [node.model_dump(include={"hypothesis", "sub_population"}) for node in task.composed_nodes()]
    values = {**facts, "drafts": drafts, "masked": task.masked}
    return await ask(author, "task", values, HypothesisAndGoal, check)


async def _ask_reviewer(reviewer: Model, shown: Mapping[str, Any]) -> Review:
    # `rows` and `population` are the descriptions of the rows and of the population.
    descriptions = "\n".join([shown["rows"], shown["population"], *shown["columns"].values()])

    async def check(reply: Review) -> Review:
        if reply.goal_giveaway not in shown["goal"]:
            raise ReplyRejected("goal_giveaway must be a quotation from the goal, or empty.")
        if reply.description_giveaway not in descriptions:
            raise ReplyRejected("description_giveaway must be a quotation from a description, or empty.")
        return reply

    return await ask(reviewer, "review", shown, Review, check)


def _objection(name: str, review: Review) -> Rejection | None:
    """Reject the task of this name for the first criterion that it does not meet; None if it meets all of them."""
    if not review.statement_is_true:
        return Rejection(name, "statement", review.reason)
    if review.goal_giveaway:
        return Rejection(name, "goal", f"{review.goal_giveaway!r} gives the answer away")
    if review.description_giveaway:
        return Rejection(name, "description", f"{review.description_giveaway!r} gives the formula away")
    return None
