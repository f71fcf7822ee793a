"""What the plugin adds to the start of an `inspect` command."""

import json
import resource
import subprocess
import sys
import time
from statistics import median

from measure import own_folders, show

PAIRS = 15
TARGET = 0.08

# What the program `inspect` imports, and what its entry points then load.
BASE = "import json, sys, time, inspect_ai._cli.main"
PLUGIN = """
old, start = set(sys.modules), time.perf_counter()
import inspect_discoverybench._registry
print(json.dumps([time.perf_counter() - start, sorted(set(sys.modules) - old)]))
"""
HEAVY = {"anthropic", "altair", "docker", "numpy", "openai", "pandas", "pooch", "requests", "scipy", "statsmodels"}


def run(code: str) -> tuple[float, float, str]:
    """Wall and CPU seconds of a fresh interpreter, and what it printed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    process = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, process.stdout


def main() -> None:
    """Alternate without and with the plugin, print medians."""
    with own_folders():
        run(BASE + PLUGIN)  # from here on the disk cache is warm for both
        pairs = [(run(BASE), run(BASE + PLUGIN)) for _ in range(PAIRS)]
    reports = [json.loads(output) for _, (_, _, output) in pairs]
    modules = reports[0][1]
    own = sum(name.startswith("inspect_discoverybench") for name in modules)
    heavy = sorted(HEAVY & {name.partition(".")[0] for name in modules})
    rows = [
        ("`inspect` without the plugin", f"{median(wall for (wall, _, _), _ in pairs):.3f}", ""),
        ("added, timed around the import", f"{median(seconds for seconds, _ in reports):.3f}", f"{TARGET:.2f}"),
        ("added, difference of whole processes", f"{median(f[0] - b[0] for b, f in pairs):.3f}", ""),
        ("added CPU, difference of whole processes", f"{median(f[1] - b[1] for b, f in pairs):.3f}", ""),
    ]
    show(
        "Import time that the plugin adds",
        ("what", "seconds", "target"),
        rows,
        f"Medians of {PAIRS} alternating pairs of fresh processes.",
        f"Added are {len(modules)} modules, {own} of them its own; heavy packages: {', '.join(heavy) or 'none'}.",
    )


if __name__ == "__main__":
    main()
