"""`discoverybench try`: a short trial of a model and a judge, before money is spent."""

from shlex import quote
from typing import Any

import click

from inspect_discoverybench.cli.eval_options import model_options, require_judge, require_model
from inspect_discoverybench.cli.terminal import print_table, say, waiting
from inspect_discoverybench.cli.termination import interrupt_on_termination
from inspect_discoverybench.doctor.trial import SEED, Trial
from inspect_discoverybench.session.tool import PASS_ACTIONS_TEXT
from inspect_discoverybench.solvers.step import ACTION_FORMS

ADVICE = {
    "calls": "The model acts by calls, the default of all agents.",
    "text": f"The model acts in text: {PASS_ACTIONS_TEXT}.",
    None: "The model ran no code. Try -M emulate_tools=true, the other form, or another model.",
}
"""What to do next, by the form in which code ran; None if no code ran."""


@click.command("try")
@click.option("--model", required=True, help="The evaluated model: PROVIDER/MODEL.")
@click.option(
    "--judge",
    help="The judge: PROVIDER/MODEL; -M and --model-base-url do not apply to it. [default: an offline one, and no "
    "audit]",
)
@click.option(
    "--actions", type=click.Choice(ACTION_FORMS), help="The form in which the model acts. [default: try both]"
)
@model_options
@click.option("--log-dir", default="logs-try", show_default=True, help="Folder of the logs.")
def try_model(judge: str | None, actions: str | None, **options: Any) -> None:
    """Try a model with every agent, and a judge, on a few random samples.

    It shows whether the model acts by calls or in text and submits, and whether the judge replies in the right form.
    Three demo samples are run with each agent, two of DB-REAL train, and 15 of the judge audit. The model's code runs
    in Docker. Where no Docker engine responds, that of demo samples runs on this machine, and DB-REAL is left out.

    The exit code is 0 if the model acts, 1 if it does not or if anything ended with an error, and 2 for invalid
    options.
    """
    with waiting("Loading Inspect with its plugins"):
        require_model(f"{options['model']} cannot be tried", options["model"], options)
        if judge:
            require_judge(judge, "--judge")
    forms = [actions] if actions else ACTION_FORMS
    trial = Trial(options, judge or "discoverybench/lexical", waiting)
    try:
        with interrupt_on_termination():
            trial.try_agents(forms)
            if judge:
                trial.try_judge()
            else:
                trial.notes.append("Left out: the judge audit. Name a judge with --judge PROVIDER/MODEL.")
    except KeyboardInterrupt:
        trial.errors.add("Interrupted. The rest was not tried.")

    _print(trial)
    if trial.errors or trial.best_form is None:
        raise click.exceptions.Exit(1)


def _print(trial: Trial) -> None:
    rows = []
    for agent in trial.agents:
        numbers = [f"{number:,}" for number in agent.numbers.values()]
        rows.append([agent.task, agent.agent, agent.form, *numbers])

    if trial.agents:  # none if the trial was interrupted while the first agent was tried
        title = f"{trial.options['model']}: random samples (seed {SEED})"
        print_table(title, ("task", "agent", "actions"), list(trial.agents[0].numbers), rows)
    for note in trial.notes:
        say(note)
    for error in sorted(trial.errors):
        say(f"Error: {error}")

    # If no code ran and there were errors, they may be the reason, so nothing is said about the model.
    is_unknown = trial.best_form is None and trial.errors
    if not is_unknown:
        say(ADVICE[trial.best_form])
    log_dir = trial.options["log_dir"]
    say(f"Logs: {log_dir}. To read them, run: inspect view --log-dir {quote(log_dir)}")
