"""The table at the end of a run: the outcome of each run, and what remains to be done."""

import json
import shlex
from dataclasses import asdict

from inspect_discoverybench.cli.terminal import number_or_unknown, print_table, say
from inspect_discoverybench.experiment.execution import ExperimentResult
from inspect_discoverybench.experiment.outcome import RunOutcome
from inspect_discoverybench.submission.submission import SCORE_NAME


def print_outcomes(result: ExperimentResult, *, as_json: bool) -> None:
    """Print the outcomes of runs that have a log. JSON has null for unknown numbers."""
    name = result.eval_set.experiment.name
    if as_json:
        runs = [asdict(outcome) for outcome in result.outcomes]
        say(json.dumps({"name": name, "runs": runs}, indent=2))
        return

    metrics = {outcome.score.metric for outcome in result.outcomes if outcome.score}
    score_header = "score" if metrics - {SCORE_NAME} else SCORE_NAME
    print_table(
        f"{name}: logs in {result.eval_set.arguments['log_dir']}",
        ("task", "solver", "model"),
        (score_header, "95 % CI on\nthese tasks", "scored", "unscored", "no submission", "errors", "tokens", "US $"),
        [_row(outcome, score_header) for outcome in result.outcomes],
    )
    _print_state(result)
    for outcome in result.outcomes:
        _print_calls_as_text(outcome)
        _print_repairs(outcome)


def _row(outcome: RunOutcome, score_header: str) -> list[str]:
    value = interval = "–"
    if outcome.score is not None:
        metric = "" if score_header == SCORE_NAME else f"{outcome.score.metric} "
        value = f"{metric}{outcome.score.value:.3f}"
        if outcome.score.interval is not None:
            low, high = outcome.score.interval
            interval = f"{low:.3f} to {high:.3f}"
    samples = outcome.samples
    return [
        *outcome.labels,
        value,
        interval,
        f"{samples.scored:,}",
        f"{samples.unscored:,}",
        f"{samples.no_submission:,}",
        f"{samples.errors:,}",
        number_or_unknown(outcome.tokens),
        number_or_unknown(outcome.cost, decimals=2),
    ]


def _print_state(result: ExperimentResult) -> None:
    """Print how many runs are complete, and why others are not."""
    complete = sum(outcome.complete for outcome in result.outcomes)
    runs = len(result.eval_set.tasks)
    say(f"{complete} of {runs} runs are complete.")
    if any(outcome.cost is None for outcome in result.outcomes):
        say("? marks a run with a model that has no price. Add prices with --model-cost-config FILE.")
    errors = [outcome.error for outcome in result.outcomes if outcome.error]
    for error in dict.fromkeys(errors):
        say(f"Error: {error}")
    if complete < runs:
        say("Repeat the command to complete the others.")


def _print_calls_as_text(outcome: RunOutcome) -> None:
    """Print how to let a model act that wrote its calls as text."""
    marked = outcome.samples.calls_as_text
    if marked:
        finished = outcome.samples.scored + outcome.samples.unscored
        run = f"{outcome.solver} with {outcome.model}"
        remedy = "try `-S actions=text` or `-M emulate_tools=true`"
        say(f"{run}: {marked} of {finished} samples wrote their calls as text: {remedy}.")


def _print_repairs(outcome: RunOutcome) -> None:
    """Print the commands for samples of a run that are unscored or have an error."""
    unscored = outcome.samples.unscored
    if unscored:
        say(f"Unscored samples: {unscored}. To score them again, run:\n  {outcome.score_command}")
    if outcome.score and outcome.score.bounds:
        low, high = outcome.score.bounds
        say(f"  Until then, the score is {low:.3f} if they count as 0, and {high:.3f} if they count as 1.")
    # `eval_set` retries incomplete runs only. With `fail_on_error: false`, a run with errors is complete.
    errors = outcome.samples.errors
    if outcome.complete and errors:
        command = f"inspect eval-retry {shlex.quote(outcome.log)}"
        say(f"Samples with an error: {errors}. To run them again, run:\n  {command}")
