"""The relationship facet: the same relationship, a more general one, or a different one (paper, Listing 4)."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator

from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.hms import RELATIONSHIP_SCORES, RelationshipAnswer
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.question import ParseFailure, Question
from inspect_discoverybench.scorer.reply import Explanation, Reply

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
        return RELATIONSHIP_SCORES[self.answer]


def question(comparison: Comparison, parts: str = "") -> Question[Relationship]:
    """Build the question about the relationship.

    Args:
        comparison: The hypotheses.
        parts: Label of the sub-hypotheses, for the name of the question.
    """
    return Question(f"relationship{parts}", comparison.comparison_prompt("judge/relationship"), Relationship)


async def ask(judge: Judge, comparison: Comparison, parts: str = "") -> Relationship | ParseFailure:
    """Ask the judge to choose an option. The other arguments are those of `question`."""
    return await judge.ask(question(comparison, parts))
