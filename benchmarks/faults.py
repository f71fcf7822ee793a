"""Faults of the judge's and the agent's endpoint: what is lost, and what a second run completes."""

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endpoint import Endpoint, endpoint
from faulty_endpoint import FAULTS, OWN, Faulty, Role, healthy, reference
from measure import own_folders, require_data, show

from inspect_discoverybench.session.session import PythonSession

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog
    from inspect_ai.model import Model

MODEL = "openai/gpt-4o-2024-08-06"
CONNECTIONS = 20
MAX_RETRIES = 1
"""Retries of Inspect for each request, so that a second fault of the same request is an error of the sample."""
ATTEMPT_TIMEOUT = 10
"""Seconds after which a stalled request is given up."""

ROLES: tuple[Role, ...] = ("judge", "agent", "both")
RATES = (0.01, 0.1, 0.5)


@dataclass(frozen=True)
class Sample:
    """What a log holds of a sample.

    Attributes:
        answer: The submission; None if the sample was not scored.
        values: The decided score keys.
        error: Its error; None if it has none.
    """

    answer: str | None
    values: dict[str, float]
    error: str | None

    @property
    def is_scored(self) -> bool:
        """Whether it has an HMS."""
        return "hms" in self.values


@dataclass(frozen=True)
class Cell:
    """One fault at one rate, and what it did.

    Attributes:
        fault: Name of the fault.
        role: Whose requests fail.
        rate: Share of requests that fail.
        samples: Samples of the run without faults.
        logged: Samples in the log of the run with faults.
        errors: Samples of it that ended with an error.
        unscored: Samples of it without an error or a score.
        unnamed: Errors that do not begin with the role whose model failed, or do not say what to do.
        open: Samples without a score after `inspect eval-retry`, and `inspect score` if there are unscored ones.
        resubmitted: Samples whose submission differs from that without faults.
        changed: Samples with the same submission, but a different value of any score key, in either run.
        zeros: Samples with HMS 0 that have more without faults, in either run; for faults of the infrastructure, or
            with the same submission.
        totals: Whether the counts of all tables of the report add up, in either run.
        example: The first error.
        seconds: Of both runs.
    """

    fault: str
    role: Role
    rate: float
    samples: int
    logged: int
    errors: int
    unscored: int
    unnamed: int
    open: int
    resubmitted: int
    changed: int
    zeros: int
    totals: bool
    example: str
    seconds: float

    @property
    def key(self) -> tuple[str, str, float]:
        """What identifies the cell in a table."""
        return self.fault, self.role, self.rate

    @property
    def lost(self) -> int:
        """Samples that are not in the log."""
        return self.samples - self.logged


def build_model(**config: Any) -> "Model":
    """A model that repeats a failed request immediately, and only as often as Inspect is configured to."""
    from inspect_ai.model import GenerateConfig, get_model
    from tenacity import wait_none

    # `max_retries` is an argument of OpenAI's client, which would repeat requests before Inspect knows.
    model = get_model(MODEL, config=GenerateConfig(**config), memoize=False, max_retries=0)
    # Inspect has no option for the pause, of which 3 seconds is the least; providers may override it.
    setattr(model.api, "retry_wait", wait_none)  # noqa: B010 - a method
    return model


def evaluate(folder: Path, limit: int | None) -> "EvalLog":
    """Run DB-REAL test with ReAct. The agent runs no code, so the local sandbox is enough."""
    from inspect_ai import eval as inspect_eval

    from inspect_discoverybench import real

    return inspect_eval(
        real(sandbox="local"),
        # The judge inherits the time limit of an attempt.
        model=build_model(max_retries=MAX_RETRIES, max_connections=CONNECTIONS, attempt_timeout=ATTEMPT_TIMEOUT),
        model_roles={"grader": build_model(max_retries=MAX_RETRIES, max_connections=CONNECTIONS)},
        log_dir=str(folder),
        limit=limit,
        max_samples=CONNECTIONS,
        fail_on_error=False,
        log_realtime=False,
        score_display=False,
    )[0]


