"""The table at the end of a run: the outcome of each run, and what remains to be done."""

import shlex

from inspect_discoverybench.cli.terminal import MISSING_NOTE, mean_text, print_table, say
from inspect_discoverybench.experiment.execution import ExperimentResult
from inspect_discoverybench.results.log_files import retry_command
from inspect_discoverybench.results.run_outcome import RunOutcome
from inspect_discoverybench.scorer.judge_record import OFFLINE_NOTE, is_offline
from inspect_discoverybench.session.tool import CALLS_AS_TEXT


def print_outcomes(result: ExperimentResult) -> None:
    """Print the outcomes of runs that have a log."""
    print_table(
        f"{result.eval_set.experiment.name}: logs in {result.eval_set.log_dir}",
        ("task", "solver", "model"),
        (
            "score\n(0 to 1)",
            "95 % CI on\nthese tasks",
            "scored",
            "unscored",
            "no submission",
            "errors",
            "tokens",
            "US $",
        ),
        [_row(outcome) for outcome in result.outcomes],
    )
    if any(outcome.score and outcome.samples.missing for outcome in result.outcomes):
        say(MISSING_NOTE)
    _print_tasks(result)
    _print_meaning(result)
    _print_state(result)
    for outcome in result.outcomes:
        _print_remedy_for_calls_as_text(outcome)
        _print_repairs(outcome)


def _row(outcome: RunOutcome) -> list[str]:
    value = interval = "–"
    if outcome.score is not None:
        mean = mean_text(outcome.score.value, outcome.samples.missing)
        value = f"{outcome.score.name} {mean}"
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
        f"{outcome.tokens:,}",
        "?" if outcome.cost is None else f"{outcome.cost:,.2f}",
    ]


def _print_tasks(result: ExperimentResult) -> None:
    """Print how many discovery tasks each run covers, such as `discoverybench/demo: 2 of 8 tasks (…)`.

    Equal lines, such as those of two agents on the same tasks, are printed once.
    """
    lines = [f"{outcome.labels.task}: {outcome.tasks}" for outcome in result.outcomes]
    for line in dict.fromkeys(lines):
        say(line)


def _print_meaning(result: ExperimentResult) -> None:
    """Print what the scores mean.

    Scores that an offline judge gave are no result. Scores that a language model gave should be compared with the
    scores of `goal_echo`.
    """
    if not any(outcome.has_hms for outcome in result.outcomes):
        return
    judges = sorted(result.eval_set.judges)
    offline_judges = [judge for judge in judges if is_offline(judge)]
    for judge in offline_judges:
        say(f"The judge {judge} {OFFLINE_NOTE}")

    has_model_as_judge = len(offline_judges) < len(judges)
    has_goal_echo = any("goal_echo" in outcome.labels.solver for outcome in result.outcomes)
    if has_model_as_judge and not has_goal_echo:
        say(
            "An answer that only restates the goal scores more than 0. To see how much more your agents score, add the "
            "solver discoverybench/goal_echo: the report shows the difference."
        )


def _print_state(result: ExperimentResult) -> None:
    """Print how many runs are complete, and why others are not."""
    complete = sum(outcome.complete for outcome in result.outcomes)
    runs = len(result.eval_set.runs)
    say(f"{complete} of {runs} runs are complete.")
    if any(outcome.cost is None for outcome in result.outcomes):
        say(
            "? marks a run in which a model had no price. Prices apply to samples that run from now on: "
            "--set options.model_cost_config=FILE."
        )
    errors = [outcome.error for outcome in result.outcomes if outcome.error]
    for error in dict.fromkeys(errors):
        say(f"Error: {error}")
    if complete < runs:
        say("Repeat the command to complete the others.")


def _print_remedy_for_calls_as_text(outcome: RunOutcome) -> None:
    """Print what to do about a model that wrote its calls as text."""
    samples = outcome.samples
    if samples.calls_as_text:
        finished = samples.scored + samples.unscored
        agent = f"{outcome.labels.solver} with {outcome.labels.model}"
        say(f"{agent}: {samples.calls_as_text} of {finished} {CALLS_AS_TEXT}")


def _print_repairs(outcome: RunOutcome) -> None:
    """Print the commands for samples of a run that are unscored or have an error."""
    unscored = outcome.samples.unscored
    if unscored:
        command = f"inspect score {shlex.quote(outcome.log)} --action overwrite --overwrite"
        say(f"Unscored samples: {unscored}. To score them again, run:\n  {command}")
    # With `fail_on_error: false`, a run with errors is complete. Repeating the experiment would not run these samples
    # again, because `eval_set` retries incomplete runs only.
    errors = outcome.samples.errors
    if not (outcome.complete and errors):
        return
    if outcome.is_shard:
        # Inspect would create the task again, and run its samples of all shards.
        say(
            f"Samples with an error: {errors}. To run all samples of their log again, repeat the command after you "
            f"delete the log:\n  {outcome.log}"
        )
    else:
        say(f"Samples with an error: {errors}. To run them again, run:\n  {retry_command(outcome.log)}")
