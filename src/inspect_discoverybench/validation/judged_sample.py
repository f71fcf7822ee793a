"""The hypotheses of logs that the judge scored: what sheets are drawn from."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.judge_record import differences
from inspect_discoverybench.results import Outcome
from inspect_discoverybench.results.sample_score import SampleScore, read_judged


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
        metadata = self.judged.sample.metadata
        return {name: metadata[name] for name in ("goal", "gold_hypothesis")}

    @property
    def key(self) -> dict[str, str]:
        """Columns of `key.csv`. The gold hypothesis is a digest: the key must not contain answers of the test split."""
        gold = sha256(self.texts["gold_hypothesis"].encode()).hexdigest()[:12]
        return {"sample_id": self.id[0], "epoch": str(self.id[1]), "gold": gold}


@dataclass(frozen=True)
class JudgedSamples:
    """The judged samples of logs of different runs.

    Attributes:
        samples: The samples, ordered by id, epoch and log.
        left_out: Number of samples without a scored hypothesis, by outcome.
        differences: How the judging of the scores differs; None if they are comparable.
    """

    samples: list[JudgedSample]
    left_out: Counter[str]
    differences: str | None

    @classmethod
    def read(cls, paths: Sequence[str], score: str, anyway: bool = False) -> "JudgedSamples":
        """Read logs.

        Args:
            paths: Paths of the logs.
            score: Name of the score.
            anyway: Accept scores that were judged differently.

        Raises:
            DataError: A file does not exist or is not a log.
            InvalidArgument: A log does not have the score, two logs are of the same run, or the scores were judged
                differently and `anyway` is false.
        """
        logs: dict[str, str] = {}
        samples: list[JudgedSample] = []
        left_out: Counter[str] = Counter()
        for path in paths:
            run, judged_samples = read_judged(path, score)
            if run in logs:
                message = f"{logs[run]} and {path} are logs of the same run, {run}. Pass one log of each run."
                raise InvalidArgument(message)
            logs[run] = path
            for judged in judged_samples:
                sample = JudgedSample(run, score, judged)
                if judged.outcome is Outcome.SCORED and sample.hypothesis:
                    samples.append(sample)
                else:
                    left_out[judged.outcome] += 1
        # Scores within one log can also differ, if some of its samples were scored again.
        records = [sample.judged.metadata for sample in samples]
        lines = dict.fromkeys(line for record in records for line in differences(records[0], record))
        message = f"The scores of {', '.join(paths)} were judged differently: {'; '.join(lines)}."
        if lines and not anyway:
            raise InvalidArgument(f"{message} Re-score the logs with `inspect score`, or pass --anyway.")
        samples.sort(key=lambda sample: (sample.id, sample.log))
        return cls(samples, left_out, message if lines else None)
