"""All released samples in one run with the offline models: time, memory, and what it leaves behind."""

import argparse
import random
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

from measure import in_fresh_process, own_folders, processes_in, require_data, show

SIZES = (100, 300, 1000, 1167)
SPLITS = {"real": ("train", "test"), "synth": ("train", "dev", "test")}
NAME = "loadtest"
"""Name of the task, which Inspect writes into the names of its containers."""


def evaluate(size: int, sandbox: str) -> tuple[int, float, float, float, float]:
    """Run the first samples of all splits in random order, as one task.

    Returns:
        Number of scored samples, wall seconds, CPU seconds of this process and of its children, and peak memory in MB.
    """
    from inspect_ai import eval as inspect_eval
    from inspect_ai import task_with
    from inspect_ai.dataset import MemoryDataset
    from inspect_ai.solver import SolverSpec

    from inspect_discoverybench import real, synth

    tasks = [make(split=split, sandbox=sandbox) for make in (real, synth) for split in SPLITS[make.__name__]]
    samples = [
        sample.model_copy(update={"id": f"{number}/{sample.id}"})
        for number, task in enumerate(tasks)
        for sample in task.dataset
    ]
    # Samples of DB-REAL and DB-SYNTH differ in size.
    random.Random(0).shuffle(samples)
    before, start = time.process_time(), time.perf_counter()
    [log] = inspect_eval(
        task_with(tasks[0], name=NAME, dataset=MemoryDataset(samples[:size])),
        model="discoverybench/baseline",
        model_roles={"grader": "discoverybench/lexical"},
        solver=SolverSpec("discoverybench/codegen"),
    )
    seconds, cpu = time.perf_counter() - start, time.process_time() - before
    if log.status != "success" or log.results is None:
        sys.exit(f"The eval ended with {log.status}: {log.error and log.error.message}")
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    return log.results.completed_samples, seconds, cpu, children.ru_utime + children.ru_stime, peak


def existing(folder: Path) -> tuple[set[object], ...]:
    """Processes, containers, images, and files but logs and caches."""

    def docker(*arguments: str) -> set[object]:
        if shutil.which("docker") is None:
            return set()
        return {*subprocess.run(["docker", *arguments], capture_output=True, text=True, check=False).stdout.split()}

    return (
        {process.pid for process in processes_in(folder)},
        docker("ps", "--all", "--quiet", "--filter", f"name=inspect-{NAME}"),
        docker("images", "--all", "--quiet", "--no-trunc"),
        {path for path in folder.rglob("*") if path.relative_to(folder).parts[0] not in ("logs", "cache")},
    )


def main() -> None:
    """Run each size in a process of its own and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sandbox", choices=["docker", "local"], default="local")
    options = parser.parse_args()
    require_data()
    rows, first = [], None
    with own_folders() as folder:
        in_fresh_process(int)  # starts multiprocessing's own process, which stays
        for size in SIZES:
            before = existing(folder)
            scored, seconds, cpu, clients, peak = in_fresh_process(evaluate, size, options.sandbox)
            deadline = time.monotonic() + 15  # until kernels notice that their folder is gone
            while (after := existing(folder))[0] - before[0] and time.monotonic() < deadline:
                time.sleep(0.2)
            left = " / ".join(str(len(new - old)) for old, new in zip(before, after, strict=True))
            print(f"{size} samples: {seconds:.0f} s, {peak:.0f} MB, left {left}", file=sys.stderr)
            first = first or seconds / scored
            ratio, per_sample = seconds / scored / first, [f"{use / scored:.3f}" for use in (cpu, clients)]
            rows.append((f"{scored} of {size}", f"{ratio:.2f}", f"{seconds:.0f}", *per_sample, f"{peak:.0f}", left))
    show(
        f"`codegen` with the offline models, {options.sandbox} sandbox",
        ("scored", "ratio", "wall s", "CPU s", "clients s", "peak MB", "left"),
        rows,
        "Ratio: wall seconds per sample to those of the first row. CPU seconds are per sample.",
        "Target: peak memory ≤ 900 MB. Left: processes / containers / images / files.",
    )


if __name__ == "__main__":
    main()
