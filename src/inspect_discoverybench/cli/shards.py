"""`discoverybench run --shards N --status`: which shards are finished, running or missing."""

import json
import shlex
from collections.abc import Sequence

import click

from inspect_discoverybench.cli.table import print_table
from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.experiment.shard import Shard
from inspect_discoverybench.experiment.shard_state import Progress, ShardState
from inspect_discoverybench.experiment.slurm import SlurmOptions

COUNTS = ("samples", "finished", "missing", "errors", "unscored")


def refuse_combinations(shard: Shard | None, shards: int | None, modes: Sequence[str], slurm: SlurmOptions) -> None:
    """Check that options are given only in combinations that work together.

    Args:
        shard: Value of `--shard`.
        shards: Value of `--shards`.
        modes: Options that print something instead of running.
        slurm: Options of the Slurm script.

    Raises:
        InvalidArgument: An option requires another one, or two options exclude each other.
    """
    needing = [mode for mode in modes if mode in ("--status", "--print slurm")]
    if shard is not None and (shards is not None or modes):
        raise InvalidArgument(f"--shard {shard} runs a shard. Omit {modes[0] if modes else '--shards'}, or --shard.")
    if needing and shards is None:
        raise InvalidArgument(f"{needing[0]} requires the number of shards. Add --shards N.")
    if shards is not None and (not needing or len(modes) > 1):
        raise InvalidArgument(
            f"--shards {shards} requires either --status or --print slurm. To run a shard, use --shard K/{shards}."
        )
    if slurm != SlurmOptions() and "--print slurm" not in modes:
        raise InvalidArgument("--partition, --time, --mem, --container and --sbatch require --print slurm.")


def print_states(name: str, log_dir: str, states: Sequence[ShardState], command: Sequence[str]) -> None:
    """Print a table of shards, and how to start those that are missing.

    Args:
        name: Name of the experiment.
        log_dir: Its log directory.
        states: The state of every shard.
        command: The command that runs the experiment, without a shard.
    """
    rows = [[str(state.shard), state.progress.value, *_counts(state)] for state in states]
    sums = ["all", "", *(f"{sum(getattr(state, count) for state in states):,}" for count in COUNTS)]
    print_table(f"{name}: logs in {log_dir}", ("shard", "state"), COUNTS, rows, sums)
    numbers = {
        progress: [str(state.shard.number) for state in states if state.progress is progress] for progress in Progress
    }
    for progress in (Progress.RUNNING, Progress.MISSING):
        if numbers[progress]:
            click.echo(f"{progress.capitalize()}: {','.join(numbers[progress])}")
    if missing := numbers[Progress.MISSING]:
        click.echo(f"To continue, run: {shlex.join([*command, '--shard', f'{missing[0]}/{len(states)}'])}")
    elif is_complete(states):
        click.echo(f"To make a report, run: discoverybench report {shlex.quote(log_dir)}")


def states_as_json(name: str, log_dir: str, states: Sequence[ShardState]) -> str:
    """The same as JSON."""
    shards = [
        {
            "shard": str(state.shard),
            "state": state.progress.value,
            **{count: getattr(state, count) for count in COUNTS},
        }
        for state in states
    ]
    return json.dumps({"name": name, "log_dir": log_dir, "complete": is_complete(states), "shards": shards}, indent=2)


def is_complete(states: Sequence[ShardState]) -> bool:
    """Whether every shard is finished, and every sample has a score."""
    return all(state.progress is Progress.FINISHED and not state.errors and not state.unscored for state in states)


def _counts(state: ShardState) -> list[str]:
    return [f"{getattr(state, count):,}" for count in COUNTS]
