"""The relationship facet: the same relation, a more general one, or another (paper, Listing 4)."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator

from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.hms import RELATION_SCORES, Relation
from inspect_discoverybench.scorer.judge import Judge, ParseFailure, Question
from inspect_discoverybench.scorer.reply import Explanation, Reply

LABELS = {
    Relation.SIMILAR: "very similar",
    Relation.MORE_GENERAL: "similar but general than HypoA",
    Relation.DIFFERENT: "different",
}
_ANSWERS = {
    form.casefold(): relation
    for relation, label in LABELS.items()
    for form in (relation, f"{relation})", label, f"{relation}) {label}", f"{relation} {label}")
}


def _read_answer(value: Any) -> Any:
    """The letter or the full label. Never a part of either: "not very similar" is none of them."""
    if not isinstance(value, str):
        return value
    text = re.sub(r"\s+", " ", value).strip(" .\"'`").casefold()
    text = re.sub(r"^\(?([abc])[).:]+ ?", r"\1) ", text).strip()
    if text not in _ANSWERS:
        raise ValueError(f"{value[:80]!r} is none of A) very similar, B) similar but general than HypoA, C) different")
    return _ANSWERS[text]


class Relationship(Reply):
    """Contract: one of the three options, by its letter or its full label."""

    answer: Annotated[Relation, BeforeValidator(_read_answer)]
    explanation: Explanation = ""

    @property
    def score(self) -> float:
        """1, 0.5 or 0."""
        return RELATION_SCORES[self.answer]


def question(comparison: Comparison, parts: str = "") -> Question[Relationship]:
    """The question about the option.

    Args:
        comparison: The hypotheses.
        parts: Which sub-hypotheses these are, for the log.
    """
    return Question(f"relationship{parts}", comparison.comparison_prompt("judge/relationship"), Relationship)


async def ask(judge: Judge, comparison: Comparison, parts: str = "") -> Relationship | ParseFailure:
    """Ask the judge for the option."""
    return await judge.ask(question(comparison, parts))
