"""What a report of 100 logs costs: writing it, and opening its page in Chromium.

The logs are synthetic, with 239 samples each and predicted hypotheses as long as those of real runs.
"""

import argparse
import shutil
import sys
import time
from itertools import pairwise
from pathlib import Path

from measure import in_fresh_process, own_folders, show

sys.path.append(str(Path(__file__).resolve().parents[1]))  # the logs of the tests

SAMPLES = 239


def write_logs(folder: str, logs: int) -> None:
    """Write the logs: five agents with three models, several times."""
    from tests import synthetic_logs as synthetic

    names = [(agent, model) for model in synthetic.MODELS for agent in synthetic.AGENTS]
    runs = [synthetic.Run("real", *names[number % 15], 0.05 + 0.002 * number, unscored=0.01) for number in range(logs)]
    synthetic.write_logs(runs, Path(folder), samples=SAMPLES, padding=20_000)


def write(logs: str, out: str, workers: int) -> tuple[float, float, float]:
    """Seconds that a report takes, and its peak memory and that of its workers in MB."""
    from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

    from inspect_discoverybench.report.folder import write_report

    start = time.perf_counter()
    write_report([logs], Path(out), "Benchmark", workers=workers)
    memory, worker = (getrusage(who).ru_maxrss / 1024 for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    return time.perf_counter() - start, memory, worker


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
    parser.add_argument("--logs", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    with own_folders() as folder:
        logs, page = str(folder / "synthetic"), folder / "report" / "report.html"
        in_fresh_process(write_logs, logs, arguments.logs)
        seconds, memory, worker = in_fresh_process(write, logs, str(page.parent), arguments.workers)
        size = page.stat().st_size / 1e6
        opened, searched, is_sorted = in_fresh_process(open_page, str(page))
    rows = [
        ("report", f"{seconds:.1f} s", "60 s"),
        ("peak memory, and of a worker", f"{memory:.0f}, {worker:.0f} MB", "1500 MB"),
        ("page", f"{size:.1f} MB", "25 MB"),
        ("opened in Chromium", f"{opened:.1f} s", "3 s"),
        ("searched / sorted", f"{searched:.1f} / {is_sorted:.1f} s", ""),
    ]
    show(f"A report of {arguments.logs} logs of {SAMPLES} samples", ("what", "measured", "target"), rows)


if __name__ == "__main__":
    main()
