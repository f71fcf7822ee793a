"""Start and end of a Docker sample, beside an empty container with and without the same files."""

import argparse
from collections import defaultdict
from datetime import datetime
from itertools import pairwise
from statistics import median

from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset
from inspect_ai.solver import use_tools
from inspect_ai.util import ComposeConfig, SandboxEnvironmentSpec
from measure import own_folders, require_engine, require_success, show

from inspect_discoverybench import demo
from inspect_discoverybench.dataset.custom import demo_samples
from inspect_discoverybench.dataset.task_text import Hints

ROUNDS = 4
SAMPLES = 4
"""Samples of a round. The time between two of them is the end of the one and the start of the other."""
TARGET = 1.25  # times the empty container with the same files
FLOOR, OURS = "an empty container, the same files by Inspect", "a sample of ours"
SERVICE = {
    "image": "python:3.13-slim-trixie",
    "command": "tail -f /dev/null",
    "init": True,
    "network_mode": "none",
    "stop_grace_period": "1s",
    "working_dir": "/tmp",
}
"""What Inspect writes by itself, with the base image of ours."""


def empty(files: bool) -> Task:
    """The samples of the demo in an empty container, with or without their data files."""
    samples = demo_samples(Hints())[:SAMPLES]
    if not files:
        samples = [sample.model_copy(update={"files": None}) for sample in samples]
    config = ComposeConfig.model_validate({"services": {"default": SERVICE}})
    return Task(dataset=samples, sandbox=SandboxEnvironmentSpec("docker", config))


def ours() -> Task:
    """The demo in Docker: hardened container, data files, verification."""
    task = demo(sandbox="docker")
    samples = list(task.dataset)[:SAMPLES]
    return task_with(task, dataset=MemoryDataset(samples), scorer=[])


def seconds(task: Task) -> list[float]:
    """Seconds from the start of a sample to that of the next one."""
    [log] = inspect_eval(task, model="mockllm/model", solver=use_tools(), max_samples=1)
    starts = sorted(datetime.fromisoformat(str(sample.started_at)) for sample in require_success(log))
    return [(later - earlier).total_seconds() for earlier, later in pairwise(starts)]


def main() -> None:
    """Measure in alternating rounds and print."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    require_engine()
    makers = {
        "an empty container": lambda: empty(files=False),
        FLOOR: lambda: empty(files=True),
        OURS: ours,
    }
    measured: defaultdict[str, list[float]] = defaultdict(list)
    with own_folders():
        for _ in range(ROUNDS):
            for name, make in makers.items():
                measured[name] += seconds(make())

    floor = median(measured[FLOOR])
    rows = []
    for name, values in measured.items():
        middle = median(values)
        rows.append((name, middle / floor, middle))
    show(
        f"Start and end of a Docker sample, one after the other; target of the ratio: {TARGET}",
        {"what": "", "ratio": ".2f", "median s": ".2f"},
        rows,
        f"{ROUNDS} alternating rounds of {SAMPLES} samples. The image exists.",
    )


if __name__ == "__main__":
    main()
