"""What a report costs: of many samples, and of many configurations; and opening its page in Chromium.

The logs are synthetic, with predicted hypotheses as long as those of real runs.
"""

import shutil
import time
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Cost:
    """What a report takes: seconds, seconds of CPU time (its own and those of its workers), and peak memory in MB."""

    seconds: float
    cpu: float
    workers_cpu: float
    memory: float


def write_report(logs: str, out: str) -> Cost:
    """Write a report, and measure it."""
    from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

    from inspect_discoverybench.report import folder

    start, cpu_start = time.perf_counter(), time.process_time()
    folder.write_report([logs], Path(out))
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu_start
    workers = getrusage(RUSAGE_CHILDREN)
    memory = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    return Cost(seconds, cpu, workers.ru_utime + workers.ru_stime, memory)


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
            cost = in_fresh_process(write_report, source, str(out))
            opened = in_fresh_process(open_page, str(page))
            megabytes = page.stat().st_size / 1e6
            rows.append(
                (
                    f"{logs} logs of {samples} samples",
                    cost.seconds,
                    target,
                    cost.cpu,
                    cost.workers_cpu,
                    cost.memory,
                    megabytes,
                    opened,
                )
            )
    columns = {
        "logs": "",
        "report, s": ".1f",
        "target, s": "",
        "CPU, s": ".1f",
        "CPU of workers, s": ".1f",
        "peak memory, MB": ".0f",
        "page, MB": ".1f",
        "opened and searched, s": ".1f",
    }
    show("Reports", columns, rows)


if __name__ == "__main__":
    main()
