"""An experiment that cannot be run is refused before it starts, in one line."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import completed, discoverybench, failed, lab, refused
from tests.endpoint import Answer, Refused, Request, tool_call
from tests.experiment.experiments import logs

COMMAND = Path(sys.executable).with_name("discoverybench")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("solvers=[discoverybench/genius]", "--set solvers=[discoverybench/genius]: solver discoverybench/genius: "),
        (
            "tasks=[{name: discoverybench/demo, args: {sandbox: x}}]",
            "sandbox: x}}]: task discoverybench/demo: sandbox=x",
        ),
        ("models=[openai/gpt-4o]", "--set models=[openai/gpt-4o]: model openai/gpt-4o cannot be called: "),
        ("models=[gpt-4o]", "cannot be called: gpt-4o lacks its provider. Pass PROVIDER/MODEL, such as openai/gpt-4o."),
        ("grader=gpt-4o", "gpt-4o lacks its provider. Pass PROVIDER/MODEL, such as openai/gpt-4o."),
        ("grader=nowhere/x", "--set grader=nowhere/x: model nowhere/x cannot be called: "),
        ("models.1.config.temperature=hot", "=hot: models.1.config.temperature: Input should be"),
        ("limits.tokens=lots", "small.yaml with --set limits.tokens=lots: token limit: expected"),
        ("log_dir=/dev/null/x", "Not a directory: '/dev/null/x'. Check the path, its permissions and the "),
        ("log_dir=http://127.0.0.1:9/x", "http://127.0.0.1:9/x cannot be read: Cannot connect to host"),
        ("models=[discoverybench/baseline, discoverybench/baseline]", "/baseline is in the matrix twice. Remove one."),
        ("options.sample_id=a", "=a: options.sample_id and limits.samples exclude each other. Omit one."),
    ],
)
def test_an_experiment_that_cannot_be_run_is_refused(change: str, line: str) -> None:
    assert line in refused(f"run small.yaml --set '{change}'")
    assert not logs()


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("--model nowhere/x", "Error: --model nowhere/x: model nowhere/x cannot be called: "),
        ("--model a/b --model a/b", "Error: --model a/b --model a/b: discoverybench/demo · discoverybench/gold · a/b "),
        ("--limit 0", "Error: --limit 0: limits.samples: Input should be greater than 0, got '0'."),
        ("--limit 3 --set option.x=2", "Error: --set option.x=2: option: unknown key. Did you mean options?"),
    ],
)
@pytest.mark.parametrize("command", ["run", "run --dry-run", "status"])
def test_the_option_at_fault_is_named(command: str, options: str, line: str) -> None:
    assert refused(f"{command} small.yaml {options}").startswith(line)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("solvers=[discoverybench/reakt]", "or name a file: FILE.py@NAME. Did you mean discoverybench/react?"),
        ("tasks=[demo]", "demo was not found in the registry. Did you mean discoverybench/demo?"),
        ("tasks=demo", "demo was not found in the registry. Did you mean discoverybench/demo?"),
        ("solvers=react", "solver react: react needs the name of its package, as in discoverybench/react."),
        ("solvers=[codegen]", "Agents of Inspect are inspect_ai/NAME. Did you mean discoverybench/codegen?"),
        ("solvers=[{name: discoverybench/react, args: {trns: 3}}]", "react has no argument trns. Did you mean turns?"),
        ("tasks=[{name: discoverybench/demo, args: {sandbx: local}}]", "has no argument sandbx. Did you mean sandbox?"),
    ],
)
def test_a_misspelled_name_is_refused_with_the_nearest_one(change: str, line: str) -> None:
    assert line in refused(f"run small.yaml --dry-run --set '{change}'")


def test_a_dry_run_prints_the_matrix_with_samples_and_limits_and_leaves_nothing() -> None:
    output = completed("run small.yaml --dry-run --set epochs=3")
    assert "small: logs in logs/small" in output
    cell = r"discoverybench/(\S+)"
    rows = re.findall(rf"^ *{cell} +{cell} +{cell} +(\d+) *$", output, re.MULTILINE)
    # Two samples in three epochs.
    assert rows == [
        ("demo", "gold", "baseline", "6"),
        ("demo", "gold", "baseline(temperature=0.5)", "6"),
        ("demo", "no_data_guess", "baseline", "6"),
        ("demo", "no_data_guess", "baseline(temperature=0.5)", "6"),
    ]
    assert "4 runs, 24 samples." in output
    assert "Limits: samples 2." in output
    assert not logs()


@pytest.mark.parametrize("command", ["run small.yaml", "run small.yaml --dry-run"])
def test_a_cost_limit_needs_prices_of_all_models(command: str) -> None:
    message = refused(f"{command} --set limits.cost=1 --set 'roles={{critic: mockllm/x}}'")
    assert "Missing cost data for: " in message
    assert "mockllm/x" in message
    # Inspect's message names an option of `inspect eval`, which this command lacks.
    assert "pass --set options.model_cost_config=FILE." in message


BATCHED_MODEL = "models=[{name: discoverybench/baseline, config: {batch: 50}}]"


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(
    ("changes", "limit"),
    [
        (["options.batch=true"], None),
        ([BATCHED_MODEL], None),
        (["roles={critic: {name: discoverybench/lexical, config: {batch: true}}}"], None),
        (["options.batch=true", "limits.working=7200"], 7200),
        (["options.batch=false"], 3600),
        (["grader={name: discoverybench/lexical, config: {batch: true}}"], 3600),
    ],
)
def test_hours_of_a_batch_interface_end_no_sample(changes: list[str], limit: int | None) -> None:
    """Without a batch, the limit of the task applies (3600 s). A judge is asked after a sample has ended."""
    options = " ".join(f"--set '{change}'" for change in changes)
    completed(f"run gold.yaml {options}")
    [log] = logs()
    assert log.eval.config.working_limit == limit


@pytest.mark.usefixtures("upstream")
def test_a_default_judge_without_a_key_is_refused() -> None:
    task = "{name: discoverybench/real, args: {sandbox: local}}"
    message = refused(f"run small.yaml --dry-run --set 'tasks=[{task}]'")
    assert "small.yaml: the default judge openai/gpt-4o-2024-08-06 cannot be called: " in message
    assert "OPENAI_API_KEY" in message
    assert message.endswith("or --set grader=PROVIDER/MODEL.")
    assert not Path("logs").exists()


@pytest.mark.parametrize("command", ["run", "run --dry-run", "status"])
def test_a_judge_without_a_key_is_refused(command: str) -> None:
    message = refused(f"{command} small.yaml --set grader=openai/gpt-4o")
    assert message.startswith("Error: --set grader=openai/gpt-4o: model openai/gpt-4o cannot be called: ")
    assert "OPENAI_API_KEY" in message


@pytest.mark.parametrize(
    ("key", "option", "line"),
    [
        ("", "", "small.yaml:7: model nowhere/role"),
        ("grader: nowhere/key\n", "", "small.yaml:8: model nowhere/key"),
        ("", "--set grader=nowhere/option", "--set grader=nowhere/option: model nowhere/option"),
    ],
)
def test_the_key_grader_takes_precedence_over_the_role_and_is_the_origin_of_its_error(
    key: str, option: str, line: str
) -> None:
    # The file has six lines before these.
    with Path("small.yaml").open("a", encoding="utf-8") as file:
        file.write(f"roles: {{grader: nowhere/role}}\n{key}")
    assert refused(f"run small.yaml {option}").startswith(f"Error: {line} cannot be called: ")


@pytest.mark.usefixtures("command_line")
def test_a_run_whose_reader_stops_ends_without_an_error_and_can_be_continued(monkeypatch: pytest.MonkeyPatch) -> None:
    # If the output cannot be written while Inspect starts a task, Python may warn that Inspect did not await the task.
    monkeypatch.setenv("PYTHONWARNINGS", "ignore:coroutine '_run_task:RuntimeWarning")
    command = f"{COMMAND} run small.yaml --set options.display=plain | head -1"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert result.stderr == ""
    # The same command continues with the logs that the ended run has left.
    completed("run small.yaml")


SECRET = "sesame-open-7731"
SECRETS = {
    "header": f"{{name: MODEL, config: {{extra_headers: {{X-Gateway: {SECRET}}}}}}}",
    "body": f"{{name: MODEL, config: {{extra_body: {{user: {SECRET}}}}}}}",
    "key": f"{{name: MODEL, args: {{api_key: {SECRET}}}}}",
}
"""Models of an experiment file with something that nobody may see."""


def write_with_secret(kind: str, model: str) -> None:
    spec = SECRETS[kind].replace("MODEL", model)
    text = f"name: small\ntasks: [discoverybench/demo]\nmodels: [{spec}]\nlog_dir: logs/small\nlimits: {{samples: 1}}\n"
    Path("secret.yaml").write_text(text + "solvers: [discoverybench/no_data_guess]\n", "utf-8")


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_of_a_model_is_not_shown_or_recorded(kind: str) -> None:
    # The provider quotes the secret in its error message, except the one in the body. `user` is not the name of a key,
    # so this secret would not be removed from the message.
    with lab(submit if kind == "body" else refuse_and_quote) as (model, _):
        write_with_secret(kind, model)
        results = [
            discoverybench("run secret.yaml --dry-run"),
            discoverybench("run secret.yaml --set options.retry_attempts=0"),
        ]
    for result in results:
        assert SECRET not in result.output
    [log] = logs()
    assert SECRET not in str(log.eval.metadata)


def submit(_: Request) -> Answer:
    return tool_call("submit", hypothesis="y rises with x.", workflow="1. load")


def refuse_and_quote(_: Request) -> Answer:
    return Refused(f"I do not like {SECRET}.")


@pytest.mark.parametrize(
    "change",
    [
        f"options.extra_headers={{X-Gateway: {SECRET}}}",
        f"grader={{name: mockllm/m, args: {{api_key: {SECRET}}}}}",
        f"roles={{critic: {{name: mockllm/m, config: {{extra_body: {{user: {SECRET}}}}}}}}}",
    ],
)
def test_a_secret_of_the_options_or_another_role_is_not_shown(change: str) -> None:
    assert SECRET not in completed(f"run gold.yaml --dry-run --set '{change}'")


def test_a_secret_among_the_changes_is_not_in_a_hint() -> None:
    output = failed(f"status small.yaml --set models.1.args.api_key={SECRET}")
    assert "To continue, run: " in output
    assert SECRET not in output
