"""The scanners on logs of real evals: faults, every agent, third-party agents, and logs of task version 1."""

import json
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

from inspect_discoverybench import demo
from inspect_discoverybench._registry import SCANNERS
from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.scanners.scan import scan
from tests.scanners.scanning import only, scanned, values
from tests.solvers.agents import AGENTS
from tests.solvers.playing import python, scripted, submit

LOGS = Path(__file__).parents[1] / "fixtures" / "logs"
RULES = ("unsupported_number", "no_successful_cell")
NO_FAULT = dict.fromkeys(RULES, False)


def run(agent: Solver, *turns: ModelOutput | str, **options: object) -> EvalLog:
    [log] = inspect_eval(demo(), model=scripted(turns), solver=agent, limit=1, **options)  # type: ignore[arg-type]
    assert log.status == "success"
    return log


def react_log(hypothesis: str, *cells: str) -> EvalLog:
    return run(AGENTS["react"](), *map(python, cells), submit(hypothesis=hypothesis, workflow="Looked."))


def finish(answer: str) -> ModelOutput:
    return ModelOutput.for_tool_call("mockllm/model", "finish", {"answer": answer})


def test_numbers_in_code_are_no_evidence() -> None:
    log = react_log("y rises by 0.53 or 0.73, above 41.5.", "1 / 0", "print(0.7312)", "rows = [41.5]")
    assert values(scanned(log, RULES)) == {**NO_FAULT, "unsupported_number": True}
    row = only(scanned(log, RULES), "unsupported_number")
    assert row["answer"] == "0.53, 41.5"
    assert row["scanner_name"].endswith("discoverybench/unsupported_number")
    assert "in the code of [call 3]" in row["explanation"]
    [reference] = json.loads(row["message_references"])
    assert reference["cite"] == "[call 3]"


def test_numbers_of_the_task_are_no_claims() -> None:
    [sample, *_] = demo().dataset
    assert "2.5" not in str(sample.input)
    task = demo()
    task.dataset[0].input = f"{sample.input}\n\nUse a threshold of 2.5."
    turns = [python("x = 1"), submit(hypothesis="Above 2.5, y rises.", workflow="")]
    [log] = inspect_eval(task, model=scripted(turns), solver=AGENTS["react"](), limit=1)
    assert values(scanned(log, RULES)) == NO_FAULT


def test_every_way_in_which_a_cell_fails() -> None:
    failing = [
        "x = = 1",
        "raise ExceptionGroup('two', [KeyError(1)])",
        "import time; time.sleep(9)",
        "import os; os._exit(3)",
    ]
    log = react_log("y rises.", *failing)
    assert values(scanned(log, RULES)) == {**NO_FAULT, "no_successful_cell": True}
    row = only(scanned(log, RULES), "no_successful_cell")
    assert row["explanation"] == "All cells failed: [cell 1], [cell 2], [cell 3], [cell 4]."
    assert len(json.loads(row["message_references"])) == len(failing)


def test_logs_of_version_1() -> None:
    results = scanned(LOGS, RULES)
    assert sorted(row["value"] for row in results["no_successful_cell"].values()) == [False, True]
    assert [row["value"] for row in results["unsupported_number"].values()] == [False, False]


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.usefixtures("sweep")
def test_every_agent(name: str) -> None:
    [log] = inspect_eval(demo(), model="discoverybench/baseline", solver=AGENTS[name](), limit=1)
    assert values(scanned(log, RULES)) == {**NO_FAULT, "no_successful_cell": name == "no_data_guess"}


@pytest.mark.parametrize("score", [True, False])
@pytest.mark.usefixtures("sweep")
def test_a_third_party_agent(score: bool) -> None:
    finishing = AgentSubmit(name="finish", keep_in_messages=not score)
    agent = as_solver(react_agent(tools=[inspect_python()], submit=finishing))
    log = run(agent, python("1 / 0"), python("print(0.7312)"), finish("y rises by 0.73."), score=score)
    assert values(scanned(log, RULES)) == NO_FAULT
    failure = run(agent, python("1 / 0"), finish("y rises by 0.73."), score=score)
    assert values(scanned(failure, RULES)) == dict.fromkeys(RULES, True)


@solver
def own_tools(output: str, answer: str) -> Solver:
    """An agent that runs its tools itself, so that the log has no events of them."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        call = ToolCall(id="1", function="Bash", arguments={"command": "python analysis.py"})
        state.messages.append(ChatMessageAssistant(content="", tool_calls=[call]))
        state.messages.append(ChatMessageTool(content=output, tool_call_id="1", function="Bash"))
        state.output = ModelOutput.from_content("agent", answer)
        return state

    return solve


def test_an_agent_that_runs_its_own_tools_with_a_long_output() -> None:
    output = "\n".join(f"{n} {n * 1.37:.3f}" for n in range(120_000))
    log = run(own_tools(f"{output}\nslope 0.7312", "y rises by 0.73, not by 7.77e9."), "never")
    assert values(scanned(log, RULES)) == {**NO_FAULT, "unsupported_number": True}
    assert only(scanned(log, RULES), "unsupported_number")["answer"] == "7.77e9"


def test_nothing_was_submitted() -> None:
    log = run(AGENTS["react"](), python("1"), message_limit=4)
    assert values(scanned(log, model=scripted(["ANSWER: A"]))) == dict.fromkeys(SCANNERS, None)


NAME = "questionable_answer"


@pytest.mark.parametrize(
    ("reply", "faults"),
    [
        ("[M3] reports no file. [M2] too.\n\nANSWER: A, E", ["environment_failure_as_finding", "judge_contradiction"]),
        ("Nothing.\n\nANSWER: NONE", []),
        ("ANSWER: maybe", None),
        ("I cannot tell.", None),
    ],
)
def test_a_model_chooses_the_faults(reply: str, faults: list[str] | None) -> None:
    log = react_log("There are no data after 1990.", "open('absent.csv')")
    prompts: list[str] = []

    def answer(messages: list[object], _: str) -> str:
        prompts.extend(message.text for message in messages)  # type: ignore[attr-defined]
        return reply

    row = only(scanned(log, [NAME], model=scripted(answer)), NAME)  # type: ignore[arg-type]
    assert row["value"] == faults
    assert faults is None or row["answer"] == (", ".join(faults) or None)
    assert len(json.loads(row["message_references"])) == reply.count("[M")
    # The model reads the conversation, the answer, and the reasons of the judge.
    assert all(part in "".join(prompts) for part in ("FileNotFoundError", '"answer": "There are no', "Judge: lexical"))


@pytest.mark.parametrize(("last", "faults"), [("?", None), ("ANSWER: NONE", []), ("ANSWER: B", ["published_result"])])
def test_a_long_transcript_is_asked_about_in_parts(last: str, faults: list[str] | None) -> None:
    long = " ".join(str(n * n) for n in range(60_000))
    log = run(own_tools(long, "y rises."), "never")
    assert only(scanned(log, [NAME], model=scripted(["ANSWER: NONE", last])), NAME)["value"] == faults


def test_without_a_model_the_question_stays_open() -> None:
    row = only(scanned(react_log("y rises.", "1"), [NAME]), NAME)
    assert row["value"] is None
    assert "--model" in row["explanation"]


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "inspect_discoverybench.scanners")
    monkeypatch.setitem(sys.modules, "inspect_scout", None)
    with pytest.raises(InvalidArgument, match=r"pip install 'inspect-discoverybench\[scout\]'"):
        import_module("inspect_discoverybench.scanners")


def test_the_file_of_the_scan_names_every_scanner() -> None:
    assert list(scan().scanners) == list(SCANNERS)
