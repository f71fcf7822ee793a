"""What a run will use, extrapolated from the finished samples in its log directory."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspect_ai import task_identifier
from inspect_ai.log import EvalLog

from inspect_discoverybench.results.log_files import LogSummary


@dataclass(frozen=True)
class Forecast:
    """The expected use of a run. Numbers are NaN without a finished sample, or without prices.

    Attributes:
        samples: Number of samples, multiplied by epochs.
        finished: Number of those that have already finished, from which the rest is extrapolated.
        tokens: Tokens of all models for all samples, including the judge.
        cost: Their cost in US dollars.
    """

    samples: int
    finished: int
    tokens: float
    cost: float


def forecast(dry_run: Sequence[EvalLog], logs: Iterable[LogSummary]) -> list[Forecast]:
    """Multiply the average use of each run's finished samples by the number of its samples.

    Args:
        dry_run: The dry run of the experiment.
        logs: The logs in its log directory.
    """
    usages: dict[str, dict[str | None, tuple[float, float]]] = {task_identifier(log, None): {} for log in dry_run}
    for log in logs:
        for sample in log.finished:
            used = (sample.model_usage or {}).values()
            costs = [math.nan if u.total_cost is None and u.total_tokens else u.total_cost or 0.0 for u in used]
            usages.setdefault(log.run, {})[sample.uuid] = (sum(u.total_tokens for u in used), sum(costs))
    forecasts = []
    for run in dry_run:
        finished = list(usages[task_identifier(run, None)].values())
        samples = sample_count(run)
        tokens, cost = (
            samples * sum(use[n] for use in finished) / len(finished) if finished else math.nan for n in (0, 1)
        )
        forecasts.append(Forecast(samples, len(finished), tokens, cost))
    return forecasts


def sample_count(dry_run: EvalLog) -> int:
    """Number of samples of a run, multiplied by epochs."""
    return len(dry_run.eval.dataset.sample_ids or []) * (dry_run.eval.config.epochs or 1)
