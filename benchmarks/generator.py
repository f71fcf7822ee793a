"""How long the generator takes for tasks from saved trees."""

import json
import sys
import time
from pathlib import Path
from typing import Any

from measure import in_fresh_process, own_folders, show

COPIES = 17
"""Copies of the five trees of the baseline author; together they have about 1,000 tasks."""

TARGET = 60.0


def run(out: Path, **arguments: Any) -> None:
    """Generate a set; goals and reviews are by the baseline author."""
    from inspect_ai import eval as inspect_eval

    from inspect_discoverybench import synth_generate

    task = synth_generate(out=str(out), sandbox="local", **arguments)
    [log] = inspect_eval(task, model="discoverybench/baseline", max_samples=4)
    if log.status != "success":
        sys.exit(f"The set could not be generated: {log.error and log.error.message}")


def generate(folder: str) -> tuple[float, float, int, int]:
    """Save copies of the baseline author's trees and generate all of their tasks.

    Returns:
        Seconds, CPU seconds of the host, tasks and domains.
    """
    first, trees, out = (Path(folder, name) for name in ("first", "trees", "set"))
    run(first, domains=5)
    trees.mkdir()
    for path in (first / "trees").glob("*.json"):
        tree = json.loads(path.read_text("utf-8"))
        for copy in range(COPIES):
            content = json.dumps(tree | {"domain": f"{tree['domain']} {copy}"})
            (trees / f"{path.stem}-{copy}.json").write_text(content, "utf-8")
    start, cpu = time.perf_counter(), time.process_time()
    run(out, trees=str(trees))
    seconds, host = time.perf_counter() - start, time.process_time() - cpu
    return seconds, host, len(list(out.glob("*/metadata_0.json"))), len(list(trees.iterdir()))


def main() -> None:
    """Measure in a fresh process, print the table."""
    with own_folders() as folder:
        seconds, host, tasks, domains = in_fresh_process(generate, str(folder))
    show(
        f"Generating {tasks} tasks of {domains} domains from saved trees, local sandbox",
        ("per 1,000 tasks", "result", "target"),
        [
            ("seconds", f"{seconds / tasks * 1_000:.1f}", f"{TARGET:.0f}"),
            ("CPU seconds of the host", f"{host / tasks * 1_000:.1f}", ""),
        ],
        "Goals and reviews by discoverybench/baseline; 500 rows per task; four domains at a time.",
    )


if __name__ == "__main__":
    main()
