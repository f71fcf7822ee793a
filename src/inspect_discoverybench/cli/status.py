"""`discoverybench status`: how far an experiment is."""

import shlex

import click

from inspect_discoverybench.cli.experiment_options import ExperimentOptions, experiment_options
from inspect_discoverybench.cli.terminal import print_table, report_hint, say
from inspect_discoverybench.experiment.eval_set import build_eval_set
from inspect_discoverybench.experiment.progress import Progress, RunProgress, ShardState, read_progress


@click.command()
@experiment_options
def status(options: ExperimentOptions) -> None:
    """Print how many samples of each run are finished, unscored, in error and missing. Nothing is run.

    It also says whether a process is running the experiment, and of an experiment in shards, which shards are finished,
    running and missing.

    The exit code is 0 if all samples are finished, 1 if not, and 2 if the logs cannot be read or belong to another
    experiment.
    """
    with options.preparing():
        eval_set = build_eval_set(options.experiment_file())
        progress = read_progress(eval_set)
    print_table(
        f"{eval_set.experiment.name}: logs in {eval_set.log_dir}",
        ("task", "solver", "model"),
        ("samples", "finished", "unscored", "errors", "missing"),
        [_row(run) for run in progress.runs],
    )
    _print_shards(progress)
    if progress.is_running:
        say("A process is running it.")
    if progress.is_finished:
        say(report_hint(eval_set.log_dir))
        return
    command = _next_command(progress, options)
    if command is not None:
        say(f"To continue, run: {shlex.join(command)}")
    raise click.exceptions.Exit(1)


def _row(run: RunProgress) -> list[str]:
    numbers = (run.samples, run.finished, run.unscored, run.errors, run.missing)
    texts = [f"{number:,}" for number in numbers]
    return [*run.labels, *texts]


def _print_shards(progress: Progress) -> None:
    """Print the numbers of the shards in each state, as Slurm's `--array` takes them."""
    if not progress.shards:
        return
    for state in ShardState:
        numbers = [str(shard.number) for shard, shard_state in progress.shards.items() if shard_state is state]
        if numbers:
            listed = ",".join(numbers)
            say(f"Shards {state}: {listed} (of {len(progress.shards)})")


def _next_command(progress: Progress, options: ExperimentOptions) -> list[str] | None:
    """The command that continues the experiment, or its first missing shard if it is in shards.

    None if a process is running all that is missing. None, too, if all samples have ended without an error: the command
    does not score unscored samples again.
    """
    command = ["discoverybench", "run", *options.words]
    if progress.shards:
        missing = [shard for shard, state in progress.shards.items() if state is ShardState.MISSING]
        if not missing:
            return None
        return [*command, "--shard", str(missing[0])]

    if progress.is_running:
        return None
    if any(run.missing or run.errors for run in progress.runs):
        return command
    return None
