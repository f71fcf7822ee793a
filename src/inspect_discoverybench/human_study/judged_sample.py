"""The hypotheses of logs that the judge scored: what sheets are drawn from."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.results.sample_score import Outcome, SampleScore
from inspect_discoverybench.results.usable_log import read_judged, usable_logs
from inspect_discoverybench.scorer.judge_record import differences


@dataclass(frozen=True)
class JudgedSample:
    """A predicted hypothesis that the judge compared with the gold hypothesis.

    Attributes:
        log: Id of the log's task.
        score: Name of the score.
        judged: The sample with its score.
    """

    log: str
    score: str
    judged: SampleScore

    @property
    def id(self) -> tuple[str, int]:
        """Id of the sample, and epoch, starting at 1."""
        return str(self.judged.sample.id), self.judged.sample.epoch

    @property
    def hypothesis(self) -> str:
        """The predicted hypothesis."""
        return (self.judged.score and self.judged.score.answer) or ""

    @property
    def texts(self) -> dict[str, str]:
        """Goal and gold hypothesis, for annotators."""
        return {name: self.judged.sample.metadata[name] for name in ("goal", "gold_hypothesis")}

    @property
    def key(self) -> dict[str, str]:
        """Columns of `key.csv`. The gold hypothesis is a digest: the key must not contain answers of the test split."""
        gold = sha256(self.texts["gold_hypothesis"].encode()).hexdigest()[:12]
        return {"sample_id": self.id[0], "epoch": str(self.id[1]), "gold": gold}


def read_judged_samples(
    paths: Sequence[str], score: str, anyway: bool = False
) -> tuple[list[JudgedSample], Counter[str]]:
    """Read logs of different runs, or folders of them.

    Returns:
        The samples by id, epoch and log, and the number of those without a score by outcome.

    Raises:
        DataError: A path does not exist, or a file is not a log.
        InvalidArgument: A log does not have the score, two logs are of the same run, or the scores were judged
            differently and `anyway` is false.
    """
    logs: dict[str, str] = {}
    samples: list[JudgedSample] = []
    left_out: Counter[str] = Counter()
    for path in dict.fromkeys(log for given in paths for log in usable_logs(given)):
        run, judged_samples = read_judged(path, score)
        if run in logs:
            raise InvalidArgument(f"{logs[run]} and {path} are logs of the same run, {run}. Pass one log of each run.")
        logs[run] = path
        for sample in (JudgedSample(run, score, judged) for judged in judged_samples):
            if sample.judged.outcome is Outcome.SCORED and sample.hypothesis:
                samples.append(sample)
            else:
                left_out[sample.judged.outcome] += 1
    # Scores within one log can also differ, if some of its samples were scored again.
    records = [] if anyway else [sample.judged.metadata for sample in samples]
    if lines := dict.fromkeys(line for record in records for line in differences(records[0], record)):
        raise InvalidArgument(
            f"The scores of {', '.join(paths)} were judged differently: {'; '.join(lines)}. Re-score the logs with "
            "`inspect score`, or pass --anyway."
        )
    return sorted(samples, key=lambda sample: (sample.id, sample.log)), left_out
