"""The hypotheses of logs that the judge scored: what sheets are drawn from."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.judge_record import differences
from inspect_discoverybench.results import Outcome
from inspect_discoverybench.results.judged import Judged, read_judged


@dataclass(frozen=True)
class JudgedSample:
    """A predicted hypothesis that the judge compared with the gold hypothesis.

    Attributes:
        log: Id of the log's task.
        score: Name of the score.
        sample_id: Id of the sample.
        epoch: Epoch, starting at 1.
        goal: The discovery goal.
        gold_hypothesis: The gold hypothesis.
        gold_workflow: Its workflow; None if it is not public.
        predicted_hypothesis: The predicted hypothesis.
        predicted_workflow: Its workflow; may be empty.
        hms: HMS, in [0, 1].
        record: Metadata of the score.
    """

    log: str
    score: str
    sample_id: str
    epoch: int
    goal: str
    gold_hypothesis: str
    gold_workflow: str | None
    predicted_hypothesis: str
    predicted_workflow: str
    hms: float
    record: Mapping[str, Any]

    @property
    def key(self) -> dict[str, str]:
        """Columns of `key.csv`. The gold hypothesis is a digest: the key must not contain answers of the test split."""
        gold = sha256(self.gold_hypothesis.encode()).hexdigest()[:12]
        return {"sample_id": self.sample_id, "epoch": str(self.epoch), "gold": gold}


@dataclass(frozen=True)
class JudgedSamples:
    """The judged samples of logs of different runs.

    Attributes:
        samples: The samples, ordered by sample id, epoch and log.
        left_out: Number of samples without a scored hypothesis, by outcome.
        differences: How the judging of the scores differs; None if they are comparable.
    """

    samples: list[JudgedSample]
    left_out: Counter[str]
    differences: str | None

    @classmethod
    def read(cls, paths: Sequence[str], score: str, anyway: bool = False) -> "JudgedSamples":
        """Read logs.

        Scores within one log can also be judged differently, if some of its samples were scored again.

        Args:
            paths: Paths of the logs.
            score: Name of the score.
            anyway: Accept scores that were judged differently.

        Raises:
            DataMissing: A file does not exist.
            UnreadableLog: A file is not a log.
            InvalidArgument: A log does not have the score, two logs are of the same run, or the scores were judged
                differently and `anyway` is false.
        """
        logs: dict[str, str] = {}
        samples: list[JudgedSample] = []
        left_out: Counter[str] = Counter()
        for path in paths:
            run, judged_samples = read_judged(path, score)
            if run in logs:
                raise InvalidArgument(
                    f"{logs[run]} and {path} are logs of the same run, {run}. Pass one log of each run."
                )
            logs[run] = path
            for judged in judged_samples:
                if judged.outcome is Outcome.SCORED and judged.hypothesis:
                    samples.append(_sample(run, score, judged, judged.hypothesis))
                else:
                    left_out[judged.outcome] += 1
        lines = dict.fromkeys(line for sample in samples for line in differences(samples[0].record, sample.record))
        message = f"The scores of {', '.join(paths)} were judged differently: {'; '.join(lines)}." if lines else None
        if message and not anyway:
            raise InvalidArgument(f"{message} Re-score the logs with `inspect score`, or pass --anyway.")
        return cls(sorted(samples, key=lambda one: (one.sample_id, one.epoch, one.log)), left_out, message)


def _sample(run: str, score: str, judged: Judged, hypothesis: str) -> JudgedSample:
    metadata = judged.sample.metadata
    return JudgedSample(
        log=run,
        score=score,
        sample_id=str(judged.sample.id),
        epoch=judged.sample.epoch,
        goal=metadata["goal"],
        gold_hypothesis=metadata["gold_hypothesis"],
        gold_workflow=metadata["gold_workflow"],
        predicted_hypothesis=hypothesis,
        predicted_workflow=judged.workflow or "",
        hms=judged.value("hms"),
        record=judged.metadata,
    )
