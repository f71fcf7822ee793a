"""What the first and a later `python` call of a sample cost, beside an empty `exec` and other ways to run the code."""

import argparse
import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from statistics import median

from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import bash_session
from inspect_ai.util import sandbox
from measure import own_folders, require_engine, show

from inspect_discoverybench import demo
from inspect_discoverybench.session.session import PythonSession
from inspect_discoverybench.session.tool import python

CALLS = 25
FEWER = 10
"""Calls of what takes seconds."""
TARGET = 1.2
"""Times an empty `exec`."""
FIRST_SAMPLES = 4
THINK_SECONDS = 2.0
TARGET_FIRST = 0.3
"""Seconds."""

LOAD = (
    "import pandas as pd, statsmodels.api as sm; "
    "frame = pd.DataFrame({'x': range(100), 'y': [2 * i + i % 7 for i in range(100)]})"
)
FIT = "print('slope', sm.OLS(frame['y'], sm.add_constant(frame['x'])).fit().params['x'].round(3))"
SLOPE = "slope 2.0"

FIRST_CELLS = {
    "`1 + 1`": "print('slope 2.0')",
    "pandas reads the data": "import pandas as pd; len(pd.read_csv('data.csv')); print('slope 2.0')",
    "a regression": f"{LOAD}; {FIT}",
}

SESSION = "`python`, session that has them loaded"
FRESH = "fresh interpreter that imports them"
NOTHING = "`exec(['true'])`: the sandbox alone"
SHELL = "interactive Python in Inspect's `bash_session`"


@dataclass(frozen=True)
class Way:
    """One way to run the fit.

    Attributes:
        name: Its name in the table.
        calls: How often it is timed.
        run: Runs the fit and returns what it printed.
    """

    name: str
    calls: int
    run: Callable[[], Awaitable[str]]


async def started(interpreter: str, shell: bool) -> list[Way]:
    """Every way, those that keep state with both libraries loaded."""
    code, terminal = python(), bash_session()
    await code(code=LOAD)

    async def nothing() -> str:
        return SLOPE if (await sandbox().exec(["true"])).success else "it failed"

    async def session() -> str:
        return str(await code(code=FIT))

    async def fresh() -> str:
        result = await sandbox().exec([interpreter, "-c", f"{LOAD}; {FIT}"], timeout=60)
        return result.stdout + result.stderr

    async def line() -> str:
        return str(await terminal(action="type_submit", input=FIT))

    ways = [Way(NOTHING, CALLS, nothing), Way(SESSION, CALLS, session), Way(FRESH, FEWER, fresh)]
    if shell:
        for text in (f"{interpreter} -q", LOAD, "print('loaded')"):
            await terminal(action="type_submit", input=text)
        ways.append(Way(SHELL, FEWER, line))
    return ways


@solver
def timed_calls(interpreter: str, shell: bool) -> Solver:
    """Time each way in turn, so that all meet the same load of the machine; the log's store takes the seconds.

    Args:
        interpreter: Python of the sandbox.
        shell: Also time `bash_session`, which leaves a server behind where nobody removes the sandbox.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        ways = await started(interpreter, shell)
        seconds: dict[str, list[float]] = {way.name: [] for way in ways}
        for turn in range(CALLS + 1):
            for way in ways:
                if turn <= way.calls:
                    seconds[way.name].append(await seconds_of(way))
        # The first call of each warms caches and does not count.
        state.store.set("seconds", {name: values[1:] for name, values in seconds.items()})
        return state

    return solve


async def seconds_of(way: Way) -> float:
    """Seconds of one call that gives the right answer."""
    start = time.perf_counter()
    output = await way.run()
    seconds = time.perf_counter() - start
    if SLOPE not in output:
        raise ValueError(f"{way.name}: expected {SLOPE!r}, got {output[-500:]!r}")
    return seconds


def measured(name: str) -> dict[str, list[float]]:
    """Seconds of every call in one sample with this sandbox."""
    interpreter = sys.executable if name == "local" else "python3"
    log = inspect_eval(
        demo(sandbox=name),
        model="mockllm/model",
        solver=timed_calls(interpreter, shell=name != "local"),
        limit=1,
    )[0]
    if log.status != "success" or not log.samples:
        sys.exit(f"The eval in the {name} sandbox ended with {log.status}: {log.error and log.error.message}")
    seconds: dict[str, list[float]] = log.samples[0].store["seconds"]
    return seconds


@solver
def first_call(code: str, early: bool) -> Solver:
    """Time the first call of a sample after the model has thought for a while.

    Args:
        code: The cell.
        early: Start the session before the model thinks, as the agents do.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if early:
            PythonSession().start_early()
        await asyncio.sleep(THINK_SECONDS)
        tool = python()

        async def run() -> str:
            return str(await tool(code=code))

        state.store.set("seconds", await seconds_of(Way("first", 1, run)))
        return state

    return solve


def first_calls(name: str, code: str, early: bool) -> list[float]:
    """Seconds of the first calls of some samples, one after the other."""
    task = task_with(demo(sandbox=name), scorer=[])
    log = inspect_eval(task, model="mockllm/model", solver=first_call(code, early), limit=FIRST_SAMPLES, max_samples=1)[
        0
    ]
    if log.status != "success" or not log.samples:
        sys.exit(f"The eval in the {name} sandbox ended with {log.status}: {log.error and log.error.message}")
    return [sample.store["seconds"] for sample in log.samples]


@contextmanager
def busy_machine() -> Iterator[None]:
    """Keep every core busy with one process of another owner."""
    spinners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()


def show_calls(name: str) -> None:
    """Later calls, on the machine as it is and on a busy one."""
    rows = []
    for busy in (False, True):
        with busy_machine() if busy else nullcontext():
            seconds = measured(name)
        floor = median(seconds[NOTHING])
        for way, values in seconds.items():
            target = f"{TARGET}" if (name, way) == ("docker", SESSION) else ""
            ratio = f"{median(values) / floor:.2f}"
            where = f"{name}, busy" if busy else name
            rows.append((f"{where}: {way}", ratio, target, f"{median(values):.3f}", str(len(values))))
    show(
        "One call that fits a regression with statsmodels",
        ("what", "ratio", "target", "median s", "calls"),
        rows,
        "Within one sample, the ways in turn. The ratio is to an empty `exec`. Busy: one more process for each core.",
    )


def show_first_calls(name: str) -> None:
    """The first call, with and without the early start."""
    rows = []
    for cell, code in FIRST_CELLS.items():
        late = median(first_calls(name, code, early=False))
        early = median(first_calls(name, code, early=True))
        target = f"{TARGET_FIRST} s" if name == "docker" else ""
        rows.append((f"{name}: {cell}", f"{early / late:.2f}", f"{early:.3f}", target, f"{late:.3f}"))
    show(
        f"First `python` call of a sample after a model call of {THINK_SECONDS:.0f} s",
        ("cell", "ratio", "started early, s", "target", "started by the call, s"),
        rows,
        f"Medians of {FIRST_SAMPLES} samples. Agents start the session early.",
    )


def main() -> None:
    """Measure in each sandbox and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sandbox", choices=["docker", "local"], action="append", help="default: both")
    parser.add_argument("--first", action="store_true", help="only the first calls")
    options = parser.parse_args()
    names = options.sandbox or ["docker", "local"]
    if "docker" in names:
        require_engine()
    with own_folders():
        for name in names:
            show_first_calls(name)
            if not options.first:
                show_calls(name)


if __name__ == "__main__":
    main()
