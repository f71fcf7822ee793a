"""The tasks, as users see them: errors, judges, limits, and third-party agents.

What only a process can show, such as an error as one line, is shown once; everything else runs in this one.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import Model, get_model
from inspect_ai.solver import SolverSpec, generate
from inspect_ai.util import registry_create

from inspect_discoverybench import demo
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.sandbox.image import record_image
from inspect_discoverybench.scorer.judge import require_judge
from tests import inspect_command
from tests.endpoint import Answer, Endpoint, Request, serve, tool_call
from tests.scorer import judging

EXAMPLE = Path(__file__).parents[1] / "examples" / "lighthouses"
INSPECT = Path(sys.executable).with_name("inspect")


def run_inspect(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `inspect eval` as a user does, with a wide terminal so that lines stay whole."""
    command = [str(INSPECT), "eval", *arguments, "--display", "plain"]
    return subprocess.run(
        command,
        env={**os.environ, "COLUMNS": "400", **environment},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def score_of(log: EvalLog) -> str | None:
    """The answer that was scored in the only sample."""
    assert log.status == "success", log.error
    assert log.samples
    [sample] = log.samples
    assert sample.scores
    return sample.scores["HMS"].answer


@pytest.mark.usefixtures("command_line")
def test_an_unknown_argument_is_one_line_before_the_first_sample() -> None:
    """Every error of ours reaches the command line in this way."""
    result = run_inspect("discoverybench/demo", "--model", "discoverybench/baseline", "-T", "sandbx=local")
    assert result.returncode == 2
    assert result.stderr.startswith("Error: demo has no argument sandbx. Did you mean sandbox? Possible arguments: ")
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("task", "arguments", "message"),
    [
        ("real", {"splt": "test"}, "real has no argument splt. Did you mean split?"),
        ("synth", {"split": "dev", "workflow_tags": True}, "synth has no argument workflow_tags. Possible arguments: "),
        ("custom", {"pth": "examples/lighthouses"}, "custom has no argument pth. Did you mean path?"),
        ("synth_generate", {"out": "set", "unknown": 1}, "synth_generate has no argument unknown. "),
    ],
)
def test_an_argument_that_a_task_does_not_have_is_refused(task: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=f"^{re.escape(message)}"):
        registry_create("task", f"discoverybench/{task}", **arguments)


def test_an_argument_of_the_agent_is_refused_and_the_message_says_where_to_pass_it() -> None:
    """With `--solver`, it is passed as `-S actions=text`. So with `-T agent`, a user may try `-T actions=text`."""
    remedy = (
        "If it is an argument of the agent, pass -T 'agent_args={actions: VALUE}' with -T agent, or in an experiment "
        "put it into the solver's args."
    )
    with pytest.raises(InvalidArgument, match=f"^demo has no argument actions. .*{re.escape(remedy)}$"):
        registry_create("task", "discoverybench/demo", actions="text")


@pytest.mark.parametrize(("task", "name"), [("custom", "path"), ("custom", "answer_key"), ("synth_generate", "out")])
def test_a_path_with_a_comma_is_refused(task: str, name: str) -> None:
    """Inspect reads `-T answer_key=key,v2.csv` as a list of two names."""
    arguments = {"path": str(EXAMPLE)} if task == "custom" else {}
    with pytest.raises(InvalidArgument, match=rf"^{name} must be one path, got \['key', 'v2.csv'\]. .*without a comma"):
        registry_create("task", f"discoverybench/{task}", **{**arguments, name: ["key", "v2.csv"]})


@pytest.mark.parametrize("value", ["maybe", 1, None])
@pytest.mark.parametrize(
    ("task", "argument"),
    [
        ("real", "domain_knowledge"),
        ("custom", "workflow_tags"),
        ("demo", "build"),
        ("judge_audit", "released"),
    ],
)
def test_a_switch_is_true_or_false(task: str, argument: str, value: object) -> None:
    arguments = {argument: value}
    if task == "custom":
        arguments["path"] = str(EXAMPLE)
    with pytest.raises(InvalidArgument, match=f"^{argument} must be true or false, got {value}"):
        registry_create("task", f"discoverybench/{task}", **arguments)


@pytest.mark.parametrize(("task", "argument"), [("custom", "path"), ("synth_generate", "out")])
def test_a_required_argument_that_is_missing_is_named(task: str, argument: str) -> None:
    with pytest.raises(InvalidArgument, match=f"^{task} needs {argument}. Pass it, such as -T {argument}="):
        registry_create("task", f"discoverybench/{task}")


def test_without_a_judge_no_other_step_runs() -> None:
    # The first two steps are those of our tasks. The last one calls the model, and its use would be recorded.
    setup = [require_judge("nowhere/judge"), record_image()]
    task = Task(dataset=[Sample(input="?")], setup=setup, solver=generate())
    [log] = inspect_eval(task, model="mockllm/model")
    assert log.error
    assert "The judge (role grader, model nowhere/judge) cannot be called" in log.error.message
    assert "--model-role grader=PROVIDER/MODEL" in log.error.message
    assert not log.stats.model_usage


def test_a_run_without_scores_and_without_a_key_is_told_what_to_use() -> None:
    task = registry_create("task", "discoverybench/custom", path=str(EXAMPLE), sandbox="local")
    options: dict[str, Any] = {"model": "discoverybench/baseline", "score": False, "limit": 1}
    [refused] = inspect_eval(task, **options)
    assert refused.error
    assert (
        "With --no-score, choose one that needs no key: --model-role grader=discoverybench/lexical"
        in refused.error.message
    )
    [log] = inspect_eval(task, **options, model_roles={"grader": "discoverybench/lexical"})
    assert log.status == "success"


