"""`discoverybench status`: which shards of an experiment are finished, running or missing."""

import shlex
from collections.abc import Sequence

import click

from inspect_discoverybench.cli.experiment_options import ExperimentOptions, experiment_options
from inspect_discoverybench.cli.terminal import print_table, report_hint, say
from inspect_discoverybench.experiment.eval_set import build_eval_set
from inspect_discoverybench.experiment.resumption import require_all_samples_kept
from inspect_discoverybench.experiment.shard import MAX_SHARDS, Shard, shard_dry_runs
from inspect_discoverybench.experiment.shard_status import shard_status


@click.command()
@experiment_options
@click.option("--shards", required=True, type=click.IntRange(1, MAX_SHARDS), help="Number of shards.")
def status(options: ExperimentOptions, shards: int) -> None:
    """Print which shards of an experiment are finished, running or missing.

    The exit code is 0 if all shards are finished, 1 if not, and 2 if the state cannot be read.
    """
    eval_set = build_eval_set(options.experiment_file())
    experiment = eval_set.experiment
    dry_runs = shard_dry_runs(eval_set.dry_run(), shards)
    require_all_samples_kept(eval_set, dry_runs)

    rows = []
    missing = []
    is_complete = True
    for shard, dry_run in dry_runs.items():
        log_dir = Shard.parse(shard).log_dir(experiment.log_dir)
        state = shard_status(log_dir, dry_run)
        rows.append([shard, state.name, str(state.samples), str(state.finished)])
        if state.name == "missing":
            missing.append(shard)
        if state.name != "finished":
            is_complete = False
    title = f"{experiment.name}: logs in {experiment.log_dir}"
    print_table(title, ("shard", "state"), ("samples", "finished"), rows)

    if missing:
        _print_missing(missing, options)
    if not is_complete:
        raise click.exceptions.Exit(1)
    say(report_hint(experiment.log_dir))


def _print_missing(shards: Sequence[str], options: ExperimentOptions) -> None:
    """Print the numbers of the shards that are missing, as Slurm reads them, and how to run one."""
    numbers = [shard.partition("/")[0] for shard in shards]
    command = ["discoverybench", "run", *options.words, "--shard", shards[0]]
    say(f"Missing: {','.join(numbers)}")
    say(f"To continue, run: {shlex.join(command)}")
