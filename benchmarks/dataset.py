"""How long the test dataset of DB-REAL takes to build, and where the time goes."""

import time
from statistics import median

from measure import in_fresh_process, own_folders, require_data, show

RUNS = 5
TARGET = 1.0


def build() -> tuple[int, float]:
    """Number of samples, and seconds of the whole, as a task builds them."""
    from inspect_discoverybench.dataset import splits
    from inspect_discoverybench.dataset.samples import Hints

    start = time.perf_counter()
    samples = splits.real("test", Hints())
    return len(samples), time.perf_counter() - start


def task() -> float:
    """Seconds of the task as a whole."""
    from inspect_discoverybench import real

    start = time.perf_counter()
    real()
    return time.perf_counter() - start


def parts() -> dict[str, float]:
    """Seconds of each part, done for itself; `build` has besides them the archives of studies with many files."""
    from inspect_discoverybench.dataset.metadata import AnswerKey, Study
    from inspect_discoverybench.dataset.samples import Hints, task_text
    from inspect_discoverybench.dataset.source import checksums, data_root, require
    from inspect_discoverybench.dataset.splits import REAL

    split, seconds, start = REAL["test"], {}, time.perf_counter()

    def lap(name: str) -> None:
        nonlocal start
        seconds[name] = time.perf_counter() - start
        start = time.perf_counter()

    root, key = data_root(), str(split.answer_key)
    require(root, [path for path in checksums() if path == key or path.startswith(f"{split.folder}/")])
    lap("read every file and compare its checksum")
    AnswerKey(root / key)
    studies = [Study.read(path) for path in (root / split.folder).glob("*/metadata_*.json")]
    lap("parse metadata and answer key")
    for study in studies:
        for goal in study.goals:
            task_text(study, goal, Hints())
    lap("render the task texts")
    return seconds


def main() -> None:
    """Measure in fresh processes, print medians."""
    require_data()
    with own_folders():
        builds = [in_fresh_process(build) for _ in range(RUNS)]
        split = [in_fresh_process(parts) for _ in range(RUNS)]
        tasks = [in_fresh_process(task) for _ in range(RUNS)]
    whole = median(seconds for _, seconds in builds)
    known = {name: median(run[name] for run in split) for name in split[0]}
    rest = whole - sum(known.values())
    rows = [(f"{builds[0][0]} samples of DB-REAL test", f"{whole:.3f}", f"{TARGET:.2f}")]
    rows += [(f"  {name}", f"{seconds:.3f}", "") for name, seconds in known.items()]
    rows += [("  rest: samples, archives of studies with many files", f"{rest:.3f}", "")]
    rows += [("the task `real()`", f"{median(tasks):.3f}", "")]
    show("Building the dataset", ("what", "seconds", "target"), rows, f"Medians of {RUNS} fresh processes.")


if __name__ == "__main__":
    main()
