"""The tables that `discoverybench run` prints: the dry run, the state of shards, and the outcomes at the end."""

import json
import math
import shlex
from collections.abc import Sequence
from dataclasses import asdict

import click

from inspect_discoverybench.cli.number import plural
from inspect_discoverybench.cli.table import print_table
from inspect_discoverybench.experiment.experiment import Experiment
from inspect_discoverybench.experiment.forecast import Forecast
from inspect_discoverybench.experiment.outcome import RunOutcome
from inspect_discoverybench.experiment.run import ExperimentPlan
from inspect_discoverybench.experiment.shard_status import ShardStatus

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
    if as_json:
        runs = [
            {
                **{name: value and value.model_dump() for name, value in zip(NAMES, run.cell.components, strict=True)},
                **{name: None if math.isnan(value) else value for name, value in asdict(expected).items()},
            }
            for run, expected in zip(plan.runs, forecasts, strict=True)
        ]
        values = {"name": experiment.name, "log_dir": experiment.log_dir, "limits": limits, "runs": runs}
        click.echo(json.dumps(values, indent=2))
        return
    total = Forecast(*(sum(getattr(f, name) for f in forecasts) for name in Forecast.__dataclass_fields__))
    rows = [[*run.cell.labels, *_expected(f)] for run, f in zip(plan.runs, forecasts, strict=True)]
    sums = [plural(len(rows), "run"), "", "", *_expected(total)]
    title = f"{experiment.name}: logs in {experiment.log_dir}"
    print_table(title, NAMES, ("samples", "finished", "tokens", "US $"), rows, sums)
    click.echo(f"Limits: {', '.join(f'{name} {value}' for name, value in limits.items()) or 'those of the tasks'}.")
    if total.finished:
        click.echo("Tokens and cost are extrapolated from the finished samples in the log directory.")
    else:
        click.echo("No sample has finished, so tokens and cost are unknown. Run with --limit 3 first.")


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
    print_table(f"{experiment.name}: logs in {experiment.log_dir}", ("shard", "state"), COUNTS, rows, sums)
    for state in ("running", "missing"):
        if shards := [s.shard for s in statuses if s.state == state]:
            click.echo(f"{state.capitalize()}: {','.join(shard.partition('/')[0] for shard in shards)}")
    if missing := [s.shard for s in statuses if s.state == "missing"]:
        click.echo(f"To continue, run: {shlex.join([*command, '--shard', missing[0]])}")
    elif is_complete:
        click.echo(f"To make a report, run: discoverybench report {shlex.quote(experiment.log_dir)}")


def _expected(expected: Forecast) -> list[str]:
    use = ((expected.tokens, ",.0f"), (expected.cost, ",.2f"))
    return [f"{expected.samples:,}", f"{expected.finished:,}", *("?" if math.isnan(n) else f"{n:{f}}" for n, f in use)]


def print_outcomes(plan: ExperimentPlan, outcomes: Sequence[RunOutcome]) -> None:
    """Print the outcomes of runs, and what remains to be done.

    Args:
        plan: The experiment.
        outcomes: One outcome for each run that has a log.
    """
    experiment = plan.experiment
    metrics = {outcome.metric for outcome in outcomes} - {None}
    score = "HMS" if metrics <= {"hms"} else "score"
    rows = [[o.task, o.solver, o.model, _score(o, score), *_measured(o)] for o in outcomes]
    print_table(f"{experiment.name}: logs in {experiment.log_dir}", NAMES, (score, *MEASURED), rows)
    click.echo(f"{sum(outcome.complete for outcome in outcomes)} of {len(plan.runs)} runs are complete.")
    if any(math.isnan(outcome.cost) for outcome in outcomes):
        click.echo("? marks a run with a model that has no price. Add prices with --model-cost-config FILE.")
    for error in dict.fromkeys(outcome.error for outcome in outcomes if outcome.error):
        click.echo(f"Error: {error}")
    if len(outcomes) < len(plan.runs) or not all(outcome.complete for outcome in outcomes):
        click.echo("Repeat the command to complete the others.")
    unscored = [outcome for outcome in outcomes if outcome.unscored]
    if unscored:
        click.echo(f"Unscored samples: {sum(outcome.unscored for outcome in unscored)}. To score them again, run:")
    for outcome in unscored:
        click.echo(f"  {outcome.score_command}")
        if outcome.bounds:
            low, high = outcome.bounds
            click.echo(f"  Until then, the score is {low:.3f} if they count as 0, and {high:.3f} if they count as 1.")
    # `eval_set` retries incomplete runs only. With `fail_on_error: false`, a run with errors is complete.
    errored = [outcome for outcome in outcomes if outcome.complete and outcome.errors]
    if errored:
        click.echo(f"Samples with an error: {sum(outcome.errors for outcome in errored)}. To run them again, run:")
    for outcome in errored:
        click.echo(f"  inspect eval-retry {shlex.quote(outcome.log)}")


def _score(outcome: RunOutcome, header: str) -> str:
    if math.isnan(outcome.value):
        return "–"
    return f"{outcome.value:.3f}" if header == "HMS" else f"{outcome.metric} {outcome.value:.3f}"


def _measured(outcome: RunOutcome) -> list[str]:
    low, high = outcome.interval
    return [
        "–" if math.isnan(low) else f"{low:.3f} to {high:.3f}",
        f"{outcome.scored:,}",
        f"{outcome.unscored:,}",
        f"{outcome.no_submission:,}",
        f"{outcome.errors:,}",
        f"{outcome.tokens:,}",
        "?" if math.isnan(outcome.cost) else f"{outcome.cost:,.2f}",
    ]
