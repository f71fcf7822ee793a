"""An experiment that cannot be run is refused before it starts, in one line."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.endpoint import Refused
from tests.experiment.command import discoverybench, lab, logs

COMMAND = Path(sys.executable).with_name("discoverybench")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("solvers=[discoverybench/genius]", "small.yaml:3: solver discoverybench/genius: "),
        (
            "tasks=[{name: discoverybench/demo, args: {sandbox: x}}]",
            "small.yaml:2: task discoverybench/demo: sandbox=x",
        ),
        ("models=[openai/gpt-4o]", "small.yaml:4: model openai/gpt-4o cannot be called: "),
        ("grader=nowhere/x", "small.yaml:1: model nowhere/x cannot be called: "),
        ("models.1.config.temperature=hot", "small.yaml:4: model discoverybench/baseline: config.temperature: Input"),
        ("limits.tokens=lots", "small.yaml: token limit: expected"),
        ("log_dir=/dev/null/x", "Not a directory: '/dev/null/x'. Check the path, its permissions and the "),
        ("log_dir=foo://x", "foo://x cannot be read: Protocol not known: foo. Check the address"),
        ("log_dir=http://127.0.0.1:9/x", "http://127.0.0.1:9/x cannot be read: Cannot connect to host"),
        ("options.sample_id=a", "small.yaml: You cannot specify both sample_id and limit."),
    ],
)
def test_an_experiment_that_cannot_be_run_is_refused(change: str, line: str) -> None:
    result = discoverybench(f"run small.yaml --set '{change}'")
    assert result.exit_code == 2, result.output
    assert line in result.output
    assert len(result.output.strip().splitlines()) == 1
    assert not logs()


def test_a_cost_limit_needs_prices_of_all_models() -> None:
    result = discoverybench("run small.yaml --dry-run --set limits.cost=1 --set 'roles={critic: mockllm/x}'")
    assert result.exit_code == 2, result.output
    assert "Missing cost data for: mockllm/x" in result.output


@pytest.mark.usefixtures("upstream")
def test_a_default_judge_without_a_key_is_refused() -> None:
    task = "{name: discoverybench/real, args: {sandbox: local}}"
    result = discoverybench(f"run small.yaml --dry-run --set 'tasks=[{task}]'")
    assert result.exit_code == 2
    assert "the default judge cannot be called. Name one, such as grader: PROVIDER/MODEL" in result.output
    assert "OPENAI_API_KEY" in result.output
    assert len(result.output.strip().splitlines()) == 1


@pytest.mark.parametrize("variable", ["HOME", "XDG_DATA_HOME"])
@pytest.mark.usefixtures("command_line")
def test_an_unwritable_home_folder_is_named(variable: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    environment[variable] = "/proc/x"
    result = subprocess.run(
        [COMMAND, "run", "small.yaml"], check=False, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 2
    assert re.fullmatch(f"Error: Inspect cannot write .* the folder /proc/x: .* Set {variable} .*\n", result.stderr)


@pytest.mark.usefixtures("command_line")
def test_a_reader_that_stops_ends_the_run_and_loses_nothing() -> None:
    command = f"{COMMAND} run small.yaml --set options.display=plain | head -1"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert result.stderr == ""
    assert discoverybench("run small.yaml").exit_code == 0


def test_a_key_among_the_arguments_of_a_model_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", "argument-key")
    with lab(lambda request: Refused(request["messages"][-1]["role"] + " argument-key")) as (model, _):
        model_with_key = f'{{name: {model}, args: {{api_key: "${{MINE}}"}}}}'
        options = f"small.yaml --retries 0 --set 'models=[{model_with_key}]'"
        dry_run = discoverybench(f"run {options} --dry-run --json")
        real_run = discoverybench(f"run {options}")
        plan = discoverybench(f"plan {options}")
    assert dry_run.exit_code == 0
    assert real_run.exit_code == 1
    assert plan.exit_code == 2
    assert "which is not exported. Set the environment variable" in plan.output
    for result in (dry_run, real_run, plan):
        assert "[api_key]" in result.output
        assert "argument-key" not in result.output
    for log in logs():
        assert "argument-key" not in log.model_dump_json()
