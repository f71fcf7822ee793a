"""The answer question: which hypothesis does the author of a text assert? The judge replies with verbatim quotes."""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, FailFast, StrictBool, model_validator

from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import Explanation, Reply, parse_boolean
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.passages import passages
from inspect_discoverybench.scorer.prompt_values import prompt_values
from inspect_discoverybench.scorer.question import ParseFailure, Question
from inspect_discoverybench.submission.answer import Answer
from inspect_discoverybench.submission.submission import MAX_TEXT, Submission


def _as_list(value: Any) -> Any:
    """Accept one quote as a list of one, and null or an empty text as an empty list."""
    if value in (None, ""):
        return []
    return [value] if isinstance(value, str) else value


Quotes = Annotated[tuple[str, ...], FailFast(), BeforeValidator(_as_list)]
"""Quotes. Only the first invalid one is reported: messages for a million quotes would take gigabytes."""


class Quotation(Reply):
    """Reply to the answer question."""

    asserted: Annotated[StrictBool, BeforeValidator(parse_boolean)]
    hypothesis: Quotes = ()
    workflow: Quotes = ()
    explanation: Explanation = ""

    @model_validator(mode="after")
    def _require_quote(self) -> "Quotation":
        if self.asserted and not self.hypothesis:
            raise ValueError("hypothesis has no quote, but asserted is true")
        return self


@dataclass(frozen=True)
class NotAsserted:
    """A text whose author asserts no hypothesis.

    Attributes:
        text: The text that the judge was asked about.
        reason: The judge's explanation; may be empty.
    """

    text: str
    reason: str


async def read_answer(judge: Judge, goal: str, answer: Answer) -> Submission | NotAsserted:
    """Convert an answer to a submission. If the answer is a text, the judge quotes the hypothesis from it.

    The hypothesis then consists of the passages of the text that the quotes stand for. After three invalid replies, it
    is the whole text.
    """
    if isinstance(answer, Submission):
        return answer
    text = answer[-MAX_TEXT:]  # the answer is usually at the end
    reply = await judge.ask(question_about_answer(goal, text))
    if isinstance(reply, ParseFailure):
        return Submission(hypothesis=text, source="whole")
    if not reply.asserted:
        return NotAsserted(text, reply.explanation)
    hypothesis = "\n".join(passages(text, reply.hypothesis))
    workflow = "\n".join(passages(text, reply.workflow))
    return Submission.truncated(hypothesis, workflow, "quoted")


def question_about_answer(goal: str, text: str) -> Question[Quotation]:
    """Build the answer question about a text.

    A reply with a hypothesis is valid only if each of its quotes occurs in the text, so the judge can choose a
    hypothesis but not invent one.
    """

    def check(reply: Quotation) -> None:
        if reply.asserted:
            # Each call raises `ReplyRejected` if a quote is invalid. The passages are not needed here.
            passages(text, reply.hypothesis)
            passages(text, reply.workflow)

    prompt = Prompt.load("judge/answer").render(**prompt_values(goal=goal, text=text))
    return Question("hypothesis asserted in the answer", prompt, Quotation, check)
