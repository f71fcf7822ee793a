"""What a `python` call costs once pandas and statsmodels are loaded, beside other ways to run the same code."""

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
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


@solver
def timed_calls(interpreter: str, shell: bool) -> Solver:
    """Time each way in turn, so that all meet the same load of the machine; the log's store takes the seconds.

    Args:
        interpreter: Python of the sandbox.
        shell: Also time `bash_session`, which leaves a server behind where nobody removes the sandbox.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        run, typed = python(), bash_session()

        async def session() -> str:
            return str(await run(code=FIT))

        async def fresh() -> str:
            result = await sandbox().exec([interpreter, "-c", f"{LOAD}; {FIT}"], timeout=60)
            return result.stdout + result.stderr

        async def nothing() -> str:
            return SLOPE if (await sandbox().exec(["true"])).success else "failed"

        async def shell_line() -> str:
            return str(await typed(action="type_submit", input=FIT))

        await run(code=LOAD)
        ways = [(NOTHING, nothing, CALLS), (SESSION, session, CALLS), (FRESH, fresh, FEWER)]
        if shell:
            await typed(action="type_submit", input=f"{interpreter} -q")
            await typed(action="type_submit", input=LOAD)
            await typed(action="type_submit", input="print('loaded')")
            ways.append((SHELL, shell_line, FEWER))
        seconds: dict[str, list[float]] = {name: [] for name, _, _ in ways}
        for name, way, _ in ways:
            await seconds_of(way)  # the first call warms caches and is not counted
        for turn in range(CALLS):
            for name, way, calls in ways:
                if turn < calls:
                    seconds[name].append(await seconds_of(way))
        state.store.set("seconds", seconds)
        return state

    return solve


async def seconds_of(way: Callable[[], Awaitable[str]]) -> float:
    """Seconds of one call that gives the right answer."""
    start = time.perf_counter()
    said = await way()
    seconds = time.perf_counter() - start
    if SLOPE not in said:
        raise ValueError(f"expected {SLOPE!r}, got {said[-500:]!r}")
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


def main() -> None:
    """Measure in each sandbox and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sandbox", choices=["docker", "local"], action="append", help="default: both")
    names = parser.parse_args().sandbox or ["docker", "local"]
    if "docker" in names and (shutil.which("docker") is None or subprocess.run(["docker", "info"], capture_output=True, check=False).returncode):
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
