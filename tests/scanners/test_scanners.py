"""The scanners on logs of real evals: faults, third-party agents, and logs of task version 1."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import AgentSubmit, as_solver
from inspect_ai.agent import react as react_agent
from inspect_ai.model import Model, ModelOutput
from inspect_ai.solver import Solver
from inspect_ai.tool import python as inspect_python
from inspect_scout import scan as scout_scan
from inspect_scout import scan_results_df, transcripts_from

from inspect_discoverybench import demo
from inspect_discoverybench._registry import SCANNERS
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.scanners.scanners import scan
from inspect_discoverybench.solvers.react import react
from tests.solvers.scripted import BOTH_FORMS, python, scripted, submit

LOGS = Path(__file__).parents[1] / "fixtures" / "logs"
CELL, QUESTION = SCANNERS
ANSWER = submit(hypothesis="There are no data.", workflow="Looked.")


def scanned(location: str | Path, model: Model | None = None) -> dict[str, pd.DataFrame]:
    """The rows of each scanner, one for each sample. Values are JSON, or None."""
    transcripts = transcripts_from(str(location))
    status = scout_scan(scan(), transcripts, model=model, max_processes=1, display="none")
    assert status.complete, status.errors
    return dict(scan_results_df(status.location).scanners)


def scan_run(agent: Solver, *turns: ModelOutput | str, model: Model | None = None) -> dict[str, Any]:
    """Run one demo sample and scan it; return the row of each scanner."""
    [log] = inspect_eval(demo(), model=scripted(turns), solver=agent, limit=1)
    assert log.status == "success"
    frames = scanned(log.location, model)
    return {name: frame.to_dict("records")[0] for name, frame in frames.items()}


@pytest.mark.usefixtures("slow")
@BOTH_FORMS
def test_a_successful_cell_is_found(form: str) -> None:
    rows = scan_run(react(actions=form), python("1 / 0"), python("2 + 2"), ANSWER)
    assert rows[CELL]["explanation"] == "1 of 2 cells returned without an error."
    # No model was chosen, so the other scanner decides nothing, and says how to choose one.
    assert "--model" in rows[QUESTION]["explanation"]


@pytest.mark.usefixtures("slow")
def test_every_way_in_which_a_cell_fails() -> None:
    codes = [
        "x = = 1",  # its message has no traceback
        "raise ExceptionGroup('two', [KeyError(1)])",  # its traceback has another form
        "import time; time.sleep(9)",  # longer than `cell_seconds`
        "import os; os._exit(3)",  # ends the session
        "import sys; sys.__stderr__ = open('/dev/null', 'w'); 1 / 0",  # the kernel cannot print the traceback
    ]
    cells = [python(code) for code in codes]
    row = scan_run(react(cell_seconds=1), *cells, ANSWER)[CELL]
    assert row["explanation"] == "All cells failed: [cell 1], [cell 2], [cell 3], [cell 4], [cell 5]."


def test_an_answer_without_code_is_found() -> None:
    row = scan_run(react(), ANSWER)[CELL]
    assert row["explanation"] == "The answer was submitted without code."


def test_cells_in_logs_of_version_1_are_found() -> None:
    values = scanned(LOGS)[CELL]["value"]
    # `no_successful_cell` is False for the two samples of `react`, which have cells that returned without an error, and
    # True for the two samples of `no_data_guess`, which have no cells.
    assert sorted(values) == [False, False, True, True]


@pytest.mark.usefixtures("slow")
def test_cells_of_a_third_party_agent_are_found() -> None:
    finish = ModelOutput.for_tool_call("mockllm/model", "finish", {"answer": "y rises by 0.73."})
    # The call stays in the messages, where it must not be taken for a cell.
    submitting = AgentSubmit(name="finish", keep_in_messages=True)
    agent = as_solver(react_agent(tools=[inspect_python()], submit=submitting))
    row = scan_run(agent, python("1 / 0"), python("print(1)"), finish)[CELL]
    assert row["explanation"] == "1 of 2 cells returned without an error."


def test_nothing_was_submitted() -> None:
    # The model of the scanner would find the fault A, if it was asked.
    rows = scan_run(react(turns=2), python("1"), "", model=scripted(["ANSWER: A"]))
    for name in SCANNERS:
        assert rows[name]["explanation"] == "No answer was scored."


@pytest.mark.parametrize(
    ("reply", "faults"),
    [
        # The letters of the first and the last of the `CATEGORIES`.
        ("[M3] reports no file.\n\nANSWER: A, E", "environment_failure_as_finding, judge_contradiction"),
        ("ANSWER: maybe", None),
    ],
)
def test_a_model_chooses_the_faults(reply: str, faults: str | None) -> None:
    prompts: list[str] = []

    def answer(messages: list[Any], _: str) -> str:
        prompts.extend(message.text for message in messages)
        return reply

    rows = scan_run(react(), python("open('absent.csv')"), ANSWER, model=scripted(answer))
    assert rows[QUESTION]["answer"] == faults
    # The model reads the conversation, the answer, and the reasons of the judge.
    prompt = "".join(prompts)
    assert "FileNotFoundError" in prompt
    assert '"answer": "There are no' in prompt
    assert "Judge: lexical" in prompt


def test_without_the_extra_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "inspect_discoverybench.scanners")
    monkeypatch.setitem(sys.modules, "inspect_scout", None)
    with pytest.raises(InvalidArgument, match=r"pip install 'inspect-discoverybench\[scout\]'"):
        import_module("inspect_discoverybench.scanners")
