"""The answers of the judge or of people in each step of judging a sample, as texts in CSV files and as facets."""

import math
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from inspect_discoverybench.errors import ReplyRejected
from inspect_discoverybench.scorer.context import Contexts, Match, identical
from inspect_discoverybench.scorer.facets import FACET_KEYS
from inspect_discoverybench.scorer.relationship import Relationship
from inspect_discoverybench.scorer.variables import Variables
from inspect_discoverybench.structured_reply import Reply, parse_reply


class Step(StrEnum):
    """A step of judging a sample (paper §4.3). The first two extract contexts; the others decide a facet each."""

    GOLD_CONTEXT = "gold_context"
    PREDICTED_CONTEXT = "predicted_context"
    CONTEXT_MATCH = "context_match"
    VARIABLES = "variables"
    RELATIONSHIP = "relationship"


FACET_STEPS = {"context": Step.CONTEXT_MATCH, "variables": Step.VARIABLES, "relationship": Step.RELATIONSHIP}
"""The step that decides each facet that people label."""

Answers = Mapping[Step, str]
"""Answers as texts by step; empty where there is no valid answer.

Contexts are free text. The match is `yes` or `no`. Variables are the numbers in the gold hypothesis, in the
predicted hypothesis and in both, such as `4 3 2`. The relationship is `A`, `B` or `C` (paper, Listing 4).
"""


@dataclass(frozen=True)
class _Format:
    """How answers are written: the question in records, the type of the reply, and what people write."""

    question: str
    reply: type[Reply]
    expected: str
    fields: Callable[[str], Any]

    def parse(self, text: str) -> Reply:
        try:
            return self.reply.model_validate(self.fields(text))
        except ValueError as error:
            raise ValueError(self.expected) from error


def _context(text: str) -> dict[str, Any]:
    return {"hypothesis": [{"context": text}]}


def _match(text: str) -> dict[str, Any]:
    return {"match": {"yes": True, "no": False}.get(text.casefold())}


def _counts(text: str) -> dict[str, str]:
    return dict(zip(("sizeA", "sizeB", "intersection"), re.split(r"[\s,;/]+", text.strip()), strict=True))


_COUNTS = "the number of variables in the gold hypothesis, in the predicted hypothesis and in both, such as '4 3 2'"

_FORMATS = {
    Step.GOLD_CONTEXT: _Format("context of the gold hypothesis", Contexts, "a text", _context),
    Step.PREDICTED_CONTEXT: _Format("context of the predicted hypothesis", Contexts, "a text", _context),
    Step.CONTEXT_MATCH: _Format("match of the contexts", Match, "yes or no", _match),
    Step.VARIABLES: _Format("variables", Variables, _COUNTS, _counts),
    Step.RELATIONSHIP: _Format("relationship", Relationship, "A, B or C", lambda text: {"answer": text}),
}


def recorded_replies(texts: Mapping[str, Any]) -> dict[Step, Reply]:
    """The judge's valid replies by step, from the texts that are recorded with a score."""
    replies: dict[Step, Reply] = {}
    for step, form in _FORMATS.items():
        with suppress(KeyError, ReplyRejected):
            replies[step] = parse_reply(str(texts[form.question][-1]), form.reply)
    gold, predicted = replies.get(Step.GOLD_CONTEXT), replies.get(Step.PREDICTED_CONTEXT)
    if isinstance(gold, Contexts) and isinstance(predicted, Contexts) and identical(gold.joined, predicted.joined):
        replies[Step.CONTEXT_MATCH] = Match(match=True)  # the judge was not asked
    return replies


def reply_text(reply: Reply | None) -> str:
    """The answer in a reply; empty without a reply."""
    match reply:
        case Contexts(joined=contexts):
            return contexts
        case Match(match=match):
            return "yes" if match else "no"
        case Variables(sizeA=gold, sizeB=predicted, intersection=shared):
            return f"{gold} {predicted} {shared}"
        case Relationship(answer=answer):
            return answer.value
    return ""


def reason_for(reply: Reply | None) -> str:
    """The judge's reason; may be empty."""
    if isinstance(reply, Contexts):
        return "\n".join(filter(None, (part.explanation for part in reply.hypothesis)))
    return str(getattr(reply, "explanation", ""))


def parse_answer(step: Step, text: str) -> str:
    """Normalise an answer that a person wrote.

    Raises:
        ValueError: It is not an answer to this step. The message says what was expected.
    """
    return reply_text(_FORMATS[step].parse(text)) if text else ""


def facet_scores(answers: Answers) -> dict[str, float]:
    """Scores of the facets that are known, in [0, 1]."""
    scores = {}
    for facet, step in FACET_STEPS.items():
        match _FORMATS[step].parse(answers[step]) if answers[step] else None:
            case Match(match=score) | Variables(score=score) | Relationship(score=score):
                scores[facet] = float(score)
    return scores


def hms(answers: Answers) -> float | None:
    """HMS, in [0, 1]; None if it is not determined. It is determined if every facet is known, or if any is 0."""
    scores = facet_scores(answers)
    if 0 in scores.values():
        return 0.0
    return math.prod(scores.values()) if len(scores) == len(FACET_KEYS) else None
