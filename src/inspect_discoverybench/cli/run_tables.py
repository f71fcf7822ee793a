"""The tables that `discoverybench run` prints: the dry run, the state of shards, and the outcomes at the end."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict

import click

from inspect_discoverybench.cli.number import plural
from inspect_discoverybench.cli.table import print_table
from inspect_discoverybench.experiment.definition import Experiment
from inspect_discoverybench.experiment.forecast import Forecast
from inspect_discoverybench.experiment.outcome import RunOutcome
from inspect_discoverybench.experiment.run import ExperimentPlan
from inspect_discoverybench.experiment.shard import ShardStatus

NAMES = ("task", "solver", "model")
MEASURED = ("95 % CI", "scored", "unscored", "no submission", "errors", "tokens", "US $")
COUNTS = ("samples", "finished", "missing", "errors", "unscored")


def print_forecasts(plan: ExperimentPlan, forecasts: Sequence[Forecast], *, as_json: bool) -> None:
    """Print the runs with their samples, the limits and the expected use.

    Args:
        plan: The experiment.
        forecasts: One forecast for each run.
        as_json: Print JSON, with null for unknown numbers.
    """
    experiment = plan.experiment
    limits = experiment.limits.model_dump(exclude_none=True)
    cells = [run.cell for run in plan.runs]
    if as_json:
        parts = [{name: getattr(cell, name) for name in NAMES} for cell in cells]
        runs = [
            {**{name: part and part.model_dump() for name, part in named.items()}, **asdict(expected)}
            for named, expected in zip(parts, forecasts, strict=True)
        ]
        values = {"name": experiment.name, "log_dir": experiment.log_dir, "limits": limits, "runs": runs}
        click.echo(json.dumps(values, indent=2))
        return
    rows = [[*cell.labels, *_expected(expected)] for cell, expected in zip(cells, forecasts, strict=True)]
    total = Forecast(
        samples=sum(expected.samples for expected in forecasts),
        finished=sum(expected.finished for expected in forecasts),
        tokens=_sum([expected.tokens for expected in forecasts]),
        cost=_sum([expected.cost for expected in forecasts]),
    )
    sums = [plural(len(rows), "run"), "", "", *_expected(total)]
    print_table(_title(experiment), NAMES, ("samples", "finished", "tokens", "US $"), rows, sums)
    click.echo(f"Limits: {', '.join(f'{name} {value}' for name, value in limits.items()) or 'those of the tasks'}.")
    if total.finished:
        click.echo("Tokens and cost are extrapolated from the finished samples in the log directory.")
    else:
        click.echo("No sample has finished, so tokens and cost are unknown. Run with --limit 3 first.")


def _expected(expected: Forecast) -> list[str]:
    return [f"{expected.samples:,}", f"{expected.finished:,}", _count(expected.tokens), _dollars(expected.cost)]


def _sum(values: Sequence[float | None]) -> float | None:
    """The sum; None if a value is unknown."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def print_statuses(
    experiment: Experiment, statuses: Sequence[ShardStatus], command: Sequence[str], *, as_json: bool
) -> None:
    """Print the state of each shard, and how to start those that are missing.

    Args:
        experiment: The experiment.
        statuses: The state of every shard.
        command: The command that runs the experiment, without a shard.
        as_json: Print JSON.
    """
    is_complete = all(status.is_complete for status in statuses)
    if as_json:
        values = {"name": experiment.name, "log_dir": experiment.log_dir, "complete": is_complete}
        click.echo(json.dumps({**values, "shards": [asdict(status) for status in statuses]}, indent=2))
        return
    rows = [[s.shard, s.state, *(f"{getattr(s, count):,}" for count in COUNTS)] for s in statuses]
    sums = ["all", "", *(f"{sum(getattr(s, count) for s in statuses):,}" for count in COUNTS)]
    print_table(_title(experiment), ("shard", "state"), COUNTS, rows, sums)
    for state in ("running", "missing"):
        if shards := [s.shard for s in statuses if s.state == state]:
            click.echo(f"{state.capitalize()}: {','.join(shard.partition('/')[0] for shard in shards)}")
    if missing := [s.shard for s in statuses if s.state == "missing"]:
        click.echo(f"To continue, run: {shlex.join([*command, '--shard', missing[0]])}")
    elif is_complete:
        click.echo(f"To make a report, run: discoverybench report {shlex.quote(experiment.log_dir)}")


def print_outcomes(plan: ExperimentPlan, outcomes: Sequence[RunOutcome], *, as_json: bool) -> None:
    """Print the outcomes of runs, and what remains to be done.

    Args:
        plan: The experiment.
        outcomes: One outcome for each run that has a log.
        as_json: Print JSON, with null for unknown numbers.
    """
    if as_json:
        runs = [{**asdict(outcome), "bounds": outcome.bounds} for outcome in outcomes]
        click.echo(json.dumps({"name": plan.experiment.name, "runs": runs}, indent=2))
        return
    score = "HMS" if {outcome.metric for outcome in outcomes} <= {"hms", None} else "score"
    rows = [[o.task, o.solver, o.model, *_measured(o, score)] for o in outcomes]
    print_table(f"{plan.experiment.name}: logs in {plan.arguments['log_dir']}", NAMES, (score, *MEASURED), rows)
    click.echo(f"{sum(outcome.complete for outcome in outcomes)} of {len(plan.runs)} runs are complete.")
    if any(outcome.cost is None for outcome in outcomes):
        click.echo("? marks a run with a model that has no price. Add prices with --model-cost-config FILE.")
    for error in dict.fromkeys(outcome.error for outcome in outcomes if outcome.error):
        click.echo(f"Error: {error}")
    if len(outcomes) < len(plan.runs) or not all(outcome.complete for outcome in outcomes):
        click.echo("Repeat the command to complete the others.")
    if unscored := [outcome for outcome in outcomes if outcome.unscored]:
        click.echo(f"Unscored samples: {sum(outcome.unscored for outcome in unscored)}. To score them again, run:")
    for outcome in unscored:
        click.echo(f"  {outcome.score_command}")
        if outcome.bounds:
            low, high = outcome.bounds
            click.echo(f"  Until then, the score is {low:.3f} if they count as 0, and {high:.3f} if they count as 1.")
    # `eval_set` retries incomplete runs only. With `fail_on_error: false`, a run with errors is complete.
    if errored := [outcome for outcome in outcomes if outcome.complete and outcome.errors]:
        click.echo(f"Samples with an error: {sum(outcome.errors for outcome in errored)}. To run them again, run:")
    for outcome in errored:
        click.echo(f"  inspect eval-retry {shlex.quote(outcome.log)}")


def _measured(outcome: RunOutcome, score: str) -> list[str]:
    name = "" if score == "HMS" else f"{outcome.metric} "
    low, high = outcome.interval
    return [
        "–" if outcome.value is None else f"{name}{outcome.value:.3f}",
        "–" if low is None or high is None else f"{low:.3f} to {high:.3f}",
        *(f"{count:,}" for count in (outcome.scored, outcome.unscored, outcome.no_submission, outcome.errors)),
        _count(outcome.tokens),
        _dollars(outcome.cost),
    ]


def _title(experiment: Experiment) -> str:
    return f"{experiment.name}: logs in {experiment.log_dir}"


def _count(value: float | None) -> str:
    return "?" if value is None else f"{value:,.0f}"


def _dollars(value: float | None) -> str:
    return "?" if value is None else f"{value:,.2f}"
