"""`--print`: what is printed means the same to Inspect and to inspect-flow."""

import os
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai._cli.eval import eval_command  # the parsers that read what is printed
from inspect_ai._util.config import parse_cli_args

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.experiment.definition import Component, Experiment, ModelSpec
from inspect_discoverybench.experiment.export import FLAGS, command
from inspect_discoverybench.experiment.run import MatrixCell
from tests import inspect_command
from tests.experiment.command import logs, run

STUDY = Path(__file__).parents[2] / "examples" / "lighthouses" / "metadata_0.json"
BIN = Path(sys.executable).parent
PLAIN = f"""
name: plain
tasks: [{{name: discoverybench/custom, args: {{path: '{STUDY}', goal: 'Visitors: how: why?', sandbox: local}}}}]
solvers: [{{name: discoverybench/no_data_guess, args: {{}}}}]
models: [{{name: discoverybench/baseline, config: {{temperature: 0.5}}}}]
grader: discoverybench/lexical
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
    assert run(plain).exit_code == 0
    assert_is_the_eval("logs/plain")
    export = run(plain, "--print", "commands", "--set", "log_dir=logs/exported")
    assert export.exit_code == 0, export.output
    words = shlex.split(export.output)
    assert words[0] == "inspect"
    result = inspect_command.invoke(*words[1:])
    assert result.exit_code == 0, result.output
    assert_is_the_eval("logs/exported")


@pytest.mark.usefixtures("command_line")
def test_inspect_flow_runs_the_same_eval(plain: str, tmp_path: Path) -> None:
    export = run(plain, "--print", "flow")
    assert export.exit_code == 0, export.output
    (tmp_path / "printed.yaml").write_text(export.output, "utf-8")
    # A home of its own for what inspect-flow remembers, and the folder of `uv`, which it calls.
    environment = os.environ | {"HOME": str(tmp_path), "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    command = [str(BIN / "flow"), "run", "printed.yaml"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert_is_the_eval("logs/plain")


def assert_is_the_eval(folder: str) -> None:
    """The log of the eval that `PLAIN` describes, however it was started."""
    [log] = logs(folder)
    assert log.status == "success"
    assert log.eval.task_args_passed["goal"] == "Visitors: how: why?"
    assert [step.solver for step in log.plan.steps][-1] == "inspect_discoverybench/no_data_guess"
    assert log.eval.model_generate_config.temperature == 0.5 or log.plan.config.temperature == 0.5
    config = log.eval.config
    assert (config.message_limit, config.token_limit, config.token_limit_type) == (40, 5000, "output")
    assert (config.fail_on_error, config.max_samples, config.turn_limit, config.limit) == (False, 3, 30, 1)
    assert sorted(log.eval.tags or []) == ["one", "plain"]
    assert log.eval.metadata
    assert (log.eval.metadata["experiment"], log.eval.metadata["team"]) == ("plain", "a: b")


def words_of(args: dict[str, Any], **changes: Any) -> list[str]:
    values = {"name": "x", "tasks": ["t"], "models": ["mockllm/m"], "log_dir": "logs"} | changes
    experiment = Experiment.model_validate(values)
    cell = MatrixCell(Component(name="t", args=args), None, ModelSpec(name="mockllm/m"))
    return shlex.split(command(experiment, cell))


def values_after(words: list[str], option: str) -> list[str]:
    return [value for word, value in pairwise(words) if word == option]


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
def test_every_value_is_exported_unchanged_or_rejected(value: Any) -> None:
    try:
        words = words_of({"goal": value}, options={"metadata": {"goal": value}})
    except InvalidExperiment:
        assert value not in ORDINARY
        return
    for option in ("-T", "--metadata"):
        assert parse_cli_args(values_after(words, option))["goal"] == value


def test_exported_options_exist_in_inspect() -> None:
    names = {name for parameter in eval_command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    assert names >= FLAGS
    words = words_of({}, options={"sample_id": ["a", "b"], "fail_on_error": False, "sandbox": "k8s:v.yaml"})
    parameters = eval_command.make_context("eval", words[2:], resilient_parsing=False).params
    assert {"sample_id": "a,b", "no_fail_on_error": True, "sandbox": "k8s:v.yaml"}.items() <= parameters.items()


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("tasks.0.args.goal='a, b?'", "-T goal=a, b? cannot be written as a command. Use --print flow."),
        ("grader={name: discoverybench/lexical, base_url: 'http://127.0.0.1:1'}", "base_url of the role grader=http"),
        ("tags=['a,b']", "tags=['plain', 'a,b'] cannot be written"),
        ("options.retry_wait=3", "retry_wait=3 cannot be written"),
        ("options.log_images=true", "log_images=True cannot be written"),
    ],
)
def test_values_that_a_command_cannot_express_are_rejected(plain: str, change: str, line: str) -> None:
    result = run(plain, "--print", "commands", "--set", change)
    assert result.exit_code == 2, result.output
    assert line in result.output
