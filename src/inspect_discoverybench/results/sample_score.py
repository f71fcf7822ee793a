"""A score of a sample: as the log has it, and its columns."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from inspect_ai.log import EvalSample
from inspect_ai.scorer import Score

from inspect_discoverybench.errors.exceptions import UnreadableLog
from inspect_discoverybench.scorer.facets import SCORE_KEYS
from inspect_discoverybench.scorer.judge_record import compared_part
from inspect_discoverybench.scorer.released_form import RELEASED_KEYS
from inspect_discoverybench.submission.submission import WITHOUT_HYPOTHESIS, source_name

KEYS = (*SCORE_KEYS, *RELEASED_KEYS)
"""Keys of the values of HMS."""

WORDS = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""Letters and words that scores of other packages use for numbers, as in Inspect's `value_to_float`."""


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
    """A sample with one of its scores; the score is None if the sample does not have it."""

    sample: EvalSample
    score: Score | None

    @classmethod
    def of(cls, sample: EvalSample, name: str) -> "SampleScore":
        """Select the score with this name."""
        return cls(sample, (sample.scores or {}).get(name))

    @property
    def outcome(self) -> Outcome:
        """How the sample ended."""
        if self.sample.error is not None:
            return Outcome.ERROR
        if self.score is not None and self.score.reason in WITHOUT_HYPOTHESIS:
            return Outcome.LIMIT if self.sample.limit else Outcome.NO_SUBMISSION
        return Outcome.SCORED if "hms" in self.values else Outcome.UNSCORED

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Metadata of the score; empty without a score."""
        return (self.score.metadata if self.score else None) or {}

    @property
    def values(self) -> dict[str, float]:
        """The finite numbers by key; the key of a single number is empty. A sample with an error has none."""
        if self.score is None or self.sample.error is not None:
            return {}
        value = self.score.value
        numbers = (
            {key: _number(part) for key, part in value.items()} if isinstance(value, dict) else {"": _number(value)}
        )
        return {key: number for key, number in numbers.items() if math.isfinite(number)}

    def value(self, key: str) -> float:
        """A value of the score; NaN if it has none or if the sample ended with an error."""
        return self.values.get(key, math.nan)

    @property
    def judge_record(self) -> str | None:
        """How the sample was judged, as JSON with sorted keys; None if the judge was not asked."""
        compared = compared_part(self.metadata)
        return json.dumps(compared, sort_keys=True) if compared else None

    def check(self) -> None:
        """Check that the sample and its score are of this package.

        Raises:
            UnreadableLog: The goal or gold hypothesis is missing, or a value is not in 0–1.
        """
        for name in ("goal", "gold_hypothesis"):
            if not isinstance(self.sample.metadata.get(name), str):
                raise UnreadableLog("a sample has no metadata, such as its goal and gold hypothesis.")

        values = self.score.value if self.score else {}
        for key in KEYS:
            value = values.get(key) if isinstance(values, dict) else values
            # An unscored key is NaN, which is null in JSON logs.
            is_missing = value is None or value != value
            if not is_missing and not (isinstance(value, int | float) and 0 <= value <= 1):
                raise UnreadableLog(f"the sample {self.sample.id} has {key} = {value}, not a score in 0–1.")


def _number(value: object) -> float:
    """A value as a number; NaN if it is none."""
    if isinstance(value, str):
        value = WORDS.get(value.casefold(), value)
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan


@dataclass(frozen=True)
class ScoreRecord:
    """Columns with one value per sample and judge; docs/analysis.md describes them.

    Attributes:
        score: Name of the score: `HMS`, or `HMS1` for the first one that was appended.
        values: Numbers by key, each with a column: HMS, decided facets, and the keys of the released form.
    """

    score: str
    outcome: str
    values: Mapping[str, float]
    judge: str | None
    judge_record: str | None
    hypothesis: str | None
    workflow: str | None
    submission_source: str | None
    refusal: bool
    explanation: str | None

    @classmethod
    def of(cls, sample: EvalSample, name: str) -> "ScoreRecord":
        """Read the record of the score with this name."""
        judged = SampleScore.of(sample, name)
        metadata = judged.metadata
        # Without HMS, the facets that were decided are in the metadata.
        facets = (metadata.get("facets") or {}) if sample.error is None else {}
        decided = {key: value for key, value in facets.items() if value is not None}
        # What was scored; else, as after a failure of the judge, what was submitted.
        submitted = sample.store.get("SubmissionState:submission") or {}
        source = metadata.get("submission_source")
        return cls(
            score=name,
            outcome=judged.outcome.value,
            values=decided | judged.values,
            judge=metadata.get("judge"),
            judge_record=judged.judge_record,
            hypothesis=(judged.score and judged.score.answer) or submitted.get("hypothesis"),
            workflow=metadata.get("workflow") or submitted.get("workflow"),
            submission_source=source_name(source) if source else None,
            refusal=bool(metadata.get("refusal")),
            explanation=judged.score.explanation if judged.score else None,
        )

    def value(self, key: str) -> float:
        """A number; NaN if the log does not have it."""
        return self.values.get(key, math.nan)

    @property
    def is_scored(self) -> bool:
        """Whether the sample has the score: HMS, or any number of another package."""
        return bool(self.values) and ("hms" in self.values or not self.values.keys() & SCORE_KEYS.keys())
