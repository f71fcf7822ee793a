"""The tasks' argument `agent`: what `--solver` takes, and what a retry runs again."""

from collections.abc import Iterator
from itertools import repeat
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.event import SpanBeginEvent
from inspect_ai.log import EvalLog, EvalSample, list_eval_logs, read_eval_log

from inspect_discoverybench import demo
from inspect_discoverybench.errors.exceptions import InvalidArgument
from tests import inspect_command
from tests.command_line import lab
from tests.endpoint import Answer, Request, tool_call

MINE = """
from dataclasses import dataclass

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from sibling import PREFIX


@dataclass  # looks up its module in `sys.modules`
class Head:
    rows: int


@solver
def first_rows(rows: int = 5) -> Solver:
    head = Head(rows)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("mine", f"{PREFIX} {head.rows}")
        return state

    return solve


@agent
def as_agent() -> Agent:
    async def execute(state: AgentState) -> AgentState:
        state.output = ModelOutput.from_content("mine", f"{PREFIX} agent")
        return state

    return execute
"""


@pytest.fixture
def mine(tmp_path: Path) -> str:
    """A file with a solver and an agent, in a folder of its own with a module that it imports."""
    folder = tmp_path / "agents"
    folder.mkdir()
    (folder / "mine.py").write_text(MINE, "utf-8")
    (folder / "sibling.py").write_text("PREFIX = 'Rows:'\n", "utf-8")
    return "agents/mine.py"


def solvers_of(sample: EvalSample) -> set[str]:
    """The names of the solvers that worked on a sample, from its transcript."""
    spans = [event for event in sample.events if isinstance(event, SpanBeginEvent)]
    return {span.name.rpartition("/")[2] for span in spans if span.type == "solver"}


def run(*arguments: str) -> EvalLog:
    """The log of `inspect eval`."""
    result = inspect_command.invoke("eval", "discoverybench/demo", "--model", "discoverybench/baseline", *arguments)
    assert result.exit_code == 0, result.output
    return newest_log()


def newest_log() -> EvalLog:
    return read_eval_log(max(list_eval_logs("logs"), key=lambda info: info.mtime or 0))


def samples_of(log: EvalLog) -> list[EvalSample]:
    assert log.samples
    return log.samples


# The name in commands, and the name in logs.
@pytest.mark.parametrize("name", ["discoverybench/codegen", "inspect_discoverybench/codegen"])
def test_the_agent_runs_with_its_arguments(name: str) -> None:
    log = run("-T", f"agent={name}", "-T", "agent_args={cell_seconds: 60}", "--limit", "1")
    assert "codegen" in solvers_of(samples_of(log)[0])
    assert log.plan.steps[-1].params_passed == {"cell_seconds": 60}


@pytest.mark.parametrize("name", ["react", "codegen"])
def test_an_agent_without_its_package_is_refused(name: str) -> None:
    """Inspect has an agent `react`, too."""
    with pytest.raises(InvalidArgument, match=f"{name} needs the name of its package, as in discoverybench/{name}"):
        demo(agent=name)


def test_an_agent_of_inspect_is_found_by_its_full_name() -> None:
    [log] = inspect_eval(demo(agent="inspect_ai/react"), model="mockllm/model", limit=1, run_samples=False)
    assert log.eval.task_args["agent"] == "inspect_ai/react"


def test_the_solver_of_the_command_line_takes_precedence() -> None:
    log = run("-T", "agent=discoverybench/codegen", "--solver", "discoverybench/gold", "--limit", "1")
    assert "codegen" not in solvers_of(samples_of(log)[0])


@pytest.mark.parametrize(
    ("agent", "args", "answer"),
    [
        ("FILE@first_rows", {"rows": 7}, "Rows: 7"),
        ("FILE@as_agent", {}, "Rows: agent"),
    ],
)
def test_an_agent_of_a_file_runs(mine: str, agent: str, args: dict[str, int], answer: str) -> None:
    task = demo(agent=agent.replace("FILE", mine), agent_args=args)
    [log] = inspect_eval(task, model="discoverybench/baseline", limit=1)
    assert samples_of(log)[0].output.completion == answer
    assert len((log.eval.metadata or {})["agent_sha256"]) == 64


