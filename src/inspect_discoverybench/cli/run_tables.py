"""The tables that `discoverybench run` prints: the dry run, the state of shards, and the outcomes at the end."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict

import click

from inspect_discoverybench.cli.terminal import plural, print_table
from inspect_discoverybench.experiment.definition import Experiment
from inspect_discoverybench.experiment.forecast import Forecast
from inspect_discoverybench.experiment.outcome import RunOutcome
from inspect_discoverybench.experiment.run import ExperimentPlan
from inspect_discoverybench.experiment.shard import ShardStatus

NAMES = ("task", "solver", "model")
COUNTS = ("scored", "unscored", "no_submission", "errors")
SHARD_COUNTS = ("samples", "finished", "missing", "errors", "unscored")


def print_forecasts(plan: ExperimentPlan, forecasts: Sequence[Forecast], *, as_json: bool) -> None:
    """Print the runs with their samples, the limits and the expected use. JSON has null for unknown numbers."""
    experiment = plan.experiment
    limits = experiment.limits.model_dump(exclude_none=True)
    pairs = list(zip([cell for cell, _ in plan.runs], forecasts, strict=True))
    if as_json:
        runs = [
            {name: part and part.model_dump() for name, part in zip(NAMES, (c.task, c.solver, c.model), strict=True)}
            | asdict(expected)
            for c, expected in pairs
        ]
        values = {"name": experiment.name, "log_dir": experiment.log_dir, "limits": limits, "runs": runs}
        click.echo(json.dumps(values, indent=2))
        return
    total = Forecast(
        samples=sum(expected.samples for expected in forecasts),
        finished=sum(expected.finished for expected in forecasts),
        tokens=_sum([expected.tokens for expected in forecasts]),
        cost=_sum([expected.cost for expected in forecasts]),
    )
    rows = [[*cell.labels, *_expected(expected)] for cell, expected in pairs]
    sums = [plural(len(rows), "run"), "", "", *_expected(total)]
    print_table(_title(experiment), NAMES, ("samples", "finished", "tokens", "US $"), rows, sums)
    click.echo(f"Limits: {', '.join(f'{name} {value}' for name, value in limits.items()) or 'those of the tasks'}.")
    if total.finished:
        click.echo("Tokens and cost are extrapolated from the finished samples in the log directory.")
    else:
        click.echo("No sample has finished, so tokens and cost are unknown. Run with --limit 3 first.")


def _expected(expected: Forecast) -> list[str]:
    return [f"{expected.samples:,}", f"{expected.finished:,}", _known(expected.tokens), _known(expected.cost, ".2f")]


def _sum(values: Sequence[float | None]) -> float | None:
    """The sum; None if a value is unknown."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def print_statuses(
    experiment: Experiment, statuses: Sequence[ShardStatus], command: Sequence[str], *, as_json: bool
) -> bool:
    """Print the state of each shard, and how to start those that are missing with the command without a shard.

    Returns:
        Whether all shards are finished, and every sample has a score.
    """
    is_complete = all(s.state == "finished" and not s.errors and not s.unscored for s in statuses)
    if as_json:
        values = {"name": experiment.name, "log_dir": experiment.log_dir, "complete": is_complete}
        click.echo(json.dumps({**values, "shards": [asdict(status) for status in statuses]}, indent=2))
        return is_complete
    rows = [[s.shard, s.state, *(f"{getattr(s, count):,}" for count in SHARD_COUNTS)] for s in statuses]
    sums = ["all", "", *(f"{sum(getattr(s, count) for s in statuses):,}" for count in SHARD_COUNTS)]
    print_table(_title(experiment), ("shard", "state"), SHARD_COUNTS, rows, sums)
    for state in ("running", "missing"):
        if shards := [s.shard for s in statuses if s.state == state]:
            click.echo(f"{state.capitalize()}: {','.join(shard.partition('/')[0] for shard in shards)}")
    if missing := [s.shard for s in statuses if s.state == "missing"]:
        click.echo(f"To continue, run: {shlex.join([*command, '--shard', missing[0]])}")
    elif is_complete:
        click.echo(f"To make a report, run: discoverybench report {shlex.quote(experiment.log_dir)}")
    return is_complete


def print_outcomes(plan: ExperimentPlan, outcomes: Sequence[RunOutcome], *, as_json: bool) -> None:
    """Print the outcomes of runs that have a log, and what remains to be done. JSON has null for unknown numbers."""
    if as_json:
        runs = [asdict(outcome) for outcome in outcomes]
        click.echo(json.dumps({"name": plan.experiment.name, "runs": runs}, indent=2))
        return
    score = "HMS" if {outcome.metric for outcome in outcomes} <= {"hms", None} else "score"
    rows = [[o.task, o.solver, o.model, *_measured(o, score)] for o in outcomes]
    headers = (score, "95 % CI", *(count.replace("_", " ") for count in COUNTS), "tokens", "US $")
    print_table(f"{plan.experiment.name}: logs in {plan.arguments['log_dir']}", NAMES, headers, rows)
    click.echo(f"{sum(outcome.complete for outcome in outcomes)} of {len(plan.runs)} runs are complete.")
    if any(outcome.cost is None for outcome in outcomes):
        click.echo("? marks a run with a model that has no price. Add prices with --model-cost-config FILE.")
    for error in dict.fromkeys(outcome.error for outcome in outcomes if outcome.error):
        click.echo(f"Error: {error}")
    if sum(outcome.complete for outcome in outcomes) < len(plan.runs):
        click.echo("Repeat the command to complete the others.")
    for outcome in outcomes:
        if outcome.unscored:
            click.echo(f"Unscored samples: {outcome.unscored}. To score them again, run:\n  {outcome.score_command}")
        if outcome.bounds:
            low, high = outcome.bounds
            click.echo(f"  Until then, the score is {low:.3f} if they count as 0, and {high:.3f} if they count as 1.")
        # `eval_set` retries incomplete runs only. With `fail_on_error: false`, a run with errors is complete.
        if outcome.complete and outcome.errors:
            command = f"inspect eval-retry {shlex.quote(outcome.log)}"
            click.echo(f"Samples with an error: {outcome.errors}. To run them again, run:\n  {command}")


def _measured(outcome: RunOutcome, score: str) -> list[str]:
    name = "" if score == "HMS" else f"{outcome.metric} "
    low, high = outcome.interval
    return [
        "–" if outcome.value is None else f"{name}{outcome.value:.3f}",
        "–" if low is None or high is None else f"{low:.3f} to {high:.3f}",
        *(f"{getattr(outcome, count):,}" for count in COUNTS),
        _known(outcome.tokens),
        _known(outcome.cost, ".2f"),
    ]


def _title(experiment: Experiment) -> str:
    return f"{experiment.name}: logs in {experiment.log_dir}"


def _known(value: float | None, decimals: str = ".0f") -> str:
    return "?" if value is None else f"{value:,{decimals}}"
