"""`plan --print commands`: the command means the same to Inspect as the experiment."""

import shlex
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai._cli.eval import eval_command  # the parsers that read what is printed
from inspect_ai._util.config import parse_cli_args
from inspect_ai.model import ModelConfig

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.experiment.definition import Component, Experiment, ModelSpec
from inspect_discoverybench.experiment.matrix import MatrixCell
from inspect_discoverybench.experiment.shell_command import shell_command
from tests import inspect_command
from tests.command_line import completed, refused
from tests.experiment.experiments import logs

STUDY = Path(__file__).parents[2] / "examples" / "lighthouses" / "metadata_0.json"
PLAIN = f"""
name: plain
tasks: [{{name: discoverybench/custom, args: {{path: '{STUDY}', goal: 'Visitors: how: why?', sandbox: local}}}}]
solvers: [{{name: discoverybench/no_data_guess, args: {{}}}}]
models: [{{name: discoverybench/baseline, config: {{temperature: 0.5}}}}]
grader: {{name: discoverybench/lexical, config: {{temperature: 0}}}}
limits: {{samples: 1, messages: 40, tokens: 'output:5k'}}
options: {{fail_on_error: false, max_samples: 3, turn_limit: 30, metadata: {{team: 'a: b'}}}}
tags: [one]
log_dir: logs/plain
"""


@pytest.fixture
def plain(tmp_path: Path) -> str:
    (tmp_path / "plain.yaml").write_text(PLAIN, "utf-8")
    return "plain.yaml"


def test_the_command_runs_the_same_eval(plain: str) -> None:
    completed(f"run {plain}")
    assert_is_the_eval("logs/plain")
    plan = completed(f"plan {plain} --print commands --set log_dir=logs/printed")
    words = shlex.split(plan)
    assert words[0] == "inspect"
    result = inspect_command.invoke(*words[1:])
    assert result.exit_code == 0, result.output
    assert_is_the_eval("logs/printed")
    assert "does not belong to this experiment" in refused(f"run {plain} --set log_dir=logs/printed")


def assert_is_the_eval(folder: str) -> None:
    """The log of the eval that `PLAIN` describes, however it was started."""
    [log] = logs(folder)
    assert log.status == "success"
    assert log.eval.task_args_passed["goal"] == "Visitors: how: why?"
    assert log.plan.steps[-1].solver == "inspect_discoverybench/no_data_guess"
    assert log.eval.model_generate_config.temperature == 0.5 or log.plan.config.temperature == 0.5
    grader = (log.eval.model_roles or {})["grader"]
    assert isinstance(grader, ModelConfig)
    assert grader.config.temperature == 0
    config = log.eval.config
    expected = {"message_limit": 40, "token_limit": 5000, "token_limit_type": "output", "turn_limit": 30}
    expected |= {"fail_on_error": False, "max_samples": 3, "limit": 1}
    assert expected.items() <= config.model_dump().items()
    assert sorted(log.eval.tags or []) == ["one", "plain"]
    metadata = log.eval.metadata or {}
    assert metadata["experiment"] == "plain"
    assert metadata["team"] == "a: b"


def words_of(args: dict[str, Any], **changes: Any) -> list[str]:
    """The words of the command of an experiment with one task that has these arguments."""
    values = {"name": "x", "tasks": ["t"], "models": ["mockllm/m"], "log_dir": "logs"} | changes
    experiment = Experiment.model_validate(values)
    task = Component(name="t", args=args)
    model = ModelSpec(name="mockllm/m")
    cell = MatrixCell(task, None, model, task_line="", solver_line="", model_line="")
    return shlex.split(shell_command(experiment, cell))


ORDINARY = ["Visitors: how: why?", "no", "12", "a\nb", "'quoted' \"twice\"", "ünï", ["a, b"]]
VALUES = st.one_of(
    st.text(),
    st.sampled_from(["yes", "null", "1.0", "# no", "'", "a: b", "- a", "{", "1e5", "~"]),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
    st.lists(st.text(), min_size=1),
    st.dictionaries(st.text(), st.text()),
)


@given(VALUES | st.sampled_from(ORDINARY))
def test_every_value_is_printed_unchanged_or_refused(value: Any) -> None:
    try:
        words = words_of({"goal": value}, options={"metadata": {"goal": value}})
    except InvalidExperiment:
        assert value not in ORDINARY
        return
    for option in ("-T", "--metadata"):
        arguments = [argument for word, argument in pairwise(words) if word == option]
        assert parse_cli_args(arguments)["goal"] == value


def test_printed_options_exist_in_inspect() -> None:
    words = words_of({}, options={"sample_id": ["a", "b"], "fail_on_error": False, "sandbox": "k8s:v.yaml"})
    context = eval_command.make_context("eval", words[2:])
    assert context.params["sample_id"] == "a,b"
    assert context.params["no_fail_on_error"] is True
    assert context.params["sandbox"] == "k8s:v.yaml"


@pytest.mark.parametrize(
    ("name", "on", "off"),
    [
        ("log_realtime", None, "--no-log-realtime"),
        ("fail_on_error", "--fail-on-error", "--no-fail-on-error"),
        ("continue_on_fail", "--continue-on-fail", None),
        ("cache_prompt", "--cache-prompt true", "--cache-prompt false"),
    ],
)
def test_an_option_is_switched_on_and_off_as_far_as_inspects_command_can(
    name: str, on: str | None, off: str | None
) -> None:
    for value, expected in ((True, on), (False, off)):
        if expected is None:
            with pytest.raises(InvalidExperiment, match=f"{name}={value} cannot be written as a command"):
                words_of({}, options={name: value})
        else:
            words = words_of({}, options={name: value})
            assert expected in shlex.join(words)
            eval_command.make_context("eval", words[2:])


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("options.eval_set_id=x", "eval_set_id=x cannot be written"),
        ("options.sample_shuffle=1", "sample_shuffle=1: Inspect's command reads"),
        ("options.retry_attempts=2", "retry_attempts=2 cannot be written as a command."),
        ("tasks.0.args.goal='a, b?'", "-T goal=a, b? cannot be written as a command."),
        (
            "grader={name: discoverybench/lexical, base_url: 'http://localhost'}",
            "roles.grader.base_url=http://localhost",
        ),
        ("options.max_tasks=null", "max_tasks=None cannot be written"),
        ("tags=['a,b']", "tags=['plain', 'a,b'] cannot be written"),
    ],
)
def test_values_that_a_command_cannot_express_are_refused(plain: str, change: str, line: str) -> None:
    assert line in refused(f"plan {plain} --set {shlex.quote(change)}")
