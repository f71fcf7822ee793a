"""`discoverybench run`: errors before anything runs, and the report afterwards."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspect_discoverybench.statistics.mean import estimate_mean
from tests import inspect_command
from tests.endpoint import Answer, Refused, tool_call
from tests.experiment.command import lab, logs, run

STUDY = Path(__file__).parents[2] / "examples/lighthouses/metadata_0.json"
CUSTOM = f"{{name: discoverybench/custom, args: {{path: '{STUDY}', goal: 'Why?', sandbox: local}}}}"
COMMAND = Path(sys.executable).with_name("discoverybench")
GOLD = ["--set", "solvers=[discoverybench/gold]", "--model", "discoverybench/baseline"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--set", "solvers=[discoverybench/genius]"], "small.yaml:3: solver discoverybench/genius: "),
        (
            ["--set", "tasks=[{name: discoverybench/demo, args: {sandbox: x}}]"],
            "small.yaml:2: task discoverybench/demo",
        ),
        (["--model", "openai/gpt-4o"], "small.yaml:4: model openai/gpt-4o cannot be called: "),
        (["--set", "models.1.config.temperature=hot"], "small.yaml:4: model discoverybench/baseline: config.temperatu"),
        (["--set", "limits.tokens=0"], "small.yaml:6: limits.tokens: Input should be greater than or equal to 1"),
        (["--set", "limits.tokens=lots"], "small.yaml:6: limits.tokens: token limit: expected"),
        (["--set", "limits.cost=1", "--set", "roles={critic: mockllm/x}"], "there is none for mockllm/x. Add it with "),
        (["--model-cost-config", "nowhere.yaml"], "The price file nowhere.yaml cannot be read ("),
        (["--model-cost-config", "/dev/zero"], "The price file /dev/zero cannot be read (/dev/zero is not a regular "),
        (["--set", "log_dir=/dev/null/x"], "Not a directory: '/dev/null/x'. Check the path, its permissions and the "),
        (["--set", "log_dir=foo://x"], "foo://x cannot be read: Protocol not known: foo. Check the address"),
        (["--set", "log_dir=http://127.0.0.1:9/x"], "http://127.0.0.1:9/x cannot be read: Cannot connect to host"),
        (["--set", "options.sample_id=a"], "small.yaml: You cannot specify both sample_id and limit."),
    ],
)
def test_an_invalid_experiment_is_rejected_before_it_runs(file: str, arguments: list[str], line: str) -> None:
    result = run(file, *arguments)
    assert result.exit_code == 2, result.output
    assert line in result.output
    assert len(result.output.strip().splitlines()) == 1
    assert not [log for log in logs() if log.samples]


@pytest.mark.parametrize("variable", ["HOME", "XDG_DATA_HOME"])
@pytest.mark.usefixtures("command_line")
def test_an_unwritable_home_folder_is_named(file: str, variable: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    result = subprocess.run(
        [COMMAND, "run", file], check=False, env=environment | {variable: "/proc/x"}, capture_output=True, text=True
    )
    assert result.returncode == 2
    assert re.fullmatch(f"Error: Inspect cannot write .* the folder /proc/x: .* Set {variable} .*\n", result.stderr)


@pytest.mark.usefixtures("command_line")
def test_a_reader_that_stops_ends_the_run_and_loses_nothing(file: str) -> None:
    command = shlex.join([str(COMMAND), "run", file, "--set", "options.display=plain"])
    result = subprocess.run(f"{command} | head -1", shell=True, capture_output=True, text=True, check=False)
    assert result.stderr == ""
    assert run(file).exit_code == 0


@pytest.mark.usefixtures("upstream")
def test_a_default_judge_without_a_key_is_rejected(file: str) -> None:
    result = run(file, "--dry-run", "--set", "tasks=[{name: discoverybench/real, args: {sandbox: local}}]")
    assert result.exit_code == 2
    assert "OPENAI_API_KEY" in result.output
    assert len(result.output.strip().splitlines()) == 1


def test_the_closing_table(file: str, tmp_path: Path) -> None:
    price = {"input": 1_000_000, "output": 0, "input_cache_write": 0, "input_cache_read": 0}
    (tmp_path / "costs.yaml").write_text(json.dumps({"discoverybench/baseline": price}), "utf-8")
    changes = ["--model", "discoverybench/baseline", "--model-cost-config", "costs.yaml"]
    result = run(file, *changes)
    assert result.exit_code == 0, result.output
    headings = (
        r"CI on *\n *task +solver +model +HMS +these tasks +scored +unscored +no submission +errors +tokens +US \$"
    )
    assert re.search(headings, result.output)
    assert re.search(r"gold +\S+ +1\.000 +0\.[\d]{3} to 1\.000 +2 +0 +0 +0 +[\d,]+ +0\.00 *\n", result.output)
    assert "2 of 2 runs are complete." in result.output
    [guess] = [log for log in logs() if log.eval.metadata and "no_data_guess" in str(log.eval.metadata["run"])]
    usage = guess.stats.model_usage["discoverybench/baseline"]
    assert usage.total_cost == usage.input_tokens
    assert f"{usage.input_tokens:,.2f}" in result.output

    as_json = run(file, *changes, "--json")
    assert as_json.exit_code == 0, as_json.output
    gold, no_data_guess = json.loads(as_json.stdout)["runs"]
    assert (gold["value"], gold["scored"], gold["unscored"], gold["bounds"]) == (1.0, 2, 0, None)
    assert gold["interval"] == pytest.approx([estimate_mean([1, 1], "ab").low, 1.0])
    assert no_data_guess["cost"] == usage.input_tokens


def test_unscored_samples_are_reported_with_the_command_to_score_them(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lab(lambda _: "I would rather not say.") as (model, _):
        result = run(file, *GOLD, "--set", f"grader={model}")
        assert result.exit_code == 1, result.output
        assert "1 of 1 runs are complete." in result.output
        assert "Unscored samples: 2. To score them again, run:" in result.output
        assert re.search(r"gold +\S+ +– +– +0 +2 +0 +0 ", result.output)
        assert "? marks a run with a model that has no price." in result.output
    [command] = [line.strip() for line in result.output.splitlines() if line.startswith("  inspect score ")]
    monkeypatch.setenv("LAB_API_KEY", "test")
    monkeypatch.setenv("LAB_BASE_URL", "http://127.0.0.1:1/v1")
    rescoring = inspect_command.invoke(*shlex.split(command)[1:], "--model-role", "grader=discoverybench/lexical")
    assert rescoring.exit_code == 0, rescoring.output
    [log] = logs()
    values = [sample.scores["HMS"].value for sample in log.samples or [] if sample.scores]
    assert [value["hms"] for value in values if isinstance(value, dict)] == [1.0, 1.0]


def test_a_key_among_the_arguments_of_a_model_is_not_shown(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", "argument-key")
    with lab(lambda request: Refused(request["messages"][-1]["role"] + " argument-key")) as (model, _):
        model_args = ["--set", f"models=[{{name: {model}, args: {{api_key: '${{MINE}}'}}}}]", "--retries", "0"]
        shown = [run(file, *model_args, *more) for more in (["--dry-run", "--json"], [], ["--print", "commands"])]
    assert [result.exit_code for result in shown] == [0, 1, 2], [result.output for result in shown]
    assert [result.output.count("[api_key]") > 0 for result in shown] == [True] * 3
    assert "which is not exported. Set the environment variable" in shown[2].output
    assert "argument-key" not in " ".join(result.output for result in shown)
    assert "argument-key" not in " ".join(log.model_dump_json() for log in logs())


def test_samples_without_a_submission_and_with_errors_are_counted(file: str) -> None:
    answers: Iterator[Answer] = iter([400, *[tool_call("submit", hypothesis=" ", workflow="w")] * 9])
    changes = ["--set", "solvers=[discoverybench/no_data_guess]", "--set", "max_connections=1"]
    options = ["--set", "options={fail_on_error: false, max_samples: 1}"]
    with lab(lambda _: next(answers)) as (model, _):
        result = run(file, *changes, *options, "--model", model, "--json")
    [outcome] = json.loads(result.stdout)["runs"]
    assert (outcome["errors"], outcome["no_submission"], outcome["scored"]) == (1, 1, 1)
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("task", "row"),
    [
        (CUSTOM, "– +– +0 +0 +0 +0 "),
        ("{name: discoverybench/judge_audit, args: {released: false}}", r"right [01]\.\d{3} "),
    ],
)
def test_tasks_have_their_own_metric_or_none(file: str, task: str, row: str) -> None:
    solvers = "[]" if "judge_audit" in task else "[discoverybench/no_data_guess]"
    model = "discoverybench/lexical" if "judge_audit" in task else "discoverybench/baseline"
    result = run(file, "--set", f"tasks=[{task}]", "--set", f"solvers={solvers}", "--model", model)
    assert result.exit_code == 0, result.output
    assert re.search(rf"{model} +{row}", result.output)


def test_shipped_experiments_can_be_run_by_name() -> None:
    result = run("demo", "--dry-run")
    assert result.exit_code == 0, result.output
    assert re.search(r"3 runs +24 ", result.output)
