"""Options of `discoverybench run --print slurm`."""

import functools
from collections.abc import Callable
from typing import Any

import click

from inspect_discoverybench.experiment.slurm import SlurmOptions


def slurm_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of the Slurm script to a command, which receives them as `slurm`."""

    @click.option("--partition", metavar="NAME", help="For --print slurm: the partition.")
    @click.option("--time", metavar="TIME", help="For --print slurm: time limit of a shard, such as 02:00:00.")
    @click.option("--mem", metavar="SIZE", help="For --print slurm: memory of a shard, such as 8G.")
    @click.option(
        "--container",
        default="",
        metavar="COMMAND",
        help="For --print slurm: run inside a container, such as 'apptainer exec eval.sif'.",
    )
    @click.option(
        "--sbatch",
        "others",
        multiple=True,
        metavar="OPTION",
        help="For --print slurm: another option of sbatch, such as account=lab. Can be repeated.",
    )
    @functools.wraps(command)
    def with_slurm(
        *args: Any,
        partition: str | None,
        time: str | None,
        mem: str | None,
        container: str,
        others: tuple[str, ...],
        **options: Any,
    ) -> None:
        command(*args, slurm=SlurmOptions(partition, time, mem, container, others), **options)

    return with_slurm
