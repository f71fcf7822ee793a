"""How long the generator takes for tasks from saved trees."""

import ctypes
import json
import os
import resource
import sys
import time
from pathlib import Path

from measure import in_fresh_process, own_folders, show

TASKS = 1_000
TARGET = 60.0
PR_SET_CHILD_SUBREAPER = 36
"""The request to Linux that orphaned processes, here the kernels of sessions, become children of this process."""


def save_trees(folder: str) -> int:
    """Grow trees with the baseline author and save copies of them until they have enough tasks; return their number."""
    from inspect_ai import eval as inspect_eval

    from inspect_discoverybench import synth_generate

    task = synth_generate(out=f"{folder}/first", domains=5, sandbox="local")
    [log] = inspect_eval(task, model="discoverybench/baseline")
    if log.status != "success":
        sys.exit(f"The trees could not be grown: {log.error}")
    trees = Path(folder, "trees")
    trees.mkdir()
    records = [json.loads(path.read_text("utf-8")) for path in sorted(Path(folder, "first", "domains").glob("*.json"))]
    tasks = copy = 0
    while tasks < TASKS:
        for record in records:
            tree = json.loads(Path(folder, "first", "trees", f"{record['slug']}.json").read_text("utf-8"))
            tree["domain"] += f" {copy}"
            (trees / f"{record['slug']}-{copy}.json").write_text(json.dumps(tree), "utf-8")
            tasks += len(record["tasks"])
        copy += 1
    return tasks


def generate(folder: str) -> dict[str, float]:
    """Generate all tasks of the saved trees: seconds, CPU seconds of host and sandbox, and accepted tasks."""
    from inspect_ai import eval as inspect_eval

    from inspect_discoverybench import synth_generate

    # What Inspect imports for the first sample of any eval is not measured.
    first = synth_generate(out=f"{folder}/warm", domains=1, height=1, rows=50, sandbox="local")
    inspect_eval(first, model="discoverybench/baseline")
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    start, cpu = time.perf_counter(), (time.process_time(), _children_cpu())
    task = synth_generate(out=f"{folder}/set", trees=f"{folder}/trees", sandbox="local")
    [log] = inspect_eval(task, model="discoverybench/baseline", max_samples=4)
    seconds = time.perf_counter() - start
    host, sandbox = time.process_time() - cpu[0], _children_cpu() - cpu[1]
    if log.status != "success":
        sys.exit(f"The set could not be generated: {log.error}")
    tasks = len(list(Path(folder, "set").glob("*/metadata_0.json")))
    domains = len(list(Path(folder, "trees").iterdir()))
    return {"seconds": seconds, "host": host, "sandbox": sandbox, "tasks": tasks, "domains": domains}


def _children_cpu() -> float:
    """CPU seconds of all children that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Measure in a fresh process, print the table."""
    with own_folders() as folder:
        in_fresh_process(save_trees, str(folder))
        run = in_fresh_process(generate, str(folder))
    per_thousand = {name: run[name] / run["tasks"] * TASKS for name in ("seconds", "host", "sandbox")}
    show(
        "Generating tasks from saved trees, local sandbox",
        ("what", "result", "target"),
        [
            ("domains", f"{run['domains']:.0f}", ""),
            ("accepted tasks", f"{run['tasks']:.0f}", ""),
            ("seconds", f"{run['seconds']:.1f}", ""),
            ("seconds per 1,000 tasks", f"{per_thousand['seconds']:.1f}", f"{TARGET:.0f}"),
            ("CPU seconds of the host per 1,000 tasks", f"{per_thousand['host']:.1f}", ""),
            ("CPU seconds of the sandbox per 1,000 tasks", f"{per_thousand['sandbox']:.1f}", ""),
        ],
        "Goals and reviews by discoverybench/baseline; 500 rows per task; four domains at a time.",
    )


if __name__ == "__main__":
    main()
