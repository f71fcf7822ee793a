"""The tasks from Inspect's command line: what a user's mistake looks like, and that nothing has run by then."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.solver import Generate, Solver, SolverSpec, TaskState, generate, solver

from inspect_discoverybench import demo, real
from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.scorer.judge import require_judge
from inspect_discoverybench.shipped import shipped
from tests.endpoint import Answer, Request, serve, tool_call

INSPECT = Path(sys.executable).with_name("inspect")


def run_inspect(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `inspect eval` as a user does, with a wide terminal so that lines stay whole."""
    command = [str(INSPECT), "eval", *arguments, "--display", "plain"]
    return subprocess.run(
        command,
        env={**os.environ, "COLUMNS": "400", **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.data
@pytest.mark.usefixtures("upstream")
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["-T", "split=dev"], "Error: split=dev is not a split of DB-REAL; possible are: train, test."),
        (["-T", "domain=botany"], "Error: domain=botany selects no sample; possible are: biology, economics, "),
        (["-T", "dataset=archaeology", "-T", "domain=biology"], "Error: No sample has all of dataset=archaeology, "),
        (
            ["-T", "sandbox=chroot"],
            "Error: sandbox=chroot is not a sandbox of this task; possible are: docker, local. ",
        ),
    ],
)
def test_a_bad_argument_is_one_line(arguments: list[str], line: str) -> None:
    judge = ["--model-role", "grader=discoverybench/lexical"]
    done = run_inspect("discoverybench/real", "--model", "discoverybench/baseline", *judge, *arguments)
    assert done.returncode == 1
    assert line in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize("folder", ["/nowhere/data", "."])
def test_a_data_folder_that_is_none(folder: str) -> None:
    done = run_inspect("discoverybench/real", "--model", "discoverybench/baseline", DISCOVERYBENCH_DATA_DIR=folder)
    assert done.returncode == 1
    assert f"Error: DISCOVERYBENCH_DATA_DIR={folder} is not a folder that holds `discoverybench/`" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_an_unknown_offline_model_is_one_line() -> None:
    done = run_inspect("discoverybench/demo", "--model", "discoverybench/genius")
    assert done.returncode == 1
    assert "discoverybench/genius" in done.stderr
    assert "discoverybench/baseline or discoverybench/lexical" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.data
@pytest.mark.usefixtures("upstream")
def test_without_a_docker_engine_nothing_runs() -> None:
    done = run_inspect(
        "discoverybench/real",
        *("--model", "discoverybench/baseline", "--model-role", "grader=discoverybench/lexical", "--limit", "1"),
        DOCKER_HOST="unix:///nowhere/docker.sock",
    )
    assert done.returncode != 0
    assert "Docker sandbox environments require a working Docker Engine" in done.stdout + done.stderr
    assert "unix:///nowhere/docker.sock" in done.stdout + done.stderr


@pytest.mark.data
@pytest.mark.usefixtures("upstream")
def test_a_judge_without_a_key_ends_the_run_before_the_model_is_called() -> None:
    with serve(lambda request: "never") as endpoint:
        done = run_inspect(
            "discoverybench/real",
            *("--model", "openai-api/local/model"),
            LOCAL_API_KEY="test",
            LOCAL_BASE_URL=endpoint.url,
        )
    assert done.returncode == 1
    assert "The judge (role grader, model openai/gpt-4o-2024-08-06) cannot be called: " in done.stderr
    assert "OPENAI_API_KEY" in done.stderr
    assert "--model-role grader=PROVIDER/MODEL" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert endpoint.requests == []


def test_a_judge_of_an_unknown_provider_ends_the_run_before_the_model_is_called() -> None:
    """Inspect resolves roles before it builds the task, so the words are its own."""
    with serve(lambda request: "never") as endpoint:
        done = run_inspect(
            "discoverybench/demo",
            *("--model", "openai-api/local/model", "--model-role", "grader=nowhere/judge"),
            LOCAL_API_KEY="test",
            LOCAL_BASE_URL=endpoint.url,
        )
    assert done.returncode != 0
    assert "nowhere/judge" in done.stdout + done.stderr
    assert endpoint.requests == []


