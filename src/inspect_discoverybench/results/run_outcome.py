"""The outcome of each run, read from its log."""

import math
from dataclasses import dataclass

from inspect_ai.log import EvalLog, EvalMetric, EvalSampleSummary, headline_metric
from inspect_ai.model import ModelUsage

from inspect_discoverybench.errors.provider_failures import one_line
from inspect_discoverybench.results.configuration import benchmark_name
from inspect_discoverybench.results.coverage import describe_tasks, split_size
from inspect_discoverybench.results.run_log import RunLabels, RunLog
from inspect_discoverybench.results.run_record import RunRecord
from inspect_discoverybench.results.usage import total_cost, total_tokens
from inspect_discoverybench.scorer.metrics import CI_LOWER, CI_UPPER
from inspect_discoverybench.scorer.sample_outcome import SampleOutcome
from inspect_discoverybench.session.tool import CALLS_AS_TEXT_KEY
from inspect_discoverybench.submission.submission import SCORE_NAME


@dataclass(frozen=True)
class SampleCounts:
    """The samples of a run by how they ended.

    Attributes:
        scored: Samples with a score, including those without a submission.
        unscored: Samples that the judge failed to score.
        no_submission: Samples that scored 0 because no hypothesis was submitted or asserted.
        errors: Samples that ended with an error.
        calls_as_text: Samples whose model ran no code and wrote its calls as text.
    """

    scored: int
    unscored: int
    no_submission: int
    errors: int
    calls_as_text: int

    @property
    def missing(self) -> int:
        """Number of samples without a score."""
        return self.unscored + self.errors

    @classmethod
    def of_log(cls, log: RunLog) -> "SampleCounts":
        """Count the samples of a log."""
        finished = log.finished.values()
        outcomes = [SampleOutcome.of_summary(sample) for sample in finished]
        scored = sum(outcome.is_scored for outcome in outcomes)
        unscored = 0
        # With `--no-score`, a log has no scorers. No score is expected then, so none is missing.
        if log.header.eval.scorers:
            unscored = len(finished) - scored
        return cls(
            scored=scored,
            unscored=unscored,
            no_submission=sum(outcome.is_without_submission for outcome in outcomes),
            errors=sum(sample.error is not None for sample in log.ended.values()),
            calls_as_text=sum(_wrote_calls_as_text(sample) for sample in finished),
        )


@dataclass(frozen=True)
class HeadlineScore:
    """The headline metric of one score of a run, such as the mean of HMS.

    Attributes:
        name: Name of the score.
        value: The metric over all scored samples.
        interval: Its 95 % confidence interval on these tasks; None if there is none, or samples ended with an error.
    """

    name: str
    value: float
    interval: tuple[float, float] | None

    @classmethod
    def of_log(cls, log: EvalLog, samples: SampleCounts) -> "HeadlineScore | None":
        """Read the results of a log; None if no sample is scored."""
        headline = headline_metric(log)
        if headline is None or not samples.scored:  # without scored samples, Inspect reports a mean of 0 or NaN
            return None
        value = float(headline.metric.value)
        interval = None
        # Inspect computes the interval without the samples that ended with an error. They could have had any score, so
        # this interval is too narrow. It is shown only if no sample ended with an error.
        if not samples.errors:
            interval = _interval(headline.score.metrics)
        return cls(headline.score.name, value, interval)


@dataclass(frozen=True)
class RunOutcome:
    """The outcome of one run.

    Attributes:
        labels: The labels of its cell in the matrix.
        tasks: Which tasks it ran, such as `2 of 8 tasks (first 2 in file order: economy 2)`.
        score: Its score; None if nothing is scored.
        samples: Its samples by how they ended.
        tokens: Tokens of all models, including the judge.
        cost: Their cost in US dollars; None if a model had no price in a sample.
        complete: Whether the run has ended with all samples.
        error: Why the run ended early, in one line; None if it is complete or was interrupted.
        log: Path or URL of its log.
        is_shard: Whether it ran only the samples of a shard.
    """

    labels: RunLabels
    tasks: str
    score: HeadlineScore | None
    samples: SampleCounts
    tokens: int
    cost: float | None
    complete: bool
    error: str | None
    log: str
    is_shard: bool

    @classmethod
    def of_log(cls, log: EvalLog) -> "RunOutcome":
        """Read the file of a log whose header `eval_set` returned.

        Raises:
            DataError: The file is missing or damaged.
        """
        run_log = RunLog.read(log.location)
        samples = SampleCounts.of_log(run_log)
        usages = _usages(run_log)
        # The usage in the header does not tell whether a price is missing: Inspect adds usage without a price as if it
        # cost nothing. Samples have no price if they ran before the user gave prices, or in `eval-retry`, which has no
        # option for prices.
        has_prices = total_cost(_usages_of_samples(run_log)) is not None
        return cls(
            labels=RunLabels(**run_log.metadata["run"]),  # recorded by `eval_set.py`
            tasks=_description_of_tasks(run_log),
            score=HeadlineScore.of_log(log, samples),
            samples=samples,
            tokens=total_tokens(usages),
            cost=total_cost(usages) if has_prices else None,
            complete=run_log.is_complete,
            error=one_line(log.error.message) if log.error else None,
            log=run_log.path,
            is_shard=run_log.shard is not None,
        )

    @property
    def has_hms(self) -> bool:
        """Whether its score is HMS, which a report shows."""
        return self.score is not None and self.score.name == SCORE_NAME


def _usages(log: RunLog) -> list[ModelUsage]:
    """The usage of all models in a run: the sums in the header or the usage of the samples, whichever is larger.

    Both can be too small. The samples lack what was used by attempts that were repeated after an error. The header
    lacks what was used before a crash, because Inspect writes its sums at the end of a run.
    """
    of_header = list(log.header.stats.model_usage.values())
    return max(of_header, _usages_of_samples(log), key=total_tokens)  # the header's if they are equal


def _usages_of_samples(log: RunLog) -> list[ModelUsage]:
    usages: list[ModelUsage] = []
    for sample in log.samples:
        usages += sample.model_usage.values()
    return usages


def _description_of_tasks(log: RunLog) -> str:
    domains = {sample.id: sample.metadata.get("domain") for sample in log.samples}
    run = RunRecord.of(log.header)
    # All samples have the same split, except with `split=all`. `benchmark_name` does not read the split then.
    split = log.samples[0].metadata.get("split") if log.samples else None
    benchmark = benchmark_name(run, split)
    # A log need not have the number of the task's samples. Then the samples that were run count as all.
    available = split_size(benchmark, run.task_samples or len(domains))
    tasks = describe_tasks(domains, {run.selection}, available)
    return tasks if log.shard is None else f"{tasks} in shard {log.shard}"


def _interval(metrics: dict[str, EvalMetric]) -> tuple[float, float] | None:
    if CI_LOWER not in metrics:
        return None
    low = metrics[CI_LOWER].value
    high = metrics[CI_UPPER].value
    if math.isnan(low):  # too few samples
        return None
    return low, high


def _wrote_calls_as_text(sample: EvalSampleSummary) -> bool:
    scores = (sample.scores or {}).values()
    return any((score.metadata or {}).get(CALLS_AS_TEXT_KEY) for score in scores)
