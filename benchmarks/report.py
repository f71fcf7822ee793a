"""What a report costs: of many samples, and of many configurations; and opening its page in Chromium.

The logs are synthetic, with predicted hypotheses as long as those of real runs.
"""

import shutil
import time
from pathlib import Path

from measure import in_fresh_process, own_folders, show

SIZES = (
    (100, 239, 15, 60),
    (300, 8, 300, 20),
)
"""Numbers of logs, of samples per log and of configurations, and the target for the report in seconds."""


def write_logs(folder: str, logs: int, samples: int, configurations: int) -> None:
    """Write logs of a number of configurations, several of each."""
    from tests.synthetic_logs import AGENTS, Run, write_logs

    runs = []
    for number in range(logs):
        agent = AGENTS[number % len(AGENTS)]
        model = f"provider/model-{number % configurations}"
        runs.append(Run("real", agent, model, hms=0.2, unscored=0.01))
    write_logs(runs, Path(folder), samples, padding=20_000)


def write_report(logs: str, out: str) -> tuple[float, float]:
    """Seconds that a report takes, and its peak memory in MB."""
    from resource import RUSAGE_SELF, getrusage

    from inspect_discoverybench.report import folder

    start = time.perf_counter()
    folder.write_report([logs], Path(out))
    seconds = time.perf_counter() - start
    memory = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    return seconds, memory


def open_page(page: str) -> float:
    """Seconds until the page is open and a search is done."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=chromium) as browser:
        tab = browser.new_page()
        start = time.perf_counter()
        tab.goto(Path(page).as_uri())
        tab.fill("input[type=search]", "factor 3")
        return time.perf_counter() - start


def main() -> None:
    """Measure in fresh processes."""
    rows = []
    with own_folders() as folder:
        for logs, samples, configurations, target in SIZES:
            source = str(folder / f"{logs} logs")
            out = folder / f"report of {logs} logs"
            page = out / "report.html"
            in_fresh_process(write_logs, source, logs, samples, configurations)
            seconds, memory = in_fresh_process(write_report, source, str(out))
            opened = in_fresh_process(open_page, str(page))
            megabytes = page.stat().st_size / 1e6
            rows.append((f"{logs} logs of {samples} samples", seconds, target, memory, megabytes, opened))
    columns = {
        "logs": "",
        "report, s": ".1f",
        "target, s": "",
        "peak memory, MB": ".0f",
        "page, MB": ".1f",
        "opened and searched, s": ".1f",
    }
    show("Reports", columns, rows)


if __name__ == "__main__":
    main()