@pytest.mark.parametrize("judge", ["openai/gpt-4o", "nowhere/judge"])
def test_where_roles_are_known_late_the_judge_is_tried_before_the_model(judge: str) -> None:
    """As in `eval(task, model_roles=…)`, which builds the task before it knows the roles."""
    called = []

    @solver
    def calls_the_model() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            called.append(state.sample_id)
            return state

        return solve

    task = Task(dataset=[Sample(id="1", input="?")], setup=require_judge(judge), solver=calls_the_model())
    log = inspect_eval(task, model="mockllm/model")[0]
    assert log.status == "error"
    assert log.error
    assert f"The judge (role grader, model {judge}) cannot be called" in log.error.message
    assert "--model-role grader=PROVIDER/MODEL" in log.error.message
    assert called == []


def test_a_role_given_to_eval_needs_no_key_for_the_default_judge() -> None:
    log = inspect_eval(
        demo(), model="discoverybench/baseline", model_roles={"grader": "discoverybench/lexical"}, limit=1
    )[0]
    assert log.status == "success"


def test_the_demo_runs_to_its_scores_from_the_command_line(tmp_path: Path) -> None:
    done = run_inspect("discoverybench/demo", "--model", "discoverybench/baseline", "--log-dir", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    log = read_eval_log(str(next((tmp_path / "out").glob("*.eval"))))
    assert log.status == "success"
    assert log.samples
    assert len(log.samples) == 8
    assert log.eval.task == "discoverybench/demo"
    assert log.results
    assert log.results.headline
    assert {score.name for score in log.results.scores} == {"hms", "context", "variables", "relationship"}
    assert next(s for s in log.results.scores if s.name == "hms").metrics["mean"].value > 0.5
    assert log.stats.model_usage["discoverybench/baseline"].total_tokens > 0
    assert log.stats.role_usage["grader"].total_tokens > 0


def test_every_sample_is_bounded() -> None:
    task = demo()
    assert (task.message_limit, task.time_limit) == (100, 3600)
    assert task.token_limit == 100_000
    assert task.token_limit_type == "output"
    assert task.version == "1-A"


@pytest.mark.data
@pytest.mark.usefixtures("upstream")
def test_the_docker_sandbox_is_given_by_an_absolute_path() -> None:
    sandbox = real(split="train").sandbox
    assert sandbox is not None
    assert sandbox.type == "docker"
    assert Path(str(sandbox.config)).is_absolute()
    assert sandbox.config == str(shipped("compose.yaml"))
    assert (shipped("compose.yaml").parent / "sandbox" / "Dockerfile").is_file()


def test_an_unknown_sandbox_is_refused_in_python_too() -> None:
    with pytest.raises(InvalidArgument, match="sandbox=none is not a sandbox of this task"):
        demo(sandbox="none")


def test_a_strangers_text_only_solver_is_scored() -> None:
    """Setup and scorer stay when `--solver` replaces the agent."""

    @solver
    def stranger() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            state.output = state.output.from_content("stranger", "Hypothesis: y rises with x.\n\nWorkflow: none")
            return state

        return solve

    log = inspect_eval(demo(), model="mockllm/model", solver=stranger(), limit=1)[0]
    assert log.status == "success", log.error
    assert log.samples
    assert log.samples[0].scores
    assert log.samples[0].scores["HMS"].answer == "y rises with x."


def test_tools_are_offered_to_a_strangers_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []

    def answer(request: Request) -> Answer:
        seen.append([tool["function"]["name"] for tool in request.get("tools", [])])
        return "y rises with x."

    with serve(answer) as endpoint:
        monkeypatch.setenv("LOCAL_API_KEY", "test")
        monkeypatch.setenv("LOCAL_BASE_URL", endpoint.url)
        inspect_eval(demo(), model="openai-api/local/model", solver=generate(), limit=1)
    assert seen == [["python", "submit"]]


STRANGERS = '''
from inspect_ai.agent import Agent, AgentSubmit, agent, react
from inspect_ai.model import get_model
from inspect_ai.solver import solver
from inspect_ai.util import store


@agent
def plain() -> Agent:
    """Inspect's own ReAct agent, as its documentation shows it; the task's tools are not handed to it."""
    return react(prompt="Answer with one hypothesis.")


@agent
def keeping() -> Agent:
    """The same, with its call left in the conversation."""
    return react(prompt="Answer with one hypothesis.", submit=AgentSubmit(keep_in_messages=True))


@solver
def words():
    async def solve(state, generate):
        state.output = await get_model().generate(state.messages)
        state.messages.append(state.output.message)
        return state

    return solve
'''


@pytest.mark.parametrize("name", ["plain", "keeping", "words"])
def test_a_strangers_agent_from_a_file_of_their_own(tmp_path: Path, name: str) -> None:
    """A plain `react()` agent, which submits by a tool of its own, and a solver that only writes text."""
    (tmp_path / "mine.py").write_text(STRANGERS, "utf-8")

    def answer(request: Request) -> Answer:
        tools = [tool["function"] for tool in request.get("tools", [])]
        if name == "words":
            assert tools == []
            return "## Hypothesis\n\ny rises with x.\n\n## Workflow\n\nread"
        [submit] = [tool for tool in tools if tool["name"] == "submit"]
        [argument] = submit["parameters"]["properties"]
        return tool_call("submit", "I am sure now.", **{argument: "y rises with x."})

    with serve(answer) as endpoint:
        keys = {"LOCAL_API_KEY": "test", "LOCAL_BASE_URL": endpoint.url}
        model = ["--model", "openai-api/local/model"]
        done = run_inspect("discoverybench/demo", *model, "--limit", "1", "--solver", f"mine.py@{name}", **keys)
    assert done.returncode == 0, done.stdout + done.stderr
    log = read_eval_log(str(next((tmp_path / "logs").iterdir())))
    assert log.samples
    assert log.samples[0].scores
    assert log.samples[0].scores["HMS"].answer == "y rises with x."
    assert log.samples[0].scores["HMS"].metadata
    assert log.samples[0].scores["HMS"].metadata["facets"]


AGENTS = ["react", "codegen", "datavoyager", "reflexion", "no_data_guess"]


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_by_name_over_http(tmp_path: Path, agent: str) -> None:
    """The real OpenAI provider; the endpoint does what a request demands."""

    def answer(request: Request) -> Answer:
        choice = request.get("tool_choice")
        must = choice["function"]["name"] if isinstance(choice, dict) else None
        names = [tool["function"]["name"] for tool in request.get("tools", [])]
        ran = any(message["role"] == "tool" for message in request["messages"])
        if must == "submit" or (ran and "submit" in names):
            return tool_call("submit", hypothesis="y rises with x.", workflow="1. load")
        if "python" in names:
            return tool_call("python", "Look.", code="print(6 * 7)")
        return json.dumps({"answered": ran, "progress": True, "next": "coder", "instruction": "count"})

    with serve(answer) as endpoint:
        keys = {"OPENAI_API_KEY": "test", "OPENAI_BASE_URL": endpoint.url}
        done = run_inspect(
            *("discoverybench/demo", "--model", "openai/gpt-4o", "--limit", "1"),
            *("--solver", f"discoverybench/{agent}"),
            **keys,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    log = read_eval_log(str(next((tmp_path / "logs").iterdir())))
    assert log.eval.solver == f"discoverybench/{agent}"
    assert log.samples
    assert log.samples[0].scores
    assert log.samples[0].scores["HMS"].answer == "y rises with x."
    tools = [{tool["function"]["name"] for tool in request.get("tools", [])} for request in endpoint.requests]
    assert ({"python"} in tools) == (agent in ("codegen", "datavoyager", "reflexion"))


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_with_the_baseline_on_the_demo(agent: str) -> None:
    log = inspect_eval(demo(), model="discoverybench/baseline", solver=SolverSpec(f"discoverybench/{agent}"))[0]
    assert log.status == "success", log.error
    assert log.samples
    scores = [sample.scores["HMS"].as_dict()["hms"] for sample in log.samples if sample.scores]
    assert len(scores) == 8
    assert (sum(map(float, map(str, scores))) > 4) == (agent != "no_data_guess")


@pytest.mark.data
@pytest.mark.usefixtures("upstream")
@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_with_the_baseline_on_db_real(agent: str) -> None:
    """One sample of each study of the training split; the benchmark `agents.py` runs all of them."""
    task = real(split="train", sandbox="local")
    firsts = {str(sample.metadata and sample.metadata["dataset"]): sample.id for sample in reversed(list(task.dataset))}
    log = inspect_eval(
        task,
        model="discoverybench/baseline",
        model_roles={"grader": "discoverybench/lexical"},
        solver=SolverSpec(f"discoverybench/{agent}"),
        sample_id=list(firsts.values()),
    )[0]
    assert log.status == "success", log.error
    assert log.samples
    assert len(log.samples) == 4
    for sample in log.samples:
        assert sample.scores
        assert sample.scores["HMS"].reason is None
        assert sample.scores["HMS"].answer
