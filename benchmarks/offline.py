"""CPU and memory of DB-REAL test with the offline models in local sandboxes, beside what Inspect itself needs."""

import argparse
import resource
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from measure import in_fresh_process, own_folders, require_data, require_success, show

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.model import ModelOutput

TARGET_CPU = 0.25
TARGET_MEMORY = 700
OURS, INSPECT = "baseline and lexical", "Inspect's own, the same steps"


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


def evaluate(name: str, limit: int | None) -> Run:
    """Run one of the evals in this process."""
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import get_model

    from inspect_discoverybench import real

    before = _cpu(resource.RUSAGE_SELF)
    start = time.perf_counter()
    if name == OURS:
        task = real(sandbox="local")
        model = get_model("discoverybench/baseline")
        judge = get_model("discoverybench/lexical")
    else:
        task = _same_steps()
        model = get_model("mockllm/model", custom_outputs=_output)
        judge = model
    [log] = inspect_eval(task, model=model, model_roles={"grader": judge}, limit=limit)
    samples = require_success(log)
    return Run(
        samples=len(samples),
        wall=time.perf_counter() - start,
        own=_cpu(resource.RUSAGE_SELF) - before,
        clients=_cpu(resource.RUSAGE_CHILDREN),
        memory=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10,
    )


def _cpu(whose: int) -> float:
    usage = resource.getrusage(whose)
    return usage.ru_utime + usage.ru_stime


def _same_steps() -> "Task":
    """The same samples and files with Inspect's ReAct, two tool calls that start a process, and five questions."""
    from inspect_ai import Task
    from inspect_ai.agent import react
    from inspect_ai.model import get_model
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
    from inspect_ai.solver import TaskState
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
            judge = get_model(role="grader")
            questions = [judge.generate(f"{number} {state.input_text}") for number in range(4)]
            await collect(*questions)
            await judge.generate(f"match {state.input_text}")
            return Score(value=1)

        return score

    dataset = real(sandbox="local").dataset
    return Task(dataset=dataset, solver=react(tools=[run_code()]), scorer=five_questions(), sandbox="local")


def _output(messages: list[object], tools: list[object], *_: object) -> "ModelOutput":
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


def main() -> None:
    """Run each eval in a process of its own and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, help="samples of each run; default: all 239")
    limit = parser.parse_args().limit
    require_data()
    with own_folders():
        runs = {name: in_fresh_process(evaluate, name, limit) for name in (INSPECT, OURS)}
    rows = []
    for name, run in runs.items():
        rows.append((name, run.wall, run.own / run.samples, run.clients / run.samples, run.memory))
    ours = runs[OURS]
    inspects = runs[INSPECT]
    above = ours.own / ours.samples - inspects.own / inspects.samples
    show(
        f"{ours.samples} samples of DB-REAL test, offline",
        {"run": "", "wall s": ".0f", "CPU s": ".3f", "clients s": ".3f", "peak MB": ".0f"},
        rows,
        "CPU seconds per sample: of the process that runs Inspect; of what it started and waited for.",
        f"Ours above Inspect's own: {above:.3f} s per sample; target {TARGET_CPU}.",
        f"Target of the peak memory: {TARGET_MEMORY} MB.",
    )


if __name__ == "__main__":
    main()
