"""What a run will use, extrapolated from the finished samples in its log directory."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspect_ai import task_identifier
from inspect_ai.log import EvalLog

from inspect_discoverybench.results.columns import total_cost
from inspect_discoverybench.results.log_files import LogSummary, sample_keys


@dataclass(frozen=True)
class Forecast:
    """The expected use of a run, with the judge. Numbers are None without a finished sample, or without prices."""

    samples: int
    """Number of samples, multiplied by epochs."""

    finished: int
    """Number of those that have already finished, from which the rest is extrapolated."""

    tokens: float | None
    cost: float | None


def forecast(dry_run: Sequence[EvalLog], logs: Iterable[LogSummary]) -> list[Forecast]:
    """Multiply the average use of each run's finished samples in the logs by the number of its samples."""
    finished = {(log.run, sample.uuid): sample for log in logs for sample in log.finished}
    forecasts = []
    for run in dry_run:
        samples, name = len(sample_keys(run)), task_identifier(run, None)
        own = [sample for (log_run, _), sample in finished.items() if log_run == name]
        usages = [usage for sample in own for usage in (sample.model_usage or {}).values()]
        tokens, cost = sum(usage.total_tokens for usage in usages), total_cost(usages)
        share = samples / len(own) if own else None
        forecasts.append(
            Forecast(
                samples=samples,
                finished=len(own),
                tokens=None if share is None else share * tokens,
                cost=None if share is None or cost is None else share * cost,
            )
        )
    return forecasts
