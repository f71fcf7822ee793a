"""The relationship facet: the same relationship, a more general one, or a different one (paper, Listing 4)."""

import re
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator

from inspect_discoverybench.scorer.exchange import ParseFailure, Question
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.pair import HypothesisPair
from inspect_discoverybench.structured_reply import Explanation, Reply
from inspect_discoverybench.text import quoted_reason


class RelationshipAnswer(StrEnum):
    """The options for the relationship."""

    SIMILAR = "A"
    MORE_GENERAL = "B"
    DIFFERENT = "C"


SCORES = {RelationshipAnswer.SIMILAR: 1.0, RelationshipAnswer.MORE_GENERAL: 0.5, RelationshipAnswer.DIFFERENT: 0.0}
LABELS = {
    RelationshipAnswer.SIMILAR: "very similar",
    RelationshipAnswer.MORE_GENERAL: "similar but general than HypoA",
    RelationshipAnswer.DIFFERENT: "different",
}
_SPELLINGS = {
    RelationshipAnswer.SIMILAR: {"very similar"},
    # The listing's own label is ungrammatical, and judges correct it.
    RelationshipAnswer.MORE_GENERAL: {
        f"similar but {more}general{than}" for more in ("", "more ") for than in ("", " than hypoa")
    },
    RelationshipAnswer.DIFFERENT: {"different"},
}
_LETTER = re.compile(
    r"(?:(?:option|answer)[ :]*)?\(?(?P<letter>[abc])(?:[).:]+|(?= )|\Z)(?: ?[-–—:] ?)? ?(?P<label>.*)"
)


def _parse_answer(value: Any) -> Any:
    """Accept the letter, the full label or both, but no substring of them: "not very similar" is invalid."""
    if not isinstance(value, str):
        return value
    text = re.sub(r"\s+", " ", value).strip(" .\"'`*").casefold()
    match = _LETTER.fullmatch(text)
    label = match["label"].strip(" .\"'`*()") if match else text
    for answer, spellings in _SPELLINGS.items():
        if label in spellings | ({""} if match else set()) and (not match or match["letter"].upper() == answer):
            return answer
    raise ValueError(f"{value[:80]!r} is not one of A) very similar, B) similar but general than HypoA, C) different")


class Relationship(Reply):
    """Reply: one of the three options, by its letter or its full label."""

    answer: Annotated[RelationshipAnswer, BeforeValidator(_parse_answer)]
    explanation: Explanation = ""

    @property
    def score(self) -> float:
        """1, 0.5 or 0."""
        return SCORES[self.answer]

    def describe(self) -> str:
        """The option and the judge's explanation as Markdown."""
        return f"{self.answer}) {LABELS[self.answer]}.{quoted_reason(self.explanation)}"


def question(pair: HypothesisPair) -> Question[Relationship]:
    """Build the question about the relationship."""
    return Question("relationship", pair.prompt("judge/relationship"), Relationship)


async def ask(judge: Judge, pair: HypothesisPair) -> Relationship | ParseFailure:
    """Ask the judge to choose an option."""
    return await judge.ask(question(pair))
