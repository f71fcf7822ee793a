"""A score of a sample, as columns."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from inspect_ai.log import EvalSample
from inspect_ai.scorer import Score

from inspect_discoverybench.scorer.judge_record import compared_part
from inspect_discoverybench.submission.submission import WITHOUT_HYPOTHESIS


class Outcome(StrEnum):
    """How a sample ended."""

    SCORED = "scored"  # the judge decided HMS
    UNSCORED = "unscored"  # something was submitted, but the judge failed, or the log was not scored
    NO_SUBMISSION = "no submission"  # nothing was submitted, or the text asserts no hypothesis; HMS is 0
    LIMIT = "limit"  # a limit ended the sample before anything was submitted; HMS is 0
    ERROR = "error"  # the sample ended with an error, so it has no score


WITHOUT_SUBMISSION = (Outcome.NO_SUBMISSION, Outcome.LIMIT)
"""Outcomes with an HMS of 0 for which no judge compared hypotheses."""


@dataclass(frozen=True)
class SampleScore:
    """A score of a sample; docs/analysis.md describes its columns.

    Attributes:
        score: Name of the score: `HMS`, or `HMS1` for the first one that was appended.
        values: Numbers by key, each of which is a column: HMS, the facets that were decided, and the keys of the
            released form.
        metadata: All that the scorer recorded; no column.
    """

    score: str
    outcome: Outcome
    values: Mapping[str, float]
    judge: str | None
    judge_record: str | None
    hypothesis: str | None
    workflow: str | None
    metadata: Mapping[str, Any]

    @classmethod
    def of(cls, sample: EvalSample, name: str) -> "SampleScore":
        """Read the score with this name. A sample may not have it, and one with an error has no values."""
        score = (sample.scores or {}).get(name, Score(value={}))
        metadata = score.metadata or {}
        values = {} if sample.error else _values(score)
        compared = compared_part(metadata)
        return cls(
            score=name,
            outcome=_outcome(sample, score, values),
            values=values,
            judge=metadata.get("judge"),
            judge_record=json.dumps(compared, sort_keys=True) if compared else None,
            hypothesis=score.answer,
            workflow=metadata.get("workflow"),
            metadata=metadata,
        )

    @property
    def is_scored(self) -> bool:
        """Whether the sample has HMS."""
        return "hms" in self.values

    def value(self, key: str) -> float:
        """A number; NaN if the log does not have it."""
        return self.values.get(key, math.nan)


def _values(score: Score) -> dict[str, float]:
    """The finite numbers of a score. Facets that were decided without HMS are in its metadata."""
    decided = (score.metadata or {}).get("facets") or {}
    parts = score.value if isinstance(score.value, dict) else {}
    numbers = {}
    for key, number in (decided | parts).items():
        if isinstance(number, int | float) and math.isfinite(number):
            numbers[key] = float(number)
    return numbers


def _outcome(sample: EvalSample, score: Score, values: Mapping[str, float]) -> Outcome:
    if sample.error is not None:
        return Outcome.ERROR
    if score.reason in WITHOUT_HYPOTHESIS:
        return Outcome.LIMIT if sample.limit else Outcome.NO_SUBMISSION
    return Outcome.SCORED if "hms" in values else Outcome.UNSCORED