@pytest.mark.parametrize("command", ["eval", "eval-set"])
def test_a_judge_without_a_key_is_one_line_before_anything_starts(command: str) -> None:
    options = ["discoverybench/custom", "-T", f"path={EXAMPLE}", "-T", "sandbox=local", "--limit", "1"]
    options += ["--model", "discoverybench/baseline"]
    result = inspect_command.invoke(command, *options, "--log-dir", "refused")
    assert result.exit_code == 2, result.output
    assert "Error: The judge (role grader, model openai/gpt-4o-2024-08-06) cannot be called: Unable" in result.output
    assert "defined in the environment. Choose another judge with --model-role grader=PROVIDER/MODEL." in result.output
    assert "Traceback" not in result.output
    assert not [*Path().glob("refused/*.eval")]

    # With a judge that needs no key, the command runs, with and without scores.
    options += ["--model-role", "grader=discoverybench/lexical"]
    scored = inspect_command.invoke(command, *options, "--log-dir", "scored")
    assert scored.exit_code == 0, scored.output
    unscored = inspect_command.invoke(command, *options, "--no-score", "--log-dir", "unscored")
    assert unscored.exit_code == 0, unscored.output


@pytest.mark.usefixtures("command_line")
def test_the_demo_runs_from_the_command_line(tmp_path: Path) -> None:
    out = tmp_path / "out"
    model = ("--model", "discoverybench/baseline")
    result = run_inspect("discoverybench/demo", *model, "--log-dir", str(out), COLUMNS="80", TERM="dumb")
    assert result.returncode == 0, result.stderr
    [path] = out.glob("*.eval")
    log = read_eval_log(str(path))
    assert log.status == "success"
    assert log.eval.task == "discoverybench/demo"
    assert len(log.samples or []) == 8
    config = log.eval.config
    assert config.message_limit == 200
    assert config.working_limit == 3600
    assert config.token_limit == 100_000

    # The table of results names every metric, also in a terminal of 80 columns.
    assert log.results
    [hms] = log.results.scores
    assert hms.name == "HMS"
    assert hms.metrics["mean"].value > 0.2
    assert hms.metrics.keys() <= set(result.stdout.split())


def served(endpoint: Endpoint) -> Model:
    """A model of the real OpenAI provider at this endpoint; Inspect would remember another one of the same name."""
    return get_model("openai-api/local/model", base_url=endpoint.url, api_key="test", memoize=False)


STRANGERS = '''
from inspect_ai.agent import Agent, agent, react
from inspect_ai.model import get_model
from inspect_ai.solver import solver
from inspect_ai.util import store


@agent
def plain() -> Agent:
    """Inspect's own ReAct agent, as its documentation shows it; the task's tools are not handed to it."""
    return react(prompt="Answer with one hypothesis.")


@solver
def words():
    async def solve(state, generate):
        state.output = await get_model().generate(state.messages)
        state.messages.append(state.output.message)
        return state

    return solve
'''


@pytest.mark.parametrize("name", ["plain", "words"])
def test_a_third_party_agent_can_be_loaded_from_a_file(tmp_path: Path, name: str) -> None:
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

    # The judge quotes the hypothesis. For `plain`, it reads the text of the message, and then the argument of its call.
    quotation = '{"asserted": true, "hypothesis": ["y rises with x."], "workflow": []}'
    judge = judging.InProcessJudge(judging.scripted(answer=quotation))
    with serve(answer) as endpoint:
        [log] = inspect_eval(
            demo(),
            model=served(endpoint),
            model_roles={"grader": judge.model},
            limit=1,
            solver=SolverSpec(f"mine.py@{name}"),
        )
    assert score_of(log) == "y rises with x."
    assert judge.judge_requests().count("answer") == 1


ANSWER = {"hypothesis": "y rises with x.", "workflow": "1. load"}
AGENTS = ["react", "codegen", "datavoyager", "reflexion", "no_data_guess"]


def tool_names(request: Request) -> list[str]:
    return [tool["function"]["name"] for tool in request.get("tools", [])]


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_runs_by_name_over_http(agent: str) -> None:
    """The real OpenAI provider; the endpoint does what a request demands."""

    def answer(request: Request) -> Answer:
        names = tool_names(request)
        has_result = any(message["role"] == "tool" for message in request["messages"])
        # The model must submit, or it may submit and has already run code.
        if names == ["submit"] or (has_result and "submit" in names):
            return tool_call("submit", **ANSWER)
        # The model may run code. It has no result yet, or it may not submit, as DataVoyager's coder.
        if "python" in names:
            return tool_call("python", "Look.", code="print(6 * 7)")
        # DataVoyager's analyst writes a draft.
        if "Draft the answer" in str(request["messages"][-1]):
            return json.dumps(ANSWER)
        # No tools are offered. DataVoyager's critic must reply with this JSON; the others may write any text.
        return json.dumps({"answered": has_result, "progress": True, "next": "coder", "instruction": "count"})

    solver = SolverSpec(f"discoverybench/{agent}")
    with serve(answer) as endpoint:
        [log] = inspect_eval(demo(), model=served(endpoint), limit=1, solver=solver)
    assert score_of(log) == "y rises with x."