def complete(log: "EvalLog", folder: Path) -> "EvalLog":
    """Complete a run as the documentation says: `inspect eval-retry`, then `inspect score` for unscored samples."""
    from inspect_ai import eval_retry, score
    from inspect_ai.log import write_eval_log

    from inspect_discoverybench.scorer.scorer import hms

    if any(sample.error for sample in read(log).values()):
        log = eval_retry(
            log, log_dir=str(folder), max_connections=CONNECTIONS, log_realtime=False, score_display=False
        )[0]
    if any(sample.error is None and not sample.is_scored for sample in read(log).values()):
        log = score(log, hms(), action="overwrite")
        write_eval_log(log)
    return log


def warm_cache(faulty: Faulty, source: Path, target: Path) -> None:
    """Fill the judge's cache with the replies of the run without faults, except those whose first request fails.

    Judging costs most of the time. With faults, a question is asked only if its request fails, or is a new one.
    """
    for file in source.rglob("discoverybench-judge/*.json"):
        if faulty.role == "agent" or not faulty.fails(file.name):
            copy = target / file.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)


def read(log: "EvalLog") -> dict[str, Sample]:
    """The samples of a log by id."""
    samples = {}
    for sample in log.samples or []:
        score = (sample.scores or {}).get("HMS")
        value = score.value if score is not None and isinstance(score.value, dict) else {}
        numbers = {key: float(number) for key, number in value.items() if isinstance(number, int | float)}
        samples[str(sample.id)] = Sample(
            answer=score.answer if score is not None else None,
            values={} if sample.error else {key: number for key, number in numbers.items() if number == number},
            error=sample.error.message if sample.error else None,
        )
    return samples


def totals_add_up(folder: Path, samples: int) -> bool:
    """Whether each table of the report counts all samples, each in one column."""
    from inspect_discoverybench.report.aggregates import COUNTS
    from inspect_discoverybench.report.samples import label_samples
    from inspect_discoverybench.report.sections import sections
    from inspect_discoverybench.results import read_results

    frame = label_samples(read_results([folder]).samples)
    tables = {section.name: section.table for section in sections(frame)}
    totals = [table for table in tables.values() if {"samples", *COUNTS} <= {*table.columns}]
    return (
        len(frame) == samples
        and int(tables["hms"].samples.sum()) == samples
        and all((table[[*COUNTS]].sum(axis=1) == table.samples).all() for table in totals)
    )


def is_named(message: str) -> bool:
    """Whether an error begins with the role whose model failed, and says what to do."""
    return message.startswith(("The judge", "The agent")) and MODEL in message and "inspect eval-retry" in message


def measure(server: Endpoint, faulty: Faulty, clean: dict[str, Sample], folder: Path, limit: int | None) -> Cell:
    """Run with faults, complete the run without, and compare."""
    # A cache for each cell: accepted replies of another one would hide the faults.
    warm_cache(faulty, folder.parent / "cache", folder / "cache")
    os.environ["INSPECT_CACHE_DIR"] = str(folder / "cache")
    start = time.perf_counter()
    server.answer_with(faulty)
    log = evaluate(folder / "logs", limit)
    first = read(log)
    server.answer_with(healthy)
    last = read(complete(log, folder / "logs"))
    runs = [(sample, clean[name]) for run in (first, last) for name, sample in run.items() if sample.error is None]
    same = [(sample, other) for sample, other in runs if sample.answer == other.answer]
    is_own = faulty.fault in OWN
    messages = [sample.error for sample in first.values() if sample.error is not None]
    return Cell(
        fault=faulty.fault,
        role=faulty.role,
        rate=faulty.rate,
        samples=len(clean),
        logged=len(first),
        errors=len(messages),
        unscored=sum(sample.error is None and not sample.is_scored for sample in first.values()),
        unnamed=sum(not is_named(message) for message in messages),
        open=len(clean) - sum(sample.is_scored for sample in last.values()),
        resubmitted=sum(sample.answer != clean[name].answer for name, sample in last.items()),
        changed=sum(any(other.values[key] != value for key, value in sample.values.items()) for sample, other in same),
        zeros=sum(sample.values.get("hms") == 0 < other.values["hms"] for sample, other in (same if is_own else runs)),
        totals=totals_add_up(folder / "logs", len(clean)),
        example=messages[0] if messages else "",
        seconds=time.perf_counter() - start,
    )


