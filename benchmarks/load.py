"""All released samples in one run with the offline models: time, memory, and what it leaves behind."""

import argparse
import random
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from measure import in_fresh_process, own_folders, processes_in, require_data, require_success, show

SIZES = (100, 300, 1000, 1167)
SPLITS = {"real": ("train", "test"), "synth": ("train", "dev", "test")}
NAME = "loadtest"
"""Name of the task, which Inspect writes into the names of its containers."""

MAX_WAIT = 15
"""Seconds until kernels have noticed that their folder is gone."""


@dataclass(frozen=True)
class Run:
    """What one run took: scored samples, wall and CPU seconds of this process and of its children, and peak MB."""

    scored: int
    seconds: float
    cpu: float
    children_cpu: float
    peak: float


def evaluate(size: int, sandbox: str) -> Run:
    """Run the first samples of all splits in random order, as one task."""
    from inspect_ai import eval as inspect_eval
    from inspect_ai import task_with
    from inspect_ai.dataset import MemoryDataset
    from inspect_ai.solver import SolverSpec

    from inspect_discoverybench import real, synth

    tasks = []
    for make_task in (real, synth):
        tasks += [make_task(split=split, sandbox=sandbox) for split in SPLITS[make_task.__name__]]
    samples = []
    for number, task in enumerate(tasks):
        samples += [sample.model_copy(update={"id": f"{number}/{sample.id}"}) for sample in task.dataset]
    # Samples of DB-REAL and DB-SYNTH differ in size.
    random.Random(0).shuffle(samples)

    cpu = time.process_time()
    start = time.perf_counter()
    [log] = inspect_eval(
        task_with(tasks[0], name=NAME, dataset=MemoryDataset(samples[:size])),
        model="discoverybench/baseline",
        model_roles={"grader": "discoverybench/lexical"},
        solver=SolverSpec("discoverybench/codegen"),
        # As in `inspect eval` and `discoverybench run`. Otherwise, Inspect would read the whole log at the end.
        log_header_only=True,
    )
    seconds = time.perf_counter() - start
    cpu = time.process_time() - cpu
    require_success(log)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Run(
        scored=log.results.completed_samples if log.results else 0,
        seconds=seconds,
        cpu=cpu,
        children_cpu=children.ru_utime + children.ru_stime,
        peak=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10,
    )


def existing(folder: Path) -> set[str]:
    """Processes, containers, and files but logs and caches."""
    found = {f"process {process.pid}" for process in processes_in(folder)}
    if shutil.which("docker"):
        command = ["docker", "ps", "--all", "--quiet", "--filter", f"name=inspect-{NAME}"]
        listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        found |= {f"container {name}" for name in listed.split()}
    for path in folder.rglob("*"):
        if path.relative_to(folder).parts[0] not in ("logs", "cache"):
            found.add(f"file {path}")
    return found


def left_behind(folder: Path, before: set[str]) -> set[str]:
    """What a run leaves behind."""
    deadline = time.monotonic() + MAX_WAIT
    left = existing(folder) - before
    while left and time.monotonic() < deadline:
        time.sleep(0.2)
        left = existing(folder) - before
    return left


def main() -> None:
    """Run each size in a process of its own and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sandbox", choices=["docker", "local"], default="local")
    options = parser.parse_args()
    require_data()
    rows = []
    with own_folders() as folder:
        in_fresh_process(int)  # starts multiprocessing's own process, which stays
        for size in SIZES:
            before = existing(folder)
            run = in_fresh_process(evaluate, size, options.sandbox)
            left = left_behind(folder, before)
            print(f"{size} samples left {sorted(left)}", file=sys.stderr)
            row = (
                f"{run.scored} of {size}",
                run.seconds / run.scored,
                run.cpu / run.scored,
                run.children_cpu / run.scored,
                run.peak,
                len(left),
            )
            rows.append(row)
    show(
        f"`codegen` with the offline models, {options.sandbox} sandbox",
        {"scored": "", "wall s": ".3f", "CPU s": ".3f", "clients s": ".3f", "peak MB": ".0f", "left": ""},
        rows,
        "Seconds are per sample. Target: peak memory ≤ 900 MB. Left: processes, containers and files.",
    )


if __name__ == "__main__":
    main()
