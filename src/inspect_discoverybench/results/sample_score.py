"""One score of a sample in a log: outcome, values and record of the judge."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.scorer import Score

from inspect_discoverybench.errors import DataMissing, InvalidArgument, UnreadableLog, inspect_errors
from inspect_discoverybench.hypothesis import WITHOUT_HYPOTHESIS, source_name
from inspect_discoverybench.judge_record import COMPARED_KEYS


class Outcome(StrEnum):
    """How a sample ended."""

    SCORED = "scored"  # the judge decided HMS
    UNSCORED = "unscored"  # something was submitted, but the judge failed, or the log was not scored
    NO_SUBMISSION = "no submission"  # nothing was submitted, or the text asserts no hypothesis; HMS is 0
    LIMIT = "limit"  # a limit ended the sample before anything was submitted; HMS is 0
    ERROR = "error"  # the sample ended with an error, so it has no score


@dataclass(frozen=True)
class SampleScore:
    """A sample with one of its scores; the score is None if the sample does not have it."""

    sample: EvalSample
    score: Score | None

    @classmethod
    def of(cls, sample: EvalSample, score: str) -> "SampleScore":
        """Select the score with this name."""
        return cls(sample, (sample.scores or {}).get(score))

    @property
    def outcome(self) -> Outcome:
        """How the sample ended."""
        if self.sample.error is not None:
            return Outcome.ERROR
        if self.score is not None and self.score.reason in WITHOUT_HYPOTHESIS:
            return Outcome.LIMIT if self.sample.limit else Outcome.NO_SUBMISSION
        return Outcome.UNSCORED if math.isnan(self.value("hms")) else Outcome.SCORED

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Metadata of the score; empty without a score."""
        return (self.score.metadata if self.score else None) or {}

    def value(self, key: str) -> float:
        """A value of the score in 0–1; NaN if it has none or if the sample ended with an error."""
        if self.score is None or self.sample.error is not None or not isinstance(self.score.value, Mapping):
            return math.nan
        # JSON logs store NaN as null.
        value = self.score.value.get(key)
        return math.nan if isinstance(value, bool) or not isinstance(value, int | float) else float(value)

    def facet(self, name: str) -> float:
        """The score of a facet in 0–1; for unscored samples, the facet if it was decided; otherwise NaN."""
        value = self.value(name)
        decided = (self.metadata.get("facets") or {}).get(name)
        return float(decided) if math.isnan(value) and isinstance(decided, int | float) else value

    def submitted(self, part: str, scored: str | None) -> str | None:
        """What was scored, or else this part of what was submitted; None if there is no submission."""
        return scored or (self.sample.store.get("SubmissionState:submission") or {}).get(part)

    @property
    def submission_source(self) -> str | None:
        """How the answer was read; None if there is no submission or it was not recorded."""
        name = self.metadata.get("submission_source")
        return source_name(name) if isinstance(name, str) else None

    @property
    def judge_record(self) -> str | None:
        """How the sample was judged, as JSON with sorted keys; None if the judge was not asked."""
        compared = {key: self.metadata[key] for key in COMPARED_KEYS if key in self.metadata}
        return json.dumps(compared, sort_keys=True) if compared else None


def read_judged(path: str, score: str) -> tuple[str, list[SampleScore]]:
    """Read Inspect's id of a run, which copies of its log keep, and its samples with one score, without transcripts.

    Raises:
        DataMissing: The file does not exist.
        UnreadableLog: The file is not a log.
        InvalidArgument: No sample has a score with this name.
    """
    if "://" not in path and not Path(path).is_file():
        raise DataMissing(f"The file '{path}' does not exist. Check the path of the log.")
    with inspect_errors(UnreadableLog, f"{path} cannot be read"):
        log = read_eval_log(path, exclude_fields={"messages", "events", "store"})
    samples = log.samples or []
    names = sorted({name for sample in samples for name in sample.scores or {}})
    if score not in names:
        available = ", ".join(names) or "none"
        raise InvalidArgument(f"{path}: no sample has the score '{score}'. Available scores: {available}.")
    return log.eval.task_id, [SampleScore.of(sample, score) for sample in samples]
