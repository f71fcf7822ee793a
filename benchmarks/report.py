"""What a report of 100 logs costs: reading, writing, and opening the page in Chromium.

The logs are synthetic, with 239 samples each and predicted hypotheses as long as those of real runs.
"""

import argparse
import shutil
import time
from itertools import pairwise
from pathlib import Path
from random import Random

from measure import in_fresh_process, own_folders, show

LOGS, SAMPLES = 100, 239
WORDS = (25, 75)
"""Words of a real hypothesis, the fewest and the most."""


def write_logs(folder: str, logs: int) -> None:
    """Write the logs: five agents with three models, several times."""
    from synthetic_logs import AGENTS, MODELS, Run
    from synthetic_logs import write_logs as write

    names = [(agent, model) for model in MODELS for agent in AGENTS]
    runs = [Run("real", *names[number % 15], 0.05 + 0.002 * number, unscored=0.01) for number in range(logs)]
    write(runs, Path(folder), samples=SAMPLES, padding=20_000)


def measure(folder: str, out: str, workers: int) -> dict[str, float]:
    """Seconds of each step of a report, its peak memory and the size of its page in MB."""
    from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

    from inspect_discoverybench.report.page import write_page
    from inspect_discoverybench.report.report import report_folder, write_files
    from inspect_discoverybench.report.samples import label_samples
    from inspect_discoverybench.report.sections import sections
    from inspect_discoverybench.results import read_results

    random = Random(0)
    words = ["".join(random.choices("etaoinshrdlu", k=random.randint(2, 11))) for _ in range(3000)]
    laps = [time.perf_counter()]
    with report_folder(Path(out)) as target:
        results = read_results([folder], workers)
        laps.append(time.perf_counter())
        samples = label_samples(results.samples)
        texts = [" ".join(random.choices(words, k=random.randint(*WORDS))) for _ in range(len(samples))]
        samples = samples.assign(hypothesis=texts)
        parts = sections(samples)
        write_files(parts, target)
        laps.append(time.perf_counter())
        write_page(parts, samples, results.left_out, "Benchmark", target / "report.html")
        laps.append(time.perf_counter())
    read, write, page = (b - a for a, b in pairwise(laps))
    memory, worker = (getrusage(who).ru_maxrss / 1024 for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    size = (Path(out) / "report.html").stat().st_size / 1e6
    return {"read": read, "write": write, "page": page, "memory": memory, "worker": worker, "size": size}


def open_page(page: str) -> list[float]:
    """Seconds until the page is open, until a search is done and until the samples are sorted."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=chromium) as browser:
        tab = browser.new_page()
        laps = [time.perf_counter()]
        tab.goto(Path(page).as_uri())
        laps.append(time.perf_counter())
        tab.fill("input[type=search]", "factor 3")
        laps.append(time.perf_counter())
        tab.locator("#samples th button").first.click()
        laps.append(time.perf_counter())
    return [b - a for a, b in pairwise(laps)]


def main() -> None:
    """Measure in fresh processes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=int, default=LOGS)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    with own_folders() as folder:
        logs, out = str(folder / "synthetic"), str(folder / "report")
        in_fresh_process(write_logs, logs, arguments.logs)
        run = in_fresh_process(measure, logs, out, arguments.workers)
        opened, searched, is_sorted = in_fresh_process(open_page, f"{out}/report.html")
    rows = [
        ("report", f"{run['read'] + run['write'] + run['page']:.1f} s", "60 s"),
        ("  read / sections and files / page", f"{run['read']:.1f} / {run['write']:.1f} / {run['page']:.1f} s", ""),
        ("peak memory, and of a worker", f"{run['memory']:.0f}, {run['worker']:.0f} MB", "1500 MB"),
        ("page", f"{run['size']:.1f} MB", "25 MB"),
        ("opened in Chromium", f"{opened:.1f} s", "3 s"),
        ("searched / sorted", f"{searched:.1f} / {is_sorted:.1f} s", ""),
    ]
    show(f"A report of {arguments.logs} logs of {SAMPLES} samples", ("what", "measured", "target"), rows)


if __name__ == "__main__":
    main()
