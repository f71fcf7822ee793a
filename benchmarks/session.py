"""What a `python` call costs once pandas and statsmodels are loaded, beside other ways to run the same code."""

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from statistics import median

from inspect_ai import eval as inspect_eval
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import bash_session
from inspect_ai.util import sandbox
from measure import own_folders, show

from inspect_discoverybench import demo
from inspect_discoverybench.session.tool import python

CALLS = 25
FEWER = 10
"""Calls of what takes seconds."""
TARGET = 0.30

LOAD = (
    "import pandas as pd, statsmodels.api as sm; "
    "frame = pd.DataFrame({'x': range(100), 'y': [2 * i + i % 7 for i in range(100)]})"
)
FIT = "print('slope', sm.OLS(frame['y'], sm.add_constant(frame['x'])).fit().params['x'].round(3))"
SLOPE = "slope 2.0"

SESSION = "`python`, session that has them loaded"
FRESH = "fresh interpreter that imports them"
NOTHING = "`exec(['true'])`: the sandbox alone"
SHELL = "interactive Python in Inspect's `bash_session`"


@dataclass(frozen=True)
class Way:
    """One way to run the fit.

    Attributes:
        name: What the table calls it.
        calls: How often it is timed.
        run: Runs the fit and returns what it printed.
    """

    name: str
    calls: int
    run: Callable[[], Awaitable[str]]


async def started(interpreter: str, shell: bool) -> list[Way]:
    """Every way, those that keep state with both libraries loaded."""
    code, typed = python(), bash_session()
    await code(code=LOAD)

    async def nothing() -> str:
        return SLOPE if (await sandbox().exec(["true"])).success else "it failed"

    async def session() -> str:
        return str(await code(code=FIT))

    async def fresh() -> str:
        result = await sandbox().exec([interpreter, "-c", f"{LOAD}; {FIT}"], timeout=60)
        return result.stdout + result.stderr

    async def line() -> str:
        return str(await typed(action="type_submit", input=FIT))

    ways = [Way(NOTHING, CALLS, nothing), Way(SESSION, CALLS, session), Way(FRESH, FEWER, fresh)]
    if shell:
        for text in (f"{interpreter} -q", LOAD, "print('loaded')"):
            await typed(action="type_submit", input=text)
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
    said = await way.run()
    seconds = time.perf_counter() - start
    if SLOPE not in said:
        raise ValueError(f"{way.name}: expected {SLOPE!r}, got {said[-500:]!r}")
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


def engine_answers() -> bool:
    """Whether there is a Docker engine."""
    asked = ["docker", "info"]
    return bool(shutil.which("docker")) and not subprocess.run(asked, capture_output=True, check=False).returncode


def main() -> None:
    """Measure in each sandbox and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sandbox", choices=["docker", "local"], action="append", help="default: both")
    names = parser.parse_args().sandbox or ["docker", "local"]
    if "docker" in names and not engine_answers():
        sys.exit("No Docker engine answers; start it, or choose --sandbox local.")
    rows = []
    with own_folders():
        for name in names:
            seconds = measured(name)
            session = median(seconds[SESSION])
            for way, values in seconds.items():
                target = f"{TARGET:.2f}" if (name, way) == ("docker", SESSION) else ""
                ratio = f"{median(values) / session:.1f}"
                rows.append((f"{name}: {way}", str(len(values)), f"{median(values):.3f}", ratio, target))
    show(
        "One call that fits a regression with statsmodels",
        ("what", "calls", "median s", "ratio", "target"),
        rows,
        "Within one sample of each sandbox, the ways in turn. The ratio is to the session's call.",
    )


if __name__ == "__main__":
    main()
