"""How a sample ended: the one list of outcomes, which metrics, tables and reports count."""

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from inspect_ai.log import EvalSample, EvalSampleSummary
from inspect_ai.scorer import Score

from inspect_discoverybench.submission.submission import WITHOUT_HYPOTHESIS

LIMIT_KEY = "limit"
"""Key in the metadata of a score for the limit that ended the sample. Metrics read it there, because Inspect does not
pass it to them."""


class SampleOutcome(StrEnum):
    """How a sample ended, with regard to one key of its score.

    The words are those of the glossary. The first three have a score, so they count in means; the others are missing.
    """

    JUDGED = "judged"  # the judge compared the hypotheses, or another scorer gave a score
    NO_SUBMISSION = "no submission"  # nothing was submitted, or the text asserts no hypothesis; the score is 0
    LIMIT = "limit"  # a limit ended the sample before anything was submitted; the score is 0
    UNSCORED = "unscored"  # something was submitted, but the judge did not decide the score, or the log was not scored
    ERROR = "error"  # the sample ended with an error
    INVALIDATED = "invalidated"  # somebody has marked the sample as invalid

    @property
    def is_scored(self) -> bool:
        """Whether the sample has a score, which may be 0."""
        return self is SampleOutcome.JUDGED or self.is_without_submission

    @property
    def is_without_submission(self) -> bool:
        """Whether the score is 0 because there is no hypothesis. No judge has compared anything then."""
        return self in (SampleOutcome.NO_SUBMISSION, SampleOutcome.LIMIT)

    @classmethod
    def of_score(cls, score: Score | None, key: str = "hms", at_limit: bool = False) -> "SampleOutcome":
        """The outcome of a sample that ended without an error.

        Args:
            score: Its score; None if it has none.
            key: The key, where the score has several.
            at_limit: Whether a limit ended the sample. The score's own metadata may say so, too.
        """
        if score is None or not _is_decided(score, key):
            return cls.UNSCORED

        if score.reason not in WITHOUT_HYPOTHESIS:
            return cls.JUDGED
        # The score of a sample without a hypothesis was 0. If it is another number now, somebody has edited it, and the
        # sample counts as judged.
        value = _value(score, key)
        if isinstance(value, int | float) and value != 0:
            return cls.JUDGED

        if at_limit or (score.metadata or {}).get(LIMIT_KEY):
            return cls.LIMIT
        return cls.NO_SUBMISSION

    @classmethod
    def of_sample(cls, sample: EvalSample, score: Score | None) -> "SampleOutcome":
        """The outcome of a sample with one of its scores."""
        if sample.invalidation is not None:
            return cls.INVALIDATED
        if sample.error is not None:
            return cls.ERROR
        return cls.of_score(score, at_limit=sample.limit is not None)

    @classmethod
    def of_summary(cls, sample: EvalSampleSummary) -> "SampleOutcome":
        """The outcome of a completed sample with all its scores, by any scorers.

        It is unscored if one score is missing. Otherwise, it is without a submission if one score says so. Summaries do
        not say which samples are invalid.
        """
        if sample.error is not None:
            return cls.ERROR
        at_limit = sample.limit is not None
        scores = (sample.scores or {}).values()
        outcomes = [cls.of_score(score, at_limit=at_limit) for score in scores]
        if not outcomes or cls.UNSCORED in outcomes:
            return cls.UNSCORED
        for outcome in outcomes:
            if outcome.is_without_submission:
                return outcome
        return cls.JUDGED


def _value(score: Score, key: str) -> Any:
    """The value of a key; None if the score lacks it. A score without keys has one value, such as another scorer's."""
    return score.value.get(key) if isinstance(score.value, Mapping) else score.value


def _is_decided(score: Score, key: str) -> bool:
    """Whether a key of a score is decided. Inspect marks an undecided one with NaN, which is null in JSON logs."""
    if isinstance(score.value, Mapping) and "hms" not in score.value:
        return True  # the keys are another scorer's, so it is not known which of them must be decided
    value = _value(score, key)
    if isinstance(value, float):
        return not math.isnan(value)
    return value is not None
