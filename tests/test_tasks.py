"""The tasks from Inspect's command line: what a user's mistake looks like, and that nothing has run by then."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from inspect_discoverybench import demo, real
from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.scorer.judge import require_judge
from inspect_discoverybench.shipped import shipped
from tests.endpoint import Answer, Request, serve

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