def main() -> None:
    """Measure the cells and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", nargs="+", choices=FAULTS, default=FAULTS, metavar="FAULT", help=", ".join(FAULTS))
    parser.add_argument("--rates", nargs="+", type=float, default=RATES, help="shares of requests that fail")
    parser.add_argument("--roles", nargs="+", choices=ROLES, default=ROLES, help="whose requests fail")
    parser.add_argument("--limit", type=int, help="samples of each run; default: all 239")
    parser.add_argument(
        "--results", type=Path, help="JSON lines of finished cells with the same samples, to which cells are added"
    )
    options = parser.parse_args()
    require_data()
    # The agent runs no code, so its sessions need not start.
    setattr(PythonSession, "start_early", lambda _: None)  # noqa: B010 - a method
    results: Path | None = options.results.absolute() if options.results else None
    with own_folders() as folder, endpoint(0, reference) as server:
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
        clean = read(evaluate(folder / "reference", options.limit))
        if not all(sample.is_scored for sample in clean.values()):
            sys.exit("The run without faults has samples without a score.")
        lines = results.read_text("utf-8").splitlines() if results and results.exists() else []
        cells = [cell for cell in (Cell(**json.loads(line)) for line in lines) if cell.samples == len(clean)]
        finished = {cell.key for cell in cells}
        wanted = [Faulty(*key) for key in product(options.faults, options.roles, options.rates)]
        todo = [faulty for faulty in wanted if (faulty.fault, faulty.role, faulty.rate) not in finished]
        for number, faulty in enumerate(todo):
            cell = measure(server, faulty, clean, folder / str(number), options.limit)
            cells.append(cell)
            print(f"{number + 1}/{len(todo)}: {cell}", file=sys.stderr)
            if results:
                with results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(vars(cell)) + "\n")
            shutil.rmtree(folder / str(number))
    show_cells(cells, len(clean))


def show_cells(cells: Sequence[Cell], samples: int) -> None:
    """Print a row per fault and a column per role and rate, and every cell in which something is wrong."""
    columns = sorted({(cell.role, cell.rate) for cell in cells}, key=lambda column: (ROLES.index(column[0]), column[1]))
    cell_by_key = {cell.key: cell for cell in cells}
    rows = []
    for fault in FAULTS:
        row = [cell_by_key.get((fault, *column)) for column in columns]
        if any(row):
            rows.append((fault, *("" if cell is None else str(cell.errors + cell.unscored) for cell in row)))
    titles = [f"{role} {rate:.0%}" for role, rate in columns]
    show(f"Samples of {samples} without a score after the run with faults", ("fault", *titles), rows)
    show(
        "Runs with a defect",
        ("fault", "role", "rate", "lost", "open", "changed", "zeros", "unnamed", "totals"),
        [
            (
                cell.fault,
                cell.role,
                f"{cell.rate:.0%}",
                str(cell.lost),
                *(str(getattr(cell, name)) for name in ("open", "changed", "zeros", "unnamed")),
                "yes" if cell.totals else "NO",
            )
            for cell in cells
            if cell.lost or cell.open or cell.changed or cell.zeros or cell.unnamed or not cell.totals
        ],
        f"Of {len(cells)} runs. lost: samples that are not in the log; open: without a score after the second run; "
        "changed: scores of equal submissions; zeros: because of the fault; unnamed: errors that do not name role, "
        "model and remedy.",
        f"Submissions that differ from the run without faults: {_resubmissions(cells)}.",
    )


def _resubmissions(cells: Sequence[Cell]) -> str:
    counts = {fault: max((cell.resubmitted for cell in cells if cell.fault == fault), default=0) for fault in FAULTS}
    return ", ".join(f"at most {count} per run with {fault}" for fault, count in counts.items() if count) or "none"


if __name__ == "__main__":
    main()
