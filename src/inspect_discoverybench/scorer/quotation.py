"""The answer question: which hypothesis does the author of a text assert? The judge replies with verbatim quotes."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, StrictBool, model_validator

from inspect_discoverybench.answer import Answer
from inspect_discoverybench.errors import ReplyRejected
from inspect_discoverybench.hypothesis import MAX_TEXT, Submission
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scorer.exchange import ParseFailure, Question
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.pair import to_json
from inspect_discoverybench.structured_reply import Explanation, Reply, parse_boolean

_OMISSION = "\n[…]\n"
# White space, Markdown, the escapes of JSON strings, and the styles of quotation marks.
_FOLDED = re.compile(r"(?:\\[nrtbf\"]|[\s\x08*_`~#>|\\\"'\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb])+")


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else [] if value is None else value


Quotes = Annotated[tuple[str, ...], BeforeValidator(_as_list)]


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

    def require_in(self, text: str) -> None:
        """Check that each quote occurs in a text, so that the judge can choose but cannot invent.

        Raises:
            ReplyRejected: A quote does not.
        """
        folded = fold_quote(text)
        for quote in (*self.hypothesis, *self.workflow) if self.asserted else ():
            if fold_quote(quote) not in folded:
                raise ReplyRejected(f"this quote does not occur in the text: {to_json(quote[:200])}.")


@dataclass(frozen=True)
class ReadAnswer:
    """An answer after reading.

    Attributes:
        submission: The submission; None if the author of the text asserts no hypothesis.
        text: The text that the judge was asked about; None if it was not asked.
        reason: The judge's explanation; may be empty.
    """

    submission: Submission | None
    text: str | None = None
    reason: str = ""


async def read_answer(judge: Judge, goal: str, answer: Answer) -> ReadAnswer:
    """Return a submission as it is, and ask the judge to quote the hypothesis from any other text.

    After three invalid replies, the whole text is the hypothesis.
    """
    if isinstance(answer, Submission):
        return ReadAnswer(answer)
    text = _omit_middle(answer.text)
    reply = await judge.ask(question(goal, text))
    if isinstance(reply, ParseFailure) and isinstance(answer.earlier, Submission):
        return ReadAnswer(answer.earlier)
    if isinstance(reply, ParseFailure):
        return ReadAnswer(Submission(hypothesis=text, source="whole"), text, reply.reason)
    if not reply.asserted and answer.earlier is not None:
        return await read_answer(judge, goal, answer.earlier)
    if not reply.asserted:
        return ReadAnswer(None, text, reply.explanation)
    hypothesis, workflow = ("\n".join(map(str.strip, quotes)) for quotes in (reply.hypothesis, reply.workflow))
    return ReadAnswer(Submission.truncated(hypothesis, workflow, "quoted"), text, reply.explanation)


def question(goal: str, text: str) -> Question[Quotation]:
    """Build the answer question about a text."""
    prompt = Prompt.load("judge/answer").render(goal=to_json(goal), text=to_json(text))
    return Question("hypothesis asserted in the answer", prompt, Quotation, lambda reply: reply.require_in(text))


def fold_quote(text: str) -> str:
    """Remove white space, Markdown and quotation marks, which judges change when they quote."""
    return _FOLDED.sub("", unicodedata.normalize("NFKC", text))


def _omit_middle(text: str) -> str:
    """Truncate a very long text in the middle, as the answer is usually at the beginning or at the end."""
    half = (MAX_TEXT - len(_OMISSION)) // 2
    return text if len(text) <= MAX_TEXT else f"{text[:half]}{_OMISSION}{text[-half:]}"