@pytest.mark.usefixtures("slow")
def test_the_only_agent_of_a_file_needs_no_name(mine: str) -> None:
    text_with_one_agent, _, _ = MINE.partition("@agent")
    Path(mine).write_text(text_with_one_agent, "utf-8")
    [log] = inspect_eval(demo(agent=mine), model="discoverybench/baseline", limit=1)
    assert samples_of(log)[0].output.completion == "Rows: 5"


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("discoverybench/genius", "discoverybench/genius was not found in the registry."),
        ("nowhere.py@x", "The agent's file 'nowhere.py' does not exist. Check the spelling, pass an absolute path, or"),
        ("agents/mine.py", "agents/mine.py has several agents: first_rows, as_agent. Name one: agents/mine.py@NAME."),
        ("agents/mine.py@genius", "agents/mine.py has no agent genius. Its agents are first_rows, as_agent."),
        ("agents/mine.py@first_row", "Did you mean first_rows?"),
        ("agents/sibling.py", "agents/sibling.py has no agent. Decorate its function with @solver or @agent."),
        ("discoverybench/reactt", "Did you mean discoverybench/react?"),
        (
            "inspect_ai/react",
            "inspect_ai/react: react() got an unexpected keyword argument 'rows'. Correct agent_args or the agent.",
        ),
        (None, "agent_args needs an agent."),
    ],
)
@pytest.mark.usefixtures("mine")
def test_an_agent_that_is_not_found_or_not_named_is_refused(agent: str | None, message: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        demo(agent=agent, agent_args={"rows": 1})
    assert message in raised.value.message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["agent=discoverybench/react,discoverybench/codegen"], "agent must be one name, such as"),
        (["agent=5"], "agent must be one name, such as"),
        (
            ["agent=discoverybench/react", "agent_args=turns=12"],
            "agent_args must be a mapping, such as -T 'agent_args={turns: 12}', got turns=12.",
        ),
        (["agent=discoverybench/react", "agent_args=[12]"], "agent_args must be a mapping"),
    ],
)
def test_a_value_that_is_no_name_or_no_mapping_is_refused(arguments: list[str], message: str) -> None:
    options = [f"-T{argument}" for argument in arguments]
    result = inspect_command.invoke("eval", "discoverybench/demo", "--model", "discoverybench/baseline", *options)
    assert result.output.startswith(f"Error: {message}")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x = (1,\n", "agents/mine.py: SyntaxError: '(' was never closed (mine.py, line 1). Correct the file."),
        ("\nimport nowhere_to_be_found\n", "mine.py:2: ModuleNotFoundError: No module named 'nowhere_to_be_found'."),
        ("assert 1 == 2\n", "agents/mine.py:1: AssertionError. Correct the file."),
        ("import sys\nsys.exit('No data.')\n", "agents/mine.py:2: SystemExit: No data. Correct the file."),
        ("import sys\nsys.missing\n", "agents/mine.py:2: AttributeError: module 'sys' has no attribute 'missing'."),
        (
            MINE.replace("rows: int = 5", "lines: int = 5"),
            "TypeError: first_rows() got an unexpected keyword argument 'rows'. Correct the file or agent_args.",
        ),
        (
            MINE.replace("    head = Head(rows)", "    raise ValueError('How many rows?')"),
            # The line of `head = Head(rows)`.
            "agents/mine.py:18: ValueError: How many rows? Correct the file or agent_args.",
        ),
    ],
)
def test_a_mistake_in_the_file_is_one_line(mine: str, content: str, message: str) -> None:
    Path(mine).write_text(content, "utf-8")
    with pytest.raises(InvalidArgument) as raised:
        demo(agent=f"{mine}@first_rows", agent_args={"rows": 1})
    assert message in raised.value.message
    assert "\n" not in raised.value.message


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(
    ("agent", "solver_name"),
    [("discoverybench/no_data_guess", "no_data_guess"), ("FILE@first_rows", "first_rows")],
)
def test_a_retry_runs_the_same_agent(mine: str, agent: str, solver_name: str) -> None:
    # The first request fails.
    submission = tool_call("submit", hypothesis="y rises with x.", workflow="w")
    answers: Iterator[Answer] = iter([400, *repeat(submission, 9)])

    def answer(_: Request) -> Answer:
        return next(answers)

    # The solver of the file calls no model, so that no request of it could fail. Here it calls one first.
    Path(mine).write_text(MINE.replace("state.output =", "await generate(state); state.output ="), "utf-8")
    with lab(answer) as (model, _):
        task = demo(agent=agent.replace("FILE", mine))
        [log] = inspect_eval(task, model=model, limit=3, max_samples=1, fail_on_error=True)
        assert log.status == "error"
        result = inspect_command.invoke("eval-retry", log.location)
    assert result.exit_code == 0, result.output
    retried = newest_log()
    assert retried.status == "success"
    for sample in samples_of(retried):
        assert solver_name in solvers_of(sample)
