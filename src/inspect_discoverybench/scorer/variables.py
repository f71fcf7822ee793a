"""The variables facet: the number of variables in each hypothesis and in common (paper, Listing 3)."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from inspect_discoverybench.scorer.exchange import ParseFailure, Question
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.pair import HypothesisPair
from inspect_discoverybench.structured_reply import Explanation, Reply
from inspect_discoverybench.text import quoted_reason


def _parse_count(value: Any) -> Any:
    """Accept whole numbers only, including strings and floats such as "3" and 3.0."""
    if isinstance(value, bool) or (isinstance(value, str) and not re.fullmatch(r"\s*\d{1,4}(\.0+)?\s*", value)):
        raise ValueError("write a whole number")
    return float(value) if isinstance(value, str) else value


MAX_VARIABLES = 50
"""Larger counts are implausible: no gold hypothesis has more than a tenth of this."""

Count = Annotated[int, BeforeValidator(_parse_count)]


class Variables(Reply):
    """Reply: three counts. A gold hypothesis has at least one variable; a predicted hypothesis may have none."""

    sizeA: Annotated[Count, Field(ge=1, le=MAX_VARIABLES)]  # noqa: N815 - the name in the listing
    sizeB: Annotated[Count, Field(ge=0, le=MAX_VARIABLES)]  # noqa: N815 - the name in the listing
    intersection: Annotated[Count, Field(ge=0)]
    explanation: Explanation = ""

    @model_validator(mode="after")
    def _check_intersection(self) -> "Variables":
        if self.intersection > min(self.sizeA, self.sizeB):
            raise ValueError(
                f"intersection is {self.intersection}, but sizeA is {self.sizeA} and sizeB is {self.sizeB}; "
                "it cannot be larger than either"
            )
        return self

    @property
    def score(self) -> float:
        """F1 of the predicted variables: 2pr / (p + r) with p = intersection / sizeB and r = intersection / sizeA."""
        return 2 * self.intersection / (self.sizeA + self.sizeB)

    def describe(self) -> str:
        """The counts, their F1 and the judge's explanation as Markdown."""
        return (
            f"{self.sizeA} in the gold hypothesis, {self.sizeB} in the predicted hypothesis, {self.intersection} "
            f"shared: F1 = {self.score:.2f}.{quoted_reason(self.explanation)}"
        )


def question(pair: HypothesisPair) -> Question[Variables]:
    """Build the question about the variables."""
    return Question("variables", pair.prompt("judge/variables"), Variables)


async def ask(judge: Judge, pair: HypothesisPair) -> Variables | ParseFailure:
    """Ask the judge for the three counts."""
    return await judge.ask(question(pair))
