"""Quality gates that a task must pass, and the reasons for rejections.

The published DB-SYNTH was made without such gates: 212 of its 903 target columns are constant.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from inspect_discoverybench.dataset.target import NEAR_CONSTANT_SHARE

MIN_MARGIN = 0.1
"""Minimum difference between the skill of a generic fit on all columns and that on the best single distractor."""


class Gate(StrEnum):
    """The gates, in the order in which they are applied."""

    EXPRESSION = "expression"
    CONSTANT = "constant"
    REPRODUCTION = "reproduction"
    IDENTIFIABLE = "identifiable"
    GOAL = "goal"
    DUPLICATE = "duplicate"
    ANSWERABLE = "answerable"


class Rejection(NamedTuple):
    """A node or task that was rejected.

    Attributes:
        name: `<node>` or `<node>/<path length>`.
        gate: The gate that it failed.
        reason: One sentence.
    """

    name: str
    gate: Gate
    reason: str


class Measures(BaseModel):
    """Measures of a task in the sandbox.

    Attributes:
        top_share: Share of the most common value of the target.
        reproduction: Skill of the gold expression on the released columns (R², or its analogue for labels).
        fresh: The same on fresh rows of the same tree, which are not released.
        fit: Skill of gradient boosting on all released columns, cross-validated.
        best_distractor: Highest skill of a fit on a single column that the gold expression does not use.
        directions: Rank correlation of each numeric predictor with the target.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    top_share: float
    reproduction: float
    fresh: float
    fit: float
    best_distractor: float
    directions: Mapping[str, float]


def check_measures(name: str, measures: Measures, min_reproduction: float) -> Rejection | None:
    """Apply the gates that depend on the data.

    Args:
        name: Name of the task.
        measures: Its measures.
        min_reproduction: Minimum skill of the gold expression.
    """
    if measures.top_share >= NEAR_CONSTANT_SHARE:
        return Rejection(name, Gate.CONSTANT, f"one value fills {measures.top_share:.0%} of the target column")
    skill, distractor = min(measures.reproduction, measures.fresh), measures.best_distractor
    if skill < min_reproduction:
        reason = f"the gold expression reproduces the target with a skill of {skill:.2f}, below {min_reproduction:.2f}"
        return Rejection(name, Gate.REPRODUCTION, reason)
    if measures.fit < max(0.0, distractor) + MIN_MARGIN:
        reason = f"a generic fit has a skill of {measures.fit:.2f}, the best single distractor {distractor:.2f}"
        return Rejection(name, Gate.IDENTIFIABLE, reason)
    return None
