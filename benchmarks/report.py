"""What a report of 100 logs costs: reading, sections, tables and figures, the page, and opening it in Chromium.

The logs are synthetic, with 239 samples each. Their texts are short, so the page is also written with texts as long as
those of real runs.
"""

import argparse
import shutil
import time
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from measure import in_fresh_process, own_folders, show

LOGS, SAMPLES = 100, 239
WORDS = {"hypothesis": (25, 75), "workflow": (60, 220), "verdict": (80, 190)}
"""Words of the texts of a real sample, the fewest and the most."""


def write_logs(folder: str, logs: int) -> float:
    """Seconds to write the logs: five agents with five models, several times."""
    from synthetic_logs import Run
    from synthetic_logs import write_logs as write

    start = time.perf_counter()
    agents = ("codegen", "react", "datavoyager", "reflexion", "no_data_guess")
    sizes = ("large", "medium", "small")
    runs = [
        Run("real", agents[number % 5], f"provider/{sizes[number // 5 % 3]}", 0.05 + 0.002 * number, unscored=0.01)
        for number in range(logs)
    ]
    write(runs, Path(folder), samples=SAMPLES, padding=20_000)
    return time.perf_counter() - start


def measure(folder: str, out: str, workers: int, long_texts: bool) -> dict[str, float]:
    """Seconds of each step of a report, and its peak memory and size in MB."""
    from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

    from inspect_discoverybench.report.configurations import label_configurations
    from inspect_discoverybench.report.files import report_folder, write_files
    from inspect_discoverybench.report.page import write_page
    from inspect_discoverybench.report.sections import sections
    from inspect_discoverybench.results import read_results

    laps = [time.perf_counter()]
    with report_folder(Path(out)) as target:
        results = read_results([folder], workers)
        laps.append(time.perf_counter())
        samples = label_configurations(results.samples)
        if long_texts:
            samples = with_long_texts(samples)
            laps[-1] = time.perf_counter()
        parts = sections(samples)
        laps.append(time.perf_counter())
        write_files(parts, target)
        laps.append(time.perf_counter())
        write_page(parts, samples, results.left_out, "Benchmark", target / "report.html")
        laps.append(time.perf_counter())
    seconds = dict(zip(("read", "sections", "files", "page"), (b - a for a, b in pairwise(laps)), strict=True))
    megabytes = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    worker = getrusage(RUSAGE_CHILDREN).ru_maxrss / 1024
    size = (Path(out) / "report.html").stat().st_size / 1e6
    return {**seconds, "memory": megabytes, "worker memory": worker, "size": size, "samples": len(samples)}


def with_long_texts(samples: Any) -> Any:
    """The samples with texts of random words; they compress less well than real ones."""
    random = Random(0)
    words = ["".join(random.choices("etaoinshrdlu", k=random.randint(2, 11))) for _ in range(3000)]
    pool = random.choices(words, [1 / (rank + 3) for rank in range(3000)], k=1_000_000)

    def text(kind: str) -> str:
        start = random.randrange(len(pool) - 300)
        return " ".join(pool[start : start + random.randint(*WORDS[kind])])

    texts = {name: [text(name) for _ in range(len(samples))] for name in ("hypothesis", "workflow")}
    return samples.assign(**texts, explanation=[f"**HMS**\n\n{text('verdict')}" for _ in range(len(samples))])


def open_page(page: str) -> dict[str, float]:
    """Seconds until the page can be used, until a search is done and until a sample is shown."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=chromium) as browser:
        tab = browser.new_page()
        laps = [time.perf_counter()]
        tab.goto(Path(page).as_uri())
        tab.wait_for_selector("html[data-ready]")
        laps.append(time.perf_counter())
        tab.fill("#query", "archaeology factor")
        tab.get_by_role("button", name="Clear all filters").wait_for()
        laps.append(time.perf_counter())
        tab.locator("#samples tbody a").first.click()
        tab.wait_for_selector("dialog[open]")
        laps.append(time.perf_counter())
    return dict(zip(("open", "search", "sample"), (b - a for a, b in pairwise(laps)), strict=True))


def main() -> None:
    """Measure in fresh processes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=int, default=LOGS)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    rows = []
    with own_folders() as folder:
        logs = str(folder / "synthetic")
        in_fresh_process(write_logs, logs, arguments.logs)
        for long_texts, name in ((False, "as synthesised"), (True, "long texts")):
            out = str(folder / name.split(maxsplit=1)[0])
            run = in_fresh_process(measure, logs, out, arguments.workers, long_texts)
            laps = in_fresh_process(open_page, f"{out}/report.html")
            total = sum(run[step] for step in ("read", "sections", "files", "page"))
            rows += [
                (f"{name}: {run['samples']:.0f} samples, report", f"{total:.1f} s", "60 s"),
                *((f"  {step}", f"{run[step]:.1f} s", "") for step in ("read", "sections", "files", "page")),
                ("  peak memory", f"{run['memory']:.0f} MB", "1500 MB"),
                ("  peak memory of a worker", f"{run['worker memory']:.0f} MB", ""),
                ("  page", f"{run['size']:.1f} MB", "25 MB"),
                ("  opened in Chromium", f"{laps['open']:.1f} s", "3 s"),
                ("  first search", f"{laps['search']:.1f} s", ""),
                ("  a sample opened", f"{laps['sample']:.1f} s", ""),
            ]
    show(f"A report of {arguments.logs} logs", ("what", "measured", "target"), rows)


if __name__ == "__main__":
    main()
