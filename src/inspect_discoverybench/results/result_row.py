"""A result: a sample in one epoch, with one of its scores."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from inspect_ai.log import EvalLog

from inspect_discoverybench.errors.exceptions import UnreadableLog
from inspect_discoverybench.results.agent_record import RunAgent
from inspect_discoverybench.results.recorded_settings import Settings, column_value
from inspect_discoverybench.results.run_record import RunRecord
from inspect_discoverybench.results.sample_record import SampleRecord
from inspect_discoverybench.results.score_record import ScoreRecord
from inspect_discoverybench.scorer.claim import PROMPT_KEY
from inspect_discoverybench.scorer.facets import SCORE_KEYS
from inspect_discoverybench.submission.submission import SCORE_NAME

NO_COLUMNS = ("values", "keys", "metadata", "inputs", "agent_file", "agent_digest")
"""Fields of a record that are no columns."""


@dataclass(frozen=True)
class ResultRow:
    """A sample in one epoch, with one of its scores."""

    run: RunRecord
    sample: SampleRecord
    score: ScoreRecord

    @property
    def columns(self) -> dict[str, Any]:
        """Values by column, with a column for each key of the score."""
        fields = {**vars(self.run), **vars(self.sample), **vars(self.score)}
        scores = {**dict.fromkeys(SCORE_KEYS, math.nan), **self.score.values}
        columns = {name: column_value(value) for name, value in fields.items() if name not in NO_COLUMNS}
        return {**scores, **columns}

    @property
    def setup(self) -> Settings:
        """What distinguishes agent and model from others with the same names."""
        return *self.sample.agent_arguments, *self.run.model_settings, *self.run.roles


def results_of(log: EvalLog) -> list[ResultRow]:
    """A result for each sample and score of a log of this package: `HMS`, and `HMS1`, … for further judges.

    Raises:
        UnreadableLog: A score of this package is not in [0, 1].
    """
    run = RunRecord.of(log)
    run_agent = RunAgent(log)
    names = _score_names(log)
    results = []
    for sample in log.samples or []:
        # A retry keeps samples of earlier runs. Another agent may have solved those.
        agent = run_agent.of_sample(sample)
        record = SampleRecord.of(sample, agent)
        if not record.uuid:
            # Logs that other programs wrote may have no uuids. Samples with the same empty uuid would count as one
            # attempt, so each gets a uuid.
            record = replace(record, uuid=f"{run.run} {sample.id} {sample.epoch}")
        for name in names:
            score = ScoreRecord.of(sample, name)
            _check_range(record, score)
            results.append(ResultRow(run, record, score))
    return results


def claim_prompts(results: Iterable[ResultRow]) -> set[str]:
    """Fingerprints of the prompts by which the judge was asked about claims; empty if it was not asked."""
    prompts = {result.score.metadata.get(PROMPT_KEY) for result in results}
    return {prompt for prompt in prompts if prompt}


def _check_range(sample: SampleRecord, score: ScoreRecord) -> None:
    for key, value in score.values.items():
        if not 0 <= value <= 1:
            raise UnreadableLog(f"the sample {sample.id} has {key} = {value}, not a score from 0 to 1.")


def _score_names(log: EvalLog) -> list[str]:
    """The scores of this package in a log: `HMS`, and `HMS1`, … for those that `inspect score` appended."""
    names: set[str] = set()
    for sample in log.samples or []:
        names |= (sample.scores or {}).keys()
    own = [name for name in names if re.fullmatch(rf"{SCORE_NAME}\d*", name)]
    # A log that was not scored also has a result for each sample: one without a score.
    return sorted(own) or [SCORE_NAME]
