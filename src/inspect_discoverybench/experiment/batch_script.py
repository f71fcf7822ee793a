"""A batch script for Slurm that runs an experiment in shards."""

import re
import shlex
from collections.abc import Sequence

from inspect_discoverybench.errors.exceptions import InvalidArgument


def batch_script(name: str, command: Sequence[str], count: int, sbatch: Sequence[str] = ()) -> str:
    """Write the batch script.

    Slurm's array indices run from 1 to N, as shards do. A task that is killed with its node is started again by Slurm
    and continues with the missing samples.

    Args:
        name: Name of the job.
        command: The words of the command that runs the experiment, without a shard.
        count: Number of shards.
        sbatch: Options of `sbatch` without their dashes, such as `time=02:00:00`.

    Raises:
        InvalidArgument: A value has a line break.
    """
    directives = [
        f"job-name={name}",
        f"array=1-{count}",
        "requeue",
        "open-mode=append",
        *sbatch,
    ]
    for value in (*directives, *command):
        if not value.isprintable():
            raise InvalidArgument(f"A batch script cannot have a line break in a value, got {value!r}.")

    lines = ["#!/bin/bash"]
    for directive in directives:
        # In directives, sbatch treats a backslash as an escape character even inside quotes.
        escaped = re.sub(r"([^\w@%+=:,./-])", r"\\\1", directive)
        lines.append(f"#SBATCH --{escaped}")
    shard = f'--shard "$SLURM_ARRAY_TASK_ID/{count}"'
    lines.append(f"exec {shlex.join(command)} {shard}")
    return "\n".join(lines)
