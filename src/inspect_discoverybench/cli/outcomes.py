"""The table of outcomes that `discoverybench run` prints at the end."""

import math
import shlex
from collections.abc import Sequence

import click

from inspect_discoverybench.cli.table import print_table
from inspect_discoverybench.experiment.outcome import RunOutcome
from inspect_discoverybench.experiment.run import ExperimentPlan

NAMES = ("task", "solver", "model")
MEASURED = ("95 % CI", "scored", "unscored", "no submission", "errors", "tokens", "US $")


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
