"""Quality gates that a task must pass, and the reasons for rejections.

The published DB-SYNTH was made without such gates: 212 of its 903 target columns are constant.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from inspect_discoverybench.dataset.audit import reveals
from inspect_discoverybench.dataset.target import NEAR_CONSTANT_SHARE
from inspect_discoverybench.text import fold

MIN_MARGIN = 0.1
"""Minimum difference between the skill of a generic fit on all columns and that on the best single distractor."""

MIN_TARGET_WORDS = 0.5
"""Minimum share of the words of the target's name that a goal must contain."""


class Gate(StrEnum):
    """The gates, in the order in which they are applied."""

    EXPRESSION = "expression"
    CONSTANT = "constant"
    REPRODUCTION = "reproduction"
    IDENTIFIABLE = "identifiable"
    GOAL = "goal"
    DUPLICATE = "duplicate"
    ANSWERABLE = "answerable"


@dataclass(frozen=True)
class Rejection:
    """A node or task that was rejected.

    Attributes:
        name: `<node>` or `<node>/<path length>`.
        gate: The gate that it failed.
        reason: One sentence.
    """

    name: str
    gate: Gate
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.gate}: {self.reason}"


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
    skill = min(measures.reproduction, measures.fresh)
    if skill < min_reproduction:
        reason = f"the gold expression reproduces the target with a skill of {skill:.2f}"
        return Rejection(name, Gate.REPRODUCTION, f"{reason}, below {min_reproduction:.2f}")
    if measures.fit < max(0.0, measures.best_distractor) + MIN_MARGIN:
        reason = f"a generic fit has a skill of {measures.fit:.2f}"
        return Rejection(
            name, Gate.IDENTIFIABLE, f"{reason}, the best single distractor {measures.best_distractor:.2f}"
        )
    return None


@dataclass(frozen=True)
class GoalRules:
    """What a goal must and must not contain.

    Attributes:
        gold: The gold hypothesis.
        target: The target in words.
        hidden: Phrases that the goal must not contain: those of the masked facet.
        hidden_numbers: Numbers that the goal must not contain.
    """

    gold: str
    target: str
    hidden: tuple[str, ...]
    hidden_numbers: frozenset[float]

    def violation(self, goal: str) -> str | None:
        """The first rule that a goal violates; None if it violates none."""
        if "?" not in goal:
            return "the goal is not a question"
        if reveals(goal, self.gold):
            return "the goal contains the gold hypothesis"
        words, target_words = _stems(goal), _stems(self.target)
        if len(target_words & words) < MIN_TARGET_WORDS * len(target_words):
            return f"the goal does not name the target, {self.target!r}"
        text = f" {' '.join(re.findall(r'[a-z0-9]+', fold(goal)))} "
        for phrase in self.hidden:
            if f" {' '.join(re.findall(r'[a-z0-9]+', fold(phrase)))} " in text:
                return f"the goal contains {phrase!r}, which it must ask for"
        numbers = {float(number) for number in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", goal)}
        if shared := sorted(numbers & self.hidden_numbers):
            return f"the goal contains {shared[0]:g}, a number of the gold hypothesis"
        return None


def _stems(text: str) -> set[str]:
    return {word[:4] for word in re.findall(r"[a-z]{3,}", fold(text))}
