"""`discoverybench run`: an experiment from a YAML file."""

import shlex
import sys
from contextlib import nullcontext, redirect_stdout

import click

from inspect_discoverybench.cli.experiment_options import ExperimentOptions, experiment_options
from inspect_discoverybench.cli.forecast_table import print_forecasts
from inspect_discoverybench.cli.outcome_table import print_outcomes
from inspect_discoverybench.cli.terminal import interrupt_on_termination, say
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.experiment.eval_set import build_eval_set
from inspect_discoverybench.experiment.execution import ExperimentResult, execute
from inspect_discoverybench.experiment.experiment_file import ExperimentFile
from inspect_discoverybench.experiment.forecast import forecast_runs
from inspect_discoverybench.experiment.resumption import WHOLE, require_all_samples_kept
from inspect_discoverybench.experiment.shard import Shard
from inspect_discoverybench.results.log_files import read_summaries
from inspect_discoverybench.submission.submission import SCORE_NAME


@click.command()
@experiment_options
@click.option("--dry-run", is_flag=True, help="Print the runs with samples, limits and expected use, then exit.")
@click.option("--shard", "shard_text", metavar="K/N", help="Run the K-th of N equal parts of the samples; K is 1 to N.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def run(options: ExperimentOptions, dry_run: bool, shard_text: str | None, as_json: bool) -> None:
    """Run an experiment: every task × solver × model of FILE. Repeat the command to resume.

    FILE is a path, or the name of a shipped experiment, such as demo or fig4_real.

    The exit code is 0 if all runs are complete, 1 if a run is incomplete or a sample is unscored or has an error,
    and 2 if the experiment cannot be run.
    """
    file = options.experiment_file()
    shard = None if shard_text is None else Shard.parse(shard_text)
    if dry_run:
        if shard is not None:
            raise InvalidArgument(f"--dry-run shows the whole experiment. Omit --shard {shard}.")
        _dry_run(file, as_json)
        return

    # Keep Inspect's progress out of the JSON on standard output.
    progress = redirect_stdout(sys.stderr) if as_json else nullcontext()
    try:
        with interrupt_on_termination(), progress:
            result = execute(file, shard)
    except KeyboardInterrupt as error:
        say("Interrupted. Finished samples are in the logs. Repeat the command to continue.", err=True)
        raise click.exceptions.Exit(1) from error

    print_outcomes(result, as_json=as_json)
    if not as_json:
        _print_next_command(result, options, shard)
    if not result.is_complete or any(run.samples.unscored or run.samples.errors for run in result.outcomes):
        raise click.exceptions.Exit(1)


def _dry_run(file: ExperimentFile, as_json: bool) -> None:
    eval_set = build_eval_set(file)
    logs = eval_set.dry_run()
    require_all_samples_kept(eval_set, {WHOLE: logs})
    forecasts = forecast_runs(logs, read_summaries(eval_set.experiment.log_dir))
    print_forecasts(eval_set, forecasts, as_json=as_json)


def _print_next_command(result: ExperimentResult, options: ExperimentOptions, shard: Shard | None) -> None:
    if shard is not None:
        command = ["discoverybench", "status", *options.words, "--shards", str(shard.count)]
        say(f"To see all shards, run: {shlex.join(command)}")
    elif any(run.score is not None and run.score.metric == SCORE_NAME for run in result.outcomes):
        log_dir = result.eval_set.experiment.log_dir
        say(f"To make a report, run: discoverybench report {shlex.quote(log_dir)}")
