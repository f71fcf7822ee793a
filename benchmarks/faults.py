"""Faults of the judge's and the agent's endpoint: what is lost, and what a second run completes."""

import argparse
import os
import sys
from itertools import product
from math import isnan
from pathlib import Path
from typing import Any, get_args

from endpoint import Endpoint, endpoint
from faulty_endpoint import FAULTS, Faulty, Role, healthy
from inspect_ai import eval as inspect_eval
from inspect_ai import eval_retry
from inspect_ai import score as rescore
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model, get_model
from measure import own_folders, require_data, show
from tenacity import wait_none

from inspect_discoverybench import real
from inspect_discoverybench.scorer.scorer import hms
from inspect_discoverybench.session.session import PythonSession

MODEL = "openai/gpt-4o-2024-08-06"
CONNECTIONS = 20
MAX_RETRIES = 1
"""Retries of Inspect for each request, so that a second fault of the same request is an error of the sample."""
ATTEMPT_TIMEOUT = 10
"""Seconds after which a stalled request is given up."""
RATES = (0.01, 0.1, 0.5)
"""Shares of requests that fail."""


def build_model(**config: Any) -> Model:
    """A model that repeats a failed request immediately, and only as often as Inspect is configured to."""
    # `max_retries` is an argument of OpenAI's client, which would repeat requests before Inspect knows.
    config = {"max_retries": MAX_RETRIES, "max_connections": CONNECTIONS, **config}
    model = get_model(MODEL, config=GenerateConfig(**config), memoize=False, max_retries=0)
    # Inspect has no option for the pause, of which 3 seconds is the least; providers may override it.
    setattr(model.api, "retry_wait", wait_none)  # noqa: B010 - a method
    return model


def evaluate(folder: Path, limit: int | None) -> EvalLog:
    """Run DB-REAL test with ReAct. The agent runs no code, so the local sandbox is enough."""
    # No other run's replies of the judge would hide the faults.
    os.environ["INSPECT_CACHE_DIR"] = str(folder / "cache")
    return inspect_eval(
        real(sandbox="local"),
        # The judge inherits the time limit of an attempt.
        model=build_model(attempt_timeout=ATTEMPT_TIMEOUT),
        model_roles={"grader": build_model()},
        log_dir=str(folder),
        limit=limit,
        max_samples=CONNECTIONS,
        fail_on_error=False,
        log_realtime=False,
        score_display=False,
    )[0]


def scored(log: EvalLog) -> dict[str, tuple[str | None, dict[str, Any]]]:
    """Submission and score keys of the samples that have an HMS."""
    outcomes = {}
    for sample in log.samples or []:
        for score in (sample.scores or {}).values():
            values: dict[str, Any] = score.as_dict()
            if not sample.error and not isnan(values["hms"]):
                outcomes[str(sample.id)] = score.answer, values
    return outcomes


def complete(log: EvalLog) -> EvalLog:
    """Complete a run as the documentation says: `inspect eval-retry`, then `inspect score` for unscored samples."""
    if any(sample.error for sample in log.samples or []):
        log = eval_retry(log, max_connections=CONNECTIONS, log_realtime=False, score_display=False)[0]
    if len(scored(log)) < len(log.samples or []):
        log = rescore(log, hms(), action="overwrite")
    return log


def is_named(message: str) -> bool:
    """Whether an error begins with the role whose model failed, and says what to do."""
    return message.startswith(("The judge", "The agent")) and MODEL in message and "inspect eval-retry" in message


def measure(
    server: Endpoint, faulty: Faulty, clean: dict[str, Any], folder: Path, limit: int | None
) -> tuple[int, dict[str, int]]:
    """Run with faults, complete the run without, and compare.

    Returns:
        The number of samples without a score after the run with faults, and of defects, which should all be 0.
    """
    server.answer_with(faulty)
    log = evaluate(folder, limit)
    first = scored(log)
    server.answer_with(healthy)
    last = scored(complete(log))
    samples = log.samples or []
    defects = {
        "lost from the log": len(clean) - len(samples),
        "another submission or score": sum(
            outcome != clean.get(name) for run in (first, last) for name, outcome in run.items()
        ),
        "error without role, model or remedy": sum(not is_named(s.error.message) for s in samples if s.error),
        "without a score after completion": len(clean) - len(last),
    }
    return len(samples) - len(first), defects


def main() -> None:
    """Measure each fault in each role at each rate, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", nargs="+", choices=FAULTS, default=[*FAULTS], help="by default all of them")
    parser.add_argument("--limit", type=int, help="samples of each run; default: all 239")
    options = parser.parse_args()
    require_data()
    # The agent runs no code, so its sessions need not start.
    setattr(PythonSession, "start_early", lambda _: None)  # noqa: B010 - a method
    runs = [*product(get_args(Role), RATES)]
    rows, defects = [], []
    with own_folders() as folder, endpoint(0, healthy) as server:
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
        clean = scored(evaluate(folder / "clean", options.limit))
        for fault in options.faults:
            row = [fault]
            for role, rate in runs:
                name = f"{fault}, {role} {rate:.0%}"
                print(name, file=sys.stderr)
                unscored, found = measure(server, Faulty(fault, role, rate), clean, folder / name, options.limit)
                row.append(str(unscored))
                if any(found.values()):
                    defects.append(f"{name}: {found}")
            rows.append(row)
    show(
        f"Samples of {len(clean)} without a score after the run with faults",
        ("fault", *(f"{role} {rate:.0%}" for role, rate in runs)),
        rows,
        f"Runs with a defect: {', '.join(defects) or 'none'}",
    )


if __name__ == "__main__":
    main()
