"""The variables facet: how many each hypothesis has, and how many they share (paper, Listing 3)."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.hms import f1
from inspect_discoverybench.scorer.judge import Judge, ParseFailure, Question
from inspect_discoverybench.scorer.reply import Explanation, Reply


def _read_number(value: Any) -> Any:
    """Whole numbers only; some judges write them as strings, or as 3.0."""
    if isinstance(value, bool) or (isinstance(value, str) and not re.fullmatch(r"\s*\d{1,4}(\.0+)?\s*", value)):
        raise ValueError("write a whole number")
    return float(value) if isinstance(value, str) else value


Count = Annotated[int, BeforeValidator(_read_number)]


class Variables(Reply):
    """Contract: whole numbers. A gold hypothesis has at least one variable; a predicted one may have none."""

    sizeA: Annotated[Count, Field(ge=1)]  # noqa: N815 - the listing's name
    sizeB: Annotated[Count, Field(ge=0)]  # noqa: N815 - the listing's name
    intersection: Annotated[Count, Field(ge=0)]
    explanation: Explanation = ""

    @model_validator(mode="after")
    def _shared_at_most(self) -> "Variables":
        if self.intersection > min(self.sizeA, self.sizeB):
            raise ValueError(
                f"intersection is {self.intersection}, but sizeA is {self.sizeA} and sizeB is {self.sizeB}; "
                "it cannot be larger than either"
            )
        return self

    @property
    def score(self) -> float:
        """F1 of the predicted variables."""
        return f1(self.sizeA, self.sizeB, self.intersection)


def question(comparison: Comparison, parts: str = "") -> Question[Variables]:
    """The question about the three counts.

    Args:
        comparison: The hypotheses.
        parts: Which sub-hypotheses these are, for the log.
    """
    return Question(f"variables{parts}", comparison.comparison_prompt("judge/variables"), Variables)


async def ask(judge: Judge, comparison: Comparison, parts: str = "") -> Variables | ParseFailure:
    """Ask the judge for the three counts."""
    return await judge.ask(question(comparison, parts))
