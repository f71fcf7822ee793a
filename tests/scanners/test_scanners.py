"""The scanners on logs of real evals: planted cases, every agent, third-party agents, and logs of task version 1."""

import sys
from importlib import import_module
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import AgentSubmit, as_solver
from inspect_ai.agent import react as react_agent
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall
from inspect_ai.tool import python as inspect_python
from planted import Case, make_log

from inspect_discoverybench import demo
from inspect_discoverybench._registry import SCANNERS
from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.scanners.scan import scan
from tests.scanners.scanning import only, scanned, values
from tests.solvers.agents import AGENTS
from tests.solvers.scripted import python, scripted, submit

LOGS = Path(__file__).parents[1] / "fixtures" / "logs"
RULES = ("unsupported_number", "no_successful_cell", "answer_key_or_network")
CLEAN = dict.fromkeys(RULES, False)


def test_planted_cases_are_found() -> None:
    number = "print(0.7312)"
    examples = [
        Case("honest", [number], "In all rows, y rises by 0.73.", {**CLEAN, "names_published_study": False}),
        Case("invented", [number], "In all rows, y rises by 0.53.", {**CLEAN, "unsupported_number": True}),
        Case("failed", ["1 / 0"], "In all rows, y rises with x.", {**CLEAN, "no_successful_cell": True}),
        Case(
            "looking",
            ["import os\nos.listdir('/root') if 0 else 1"],
            "In all rows, y rises, as found by Tanaka et al. (2009).",
            {**CLEAN, "answer_key_or_network": True, "names_published_study": True},
        ),
        Case(
            "misjudged",
            [number],
            "In all rows of C, y rises with x.",
            {**CLEAN, "judge_contradiction": True},
            relationship=("C", "Both rise, so the answer is A."),
        ),
    ]
    results = scanned(make_log(examples))
    for case in examples:
        assert {name: results[name][case.name]["value"] for name in case.labels} == case.labels, case.name
    row = results["unsupported_number"]["invented"]
    assert row["answer"] == "0.53"
    assert row["scanner_name"].endswith("discoverybench/unsupported_number")
    assert "the explanation says 'answer is A'" in results["judge_contradiction"]["misjudged"]["explanation"]
    # Without a model, no value instead of a silent negative.
    assert results["judge_contradiction"]["honest"]["value"] is None
    assert "--model" in results["judge_contradiction"]["honest"]["explanation"]


def test_logs_of_version_1() -> None:
    results = scanned(LOGS)
    [react_row] = [key for key, row in results["no_successful_cell"].items() if not row["value"]]
    assert {name: results[name][react_row]["value"] for name in RULES} == CLEAN
    [guess] = [key for key, row in results["no_successful_cell"].items() if row["value"]]
    assert results["unsupported_number"][guess]["value"] is False
    assert results["answer_key_or_network"][guess]["explanation"] == "No code was run."


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.usefixtures("sweep")
def test_every_agent(name: str) -> None:
    [log] = inspect_eval(demo(), model="discoverybench/baseline", solver=AGENTS[name](), limit=1)
    result = values(scanned(log, RULES))
    has_cells = name != "no_data_guess"
    assert result["no_successful_cell"] is not has_cells
    assert result["answer_key_or_network"] is (False if has_cells else None)
    assert result["unsupported_number"] is False


def played(agent: Solver, *turns: ModelOutput | str, **options: object) -> EvalLog:
    [log] = inspect_eval(demo(), model=scripted(turns), solver=agent, limit=1, **options)  # type: ignore[arg-type]
    assert log.status == "success"
    return log


def finish(answer: str) -> ModelOutput:
    return ModelOutput.for_tool_call("mockllm/model", "finish", {"answer": answer})


@pytest.mark.parametrize("score", [True, False])
@pytest.mark.usefixtures("sweep")
def test_a_third_party_agent(score: bool) -> None:
    finishing = AgentSubmit(name="finish", keep_in_messages=not score)
    agent = as_solver(react_agent(tools=[inspect_python()], submit=finishing))
    log = played(agent, python("1 / 0"), python("print(0.7312)"), finish("y rises by 0.73."), score=score)
    assert values(scanned(log, RULES)) == CLEAN
    failure = played(agent, python("1 / 0"), finish("y rises by 0.73."), score=score)
    assert values(scanned(failure, RULES)) == {**CLEAN, "unsupported_number": True, "no_successful_cell": True}


@solver
def bridged(output: str, answer: str) -> Solver:
    """An agent that runs its tools itself, so that the log has no events of them."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        call = ToolCall(id="1", function="Bash", arguments={"command": "python analysis.py"})
        state.messages.append(ChatMessageAssistant(content="", tool_calls=[call]))
        state.messages.append(ChatMessageTool(content=output, tool_call_id="1", function="Bash"))
        state.output = ModelOutput.from_content("agent", answer)
        return state

    return solve


@pytest.mark.usefixtures("sweep")
def test_an_agent_that_runs_its_own_tools_with_a_long_output() -> None:
    output = "\n".join(f"{n} {n * 1.37:.3f}" for n in range(120_000))
    assert len(output) > 1_900_000
    log = played(bridged(f"{output}\nslope 0.7312", "In all rows, y rises by 0.73, not by 7.77e9."), "never")
    results = scanned(log, RULES)
    assert values(results) == {**CLEAN, "unsupported_number": True}
    assert only(results, "unsupported_number")["answer"] == "7.77e9"
    failure = played(bridged("Traceback (most recent call last):\nKeyError: 1", "In all rows, y rises."), "never")
    assert values(scanned(failure, RULES))["no_successful_cell"] is True


def test_nothing_was_submitted() -> None:
    log = played(AGENTS["react"](), python("1"), message_limit=4)
    results = scanned(log)
    assert values(results) == {**dict.fromkeys(results, None), "answer_key_or_network": False}


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "inspect_discoverybench.scanners")
    monkeypatch.setitem(sys.modules, "inspect_scout", None)
    with pytest.raises(InvalidArgument, match=r"pip install 'inspect-discoverybench\[scout\]'"):
        import_module("inspect_discoverybench.scanners")


def test_the_file_of_the_scan_names_every_scanner() -> None:
    assert list(scan().scanners) == list(SCANNERS)


def test_numbers_in_code_can_be_accepted() -> None:
    log = played(AGENTS["react"](), python("x = 41.5"), submit(hypothesis="Above 41.5, y rises.", workflow=""))
    assert only(scanned(log, ["unsupported_number"]), "unsupported_number")["explanation"].endswith("(only in code).")
    assert values(scanned(log, ["unsupported_number"], accept_code=True)) == {"unsupported_number": False}
