"""CPU and memory of DB-REAL test with the offline models in local sandboxes, beside what Inspect itself needs."""

import argparse
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from measure import own_folders, require_data, show

if TYPE_CHECKING:
    from inspect_ai import Task

TARGET_CPU = 0.25
TARGET_MEMORY = 700
SECONDS = 600
"""Time limit of one run; it is ended then, with every process that it started."""

OURS, SAME_STEPS, LEAST = "baseline and lexical", "Inspect's own, the same steps", "Inspect's own, one model call"

PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Run:
    """What the process that runs Inspect reports about itself; times are CPU seconds.

    Attributes:
        samples: Samples completed.
        wall: Wall seconds of the eval.
        own: Of the process itself, building the task included.
        clients: Of the processes that it waited for: one thin client for each `python` call.
        memory: Its peak in MB.
    """

    samples: int
    wall: float
    own: float
    clients: float
    memory: float


# --- the process that runs Inspect --------------------------------------------------------------------


def evaluate(name: str, limit: int | None) -> Run:
    """Run one of the evals in this process."""
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import get_model

    from inspect_discoverybench import real

    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    if name == OURS:
        run = partial(
            inspect_eval,
            real(sandbox="local"),
            model="discoverybench/baseline",
            model_roles={"grader": "discoverybench/lexical"},
        )
    else:
        model = get_model("mockllm/model", custom_outputs=_output)
        run = partial(inspect_eval, _bare(name == SAME_STEPS), model=model, model_roles={"grader": model})
    log = run(limit=limit)[0]
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    if log.status != "success" or log.results is None:
        sys.exit(f"{name}: the eval ended with {log.status}: {log.error and log.error.traceback}")
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return Run(log.results.completed_samples, wall, _cpu(after) - _cpu(before), _cpu(children), after.ru_maxrss / unit)


def _cpu(usage: resource.struct_rusage) -> float:
    return usage.ru_utime + usage.ru_stime


def _bare(same_steps: bool) -> "Task":
    """The same samples, files and sandbox without anything of ours.

    Args:
        same_steps: ReAct with two tool calls that start a process each, and a scorer that asks five questions;
            otherwise one model call and a scorer that asks nothing.
    """
    from inspect_ai import Task
    from inspect_ai.agent import react
    from inspect_ai.model import get_model
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
    from inspect_ai.solver import TaskState, generate
    from inspect_ai.tool import Tool, tool
    from inspect_ai.util import collect, sandbox

    from inspect_discoverybench import real

    @tool
    def run_code() -> Tool:
        async def execute(code: str) -> str:
            """Run code.

            Args:
                code: The code.
            """
            await sandbox().exec([sys.executable, "-I", "-S", "-c", "pass"], input=code)
            return "x" * 2000

        return execute

    @scorer(metrics=[mean()])
    def five_questions() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            if same_steps:
                judge = get_model(role="grader")
                await collect(*(judge.generate(f"{number} {state.input_text}") for number in range(4)))
                await judge.generate(f"match {state.input_text}")
            return Score(value=1)

        return score

    return Task(
        dataset=real(sandbox="local").dataset,
        solver=react(tools=[run_code()]) if same_steps else generate(),
        scorer=five_questions(),
        sandbox="local",
    )


def _output(messages: list[object], tools: list[object], *_: object) -> object:
    """Two tool calls and `submit` where there are tools, else a text; with usage, or Inspect would load a tokenizer."""
    from inspect_ai.model import ChatMessageTool, ModelOutput, ModelUsage

    calls = sum(isinstance(message, ChatMessageTool) for message in messages)
    if not tools:
        output = ModelOutput.from_content("mockllm/model", "A")
    elif calls < 2:
        output = ModelOutput.for_tool_call("mockllm/model", "run_code", {"code": "x" * 4000})
    else:
        output = ModelOutput.for_tool_call("mockllm/model", "submit", {"answer": "x" * 300})
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


# --- the process that watches -------------------------------------------------------------------------


def watch(name: str, limit: int | None) -> tuple[Run, float | None]:
    """Run one eval in a fresh process; also the CPU seconds of the kernels, which nobody else waits for.

    A kernel is left to itself when its first client ends. On Linux this process then becomes its parent, and learns
    its CPU time when it has ended; elsewhere that is None.
    """
    adopts = sys.platform == "linux" and ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    report = Path(f"{name}.json".replace(" ", "_"))
    command = [sys.executable, __file__, "--run", name, "--report", str(report.absolute())]
    child = subprocess.Popen(command + (["--limit", str(limit)] if limit else []))
    kernels, deadline = 0.0, time.monotonic() + SECONDS
    while True:
        try:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if pid == child.pid:
            child.returncode = os.waitstatus_to_exitcode(status)
            deadline = time.monotonic() + 20  # kernels notice within ten seconds that their folder is gone
        elif pid:
            kernels += _cpu(usage)
        elif time.monotonic() > deadline:
            for child_id in Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="utf-8").split():
                os.kill(int(child_id), signal.SIGKILL)
        else:
            time.sleep(0.05)
    if child.returncode:
        sys.exit(f"{name}: ended with {child.returncode}; its time limit is {SECONDS} s.")
    return Run(**json.loads(report.read_text(encoding="utf-8"))), kernels if adopts else None


def main() -> None:
    """Run each eval in a process of its own and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, help="samples of each run; default: all 239")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--report", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run = evaluate(options.run, options.limit)
        options.report.write_text(json.dumps(asdict(run)), encoding="utf-8")
        return
    require_data()
    with own_folders():
        runs = {name: watch(name, options.limit) for name in (LEAST, SAME_STEPS, OURS)}
    ours = runs[OURS][0].own / runs[OURS][0].samples
    rows = []
    for name, (run, kernels) in runs.items():
        above = ours - run.own / run.samples
        rows.append(
            (
                name,
                f"{run.wall:.0f}",
                f"{run.own / run.samples:.3f}",
                "" if name == OURS else f"{above:.3f}",
                f"{run.clients / run.samples:.3f}",
                "-" if kernels is None else f"{kernels / run.samples:.3f}",
                f"{run.memory:.0f}",
            )
        )
    show(
        f"{runs[OURS][0].samples} samples of DB-REAL test, offline",
        ("run", "wall s", "CPU s", "ours above", "clients s", "kernels s", "peak MB"),
        rows,
        "CPU seconds per sample: of the process that runs Inspect; of what it started and waited for; of the kernels.",
        f"Targets: ours above Inspect's own ≤ {TARGET_CPU} s per sample, peak memory ≤ {TARGET_MEMORY} MB.",
    )


if __name__ == "__main__":
    main()
