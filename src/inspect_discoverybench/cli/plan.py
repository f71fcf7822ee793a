"""`discoverybench plan`: an experiment as commands or as a batch script."""

import click

from inspect_discoverybench.cli.experiment_options import ExperimentOptions, experiment_options
from inspect_discoverybench.cli.terminal import say
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.experiment.batch_script import batch_script
from inspect_discoverybench.experiment.eval_set import build_eval_set
from inspect_discoverybench.experiment.shard import MAX_SHARDS
from inspect_discoverybench.experiment.shell_command import shell_command


@click.command()
@experiment_options
@click.option(
    "--print",
    "form",
    type=click.Choice(["commands", "slurm"]),
    default="commands",
    show_default=True,
    help="One `inspect eval` command for each run, or a batch script for Slurm that runs the experiment in shards.",
)
@click.option("--shards", type=click.IntRange(1, MAX_SHARDS), help="For slurm: the number of shards.")
@click.option("--sbatch", multiple=True, metavar="NAME=VALUE", help="For slurm: an option of sbatch, such as mem=8G.")
def plan(options: ExperimentOptions, form: str, shards: int | None, sbatch: tuple[str, ...]) -> None:
    """Check an experiment and print what would run it. Nothing is run."""
    if form == "commands" and (shards is not None or sbatch):
        raise InvalidArgument("--shards and --sbatch are for --print slurm. Add it, or omit them.")
    if form == "slurm" and shards is None:
        raise InvalidArgument("--print slurm needs the number of shards. Add --shards N.")
    options.refuse_secrets()

    eval_set = build_eval_set(options.experiment_file())
    eval_set.dry_run()
    if shards is None:
        for cell in eval_set.cells:
            say(shell_command(eval_set.experiment, cell))
        return
    command = ["discoverybench", "run", *options.words]
    script = batch_script(eval_set.experiment.name, command, shards, sbatch)
    say(script)
