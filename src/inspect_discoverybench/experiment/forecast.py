"""The expected use of a run, extrapolated from its finished samples."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspect_ai import task_identifier
from inspect_ai.log import EvalLog, EvalSampleSummary
from inspect_ai.model import ModelUsage

from inspect_discoverybench.results.log_files import LogSummary, sample_keys
from inspect_discoverybench.results.usage import total_cost, total_tokens


@dataclass(frozen=True)
class Forecast:
    """The expected use of one run or of several, with the judge.

    Attributes:
        samples: Number of samples, multiplied by epochs.
        finished: Number of those that have already finished, from which the rest is extrapolated.
        tokens: Tokens of all models; None without a finished sample.
        cost: Their cost in US dollars; None without a finished sample, or if a model has no price.
    """

    samples: int
    finished: int
    tokens: float | None
    cost: float | None

    @classmethod
    def of_run(cls, dry_run: EvalLog, finished: Sequence[EvalSampleSummary]) -> "Forecast":
        """Multiply the average use of a run's finished samples by the number of its samples."""
        samples = len(sample_keys(dry_run))
        if not finished:
            return cls(samples, finished=0, tokens=None, cost=None)

        usages: list[ModelUsage] = []
        for sample in finished:
            usages += (sample.model_usage or {}).values()
        factor = samples / len(finished)
        cost = total_cost(usages)
        return cls(
            samples,
            finished=len(finished),
            tokens=factor * total_tokens(usages),
            cost=None if cost is None else factor * cost,
        )

    @classmethod
    def sum(cls, forecasts: Sequence["Forecast"]) -> "Forecast":
        """The expected use of several runs. A sum is None if a number in it is."""
        return cls(
            samples=sum(forecast.samples for forecast in forecasts),
            finished=sum(forecast.finished for forecast in forecasts),
            tokens=_sum([forecast.tokens for forecast in forecasts]),
            cost=_sum([forecast.cost for forecast in forecasts]),
        )


def forecast_runs(dry_run: Sequence[EvalLog], logs: Iterable[LogSummary]) -> list[Forecast]:
    """The expected use of each run, from the logs of an earlier attempt."""
    # A sample that a retry has taken over is in two logs.
    finished: dict[str, dict[str | None, EvalSampleSummary]] = {}
    for log in logs:
        samples = finished.setdefault(log.run, {})
        samples.update({sample.uuid: sample for sample in log.finished})

    forecasts = []
    for run in dry_run:
        samples = finished.get(task_identifier(run, None), {})
        forecast = Forecast.of_run(run, list(samples.values()))
        forecasts.append(forecast)
    return forecasts


def _sum(numbers: Sequence[float | None]) -> float | None:
    if None in numbers:
        return None
    return sum(number for number in numbers if number is not None)
