"""The scanners on logs of real evals: faults, every agent, third-party agents, and logs of task version 1."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import AgentSubmit, as_solver
from inspect_ai.agent import react as react_agent
from inspect_ai.model import Model, ModelOutput
from inspect_ai.solver import Solver
from inspect_ai.tool import python as inspect_python
from inspect_ai.tool import think
from inspect_scout import scan as scout_scan
from inspect_scout import scan_results_df, transcripts_from

from inspect_discoverybench import demo
from inspect_discoverybench._registry import SCANNERS
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.scanners.scanners import scan
from tests.solvers.agents import AGENTS
from tests.solvers.scripted import python, scripted, submit

LOGS = Path(__file__).parents[1] / "fixtures" / "logs"
CELL, QUESTION = SCANNERS


def scanned(location: str | Path, model: Model | None = None) -> dict[str, Any]:
    """The rows of each scanner, one for each sample; a value is True, False, None or a list of names."""
    status = scout_scan(scan(), transcripts_from(str(location)), model=model, max_processes=1, display="none")
    assert status.complete, status.errors
    frames = scan_results_df(status.location).scanners
    rows: dict[str, Any] = {name: frames[name].to_dict("records") for name in SCANNERS}
    for row in [*rows[CELL], *rows[QUESTION]]:
        if row["value_type"] == "null":
            row["value"] = None
        else:
            # Booleans are texts in a frame that also has rows without a value.
            row["value"] = json.loads(str(row["value"]).replace("T", "t").replace("F", "f"))
    return rows


def scan_run(agent: Solver, *turns: ModelOutput | str, model: Model | None = None, **options: Any) -> dict[str, Any]:
    """Run one demo sample and scan it; return the row of each scanner."""
    [log] = inspect_eval(demo(), model=scripted(turns), solver=agent, limit=1, **options)
    assert log.status == "success"
    rows = scanned(log.location, model)
    return {name: rows[name][0] for name in SCANNERS}


def scan_react(hypothesis: str, *cells: str, model: Model | None = None) -> dict[str, Any]:
    """Run ReAct, which runs these cells and submits this hypothesis, and scan it."""
    turns = [python(code) for code in cells]
    return scan_run(AGENTS["react"]("calls"), *turns, submit(hypothesis=hypothesis, workflow="Looked."), model=model)


def test_a_successful_cell_is_found() -> None:
    rows = scan_react("y rises.", "1 / 0", "2 + 2")
    assert rows[CELL]["value"] is False
    assert rows[CELL]["explanation"] == "1 of 2 cells returned without an error."
    assert rows[QUESTION]["value"] is None
    assert "--model" in rows[QUESTION]["explanation"]


def test_every_way_in_which_a_cell_fails() -> None:
    cells = [
        "x = = 1",
        "raise ExceptionGroup('two', [KeyError(1)])",
        "import time; time.sleep(9)",
        "import os; os._exit(3)",
        "import sys; sys.__stderr__ = open('/dev/null', 'w'); 1 / 0",
    ]
    rows = scan_react("y rises.", *cells)
    assert rows[CELL]["value"] is True
    assert rows[CELL]["explanation"] == "All cells failed: [cell 1], [cell 2], [cell 3], [cell 4], [cell 5]."
    assert len(json.loads(rows[CELL]["message_references"])) == 5


def test_an_answer_without_code_is_found() -> None:
    rows = scan_react("y rises.")
    assert rows[CELL]["value"] is True
    assert rows[CELL]["explanation"] == "The answer was submitted without code."


def test_code_in_the_text_of_a_model_is_a_cell() -> None:
    answer = submit(hypothesis="y rises.", workflow="Looked.")
    agent = AGENTS["react"]("text")
    assert scan_run(agent, python("1 / 0"), python("print(1)"), answer)[CELL]["value"] is False
    rows = scan_run(agent, python("1 / 0"), answer)
    assert rows[CELL]["explanation"] == "All cells failed: [cell 1]."


def test_logs_of_version_1() -> None:
    rows = scanned(LOGS)
    assert sorted(row["value"] for row in rows[CELL]) == [False, False, True, True]


@pytest.mark.usefixtures("sweep")
def test_a_third_party_agent() -> None:
    finish = ModelOutput.for_tool_call("mockllm/model", "finish", {"answer": "y rises by 0.73."})
    note = ModelOutput.for_tool_call("mockllm/model", "think", {"thought": "The slope is 0.73."})
    submitting = AgentSubmit(name="finish", keep_in_messages=True)
    agent = as_solver(react_agent(tools=[inspect_python(), think()], submit=submitting))
    assert scan_run(agent, python("1 / 0"), python("print(1)"), finish)[CELL]["value"] is False
    assert scan_run(agent, python("1 / 0"), note, finish)[CELL]["value"] is True


def test_nothing_was_submitted() -> None:
    rows = scan_run(AGENTS["react"]("calls"), python("1"), message_limit=4, model=scripted(["ANSWER: A"]))
    assert [row["value"] for row in rows.values()] == [None, None]


@pytest.mark.parametrize(
    ("reply", "faults"),
    [
        ("[M3] reports no file.\n\nANSWER: A, E", ["environment_failure_as_finding", "judge_contradiction"]),
        ("ANSWER: maybe", None),
    ],
)
def test_a_model_chooses_the_faults(reply: str, faults: list[str] | None) -> None:
    prompts: list[str] = []

    def answer(messages: list[Any], _: str) -> str:
        prompts.extend(message.text for message in messages)
        return reply

    row = scan_react("There are no data.", "open('absent.csv')", model=scripted(answer))[QUESTION]
    assert row["value"] == faults
    assert row["answer"] == (", ".join(faults) if faults else None)
    assert len(json.loads(row["message_references"])) == reply.count("[M")
    # The model reads the conversation, the answer, and the reasons of the judge.
    prompt = "".join(prompts)
    assert "FileNotFoundError" in prompt
    assert '"answer": "There are no' in prompt
    assert "Judge: lexical" in prompt


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "inspect_discoverybench.scanners")
    monkeypatch.setitem(sys.modules, "inspect_scout", None)
    with pytest.raises(InvalidArgument, match=r"pip install 'inspect-discoverybench\[scout\]'"):
        import_module("inspect_discoverybench.scanners")
