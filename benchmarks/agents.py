"""Model calls, tokens and time of each agent on the 25 tasks of DB-REAL train: price a run before paying for it."""

import argparse
import json
import os
import sys
import time
from pathlib import Path
from statistics import mean

from endpoint import Answer, Request, endpoint, judge
from measure import own_folders, require_data, show

LATENCY = 0.2
MODEL, JUDGE = "openai/gpt-4o", "openai/gpt-4o-2024-08-06"
AGENTS = ("no_data_guess", "codegen", "react", "datavoyager", "reflexion")
PROGRAMS = 6
"""Programs that the scripted analyst runs where an agent lets it choose."""

THOUGHT = (
    "Types, missing values and units have to be looked at before anything is fitted, so this step reads the tables. "
    * 3
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
    "while the second has no significant effect once the first is held constant (p = 0.31)."
)
WORKFLOW = "1. Read the tables. 2. Looked at missing values. 3. Compared correlations. 4. Fitted a regression."


def analyst(request: Request) -> Answer:
    """A model that thinks, codes and submits at typical lengths. Questions of the judge are answered truthfully."""
    texts = [str(message.get("content")) for message in request["messages"]]
    if "You are the judge" in texts[0]:
        return judge(request)
    choice = request.get("tool_choice")
    must = choice["function"]["name"] if isinstance(choice, dict) else None
    steps = sum(message["role"] == "tool" for message in request["messages"])
    free = must is None and bool(request.get("tools"))
    if must == "submit" or (free and steps >= PROGRAMS):
        trial = sum(text.count("\nTrial ") for text in texts) + 1
        return _call("submit", hypothesis=f"{HYPOTHESIS} This holds in part {trial}.", workflow=WORKFLOW)
    if must == "python" or free:
        return _call("python", code=PROGRAM.format(part=steps + 1))
    if "You are the critic" in texts[0]:
        spoke = "It is the analyst's turn" in texts[-2] or "It is the analyst's turn" in texts[-3]
        role = "coder" if spoke or steps % 2 == 0 else "analyst"
        instruction = f"Carry out part {steps + 1} of the plan and print the numbers that the next step needs."
        verdict = {"reason": THOUGHT[:150], "answered": steps >= PROGRAMS, "progress": True}
        return json.dumps(verdict | {"next": role, "instruction": instruction})
    return f"{THOUGHT} {THOUGHT} {len(texts)}"


def _call(name: str, **arguments: str) -> Answer:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": f"call_{time.monotonic_ns()}", "type": "function", "function": function}
    return {"role": "assistant", "content": THOUGHT, "tool_calls": [call]}


def measure(agent: str, sandbox: str) -> list[str]:
    """Run one agent on DB-REAL train, and return its row of the table."""
    from inspect_ai import eval as inspect_eval
    from inspect_ai.event import ModelEvent
    from inspect_ai.solver import SolverSpec

    from inspect_discoverybench import real

    # Each agent pays its own judge.
    os.environ["INSPECT_CACHE_DIR"] = str(Path(f"cache-{agent}").resolve())
    start = time.perf_counter()
    [log] = inspect_eval(
        real(split="train", sandbox=sandbox),
        model=MODEL,
        model_roles={"grader": JUDGE},
        solver=SolverSpec(f"discoverybench/{agent}"),
    )
    wall = time.perf_counter() - start
    if log.status != "success" or not log.samples:
        sys.exit(f"{agent}: the eval ended with {log.status}: {log.error}")
    used, count = log.stats.model_usage, len(log.samples)
    events = [event for sample in log.samples for event in sample.events]
    calls = sum(isinstance(event, ModelEvent) and event.role != "grader" for event in events)
    totals = [calls, used[MODEL].input_tokens, used[MODEL].output_tokens, used[JUDGE].total_tokens]
    working = mean(sample.working_time or 0 for sample in log.samples)
    return [agent, *(f"{total / count:,.0f}" for total in totals), f"{working:.1f}", f"{wall:.0f}"]


def main() -> None:
    """Measure the agents one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sandbox", choices=["docker", "local"], default="docker")
    options = parser.parse_args()
    require_data()
    with own_folders(), endpoint(LATENCY, analyst) as server:
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
        rows = [measure(agent, options.sandbox) for agent in AGENTS]
    show(
        f"Agents on DB-REAL train, {options.sandbox}, endpoint of {LATENCY} s",
        ["agent", "calls", "tokens in", "tokens out", "judge", "seconds", "wall s"],
        rows,
        "For each sample, but for the last column. Four characters count as a token.",
        f"A scripted analyst: {PROGRAMS} programs where the agent lets it choose, no trial of Reflexion reaches 1.",
    )


if __name__ == "__main__":
    main()
