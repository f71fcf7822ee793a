"""What the plugin adds to the start of an `inspect` command."""

import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from statistics import median

from measure import own_folders, show

PAIRS = 15
TARGET = 0.06

# What the program `inspect` imports, and what its entry points then load.
BASE = "import json, sys, time, inspect_ai._cli.main"
PLUGIN = """
old, start = set(sys.modules), time.perf_counter()
import inspect_discoverybench._registry
print(json.dumps([time.perf_counter() - start, sorted(set(sys.modules) - old)]))
"""
HEAVY = {"anthropic", "altair", "docker", "numpy", "openai", "pandas", "pooch", "requests", "scipy", "statsmodels"}


@dataclass(frozen=True)
class Start:
    """One start of a fresh interpreter: wall and CPU seconds, and what it printed."""

    wall: float
    cpu: float
    output: str


def cpu_of_children() -> float:
    """CPU seconds of the processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def start(code: str) -> Start:
    """Run code in a fresh interpreter."""
    cpu_before = cpu_of_children()
    began = time.perf_counter()
    process = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    wall = time.perf_counter() - began
    return Start(wall, cpu_of_children() - cpu_before, process.stdout)


def main() -> None:
    """Alternate without and with the plugin, print medians."""
    without: list[Start] = []
    with_plugin: list[Start] = []
    with own_folders():
        start(BASE + PLUGIN)  # from here on the disk cache is warm for both
        for _ in range(PAIRS):
            without.append(start(BASE))
            with_plugin.append(start(BASE + PLUGIN))

    reports = [json.loads(each.output) for each in with_plugin]
    _, modules = reports[0]
    packages = {name.partition(".")[0] for name in modules}
    own = [name for name in modules if name.startswith("inspect_discoverybench")]
    heavy = sorted(HEAVY & packages)

    walls = []
    cpus = []
    for first, second in zip(without, with_plugin, strict=True):
        walls.append(second.wall - first.wall)
        cpus.append(second.cpu - first.cpu)
    rows = [
        ("`inspect` without the plugin", median(each.wall for each in without), ""),
        ("added, timed around the import", median(seconds for seconds, _ in reports), f"{TARGET}"),
        ("added, difference of whole processes", median(walls), ""),
        ("added CPU, difference of whole processes", median(cpus), ""),
    ]
    show(
        "Import time that the plugin adds",
        {"what": "", "seconds": ".3f", "target": ""},
        rows,
        f"Medians of {PAIRS} alternating pairs of fresh processes.",
        f"Added are {len(modules)} modules, {len(own)} of them its own; heavy packages: {', '.join(heavy) or 'none'}.",
    )


if __name__ == "__main__":
    main()
