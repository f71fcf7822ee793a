"""Export of an experiment as a batch script for Slurm: an array job with one task for each shard."""

import re
import shlex
from collections.abc import Sequence

from inspect_discoverybench.errors import InvalidArgument


def array_script(
    name: str,
    command: Sequence[str],
    count: int,
    container: str | None = None,
    sbatch: Sequence[str] = (),
    **options: str | None,
) -> str:
    """Write the batch script.

    Slurm's array indices run from 1 to N, as shards do. A task that is killed with its node is started again by Slurm
    and continues with the missing samples.

    The arguments are those of `discoverybench run --print slurm`; `command` is without a shard. Other options are those
    of sbatch by name, such as `time`; None for the cluster's default.

    Raises:
        InvalidArgument: A value has a line break, or the container command has unbalanced quotes.
    """
    given = [f"{key}={value}" for key, value in options.items() if value is not None]
    directives = [f"job-name={name}", f"array=1-{count}", "requeue", "open-mode=append", *given, *sbatch]
    try:
        words = [*shlex.split(container or ""), *command]
    except ValueError as error:
        raise InvalidArgument(f"--container has unbalanced quotes, got {container}.") from error
    for value in (*directives, *words):
        if "\n" in value or "\r" in value:
            raise InvalidArgument(f"A batch script cannot have a line break in a value, got {value!r}.")
    lines = [f"#SBATCH --{_directive(directive)}" for directive in directives]
    return "\n".join(["#!/bin/bash", *lines, f'exec {shlex.join(words)} --shard "$SLURM_ARRAY_TASK_ID/{count}"', ""])


def _directive(directive: str) -> str:
    name, equals, value = directive.partition("=")
    # In directives, sbatch treats a backslash as an escape character even inside quotes.
    return name + equals + re.sub(r"([^\w@%+=:,./-])", r"\\\1", value)
