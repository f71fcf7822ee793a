"""How long the released datasets take to build, and where the time goes."""

import time
from statistics import median

from measure import in_fresh_process, own_folders, require_data, show

RUNS = 5
TARGETS = {"real": 1.0, "synth": 2.0}
"""Seconds for the test split of DB-REAL, and for every split of DB-SYNTH."""


def build(kind: str) -> dict[str, float]:
    """Seconds of the whole build, and of its parts once more by themselves, with files and prompts in memory."""
    from inspect_discoverybench.dataset.released import data_root, require_released
    from inspect_discoverybench.dataset.samples import Hints, task_text
    from inspect_discoverybench.dataset.splits import REAL, SYNTH, released

    splits = [REAL["test"]] if kind == "real" else list(SYNTH.values())
    laps = [time.perf_counter()]
    samples = sum(len(released(split.kind, split.name, Hints())) for split in splits)
    laps.append(time.perf_counter())
    for split in splits:
        require_released(data_root(), split.files())
    laps.append(time.perf_counter())
    goals = [goal for split in splits for _, goal in split.goals(data_root())]
    laps.append(time.perf_counter())
    for goal in goals:
        task_text(goal, Hints())
    laps.append(time.perf_counter())
    names = (f"{samples} samples", "checksum of every file", "metadata, answer key, target columns", "task texts")
    return {name: end - start for name, start, end in zip(names, laps, laps[1:], strict=False)}


def main() -> None:
    """Measure in fresh processes, print medians."""
    require_data()
    rows = []
    with own_folders():
        for kind, target in TARGETS.items():
            runs = [in_fresh_process(build, kind) for _ in range(RUNS)]
            for part in runs[0]:
                limit = f"{target:.1f}" if part.endswith("samples") else ""
                rows.append((kind, part, f"{median(run[part] for run in runs):.3f}", limit))
    show("Building the dataset", ("data", "what", "seconds", "target"), rows, f"Medians of {RUNS} fresh processes.")


if __name__ == "__main__":
    main()
