"""The facets of a hypothesis (paper §3), declared once: how the judge is asked about each, its replies, the scores.

All that asks for, stores or shows facets reads the table `FACETS`.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

from pydantic import BeforeValidator, Field, model_validator

from inspect_discoverybench.replies import Explanation, Reply
from inspect_discoverybench.scorer.contexts import ask_context
from inspect_discoverybench.scorer.hypothesis_pair import HypothesisPair
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.markdown import judge_paragraph
from inspect_discoverybench.scorer.question import ParseFailure, Question

_WHOLE_NUMBER = re.compile(r"-?[0-9]+(?:\.0+)?")

MAX_GOLD_VARIABLES = 50
"""Larger counts are implausible: no gold hypothesis has more than a tenth of this."""


def _digits(value: Any) -> str:
    text = str(value).strip()
    if not _WHOLE_NUMBER.fullmatch(text):
        raise ValueError(f"{text[:80]!r} is not a whole number in digits")
    return text


Count = Annotated[int, BeforeValidator(_digits)]
"""A whole number, which may be written as "3" or 3.0; not a boolean, and not "1_0", which Python reads as 10."""


def f1_score(gold_size: int, predicted_size: int, intersection: int) -> float:
    """F1 of the predicted variables (paper §4.3), in [0, 1]: 2pr / (p + r), with precision p and recall r.

    It is 0 if the hypotheses share no variable.

    Args:
        gold_size: Number of variables in the gold hypothesis, at least 1.
        predicted_size: Number of variables in the predicted hypothesis; may be 0.
        intersection: Number of variables in both.
    """
    # With p = intersection / predicted_size and r = intersection / gold_size, this is the same without a division by 0.
    return 2 * intersection / (gold_size + predicted_size)


class Variables(Reply):
    """Reply (paper, Listing 3): the number of variables in each hypothesis and in common.

    A gold hypothesis has at least one variable. A predicted hypothesis may have none, or name every column.
    """

    sizeA: Annotated[Count, Field(ge=1, le=MAX_GOLD_VARIABLES)]  # noqa: N815 - the name in the listing
    sizeB: Annotated[Count, Field(ge=0)]  # noqa: N815 - the name in the listing
    intersection: Annotated[Count, Field(ge=0)]
    explanation: Explanation = ""

    @model_validator(mode="after")
    def _check_intersection(self) -> "Variables":
        if self.intersection > min(self.sizeA, self.sizeB):
            raise ValueError("intersection cannot be larger than sizeA or sizeB")
        return self

    @property
    def score(self) -> float:
        """F1 of the predicted variables."""
        return f1_score(self.sizeA, self.sizeB, self.intersection)

    def describe(self) -> str:
        """The counts, their F1 and the judge's explanation as Markdown."""
        return (
            f"{self.sizeA} in the gold hypothesis, {self.sizeB} in the predicted hypothesis, {self.intersection} "
            f"shared: F1 = {self.score:.2f}.{judge_paragraph(self.explanation)}"
        )


RELATIONSHIP_SCORES = {"A": 1.0, "B": 0.5, "C": 0.0}
"""Score of each option for the relationship."""

RELATIONSHIP_LABELS = {"A": "very similar", "B": "similar but general than HypoA", "C": "different"}
"""Labels of the options in the listing."""

_OPTIONS = {
    "A": re.compile(r"a|(a )?very similar"),
    # The listing's label of B is ungrammatical, and judges correct it.
    "B": re.compile(r"b|(b )?similar but (more )?general( than hypoa)?"),
    "C": re.compile(r"c|(c )?different"),
}
"""Match the letter, the label, or both, in lower case and without punctuation."""


_NEGATION = re.compile(r"[\\!~\u00ac\u223c\u2260\u0334-\u0338]")
"""Matches signs that negate an option, strokes through letters, and backslashes, as in `\\lnot A`.

An option with such a sign is invalid. `_parse_option` compares only the words of an answer with `_OPTIONS`, and the
signs are not parts of words. So it searches the full answer for the signs."""


def _parse_option(value: Any) -> Any:
    """Accept the letter, the full label or both, but no text that only contains them, such as "not very similar"."""
    if not isinstance(value, str):
        return value
    text = " ".join(re.findall(r"\w+", value.casefold()))
    option = text.removeprefix("answer ").removeprefix("option ")
    for letter, pattern in _OPTIONS.items():
        if pattern.fullmatch(option) and not _NEGATION.search(value):
            return letter

    options = ", ".join(f"{letter}) {label}" for letter, label in RELATIONSHIP_LABELS.items())
    raise ValueError(f"{value[:80]!r} is not one of {options}")


class Relationship(Reply):
    """Reply (paper, Listing 4): the same relationship, a more general one, or a different one, by letter or label."""

    answer: Annotated[Literal["A", "B", "C"], BeforeValidator(_parse_option)]
    explanation: Explanation = ""

    @property
    def score(self) -> float:
        """1, 0.5 or 0."""
        return RELATIONSHIP_SCORES[self.answer]

    def describe(self) -> str:
        """The option and the judge's explanation as Markdown."""
        label = RELATIONSHIP_LABELS[self.answer]
        option = f"{self.answer}) {label}."
        return option + judge_paragraph(self.explanation)


async def ask_variables(judge: Judge, pair: HypothesisPair) -> Variables | ParseFailure:
    """Ask how many variables the hypotheses have, and how many they share."""
    prompt = pair.comparison_prompt("variables")
    return await judge.ask(Question("variables", prompt, Variables))


async def ask_relationship(judge: Judge, pair: HypothesisPair) -> Relationship | ParseFailure:
    """Ask whether the predicted relationship equals, generalises or differs from the gold one."""
    prompt = pair.comparison_prompt("relationship")
    return await judge.ask(Question("relationship", prompt, Relationship))


class FacetVerdict(Protocol):
    """The judge's verdict on a facet."""

    @property
    def score(self) -> float | None:
        """The score in [0, 1]; None if the facet is undecided."""

    def describe(self) -> str:
        """The verdict with the judge's reason, as Markdown."""


@dataclass(frozen=True)
class Facet:
    """A dimension of a hypothesis that the judge decides.

    Attributes:
        key: Name in scores, records and tables, and of the argument of `hypothesis_match_score`.
        label: Name for readers.
        question: Name of the question that decides it, in judge audits and in labels of annotators.
        ask: Asks the judge about a pair of hypotheses.
    """

    key: str
    label: str
    question: str
    ask: Callable[[Judge, HypothesisPair], Awaitable[FacetVerdict]]


FACETS = (
    # Boundary conditions under which the hypothesis holds.
    Facet(key="context", label="Context", question="context_match", ask=ask_context),
    # The target variable and the independent variables.
    Facet(key="variables", label="Variables", question="variables", ask=ask_variables),
    # How the variables interact in that context.
    Facet(key="relationship", label="Relationship", question="relationship", ask=ask_relationship),
)

FACET_KEYS = tuple(facet.key for facet in FACETS)

SCORE_KEYS = {"hms": "HMS", **{facet.key: facet.label for facet in FACETS}}
"""Keys of the score with their labels. HMS is the product of the facets."""
