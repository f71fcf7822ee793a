"""The judge's statements: each verdict of a score with its explanation."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from inspect_ai.scorer import Score

from inspect_discoverybench.errors import ReplyRejected
from inspect_discoverybench.scanners.spelled import UNITS
from inspect_discoverybench.scorer.context import Match
from inspect_discoverybench.scorer.relationship import LABELS, Relationship
from inspect_discoverybench.scorer.structured_reply import Explanation, Reply, parse_reply
from inspect_discoverybench.scorer.variables import Variables


class _ExplainedMatch(Match):
    """The reply about the contexts. The question asks for no explanation, but some judges write one."""

    explanation: Explanation = ""


_COUNT = r"(?P<count>\d{1,2}|no|none|" + "|".join(UNITS) + r")"
_OPTION = re.compile(
    r"\b(?i:answer|option|choice|verdict|choose|select|pick)(?:ed|s)?(?:\s+(?:is|should be|must be|would be|here))?"
    r"[\s:=\"'(]*"
    r"(?P<option>[ABC])\b|\b(?i:so|therefore|hence|thus|making it|which is)[ ,\"'(]+(?P<conclusion>[ABC])\b",
)
_SHARED = re.compile(
    rf"\b{_COUNT} (?:of (?:the|them|these) )?(?:\w+ )?(?:variables? )?(?:are |is )?(?:both )?"
    r"(?:in common|shared|common|overlap)"
    rf"|\b(?:share|shares|sharing) (?P<count2>\d{{1,2}}|no|{'|'.join(UNITS)}) (?:common )?variables?\b",
    re.IGNORECASE,
)
_SIZE = re.compile(
    rf"\bHypo(?:thesis)? ?(?P<side>[AB])\b (?:has|contains|uses|mentions|involves|names|includes) (?:only )?"
    rf"{_COUNT} variables?",
    re.IGNORECASE,
)
_MATCH = re.compile(r"\bcontexts? (?P<negation>do not|don't|does not|doesn't)? ?match", re.IGNORECASE)


@dataclass(frozen=True)
class Statement:
    """A verdict of the judge and its explanation.

    Attributes:
        question: Name of the question.
        verdict: The verdict in words.
        explanation: The judge's explanation.
        contradiction: The words of the explanation that state another verdict; None if a rule finds none.
    """

    question: str
    verdict: str
    explanation: str
    contradiction: str | None


def statements(score: Score) -> Iterator[Statement]:
    """The explained verdicts of a score of this package."""
    replies: dict[str, list[str]] = (score.metadata or {}).get("replies") or {}
    for question, texts in replies.items():
        kinds: dict[str, type[Reply]] = {
            "match": _ExplainedMatch,
            "variables": Variables,
            "relationship": Relationship,
        }
        kind = kinds.get(question.split()[0])
        if kind is None or not texts:
            continue
        try:
            reply: Any = parse_reply(texts[-1], kind)
        except ReplyRejected:
            continue  # the last of three invalid replies gave no verdict
        if reply.explanation.strip():
            yield _statement(question, reply)


def _statement(question: str, reply: Any) -> Statement:
    match reply:
        case Relationship():
            verdict, contradiction = f"{reply.answer}) {LABELS[reply.answer]}", _other_option(reply)
        case Variables():
            verdict = f"{reply.sizeA} variables in HypoA, {reply.sizeB} in HypoB, {reply.intersection} in common"
            contradiction = _other_count(reply)
        case _:
            verdict, contradiction = f"the contexts {'match' if reply.match else 'do not match'}", _other_match(reply)
    return Statement(question, verdict, reply.explanation, contradiction)


def _other_option(reply: Relationship) -> str | None:
    matches = list(_OPTION.finditer(reply.explanation))
    options = [match["option"] or match["conclusion"] for match in matches]
    return matches[-1].group() if options and reply.answer not in options else None


def _other_count(reply: Variables) -> str | None:
    shared = list(_SHARED.finditer(reply.explanation))
    for match in shared:
        if _number(match["count"] or match["count2"]) != reply.intersection:
            return match.group()
    for match in _SIZE.finditer(reply.explanation):
        if _number(match["count"]) != (reply.sizeA if match["side"].upper() == "A" else reply.sizeB):
            return match.group()
    return None


def _other_match(reply: Any) -> str | None:
    matches = list(_MATCH.finditer(reply.explanation))
    return matches[-1].group() if matches and all(bool(m["negation"]) == reply.match for m in matches) else None


def _number(word: str) -> int:
    word = word.casefold()
    return 0 if word in ("no", "none") else int(word) if word.isdigit() else UNITS[word]
