"""The variables facet: how many each hypothesis has, and how many they share (paper, Listing 3)."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.hms import f1
from inspect_discoverybench.scorer.judge import Explanation, Question, Reply


def _no_boolean(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("a boolean is not a number")  # noqa: TRY004 - pydantic reports a ValueError
    return value


Count = Annotated[int, BeforeValidator(_no_boolean)]


class Variables(Reply):
    """Contract: whole numbers; each hypothesis has at least one variable, and none shares more than it has."""

    sizeA: Annotated[Count, Field(ge=1)]  # noqa: N815 - the listing's name
    sizeB: Annotated[Count, Field(ge=1)]  # noqa: N815 - the listing's name
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


def question(comparison: Comparison) -> Question[Variables]:
    """Ask for the three counts."""
    return Question("variables", comparison.asking("judge/variables"), Variables)
