"""Criteria that a task must meet, and the reasons for rejections.

The published DB-SYNTH was made without such criteria: 212 of its 903 target columns are constant.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from inspect_discoverybench.dataset.target import NEAR_CONSTANT_SHARE

MIN_MARGIN = 0.1
"""Minimum difference between the skill of a generic fit on the gold columns and that on the best single distractor."""


class Criterion(StrEnum):
    """The criteria, in the order in which they are applied."""

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
        criterion: The criterion that it does not meet.
        reason: One sentence.
    """

    name: str
    criterion: Criterion
    reason: str


class Measures(BaseModel):
    """Measures of a task in the sandbox.

    Attributes:
        top_share: Share of the most common value of the target.
        reproduction: Skill of the gold expression on the released columns (R², or its analogue for labels).
        fit: Skill of a prediction from the nearest neighbours in the columns of the gold expression.
        best_distractor: Highest skill of one from a single other column.
        directions: Rank correlation of each numeric predictor with the target.
    """

    model_config = ConfigDict(frozen=True)

    top_share: float
    reproduction: float
    fit: float
    best_distractor: float
    directions: Mapping[str, float]


def check_measures(name: str, measures: Measures, min_reproduction: float) -> Rejection | None:
    """Apply the criteria that depend on the data."""
    skill, distractor = measures.reproduction, measures.best_distractor
    if measures.top_share >= NEAR_CONSTANT_SHARE:
        return Rejection(name, Criterion.CONSTANT, f"one value fills {measures.top_share:.0%} of the target column")
    if skill < min_reproduction:
        reason = f"the gold expression reproduces the target with a skill of {skill:.2f}, below {min_reproduction:.2f}"
        return Rejection(name, Criterion.REPRODUCTION, reason)
    if measures.fit < max(0.0, distractor) + MIN_MARGIN:
        reason = f"a generic fit has a skill of {measures.fit:.2f}, the best single distractor {distractor:.2f}"
        return Rejection(name, Criterion.IDENTIFIABLE, reason)
    return None
