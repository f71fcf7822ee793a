"""The hypotheses in logs, with the scores that the judge gave them. Sheets are drawn from them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.results.frame import read_results
from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.scorer.judge_record import differences
from inspect_discoverybench.scorer.sample_outcome import SampleOutcome


@dataclass(frozen=True)
class JudgedSample:
    """A predicted hypothesis that the judge compared with the gold hypothesis.

    Attributes:
        log: Id of the log's task.
        task: Name of the task. A placebo has another one than the data.
        id: Id of the sample, and its epoch, which starts at 1.
        goal: The discovery goal.
        gold_hypothesis: The gold hypothesis.
        gold_workflow: Its workflow; None if it is not public.
        hypothesis: The predicted hypothesis.
        workflow: Its workflow; None if none was submitted.
        values: The values of the score by key, in [0, 1].
        record: How the score was judged, with the judge's replies.
    """

    log: str
    task: str
    id: tuple[str, int]
    goal: str
    gold_hypothesis: str
    gold_workflow: str | None
    hypothesis: str
    workflow: str | None
    values: Mapping[str, float]
    record: Mapping[str, Any]

    @property
    def texts(self) -> dict[str, str]:
        """Goal and gold hypothesis, for annotators."""
        return {"goal": self.goal, "gold_hypothesis": self.gold_hypothesis}

    @property
    def key_columns(self) -> dict[str, str]:
        """The columns of `key.csv` that sheets for votes and sheets for labels have in common.

        The key has a digest of the gold hypothesis and not its text, because it must not contain answers of the test
        split.
        """
        sample_id, epoch = self.id
        digest = sha256(self.gold_hypothesis.encode()).hexdigest()
        return {
            "sample_id": sample_id,
            "epoch": str(epoch),
            "gold": digest[:12],
        }


def read_judged_samples(
    paths: Sequence[str], score: str, anyway: bool = False
) -> tuple[list[JudgedSample], Counter[str]]:
    """Read logs, or folders of them.

    Args:
        paths: The logs or folders.
        score: Name of the score. Other scores are ignored.
        anyway: Whether to accept scores that were judged differently.

    Returns:
        The samples, ordered by id, epoch and log, and the number of samples without a judged hypothesis, by outcome.

    Raises:
        DataError: There is no log, or none of the logs can be used.
        InvalidArgument: No sample has the score, or the scores were judged differently and `anyway` is false.
    """
    results = read_results(paths).rows
    logs = ", ".join(paths)
    names = sorted({result.score.score for result in results})
    if score not in names:
        available = ", ".join(names)
        raise InvalidArgument(f"{logs}: no sample has the score '{score}'. Available scores: {available}.")

    samples: list[JudgedSample] = []
    left_out: Counter[str] = Counter()
    for result in results:
        if result.score.score != score:
            continue
        if result.score.outcome is SampleOutcome.JUDGED and result.score.hypothesis:
            samples.append(_judged_sample(result))
        else:
            left_out[result.score.outcome] += 1

    # Every sample is compared with the first one. One sample of each log would not be enough, because another judge may
    # have scored some samples of a log again.
    all_differences: list[str] = []
    for sample in samples:
        all_differences += differences(samples[0].record, sample.record)
    if all_differences and not anyway:
        each_once = "; ".join(dict.fromkeys(all_differences))
        raise InvalidArgument(
            f"The scores of {logs} were judged differently: {each_once}. Re-score the logs with `inspect score`, or "
            "pass --anyway."
        )
    return sorted(samples, key=lambda sample: (sample.id, sample.log)), left_out


def _judged_sample(result: ResultRow) -> JudgedSample:
    sample, score = result.sample, result.score
    return JudgedSample(
        # Not the path of the log: a retry writes another file, and keeps this id.
        log=result.run.task_id,
        task=result.run.task,
        id=(sample.id, sample.epoch),
        goal=sample.goal or "",
        gold_hypothesis=sample.gold_hypothesis or "",
        gold_workflow=sample.gold_workflow,
        hypothesis=score.hypothesis or "",
        workflow=score.workflow,
        values=score.values,
        record=score.metadata,
    )
