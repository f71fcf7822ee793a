"""Strata of judged samples by facet outcome, and how many samples are drawn from each."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.validation.answers import Answers, Step

S = TypeVar("S", bound=Hashable)

UNDECIDED = "–"


def stratum(answers: Answers) -> str:
    """Name of the stratum: the judge's outcome on context, variables and relationship, such as `1, partial, B`.

    Context is 0 or 1, variables are 0, partial or 1, and the relationship is A, B or C. Each may be undecided.
    """
    context = UNDECIDED if answers.context is None else f"{answers.context:.0f}"
    return f"{context}, {_variables(answers.variables)}, {answers.texts[Step.RELATIONSHIP] or UNDECIDED}"


def allocate(sizes: Mapping[S, int], count: int) -> dict[S, int]:
    """Distribute a sample over strata: at least one for each, the rest in proportion to their sizes.

    Args:
        sizes: Size of each stratum, at least 1.
        count: Size of the sample. If it exceeds the population, everything is drawn.

    Raises:
        InvalidArgument: `count` is smaller than the number of strata.
    """
    population = sum(sizes.values())
    if count >= population:
        return dict(sizes)
    if count < len(sizes):
        raise InvalidArgument(
            f"--samples must be at least {len(sizes)}, got {count}: the judged samples have {len(sizes)} different "
            "outcomes, and at least one sample of each is drawn."
        )
    drawn = dict.fromkeys(sizes, 1)
    for _ in range(count - len(sizes)):
        open_strata = [name for name in sizes if drawn[name] < sizes[name]]
        # The stratum that is furthest below its proportional share.
        neediest = max(open_strata, key=lambda name: sizes[name] * count / population - drawn[name])
        drawn[neediest] += 1
    return drawn


def _variables(score: float | None) -> str:
    if score is None:
        return UNDECIDED
    return f"{score:.0f}" if score in (0, 1) else "partial"
