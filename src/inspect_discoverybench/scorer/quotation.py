"""The answer question: which hypothesis does the author of a text assert? The judge replies with verbatim quotes."""

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator, StrictBool, model_validator

from inspect_discoverybench.errors.exceptions import ReplyRejected
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import Explanation, Reply, parse_boolean
from inspect_discoverybench.scorer.facets import as_json
from inspect_discoverybench.scorer.judge import Judge, ParseFailure, Question
from inspect_discoverybench.submission.answer import Answer
from inspect_discoverybench.submission.submission import MAX_TEXT, Submission

_OMISSION = "\n[…]\n"
# White space, Markdown, the escapes of JSON strings, and the styles of quotation marks.
_FOLDED = re.compile(r"(?:\\[nrtbf\"]|[\s\x08*_`~#>|\\\"'\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb])+")


Quotes = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda value: [value] if isinstance(value, str) else [] if value is None else value),
]


class Quotation(Reply):
    """Reply to the answer question."""

    asserted: Annotated[StrictBool, BeforeValidator(parse_boolean)]
    hypothesis: Quotes = ()
    workflow: Quotes = ()
    explanation: Explanation = ""

    @model_validator(mode="after")
    def _check_quotes(self) -> "Quotation":
        if self.asserted and not any(map(fold_quote, self.hypothesis)):
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
    """Return a submission as it is, and ask the judge to quote the hypothesis from any other text.

    After three invalid replies, the whole text is the hypothesis.
    """
    if isinstance(answer, Submission):
        return answer
    text = _omit_middle(answer.text)
    reply = await judge.ask(question(goal, text))
    if isinstance(reply, ParseFailure):
        earlier = answer.earlier
        return earlier if isinstance(earlier, Submission) else Submission(hypothesis=text, source="whole")
    if reply.asserted:
        hypothesis, workflow = ("\n".join(map(str.strip, quotes)) for quotes in (reply.hypothesis, reply.workflow))
        return Submission.truncated(hypothesis, workflow, "quoted")
    if answer.earlier is not None:
        return await read_answer(judge, goal, answer.earlier)
    return NotAsserted(text, reply.explanation)


def question(goal: str, text: str) -> Question[Quotation]:
    """Build the answer question about a text. Each quote must occur in it: the judge can choose but cannot invent."""
    folded = fold_quote(text)

    def check(reply: Quotation) -> None:
        for quote in (*reply.hypothesis, *reply.workflow) if reply.asserted else ():
            if fold_quote(quote) not in folded:
                shown = json.dumps(quote[:200], ensure_ascii=False)
                raise ReplyRejected(f"this quote does not occur in the text: {shown}.")

    prompt = Prompt.load("judge/answer").render(**as_json(goal=goal, text=text))
    return Question("hypothesis asserted in the answer", prompt, Quotation, check)


def fold_quote(text: str) -> str:
    """Remove white space, Markdown and quotation marks, which judges change when they quote."""
    return _FOLDED.sub("", unicodedata.normalize("NFKC", text))


def _omit_middle(text: str) -> str:
    """Truncate a very long text in the middle, as the answer is usually at the beginning or at the end."""
    half = (MAX_TEXT - len(_OMISSION)) // 2
    return text if len(text) <= MAX_TEXT else f"{text[:half]}{_OMISSION}{text[-half:]}"
