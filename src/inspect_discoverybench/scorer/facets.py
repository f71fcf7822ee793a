"""The facets of a hypothesis (paper §3), declared once. All that asks for, stores or shows facets reads this table."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from inspect_discoverybench.scorer import context, relationship, variables
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.pair import HypothesisPair


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
        key: Name in scores, records and tables.
        label: Name for readers.
        ask: Asks the judge about a pair of hypotheses.
        prompts: Names of its prompts in `prompts/judge`.
    """

    key: str
    label: str
    ask: Callable[[Judge, HypothesisPair], Awaitable[FacetVerdict]]
    prompts: tuple[str, ...]


FACETS = (
    # Boundary conditions under which the hypothesis holds. `gate` asks about it first.
    Facet("context", "Context", context.ask, ("extract_context", "match_context")),
    # The target variable and the independent variables.
    Facet("variables", "Variables", variables.ask, ("compare", "variables")),
    # How the variables interact in that context.
    Facet("relationship", "Relationship", relationship.ask, ("compare", "relationship")),
)

FACET_KEYS = tuple(facet.key for facet in FACETS)

SCORE_KEYS = {"hms": "HMS", **{facet.key: facet.label for facet in FACETS}}
"""Keys of the score with their labels. HMS is the product of the facets."""
