"""What the first and a later `python` call of a sample cost, beside an empty `exec` and a fresh interpreter."""

import argparse
import asyncio
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from statistics import median
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.dataset import MemoryDataset
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox
from measure import own_folders, require_engine, require_success, show

from inspect_discoverybench import demo
from inspect_discoverybench.session.session import PythonSession
from inspect_discoverybench.session.tool import python

CALLS = 25
TARGET = 1.2
"""Times an empty `exec`."""
FIRST_SAMPLES = 4
THINK_SECONDS = 2.0
TARGET_FIRST = 0.3
"""Seconds."""

SLEEPERS = 15

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

NOTHING = "an empty `exec`: the sandbox alone"
SESSION = "`python`, session that has them loaded"
FRESH = "fresh interpreter that imports them"


Row = tuple[str | float, ...]


async def seconds_of(run: Callable[[], Awaitable[str]]) -> float:
    """Seconds of one call, which must print the slope."""
    start = time.perf_counter()
    output = await run()
    seconds = time.perf_counter() - start
    if SLOPE not in output:
        raise ValueError(f"expected {SLOPE!r}, got {output[-500:]!r}")
    return seconds


async def cell(code: str) -> str:
    """What a cell prints."""
    return str(await python()(code=code))


async def command(*words: str) -> str:
    """What a command in the sandbox prints."""
    result = await sandbox().exec(list(words), timeout=60)
    return result.stdout + result.stderr


@solver
def time_later_calls(interpreter: str) -> Solver:
    """Time each way to run the fit in turn, so that all meet the same load of the machine."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        await cell(LOAD)
        ways = {
            NOTHING: lambda: command("echo", SLOPE),
            SESSION: lambda: cell(FIT),
            FRESH: lambda: command(interpreter, "-c", f"{LOAD}; {FIT}"),
        }
        for run in ways.values():
            await seconds_of(run)  # warms caches
        seconds = defaultdict(list)
        for _ in range(CALLS):
            for name, run in ways.items():
                duration = await seconds_of(run)
                seconds[name].append(duration)
        medians = {name: median(values) for name, values in seconds.items()}
        state.store.set("seconds", medians)
        return state

    return solve


@solver
def time_first_call(code: str, early: bool) -> Solver:
    """Time the first call of a sample after the model has thought for a while.

    Args:
        code: The cell.
        early: Start the session before the model thinks, as the agents do.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if early:
            PythonSession().start_early()
        await asyncio.sleep(THINK_SECONDS)
        duration = await seconds_of(lambda: cell(code))
        state.store.set("seconds", duration)
        return state

    return solve


@solver
def time_beside_sleepers() -> Solver:
    """One sample times its calls, alone and then while all others wait in a sleeping cell."""
    sleep = asyncio.Event()

    async def median_call() -> float:
        code = FIRST_CELLS["`1 + 1`"]
        seconds = [await seconds_of(lambda: cell(code)) for _ in range(CALLS)]
        return median(seconds)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        await cell("1")
        if state.sample_id == SLEEPERS:
            alone = await median_call()
            sleep.set()
            await asyncio.sleep(THINK_SECONDS)
            state.store.set("seconds", (alone, await median_call()))
        else:
            await sleep.wait()
            await cell("import time; time.sleep(20)")
        return state

    return solve


def measured(name: str, way: Solver, samples: int) -> list[Any]:
    """What a solver measured in some samples with this sandbox, one after the other."""
    task = task_with(demo(sandbox=name), scorer=[])
    [log] = inspect_eval(task, model="mockllm/model", solver=way, limit=samples, max_samples=1)
    return [sample.store["seconds"] for sample in require_success(log)]


def first_calls(name: str) -> list[Row]:
    """What the first call of a sample costs in a sandbox, with and without an early start."""
    rows: list[Row] = []
    target = f"{TARGET_FIRST} s" if name == "docker" else ""
    for label, code in FIRST_CELLS.items():
        late_start = time_first_call(code, early=False)
        early_start = time_first_call(code, early=True)
        late = median(measured(name, late_start, FIRST_SAMPLES))
        early = median(measured(name, early_start, FIRST_SAMPLES))
        rows.append((f"{name}: {label}", early / late, early, target, late))
    return rows


def later_calls(name: str) -> list[Row]:
    """What each way to run the fit costs in a sandbox."""
    rows: list[Row] = []
    interpreter = sys.executable if name == "local" else "python3"
    [seconds] = measured(name, time_later_calls(interpreter), 1)
    for way, value in seconds.items():
        has_target = name == "docker" and way == SESSION
        target = f"{TARGET}" if has_target else ""
        rows.append((f"{name}: {way}", value / seconds[NOTHING], target, value))
    return rows


def beside_sleepers(name: str) -> Row:
    """What a call costs while other samples wait."""
    task = demo(sandbox=name)
    count = SLEEPERS + 1
    samples = [task.dataset[0].model_copy(update={"id": number}) for number in range(count)]
    [log] = inspect_eval(
        task_with(task, dataset=MemoryDataset(samples), scorer=[]),
        model="mockllm/model",
        solver=time_beside_sleepers(),
        max_samples=count,
        max_sandboxes=count,
    )
    stores = [sample.store for sample in require_success(log)]
    [(alone, beside)] = [store["seconds"] for store in stores if "seconds" in store]
    return beside / alone, beside, alone


def main() -> None:
    """Measure in each sandbox and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sandbox", choices=["docker", "local"], action="append", help="default: both")
    names = parser.parse_args().sandbox or ["docker", "local"]
    if "docker" in names:
        require_engine()
    first: list[Row] = []
    later: list[Row] = []
    with own_folders():
        for name in names:
            first += first_calls(name)
            later += later_calls(name)
        sleepers = beside_sleepers(names[0])
    show(
        f"First `python` call of a sample after a model call of {THINK_SECONDS:.0f} s",
        {"cell": "", "ratio": ".2f", "started early, s": ".3f", "target": "", "started by the call, s": ".3f"},
        first,
        f"Medians of {FIRST_SAMPLES} samples. Agents start the session early.",
    )
    show(
        f"A `python` call while {SLEEPERS} other samples wait in a sleeping cell ({names[0]})",
        {"ratio": ".2f", "median s": ".3f", "alone, s": ".3f"},
        [sleepers],
        f"Medians of {CALLS} calls.",
    )
    show(
        "One call that fits a regression with statsmodels",
        {"what": "", "ratio": ".2f", "target": "", "median s": ".3f"},
        later,
        f"Medians of {CALLS} calls within one sample, the ways in turn. The ratio is to an empty `exec`.",
    )


if __name__ == "__main__":
    main()
