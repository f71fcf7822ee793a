"""What a run will use, extrapolated from the finished samples in its log directory."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspect_ai import task_identifier
from inspect_ai.log import EvalLog

from inspect_discoverybench.results.columns import total_cost
from inspect_discoverybench.results.log_files import LogSummary, sample_keys


@dataclass(frozen=True)
class Forecast:
    """The expected use of a run. Numbers are None without a finished sample, or without prices.

    Attributes:
        samples: Number of samples, multiplied by epochs.
        finished: Number of those that have already finished, from which the rest is extrapolated.
        tokens: Tokens of all models for all samples, including the judge.
        cost: Their cost in US dollars.
    """

    samples: int
    finished: int
    tokens: float | None
    cost: float | None


def forecast(dry_run: Sequence[EvalLog], logs: Iterable[LogSummary]) -> list[Forecast]:
    """Multiply the average use of each run's finished samples by the number of its samples.

    Args:
        dry_run: The dry run of the experiment.
        logs: The logs in its log directory.
    """
    finished = {(log.run, sample.uuid): sample for log in logs for sample in log.finished}
    forecasts = []
    for run in dry_run:
        samples, name = len(sample_keys(run)), task_identifier(run, None)
        own = [sample for (log_run, _), sample in finished.items() if log_run == name]
        usages = [usage for sample in own for usage in (sample.model_usage or {}).values()]
        cost = total_cost(usages) if own else None
        forecasts.append(
            Forecast(
                samples=samples,
                finished=len(own),
                tokens=samples * sum(usage.total_tokens for usage in usages) / len(own) if own else None,
                cost=None if cost is None else samples * cost / len(own),
            )
        )
    return forecasts
