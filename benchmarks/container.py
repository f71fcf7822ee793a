"""Start and end of a Docker sample, beside an empty container with and without the same files."""

import argparse
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from statistics import median

from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import ComposeConfig, SandboxEnvironmentSpec
from measure import own_folders, require_engine, show

from inspect_discoverybench import demo
from inspect_discoverybench.dataset import splits
from inspect_discoverybench.dataset.samples import Hints

ROUNDS = 4
SAMPLES = 4
"""Samples of a round. The time between two of them is the end of the one and the start of the other."""
TARGET = 1.25
"""Times the empty container with the same files."""
EMPTY = {
    "services": {
        "default": {
            "image": "python:3.13-slim-trixie",
            "command": "tail -f /dev/null",
            "init": True,
            "network_mode": "none",
            "stop_grace_period": "1s",
            "working_dir": "/tmp",
        }
    }
}
"""What Inspect writes by itself, with the base image of ours."""


@solver
def note_time(times: list[float]) -> Solver:
    """Do nothing but note when the sample runs."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        times.append(time.perf_counter())
        return state

    return solve


def empty(files: bool) -> Task:
    """The samples of the demo in an empty container, with or without their data files."""
    samples = splits.demo(Hints())[:SAMPLES]
    bare = [sample.model_copy(update={"files": sample.files if files else None}) for sample in samples]
    return Task(dataset=bare, sandbox=SandboxEnvironmentSpec("docker", ComposeConfig.model_validate(EMPTY)))


def ours() -> Task:
    """The demo in Docker: hardened container, data files, verification."""
    task = demo(sandbox="docker")
    return task_with(task, dataset=MemoryDataset(list(task.dataset)[:SAMPLES]), scorer=[])


FLOOR = "an empty container, the same files by Inspect"
TASKS: dict[str, Callable[[], Task]] = {
    "an empty container": lambda: empty(files=False),
    FLOOR: lambda: empty(files=True),
    "a sample of ours": ours,
}


def seconds(task: Task) -> list[float]:
    """Seconds between consecutive samples."""
    times: list[float] = []
    [log] = inspect_eval(task, model="mockllm/model", solver=note_time(times), max_samples=1)
    if log.status != "success":
        sys.exit(f"The eval ended with {log.status}: {log.error and log.error.message}")
    return [later - earlier for earlier, later in pairwise(times)]


def main() -> None:
    """Measure in alternating rounds and print."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    require_engine()
    seconds_by_task: dict[str, list[float]] = {name: [] for name in TASKS}
    with own_folders():
        for _ in range(ROUNDS):
            for name, make in TASKS.items():
                seconds_by_task[name] += seconds(make())
    floor = median(seconds_by_task[FLOOR])
    show(
        "Start and end of a Docker sample, one after the other",
        ("what", "ratio", "target", "median s", "samples"),
        [
            (name, f"{median(v) / floor:.2f}", f"{TARGET}" if "ours" in name else "", f"{median(v):.2f}", str(len(v)))
            for name, v in seconds_by_task.items()
        ],
        f"{ROUNDS} alternating rounds of {SAMPLES} samples. The image exists.",
    )


if __name__ == "__main__":
    main()
