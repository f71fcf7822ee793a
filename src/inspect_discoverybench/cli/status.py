"""`discoverybench status`: which shards of an experiment are finished, running or missing."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict

import click

from inspect_discoverybench.cli.experiment_options import ExperimentOptions, experiment_options
from inspect_discoverybench.cli.terminal import print_table, say
from inspect_discoverybench.experiment.eval_set import build_eval_set
from inspect_discoverybench.experiment.resumption import require_all_samples_kept
from inspect_discoverybench.experiment.shard import MAX_SHARDS, Shard, shard_dry_runs
from inspect_discoverybench.experiment.shard_status import ShardStatus, shard_status


@click.command()
@experiment_options
@click.option("--shards", required=True, type=click.IntRange(1, MAX_SHARDS), help="Number of shards.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def status(options: ExperimentOptions, shards: int, as_json: bool) -> None:
    """Print which shards of an experiment are finished, running or missing.

    The exit code is 0 if all shards are finished, 1 if not, and 2 if the state cannot be read.
    """
    eval_set = build_eval_set(options.experiment_file())
    experiment = eval_set.experiment
    dry_runs = shard_dry_runs(eval_set.dry_run(), shards)
    require_all_samples_kept(eval_set, dry_runs)

    statuses = []
    for shard, dry_run in dry_runs.items():
        log_dir = Shard.parse(shard).log_dir(experiment.log_dir)
        statuses.append(shard_status(shard, log_dir, dry_run))
    is_complete = all(shard.state == "finished" for shard in statuses)

    if as_json:
        entries = [asdict(shard) for shard in statuses]
        values = {
            "name": experiment.name,
            "log_dir": experiment.log_dir,
            "complete": is_complete,
            "shards": entries,
        }
        say(json.dumps(values, indent=2))
    else:
        title = f"{experiment.name}: logs in {experiment.log_dir}"
        rows = []
        for shard_state in statuses:
            samples = str(shard_state.samples)
            finished = str(shard_state.finished)
            rows.append([shard_state.shard, shard_state.state, samples, finished])
        print_table(title, ("shard", "state"), ("samples", "finished"), rows)
        _print_next_command(statuses, options, experiment.log_dir)
    if not is_complete:
        raise click.exceptions.Exit(1)


def _print_next_command(statuses: Sequence[ShardStatus], options: ExperimentOptions, log_dir: str) -> None:
    """Print the numbers of the shards that are missing, as Slurm reads them, and what to do next."""
    missing = [shard.shard for shard in statuses if shard.state == "missing"]
    if missing:
        numbers = [shard.partition("/")[0] for shard in missing]
        command = ["discoverybench", "run", *options.words, "--shard", missing[0]]
        say(f"Missing: {','.join(numbers)}")
        say(f"To continue, run: {shlex.join(command)}")
    elif all(shard.state == "finished" for shard in statuses):
        say(f"To make a report, run: discoverybench report {shlex.quote(log_dir)}")
