"""The replies of the author and the reviewer."""

from typing import Any

from pydantic import Field

from inspect_discoverybench.scorer.reply import Reply
from inspect_discoverybench.synth.tree import Distribution, Kind


class Domain(Reply):
    """A domain with its description."""

    name: str = Field(min_length=3, max_length=60)
    description: str = Field(min_length=3, max_length=600)


class Domains(Reply):
    """The domains of a set."""

    domains: tuple[Domain, ...]


class Variable(Reply):
    """A variable of the tree, or a distractor."""

    name: str
    description: str
    type: Kind
    low: float | None = None
    high: float | None = None
    values: tuple[str, ...] = ()
    distribution: Distribution = "uniform"

    def fields(self) -> dict[str, Any]:
        """The fields of a column."""
        return self.model_dump()


class Root(Reply):
    """The root of a tree."""

    context: str
    rows: str
    target: Variable
    expression: str
    children: tuple[Variable, ...] = Field(min_length=1, max_length=6)
    distractors: tuple[Variable, ...] = ()


class Expansion(Reply):
    """The children of a variable that was a leaf. An empty expression declines the expansion."""

    expression: str
    children: tuple[Variable, ...] = Field(default=(), max_length=6)


class GoalText(Reply):
    """A discovery goal."""

    goal: str = Field(min_length=10, max_length=600)


class Review(Reply):
    """The reviewer's decision."""

    answerable: bool
    reason: str = ""
