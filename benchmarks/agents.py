"""Requests, tokens, CPU and time of each agent on the 25 tasks of DB-REAL train: price a run before paying for it.

The endpoint plays an analyst who writes programs of 13 lines and runs six of them where the agent lets it choose. The
programs run, and what they print is real. As the judge, it finds no two hypotheses equal, so that Reflexion has three
trials. Tokens are characters / 4.
"""

import argparse
import json
import os
import resource
import time
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from statistics import mean
from typing import Any

from endpoint import Message, Request, endpoint
from measure import own_folders, require_data, require_success, show

from tests.endpoint import question, tool_call, truthful

LATENCY = 0.2
MODEL = "openai/gpt-4o"
JUDGE = "openai/gpt-4o-2024-08-06"
AGENTS = ("no_data_guess", "codegen", "react", "datavoyager", "reflexion")
PROGRAMS = 6

THOUGHT = 3 * (
    "Types, missing values and units have to be looked at before anything is fitted, so this step reads the tables. "
)
PROGRAM = """# Part {part}: read every table, look at its shape, types, missing values and the strongest correlations.
from pathlib import Path
import pandas as pd

for path in sorted(Path().glob("*.[ct]*")):
    table = pd.read_csv(path, sep=None, engine="python", on_bad_lines="skip")
    print(path, table.shape)
    print(table.dtypes.head(12).to_string())
    print(table.isna().sum().sort_values(ascending=False).head(6).to_string())
    numbers = table.select_dtypes("number")
    pairs = numbers.iloc[:, :12].corr().stack()
    print(pairs[pairs < 1].sort_values(key=abs, ascending=False).head(8).round(3).to_string())
    print(numbers.iloc[:, :8].describe().round(2).to_string())
"""
HYPOTHESIS = (
    "In the whole of the data, the outcome rises with the first explaining variable (coefficient 0.42, p < 0.001), "
    "while the second has no significant effect once the first is held constant (p = 0.31). This is finding {number}."
)
WORKFLOW = "1. Read the tables. 2. Looked at missing values. 3. Compared correlations. 4. Fitted a regression."

findings = count(1)
"""Each hypothesis differs, so that the judge's cache answers no question about it."""

turns = count()


def analyst(request: Request) -> str | Message:
    """Reply as a model that thinks, writes programs and submits at typical lengths."""
    if question(request):
        return truthful(request)
    programs = sum(message["role"] == "tool" for message in request["messages"])
    is_done = programs >= PROGRAMS
    last = str(request["messages"][-1].get("content"))
    if last.startswith("It is the critic's turn."):
        return json.dumps(verdict(programs, is_done))
    if last.startswith("It is the analyst's turn.") and '"workflow"' in last:
        return json.dumps(submission())

    tools = [tool["function"]["name"] for tool in request.get("tools", [])]
    forced = request.get("tool_choice")
    if isinstance(forced, dict):
        tools = [forced["function"]["name"]]
    if forced == "none" or not tools:
        return f"{THOUGHT}{THOUGHT}"
    if "submit" in tools and (is_done or "python" not in tools):
        return tool_call("submit", THOUGHT, **submission())
    return tool_call("python", THOUGHT, code=PROGRAM.format(part=programs + 1))


def submission() -> Mapping[str, str]:
    """The arguments of `submit`."""
    return {"hypothesis": HYPOTHESIS.format(number=next(findings)), "workflow": WORKFLOW}


def verdict(programs: int, is_done: bool) -> Mapping[str, Any]:
    """The reply of DataVoyager's critic, who asks coder and analyst in turn."""
    return {
        "assessment": THOUGHT[:150],
        "answered": is_done,
        "progress": True,
        "next": ("coder", "analyst")[next(turns) % 2],
        "instruction": f"Carry out part {programs + 1} of the plan and print the numbers that the next step needs.",
    }


def measure(agent: str, sandbox: str) -> list[str | float]:
    """Run an agent on DB-REAL train, and return its row of the table."""
    from inspect_ai import eval as inspect_eval
    from inspect_ai.event import ModelEvent

    from inspect_discoverybench import real

    os.environ["INSPECT_CACHE_DIR"] = str(Path(f"cache-{agent}").resolve())  # each agent pays for its judge
    start = time.perf_counter()
    cpu = time.process_time()
    [log] = inspect_eval(
        real(split="train", sandbox=sandbox, agent=f"discoverybench/{agent}"),
        model=MODEL,
        model_roles={"grader": JUDGE},
    )
    cpu = time.process_time() - cpu
    wall = time.perf_counter() - start
    samples = require_success(log)
    usage = log.stats.model_usage
    requests = sum(
        isinstance(event, ModelEvent) and event.role != "grader" for sample in samples for event in sample.events
    )
    return [
        agent,
        requests / len(samples),
        usage[MODEL].input_tokens / len(samples),
        usage[MODEL].output_tokens / len(samples),
        usage[JUDGE].total_tokens / len(samples),
        cpu / len(samples),
        mean(sample.working_time or 0 for sample in samples),
        wall,
    ]


def main() -> None:
    """Measure one agent after another and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sandbox", choices=["docker", "local"], default="docker")
    options = parser.parse_args()
    require_data()
    with own_folders(), endpoint(LATENCY, analyst) as server:
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
        rows = [measure(agent, options.sandbox) for agent in AGENTS]
    columns = {
        "agent": "",
        "requests": ".1f",
        "tokens in": ",.0f",
        "tokens out": ",.0f",
        "judge's tokens": ",.0f",
        "CPU s": ".2f",
        "working s": ".1f",
        "all, wall s": ".0f",
    }
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    show(
        f"25 tasks of DB-REAL train, {options.sandbox}, endpoint of {LATENCY} s",
        columns,
        rows,
        "Per sample, except for the last column. CPU is that of the process that runs Inspect.",
        f"Peak memory: {peak:.0f} MB.",
    )


if __name__ == "__main__":
    main()
