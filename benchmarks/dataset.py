"""How long the released datasets take to build, and where the time goes."""

import time
from statistics import median

from measure import in_fresh_process, own_folders, require_data, show

RUNS = 5
TARGETS = {"real": 1.0, "synth": 2.0}


def build(kind: str) -> dict[str, float]:
    """Samples and seconds, as tasks build them: the test split of DB-REAL, or every split of DB-SYNTH."""
    from inspect_discoverybench.dataset.samples import Hints
    from inspect_discoverybench.dataset.splits import REAL, SYNTH

    splits = [REAL["test"]] if kind == "real" else SYNTH.values()
    start = time.perf_counter()
    samples = sum(len(split.load(Hints())) for split in splits)
    return {"samples": samples, "whole": time.perf_counter() - start}


def build_task() -> float:
    """Seconds of the task `real` as a whole."""
    from inspect_discoverybench import real

    start = time.perf_counter()
    real()
    return time.perf_counter() - start


def parts(kind: str) -> dict[str, float]:
    """Seconds of each part by itself; `build` has besides them the samples."""
    from inspect_discoverybench.dataset.released import data_root, require_released
    from inspect_discoverybench.dataset.samples import Hints, task_text
    from inspect_discoverybench.dataset.splits import REAL, SYNTH

    splits = [REAL["test"]] if kind == "real" else list(SYNTH.values())
    root, laps = data_root(), [time.perf_counter()]
    for split in splits:
        require_released(root, split.files())
    laps.append(time.perf_counter())
    goals = [goal for split in splits for _, goal in split.goals(root)]
    laps.append(time.perf_counter())
    for goal in goals:
        task_text(goal, Hints())
    laps.append(time.perf_counter())
    names = ("checksum of every file", "metadata, answer key, target columns", "task texts")
    return {name: end - start for name, start, end in zip(names, laps, laps[1:], strict=False)}


def main() -> None:
    """Measure in fresh processes, print medians."""
    require_data()
    rows = []
    with own_folders():
        first = in_fresh_process(build, "real")["whole"]
        for kind, name in (("real", "DB-REAL test"), ("synth", "DB-SYNTH")):
            builds = [in_fresh_process(build, kind) for _ in range(RUNS)]
            split = [in_fresh_process(parts, kind) for _ in range(RUNS)]
            whole = median(run["whole"] for run in builds)
            medians = {part: median(run[part] for run in split) for part in split[0]}
            rows.append((f"{builds[0]['samples']} samples of {name}", f"{whole:.3f}", f"{TARGETS[kind]:.1f}"))
            rows += [(f"  {part}", f"{seconds:.3f}", "") for part, seconds in medians.items()]
            rest = whole - sum(medians.values())
            rows.append(("  remainder: samples", f"{rest:.3f}", ""))
        task = median(in_fresh_process(build_task) for _ in range(RUNS))
    rows.append(("the task `real` as a whole", f"{task:.3f}", ""))
    show(
        "Building the dataset",
        ("what", "seconds", "target"),
        rows,
        f"Medians of {RUNS} fresh processes. The very first run: {first:.3f} s.",
    )


if __name__ == "__main__":
    main()
