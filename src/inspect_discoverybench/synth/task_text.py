"""The gold hypothesis and the goal of a task: written by the author, examined by the reviewer.

The goal masks one facet of the hypothesis (paper §4.1, §4.2).
"""

from typing import Any

from inspect_discoverybench.errors.exceptions import AuthorFailed, ReplyRejected
from inspect_discoverybench.replies import Reply
from inspect_discoverybench.synth.author import Author
from inspect_discoverybench.synth.sampler import Measures
from inspect_discoverybench.synth.tree import Tree
from inspect_discoverybench.synth.tree_task import Criterion, Rejection, TaskText, TreeTask, file_columns


class Review(Reply):
    """The reviewer's answers to the three questions about a task.

    Attributes:
        statement_is_true: Whether the hypothesis is true of the expression on the rows of the data.
        goal_giveaway: A quotation from the goal that gives the answer away; empty if none does.
        description_giveaway: A quotation from a description that gives the formula away; empty if none does.
        reason: One sentence.
    """

    statement_is_true: bool
    goal_giveaway: str = ""
    description_giveaway: str = ""
    reason: str = ""

    @property
    def objection(self) -> tuple[Criterion, str] | None:
        """The first criterion that the task does not meet, with the reason; None if it meets all."""
        if not self.statement_is_true:
            return "statement", self.reason or "the hypothesis is not true of the data"
        if self.goal_giveaway:
            return "goal", f"{self.goal_giveaway!r} gives the answer away"
        if self.description_giveaway:
            return "description", f"{self.description_giveaway!r} gives the formula away"
        return None


async def write_text(
    author: Author, reviewer: Author, tree: Tree, task: TreeTask, measures: Measures
) -> TaskText | Rejection:
    """Ask the author for the texts of a task, and the reviewer for objections to them."""
    if task.is_handwritten:
        return TaskText(hypothesis=task.node.hypothesis or "", goal=task.node.goal or "")

    descriptions = {column.name: column.description for column in tree.columns()}
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
    try:
        visible = {name: descriptions[name] for name in file_columns(tree, [task], task.name)}
        review = await _ask_reviewer(reviewer, facts | {"columns": visible}, text)
    except AuthorFailed as error:
        return Rejection(task.name, "statement", error.message)
    return Rejection(task.name, *review.objection) if review.objection else text


async def _ask_author(author: Author, task: TreeTask, facts: dict[str, Any]) -> TaskText:
    async def check(reply: TaskText) -> TaskText:
        if reply.hypothesis.rstrip(".") in reply.goal:
            raise ReplyRejected("the goal contains the hypothesis.")
        return reply

    drafts = [{"hypothesis": node.hypothesis, "sub_population": node.sub_population} for node in task.derivations()]
    return await author.ask("task", facts | {"drafts": drafts, "masked": task.masked}, TaskText, check)


async def _ask_reviewer(reviewer: Author, facts: dict[str, Any], text: TaskText) -> Review:
    descriptions = "\n".join([facts["rows"], facts["population"], *facts["columns"].values()])

    async def check(reply: Review) -> Review:
        if reply.goal_giveaway not in text.goal:
            raise ReplyRejected("goal_giveaway must be a quotation from the goal, or empty.")
        if reply.description_giveaway not in descriptions:
            raise ReplyRejected("description_giveaway must be a quotation from a description, or empty.")
        return reply

    return await reviewer.ask("review", facts | text.model_dump(), Review, check)
