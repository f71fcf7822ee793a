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
NUMBER, CELL, QUESTION = SCANNERS


def scanned(location: str | Path, model: Model | None = None) -> dict[str, list[dict[str, Any]]]:
    """The rows of each scanner, one for each sample; a value is True, False, None or a list of names."""
    status = scout_scan(scan(), transcripts_from(str(location)), model=model, max_processes=1, display="none")
    assert status.complete, status.errors
    frames = scan_results_df(status.location).scanners
    rows: dict[str, Any] = {name: frames[name].to_dict("records") for name in SCANNERS}
    for row in (row for found in rows.values() for row in found):
        is_open = row["value_type"] == "null"
        row["value"] = None if is_open else json.loads(str(row["value"]).replace("T", "t").replace("F", "f"))
    return rows


def scan_run(agent: Solver, *turns: ModelOutput | str, model: Model | None = None, **options: Any) -> dict[str, Any]:
    """Run one demo sample, whose task has the number 2.5, and scan it."""
    task = demo()
    task.dataset[0].input = f"{task.dataset[0].input}\n\nUse the threshold 2.5."
    [log] = inspect_eval(task, model=scripted(turns), solver=agent, limit=1, **options)
    assert log.status == "success"
    return {name: row for name, [row] in scanned(log.location, model).items()}


def scan_react(hypothesis: str, *cells: str, model: Model | None = None) -> dict[str, Any]:
    turns = [*map(python, cells), submit(hypothesis=hypothesis, workflow="Looked.")]
    return scan_run(AGENTS["react"](), *turns, model=model)


def values(rows: dict[str, Any]) -> list[Any]:
    return [rows[name]["value"] for name in SCANNERS]


def test_numbers_in_code_are_no_evidence() -> None:
    answer = "y rises by 0.53 or 0.73, above 41.5 and 2.5, from 1983 to 2011 in 1812 rows."
    rows = scan_react(answer, "1 / 0", "print(7312 / 10000)", "print('pop_2015', [41.5])", "x = y > 1980")
    assert values(rows) == [True, False, None]
    assert rows[NUMBER]["answer"] == "0.53, 41.5, 1812"
    assert "in the code of [call 3]" in rows[NUMBER]["explanation"]
    assert [reference["cite"] for reference in json.loads(rows[NUMBER]["message_references"])] == ["[call 3]"]
    assert "--model" in rows[QUESTION]["explanation"]


def test_every_way_in_which_a_cell_fails() -> None:
    group = "raise ExceptionGroup('two', [KeyError(1)])"
    rows = scan_react("y rises.", "x = = 1", group, "import time; time.sleep(9)", "import os; os._exit(3)")
    assert values(rows) == [False, True, None]
    assert rows[CELL]["explanation"] == "All cells failed: [cell 1], [cell 2], [cell 3], [cell 4]."
    assert len(json.loads(rows[CELL]["message_references"])) == 4


def test_logs_of_version_1() -> None:
    rows = scanned(LOGS)
    assert sorted(row["value"] for row in rows[CELL]) == [False, False, True, True]
    assert not any(row["value"] for row in rows[NUMBER])


@pytest.mark.usefixtures("sweep")
def test_a_third_party_agent() -> None:
    finish = ModelOutput.for_tool_call("mockllm/model", "finish", {"answer": "y rises by 0.73."})
    agent = as_solver(
        react_agent(tools=[inspect_python(), think()], submit=AgentSubmit(name="finish", keep_in_messages=True))
    )
    assert values(scan_run(agent, python("1 / 0"), python("print(7312 / 10000)"), finish))[:2] == [False, False]
    assert values(scan_run(agent, python("1 / 0"), finish))[:2] == [True, True]
    note = ModelOutput.for_tool_call("mockllm/model", "think", {"thought": "The slope is 0.73."})
    assert values(scan_run(agent, note, python("print('0.' + '73')"), finish))[:2] == [True, False]


def test_nothing_was_submitted() -> None:
    rows = scan_run(AGENTS["react"](), python("1"), message_limit=4, model=scripted(["ANSWER: A"]))
    assert values(rows) == [None, None, None]


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
    assert row["answer"] == (", ".join(faults or []) or None)
    assert len(json.loads(row["message_references"])) == reply.count("[M")
    # The model reads the conversation, the answer, and the reasons of the judge.
    assert all(part in "".join(prompts) for part in ("FileNotFoundError", '"answer": "There are no', "Judge: lexical"))


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "inspect_discoverybench.scanners")
    monkeypatch.setitem(sys.modules, "inspect_scout", None)
    with pytest.raises(InvalidArgument, match=r"pip install 'inspect-discoverybench\[scout\]'"):
        import_module("inspect_discoverybench.scanners")
