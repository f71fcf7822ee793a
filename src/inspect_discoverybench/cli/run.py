"""`discoverybench run`: an experiment from a YAML file."""

import asyncio
import shlex

import click

from inspect_discoverybench.cli.experiment_options import ExperimentOptions, experiment_options
from inspect_discoverybench.cli.outcome_table import print_outcomes
from inspect_discoverybench.cli.terminal import plural, print_table, report_hint, say
from inspect_discoverybench.cli.termination import interrupt_on_termination
from inspect_discoverybench.doctor.connection import connection_problem
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.experiment.continuation import require_continuation
from inspect_discoverybench.experiment.eval_set import EvalSet, build_eval_set
from inspect_discoverybench.experiment.execution import execute
from inspect_discoverybench.experiment.shard import Shard
from inspect_discoverybench.results.run_log import read_run_logs

CTRL_C = 130
"""Exit code after Ctrl-C: 128 and the number of the signal, as of Inspect and of shells."""

INTERRUPTIONS = (KeyboardInterrupt, asyncio.CancelledError)
"""What Ctrl-C and other signals raise. In Inspect's full-screen display, SIGTERM raises `CancelledError`."""


@click.command()
@experiment_options
@click.option("--dry-run", is_flag=True, help="Print the runs with their samples and limits, then exit.")
@click.option("--shard", "shard_text", metavar="K/N", help="Run the K-th of N equal parts of the samples; K is 1 to N.")
def run(options: ExperimentOptions, dry_run: bool, shard_text: str | None) -> None:
    """Run an experiment: every task × solver × model of FILE. Repeat the command to resume.

    FILE is a path, or the name of a shipped experiment, such as demo or fig4_real.

    The exit code is 0 if all runs are complete, 1 if a run is incomplete or a sample is unscored or has an error,
    2 if the experiment cannot be run, and 130 after Ctrl-C.
    """
    shard = None if shard_text is None else Shard.parse(shard_text)
    if dry_run:
        if shard is not None:
            raise InvalidArgument(f"--dry-run shows the whole experiment. Omit --shard {shard}.")
        _dry_run(options)
        return

    with interrupt_on_termination() as signals:
        try:
            with options.preparing():
                eval_set = build_eval_set(options.experiment_file())
            _warn_of_servers(eval_set)
            result = execute(eval_set, shard)
        except INTERRUPTIONS as error:
            say("Interrupted. Finished samples are kept. Repeat the command to continue.", err=True)
            # After SIGTERM or SIGHUP, the exit code is that of an incomplete run.
            raise click.exceptions.Exit(1 if signals else CTRL_C) from error

    print_outcomes(result)
    if shard is not None:
        command = shlex.join(["discoverybench", "status", *options.words])
        say(f"To see all shards, run: {command}")
    elif any(outcome.has_hms for outcome in result.outcomes):
        say(report_hint(result.eval_set.log_dir))

    has_missing_scores = any(outcome.samples.missing for outcome in result.outcomes)
    if has_missing_scores or not result.is_complete:
        raise click.exceptions.Exit(1)


def _warn_of_servers(eval_set: EvalSet) -> None:
    """Print which servers of models cannot be reached. A server may still be starting, so nothing is refused."""
    problems = [connection_problem(model) for model in eval_set.models]
    for problem in dict.fromkeys(problems):
        if problem is not None:
            say(f"Warning: {problem} Until it responds, Inspect repeats requests, for up to an hour.", err=True)


def _dry_run(options: ExperimentOptions) -> None:
    """Print the runs with their numbers of samples, in all epochs, and the limits.

    What a run without shards would refuse is refused here, too, except a log directory that another run uses.
    """
    with options.preparing():
        eval_set = build_eval_set(options.experiment_file())
        require_continuation(eval_set, read_run_logs(eval_set.log_dir), shard=None)
        eval_set.check()
    _warn_of_servers(eval_set)

    sizes = [len(run.sample_keys) for run in eval_set.runs]
    rows = [[*run.labels, f"{size:,}"] for run, size in zip(eval_set.runs, sizes, strict=True)]
    experiment = eval_set.experiment
    print_table(
        f"{experiment.name}: logs in {eval_set.log_dir}",
        ("task", "solver", "model"),
        ("samples",),
        rows,
    )
    say(f"{plural(len(sizes), 'run')}, {sum(sizes):,} samples.")

    limits = experiment.limits.model_dump(exclude_none=True)
    listed = ", ".join(f"{name} {value}" for name, value in limits.items())
    say(f"Limits: {listed or 'those of the tasks'}.")
