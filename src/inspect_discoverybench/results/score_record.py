"""A score of a sample, as columns."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inspect_ai.log import EvalSample
from inspect_ai.scorer import Score

from inspect_discoverybench.scorer.judge_record import compared_part
from inspect_discoverybench.scorer.sample_outcome import SampleOutcome


@dataclass(frozen=True)
class ScoreRecord:
    """A score of a sample; docs/analysis.md describes its columns.

    Attributes:
        score: Name of the score: `HMS`, or `HMS1` for the first one that was appended.
        values: Numbers by key, each of which is a column: HMS, the facets that were decided, the keys of the released
            form, and whether a relationship is claimed.
        judge_record: What must be equal for scores to be comparable, as JSON; None if the judge was not asked.
        metadata: All that the scorer recorded; no column.
        keys: All keys of the score, with those that the judge did not decide. Empty if the score is not valid, or if
            somebody has replaced it by a single value. No column.
    """

    score: str
    outcome: SampleOutcome
    values: Mapping[str, float]
    judge: str | None
    judge_record: str | None
    hypothesis: str | None
    workflow: str | None
    metadata: Mapping[str, Any]
    keys: frozenset[str] = frozenset()

    @classmethod
    def of(cls, sample: EvalSample, name: str) -> "ScoreRecord":
        """Read the score with this name.

        The record has no values if the sample has no such score, ended with an error or was invalidated.
        """
        recorded = (sample.scores or {}).get(name)
        outcome = SampleOutcome.of_sample(sample, recorded)
        score = recorded or Score(value={})
        metadata = score.metadata or {}
        is_valid = outcome not in (SampleOutcome.ERROR, SampleOutcome.INVALIDATED)
        values = _values(score) if is_valid else {}
        keys: frozenset[str] = frozenset()
        if is_valid and isinstance(score.value, dict):
            keys = frozenset(score.value)
        # Somebody may have replaced HMS by something that is no number.
        if outcome.is_scored and "hms" not in values:
            outcome = SampleOutcome.UNSCORED
        judge_record = compared_part(metadata)
        return cls(
            score=name,
            outcome=outcome,
            values=values,
            judge=metadata.get("judge"),
            judge_record=json.dumps(judge_record, sort_keys=True) if judge_record else None,
            hypothesis=score.answer,
            workflow=metadata.get("workflow"),
            metadata=metadata,
            keys=keys,
        )

    def outcome_of(self, key: str) -> SampleOutcome:
        """How the sample ended with regard to one key. Some facets may be undecided although others are decided."""
        if self.outcome in (SampleOutcome.JUDGED, SampleOutcome.UNSCORED):
            return SampleOutcome.JUDGED if key in self.values else SampleOutcome.UNSCORED
        return self.outcome  # the same for all keys

    @property
    def is_scored(self) -> bool:
        """Whether the sample has HMS, which may be 0."""
        return self.outcome.is_scored

    def value(self, key: str) -> float:
        """A number; NaN if the log does not have it."""
        return self.values.get(key, math.nan)


def _values(score: Score) -> dict[str, float]:
    """The finite numbers of a score, by key.

    Somebody may have edited the score. A single value is then HMS. Facets that the edited value lacks are read from the
    score's metadata, where they are as the judge decided them.
    """
    decided = (score.metadata or {}).get("facets") or {}
    parts = score.value if isinstance(score.value, dict) else {"hms": score.value}
    numbers = {}
    for key, number in (decided | parts).items():
        if isinstance(number, int | float) and math.isfinite(number):
            numbers[key] = float(number)
    return numbers
