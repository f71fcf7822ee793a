"""The answers of the judge or of people in each step of judging a sample, as text in CSV files and as facets."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from pydantic import ValidationError

from inspect_discoverybench.scorer.context import Contexts, ContextVerdict, Match
from inspect_discoverybench.scorer.facets import FACET_KEYS
from inspect_discoverybench.scorer.relationship import Relationship
from inspect_discoverybench.scorer.variables import Variables
from inspect_discoverybench.scorer.verdict import Verdict

MATCH_WORDS = {True: "yes", False: "no"}


class Step(StrEnum):
    """A step of judging a sample (paper §4.3). The first two extract contexts; the others decide a facet each."""

    GOLD_CONTEXT = "gold_context"
    PREDICTED_CONTEXT = "predicted_context"
    CONTEXT_MATCH = "context_match"
    VARIABLES = "variables"
    RELATIONSHIP = "relationship"


@dataclass(frozen=True)
class Answers:
    """Answers as texts by step. A step without a valid answer has the empty text.

    Contexts are free text. The match is `yes` or `no`. Variables are the numbers in the gold hypothesis, in the
    predicted hypothesis and in both, such as `4 3 2`. The relationship is `A`, `B` or `C` (paper, Listing 4).
    """

    texts: Mapping[Step, str]

    @classmethod
    def from_verdict(cls, verdict: Verdict) -> "Answers":
        """The judge's answers."""
        context, variables, relationship = (verdict.facets.get(key) for key in FACET_KEYS)
        assert isinstance(context, ContextVerdict)
        return cls(
            {
                Step.GOLD_CONTEXT: context.gold.joined if isinstance(context.gold, Contexts) else "",
                Step.PREDICTED_CONTEXT: context.predicted.joined if isinstance(context.predicted, Contexts) else "",
                Step.CONTEXT_MATCH: MATCH_WORDS[context.match.match] if isinstance(context.match, Match) else "",
                Step.VARIABLES: _counts_text(variables) if isinstance(variables, Variables) else "",
                Step.RELATIONSHIP: relationship.answer.value if isinstance(relationship, Relationship) else "",
            }
        )

    @property
    def context(self) -> float | None:
        """1 if the contexts match, 0 if they do not, None if this is unknown."""
        text = self.texts[Step.CONTEXT_MATCH]
        return float(text == MATCH_WORDS[True]) if text else None

    @property
    def variables(self) -> float | None:
        """F1 of the variables; None if it is unknown."""
        text = self.texts[Step.VARIABLES]
        return _counts(text).score if text else None

    @property
    def relationship(self) -> float | None:
        """1, 0.5 or 0; None if it is unknown."""
        text = self.texts[Step.RELATIONSHIP]
        return Relationship.model_validate({"answer": text}).score if text else None

    @property
    def hms(self) -> float | None:
        """HMS, in [0, 1]; None if it is not determined. It is determined if every facet is known, or if any is 0."""
        facets = (self.context, self.variables, self.relationship)
        if 0 in facets:
            return 0.0
        context, variables, relationship = facets
        if context is None or variables is None or relationship is None:
            return None
        return context * variables * relationship


def parse_answer(step: Step, text: str) -> str:
    """Normalise an answer that a person wrote.

    Raises:
        ValueError: It is not an answer to this step. The message says what was expected.
    """
    return _PARSERS[step](text) if text else ""


def opposite(match: str) -> str:
    """The other answer on the match of the contexts."""
    return MATCH_WORDS[match != MATCH_WORDS[True]]


def _parse_match(text: str) -> str:
    word = text.casefold()
    if word in ("yes", "y", "1", "true", "match"):
        return MATCH_WORDS[True]
    if word in ("no", "n", "0", "false"):
        return MATCH_WORDS[False]
    raise ValueError("yes or no")


def _parse_variables(text: str) -> str:
    try:
        return _counts_text(_counts(text))
    except ValueError as error:
        raise ValueError(
            "the number of variables in the gold hypothesis, in the predicted hypothesis and in both, such as '4 3 2'"
        ) from error


def _parse_relationship(text: str) -> str:
    try:
        return Relationship.model_validate({"answer": text}).answer.value
    except ValidationError as error:
        raise ValueError("A, B or C") from error


_PARSERS: Mapping[Step, Callable[[str], str]] = {
    Step.GOLD_CONTEXT: str.strip,
    Step.PREDICTED_CONTEXT: str.strip,
    Step.CONTEXT_MATCH: _parse_match,
    Step.VARIABLES: _parse_variables,
    Step.RELATIONSHIP: _parse_relationship,
}


def _counts(text: str) -> Variables:
    # Unpacking fails with a ValueError unless there are three.
    gold, predicted, shared = re.split(r"[\s,;/]+", text.strip())
    return Variables.model_validate({"sizeA": gold, "sizeB": predicted, "intersection": shared})


def _counts_text(variables: Variables) -> str:
    return f"{variables.sizeA} {variables.sizeB} {variables.intersection}"
