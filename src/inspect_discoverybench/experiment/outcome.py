"""The outcome of each run, read from its log."""

import json
import math
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspect_ai import task_identifier
from inspect_ai.log import EvalLog, headline_metric

from inspect_discoverybench.results.log_files import LogSummary, is_scored, sample_keys
from inspect_discoverybench.results.usage import total_cost
from inspect_discoverybench.scorer.metrics import CI_LOWER, CI_UPPER
from inspect_discoverybench.submission.submission import SCORE_NAME, WITHOUT_HYPOTHESIS


@dataclass(frozen=True)
class RunOutcome:
    """The outcome of one run. Numbers that the log does not have are None.

    Attributes:
        metric: Name of the headline metric, such as `hms`, and its value; None if nothing is scored.
        bounds: The value if all unscored samples had scored 0, and if all had scored 1; None if none is unscored.
        scored: Number of samples with a score, including those without a submission.
        no_submission: Number of samples that scored 0 because no hypothesis was submitted or asserted.
        tokens: Tokens of all models, including the judge; likewise their cost in US dollars.
        error: Why the run ended early, in one line; None if it is complete or was interrupted.
        score_command: Command that scores the log again; None if nothing is scored.
    """

    task: str
    solver: str
    model: str
    metric: str | None
    value: float | None
    interval: tuple[float | None, float | None]
    bounds: tuple[float, float] | None
    scored: int
    unscored: int
    no_submission: int
    errors: int
    tokens: int
    cost: float | None
    complete: bool
    error: str | None
    log: str
    score_command: str | None

    @classmethod
    def of_log(cls, log: EvalLog) -> "RunOutcome":
        """Read a log whose header `eval_set` returned."""
        summary = LogSummary.read(log.location)
        labels = (log.eval.metadata or {}).get("run") or {}
        ended = summary.finished
        scored = sum(is_scored(sample) for sample in ended)
        unscored = len(ended) - scored if log.eval.scorers else 0
        resolved = headline_metric(log)
        # Without scores, Inspect reports a mean of 0.
        metrics = {name: metric.value for name, metric in resolved.score.metrics.items()} if resolved and scored else {}
        low, high = (metrics.get(name, math.nan) for name in (CI_LOWER, CI_UPPER))
        value = float(resolved.metric.value) if resolved and scored else None
        total = (value or 0.0) * scored
        usages = log.stats.model_usage.values()
        return cls(
            task=labels.get("task", log.eval.task),
            solver=labels.get("solver", log.eval.solver or ""),
            model=labels.get("model", log.eval.model),
            metric=resolved.score.name if resolved else None,
            value=value,
            interval=(None, None) if math.isnan(low) or math.isnan(high) else (low, high),
            bounds=(total / len(ended), (total + unscored) / len(ended)) if scored and unscored else None,
            scored=scored,
            unscored=unscored,
            no_submission=sum(
                any(score.reason in WITHOUT_HYPOTHESIS for score in (sample.scores or {}).values()) for sample in ended
            ),
            errors=sum(sample.error is not None for sample in summary.samples),
            tokens=sum(usage.total_tokens for usage in usages),
            cost=total_cost(usages),
            complete=summary.is_complete,
            error=" ".join(log.error.message.split())[:1000] if log.error else None,
            log=summary.path,
            score_command=_score_command(log, summary.path) if log.eval.scorers else None,
        )


def _score_command(log: EvalLog, location: str) -> str:
    words = ["inspect", "score", location]
    for scorer in log.eval.scorers or []:
        if scorer.name == SCORE_NAME:  # Inspect finds the other scorers by their names in the log
            values = [f"{name}={json.dumps(value)}" for name, value in (scorer.options or {}).items()]
            words += ["--scorer", "discoverybench/hms", *(word for value in values for word in ("-S", value))]
    return shlex.join([*words, "--action", "overwrite", "--overwrite"])


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
