"""All released samples in one run with the offline models: time, memory, and what it leaves behind."""

import argparse
import ctypes
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from measure import own_folders, require_data, show

SIZES = (100, 300, 1000, 1167)
SPLITS = {"real": ("train", "test"), "synth": ("train", "dev", "test")}
TARGET_MEMORY = 900
NAME = "loadtest"
"""Name of the task, which Inspect writes into the names of its containers."""
PR_SET_CHILD_SUBREAPER = 36
END_SECONDS = 15
"""In this time kernels notice that their folder is gone."""


@dataclass(frozen=True)
class Run:
    """What the process that runs Inspect reports about itself.

    Attributes:
        samples: Samples that were scored.
        seconds: Wall seconds of the eval.
        cpu: CPU seconds of the process itself.
        clients: CPU seconds of the processes that it started and waited for.
        peak: Peak memory in MB.
        descriptors: Open file descriptors before and after the eval.
    """

    samples: int
    seconds: float
    cpu: float
    clients: float
    peak: float
    descriptors: tuple[int, int]


@dataclass(frozen=True)
class Left:
    """What exists when the process has ended and did not exist before.

    Attributes:
        processes: Processes that it started, and theirs.
        containers: Containers of the task.
        images: Images.
        files: Files in the temporary folder, except logs and caches.
    """

    processes: int
    containers: int
    images: int
    files: int

    def __str__(self) -> str:
        return f"{self.processes} / {self.containers} / {self.images} / {self.files}"


# --- the process that runs Inspect --------------------------------------------------------------------


def evaluate(size: int, sandbox: str) -> Run:
    """Run the first samples of all splits in random order, as one task."""
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
    task = task_with(tasks[0], name=NAME, dataset=MemoryDataset(samples[:size]))
    open_before = _descriptors()
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    [log] = inspect_eval(
        task,
        model="discoverybench/baseline",
        model_roles={"grader": "discoverybench/lexical"},
        solver=SolverSpec("discoverybench/codegen"),
        log_samples=True,
    )
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    if log.status != "success" or log.results is None:
        sys.exit(f"The eval ended with {log.status}: {log.error and log.error.message}")
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return Run(
        samples=log.results.completed_samples,
        seconds=seconds,
        cpu=_cpu(after) - _cpu(before),
        clients=_cpu(children),
        peak=after.ru_maxrss / unit,
        descriptors=(open_before, _descriptors()),
    )


def _cpu(usage: resource.struct_rusage) -> float:
    return usage.ru_utime + usage.ru_stime


def _descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


# --- the process that watches -------------------------------------------------------------------------


def watch(size: int, sandbox: str, folder: Path) -> tuple[Run, list[float], Left]:
    """Run one eval in a fresh process; also its memory in MB over time, and what it left.

    Kernels lose their parent when the client that started them ends. This process then becomes their parent.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    report = folder / f"{size}.json"
    containers, images, files = _containers(), _images(), _files(folder)
    command = [sys.executable, __file__, "--sandbox", sandbox, "--run", str(size), "--report", str(report)]
    child = subprocess.Popen(command)
    memory: list[float] = []
    while child.poll() is None:
        if (resident := _memory(child.pid)) > 0:
            memory.append(resident)
        _reap(child.pid)
        time.sleep(0.5)
    if child.returncode:
        sys.exit(f"{size} samples: ended with {child.returncode}.")
    deadline = time.monotonic() + END_SECONDS
    while _children() and time.monotonic() < deadline:
        _reap(child.pid)
        time.sleep(0.2)
    processes = _children()
    leftovers = Left(
        len(processes),
        len(_containers() - containers),
        len(_images() - images),
        len(_files(folder) - files - {report}),
    )
    for process in processes:
        os.kill(process, signal.SIGKILL)
    return Run(**json.loads(report.read_text("utf-8"))), memory, leftovers


def _memory(process: int) -> float:
    """Resident memory in MB; 0 where the system does not tell or the process has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text("utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0)


def _children() -> list[int]:
    try:
        return [int(name) for name in Path(f"/proc/self/task/{os.getpid()}/children").read_text("utf-8").split()]
    except OSError:
        return []


def _reap(child: int) -> None:
    """Wait for adopted processes that have ended."""
    for process in _children():
        if process != child:
            os.waitpid(process, os.WNOHANG)


def _docker(*arguments: str) -> set[str]:
    if shutil.which("docker") is None:
        return set()
    return set(subprocess.run(["docker", *arguments], capture_output=True, text=True, check=False).stdout.split())


def _containers() -> set[str]:
    return _docker("ps", "--all", "--quiet", "--filter", f"name=inspect-{NAME}")


def _images() -> set[str]:
    return _docker("images", "--all", "--quiet", "--no-trunc")


def _files(folder: Path) -> set[Path]:
    """Everything in the temporary folder but logs and caches."""
    return {path for path in folder.rglob("*") if path.relative_to(folder).parts[0] not in ("logs", "cache")}


def main() -> None:
    """Run each size in a process of its own and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=SIZES)
    parser.add_argument("--sandbox", choices=["docker", "local"], default="local")
    parser.add_argument("--run", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--report", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        options.report.write_text(json.dumps(asdict(evaluate(options.run, options.sandbox))), encoding="utf-8")
        return
    require_data()
    rows = []
    first = None
    with own_folders() as folder:
        for size in options.sizes:
            run, memory, leftovers = watch(size, options.sandbox, folder)
            print(f"{size} samples: {run.seconds:.0f} s, {run.peak:.0f} MB, left {leftovers}", file=sys.stderr)
            per_sample = run.seconds / run.samples
            first = first or per_sample
            quarters = [memory[len(memory) * quarter // 4 - 1] for quarter in (1, 2, 3, 4)] if memory else []
            rows.append(
                (
                    f"{run.samples} of {size}",
                    f"{per_sample / first:.2f}",
                    f"{run.seconds:.0f}",
                    f"{run.cpu / run.samples:.3f}",
                    f"{run.clients / run.samples:.3f}",
                    f"{run.peak:.0f}",
                    " ".join(f"{value:.0f}" for value in quarters),
                    f"{run.descriptors[0]} → {run.descriptors[1]}",
                    str(leftovers),
                )
            )
    show(
        f"`codegen` with the offline models, {options.sandbox} sandbox",
        ("scored", "ratio", "wall s", "CPU s", "clients s", "peak MB", "MB at ¼ ½ ¾ 1", "files open", "left"),
        rows,
        "Ratio: wall seconds per sample to those of the first row. CPU seconds are per sample.",
        "The one file that a run leaves open is Inspect's trace log, once per process.",
        f"Target: peak memory ≤ {TARGET_MEMORY} MB. Left: processes / containers / images / files.",
    )


if __name__ == "__main__":
    main()
