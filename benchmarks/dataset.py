"""How long the released datasets take to build, and where the time goes."""

import time
from statistics import median

from measure import in_fresh_process, own_folders, require_data, show

RUNS = 5
TARGETS = {"real": 1.0, "synth": 2.0}
"""Seconds for the test split of DB-REAL, and for every split of DB-SYNTH."""


def build(benchmark: str) -> dict[str, float]:
    """Seconds of the whole build, and of its parts once more by themselves, with files and prompts in memory."""
    from inspect_discoverybench.dataset.data_folder import data_root, require_released
    from inspect_discoverybench.dataset.splits import REAL, SYNTH, released_samples
    from inspect_discoverybench.dataset.task_text import Hints, task_text

    splits = list(SYNTH)
    if benchmark == "real":
        splits = [split for split in REAL if split.name == "test"]
    samples = []
    start = time.perf_counter()
    for split in splits:
        samples += released_samples(split.benchmark, split.name, Hints())
    whole = time.perf_counter() - start

    start = time.perf_counter()
    for split in splits:
        require_released(data_root(), split.files())
    checksums = time.perf_counter() - start

    goals = []
    start = time.perf_counter()
    for split in splits:
        goals += split.goals(data_root())
    metadata = time.perf_counter() - start

    start = time.perf_counter()
    for goal in goals:
        task_text(goal.metadata, Hints())
    texts = time.perf_counter() - start

    return {
        f"{len(samples)} samples": whole,
        "checksum of every file": checksums,
        "metadata, answer key, target columns": metadata,
        "task texts": texts,
    }


def main() -> None:
    """Measure in fresh processes, print medians."""
    require_data()
    rows = []
    with own_folders():
        for benchmark, target in TARGETS.items():
            runs = [in_fresh_process(build, benchmark) for _ in range(RUNS)]
            for part in runs[0]:
                seconds = median(run[part] for run in runs)
                limit = ""
                if part.endswith("samples"):
                    limit = f"{target} s"
                rows.append((benchmark, part, seconds, limit))
    show(
        "Building the dataset",
        {"data": "", "what": "", "seconds": ".3f", "target": ""},
        rows,
        f"Medians of {RUNS} fresh processes.",
    )


if __name__ == "__main__":
    main()
