"""Reading experiment files: those in `evals/`, and refusals with the file and the line."""

import json
import os
import re
import shlex
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.experiment.change import Change
from inspect_discoverybench.experiment.definition import Experiment
from inspect_discoverybench.experiment.experiment_file import ExperimentFile
from inspect_discoverybench.experiment.matrix import MatrixCell, matrix
from tests.command_line import completed, refused

EVALS = Path(__file__).parents[2] / "evals"
GOLDEN = Path(__file__).parents[1] / "golden" / "experiments"
FILES = sorted(path.name for path in EVALS.glob("*.yaml") if path.name != "scan.yaml")  # which is a scan of logs
ACCEPT = "DISCOVERYBENCH_ACCEPT_GOLDEN"

GOOD = """\
name: small
tasks:
  - discoverybench/demo
solvers: [discoverybench/codegen]
models:
  - discoverybench/baseline
log_dir: logs/small
"""


def compare(golden: Path, text: str) -> None:
    if os.environ.get(ACCEPT):
        golden.write_text(text, "utf-8")
    assert golden.read_text("utf-8") == text


def cell_as_json(cell: MatrixCell) -> dict[str, object]:
    solver = cell.solver.model_dump() if cell.solver else None
    return {"task": cell.task.model_dump(), "solver": solver, "model": cell.model.name}


@pytest.mark.parametrize("name", FILES)
def test_every_shipped_file_resolves_to_its_golden_file(name: str) -> None:
    experiment, file = ExperimentFile(EVALS / name).read()
    cells = [cell_as_json(cell) for cell in matrix(experiment, file)]
    resolved = {"experiment": experiment.model_dump(mode="json", exclude_defaults=True), "matrix": cells}
    compare(GOLDEN / f"{name}.json", json.dumps(resolved, indent=2, ensure_ascii=False) + "\n")


def test_the_experiments_that_come_closest_to_other_harnesses_have_the_released_form() -> None:
    """Their commands are in the last column of a table in docs/judge.md."""
    page = (EVALS.parent / "docs" / "judge.md").read_text("utf-8")
    commands = re.findall(r"(?m)\| `discoverybench run (.+)` \|$", page)
    assert len(commands) == 2
    for command in commands:
        name, *options = shlex.split(command)
        changes = [Change.parse(option) for option in options if option != "--set"]
        experiment, _ = ExperimentFile(EVALS / f"{name}.yaml", tuple(changes)).read()
        [task] = experiment.tasks
        assert task.args["aggregation"] == "released"


def test_the_schema_is_up_to_date() -> None:
    schema = Experiment.model_json_schema()
    compare(EVALS / "experiment.schema.json", json.dumps(schema, indent=2) + "\n")


def write(folder: Path, text: str = GOOD) -> Path:
    path = folder / "small.yaml"
    path.write_text(text, "utf-8")
    return path


def changed(path: Path, *changes: str) -> ExperimentFile:
    """The file with changes as after `--set`."""
    return ExperimentFile(path, tuple(Change.parse(change) for change in changes))


def refusal(path: Path, *changes: str) -> str:
    """The message with which a file is refused."""
    with pytest.raises(InvalidExperiment) as raised:
        changed(path, *changes).read()
    assert "\n" not in raised.value.message
    return raised.value.message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("limits: {sampels: 3}", "small.yaml:8: limits.sampels: unknown key. Did you mean samples?"),
        ("models: []", "small.yaml:8: duplicate key models."),
        (
            "tags: {{ TAGS }}",
            "small.yaml:8: a key is a mapping or a list. Write text that begins with { or [ in quotes.",
        ),
        ("tags: {[a]: b}", "small.yaml:8: a key is a mapping or a list."),
        (
            "grader: {name: a/b, config: {temprature: 1}}",
            "small.yaml:8: grader.config: Unknown GenerateConfig field(s)",
        ),
        ("epochs: 0", "small.yaml:8: epochs: Input should be greater than 0, got '0'."),
        ("limits: {samples: 0}", "small.yaml:8: limits.samples: Input should be greater than 0, got '0'."),
        ("tags: [!!python/name:os.system x]", "small.yaml:8: could not determine a constructor"),
        ("tags: " + "[" * 2_000, "small.yaml: invalid YAML: maximum recursion depth exceeded"),
        (
            "tags:\n  - a\n  - '${NOT_SET_AT_ALL}'",
            "small.yaml:10: the environment variable NOT_SET_AT_ALL is not set. Export it, or give it a default: ${NOT",
        ),
    ],
)
def test_an_invalid_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    found = refusal(write(tmp_path, GOOD + line + "\n"))
    assert message in found
    assert str(tmp_path) in found


def test_a_single_value_needs_no_list(tmp_path: Path) -> None:
    path = tmp_path / "single.yaml"
    path.write_text(
        "name: single\ntasks: discoverybench/demo\nsolvers: {name: discoverybench/react, args: {turns: 3}}\n"
        "models: discoverybench/baseline\ntags: pilot\nlog_dir: logs\n",
        "utf-8",
    )
    experiment, file = ExperimentFile(path).read()
    [cell] = matrix(experiment, file)
    assert cell.labels == ("discoverybench/demo", "discoverybench/react(turns=3)", "discoverybench/baseline")
    assert cell.model_origin.endswith("single.yaml:4")
    assert experiment.tags == ("pilot",)


@pytest.mark.parametrize("name", ["tasks", "solvers", "models", "tags"])
def test_editors_accept_a_single_value_in_place_of_a_list(name: str) -> None:
    """Editors validate by the schema."""
    types = [form.get("type") for form in Experiment.model_json_schema()["properties"][name]["anyOf"]]
    assert "string" in types
    assert "array" in types


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    message = refusal(write(tmp_path, GOOD.replace("name: small\n", "")))
    assert message.endswith("small.yaml:1: name: Field required.")


def test_a_file_that_is_no_mapping_or_not_utf_8_or_does_not_exist_is_refused(tmp_path: Path) -> None:
    message = refusal(write(tmp_path, "- a list\n"))
    assert "small.yaml: expected a mapping with the keys name, description, tasks," in message
    (tmp_path / "latin.yaml").write_bytes("name: ä".encode("latin-1"))
    assert "latin.yaml: invalid YAML: unacceptable character" in refusal(tmp_path / "latin.yaml")
    assert "nowhere/x.yaml cannot be read: No such file or directory. Check the path" in refused("run nowhere/x.yaml")


@pytest.mark.parametrize(
    ("log_dir", "message"),
    [
        ("'http://[::1'", "log_dir: Invalid IPv6 URL"),
        ("run#1", "log_dir: Inspect cannot resume runs in a folder with #, ? or % in its name"),
        ('"logs/a\\nb"', "log_dir: a log directory has no line breaks"),
        ('"logs/a\\0b"', "log_dir: a log directory has no line breaks"),
        ('"logs/a\\Lb"', "log_dir: a log directory has no line breaks"),  # in YAML, \L is a line separator
        ('"s3://logs/\\e[2J"', "log_dir: a log directory has no line breaks"),  # and \e starts an escape sequence
    ],
)
def test_a_log_directory_that_inspect_cannot_use_is_refused(tmp_path: Path, log_dir: str, message: str) -> None:
    assert message in refusal(write(tmp_path), f"log_dir={log_dir}")


@pytest.mark.parametrize(
    "log_dir",
    [
        "s3://me:sesame-open-7731@bucket/logs",
        "https://sesame-open-7731@host/logs",
        "memory://logs?token=sesame-open-7731",
        "https://host/logs#sesame-open-7731",
    ],
)
@pytest.mark.parametrize("command", ["run", "run --dry-run", "status"])
def test_a_secret_in_the_log_directory_is_refused_and_not_printed(command: str, log_dir: str, tmp_path: Path) -> None:
    write(tmp_path, GOOD.replace("logs/small", f"'{log_dir}'"))
    message = refused(f"{command} small.yaml")
    assert "small.yaml:7: log_dir: a log directory has no user name, password or query" in message
    assert "sesame" not in message


@pytest.mark.parametrize("name", ["demo", "demo.yaml"])
def test_a_folder_does_not_hide_the_shipped_experiment_with_its_name(name: str) -> None:
    Path(name).mkdir()
    assert "demo: logs in logs/demo" in completed(f"run {name} --dry-run")


def test_a_folder_is_no_experiment() -> None:
    Path("mine").mkdir()
    assert "mine is neither a file nor a shipped experiment." in refused("run mine")


@given(st.text(max_size=60))
def test_arbitrary_text_is_refused(text: str) -> None:
    with TemporaryDirectory() as folder:
        assert refusal(write(Path(folder), text))


def test_variables_and_changes_are_filled_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE", "lexical")
    monkeypatch.setenv("HOME", "/home/me")
    # LAB is not set, so its defaults are used: `no`, and nothing.
    path = write(
        tmp_path,
        GOOD + 'grader: discoverybench/${JUDGE}\ntags: ["${LAB:-no}${LAB:-}"]\nlimits: {samples: 2}\noptions:\n',
    )
    changes = (
        "log_dir=~/logs",
        "limits.time=90",
        "solvers.0={name: discoverybench/react, args: {turns: 5}}",
        "solvers.0.args.turns=7",
        "options.max_samples=3",
    )
    experiment, _ = changed(path, *changes).read()
    assert experiment.grader is not None
    assert experiment.grader.name == "discoverybench/lexical"
    assert experiment.tags == ("no",)
    assert experiment.log_dir == "/home/me/logs"
    assert experiment.limits.model_dump(exclude_none=True) == {"samples": 2, "time": 90}
    assert experiment.solvers[0].args == {"turns": 7}
    assert experiment.options == {"max_samples": 3}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("limits", "--set limits: expected a.b=c."),
        ("models.3.name=x", "--set models.3.name=x: no such place in the file. List items are numbered from 0."),
        ("models.-1.name=x", "--set models.-1.name=x: no such place in the file. List items are numbered from 0."),
        ("models.+0.name=x", "--set models.+0.name=x: no such place in the file. List items are numbered from 0."),
        ("name.first=x", "--set name.first=x: no such place in the file."),
        ("tasks.0.arg.x=1", "--set tasks.0.arg.x=1: no such place in the file."),
        ("models.0.config.temprature=1", "--set models.0.config.temprature=1: models.0.config: Unknown"),
        ("name=[", "--set name:1: "),
        ("epochs=none", "--set epochs=none: epochs: Input should be a valid integer"),
        ("option.x=2", "--set option.x=2: option: unknown key. Did you mean options? All keys are in "),
        ("limits.sampels=2", "--set limits.sampels=2: limits.sampels: unknown key. Did you mean samples?"),
        ("limits={sampels: 2}", "--set limits={sampels: 2}: limits.sampels: unknown key. Did you mean samples?"),
        ("limits={samples:\n 0}", "--set limits={samples: 0}: limits.samples: Input should be greater than 0"),
        ("limits.tokens=[1]", "--set limits.tokens=[1]: limits.tokens."),
        ("limits.tokens=0", "--set limits.tokens=0: limits.tokens."),
        ("limits.tokens='0'", "--set limits.tokens='0': limits.tokens: must be greater than 0, got '0'."),
        ("limits.tokens=0k", "--set limits.tokens=0k: limits.tokens: must be greater than 0, got '0k'."),
        ("limits.tokens=output:0", "--set limits.tokens=output:0: limits.tokens: must be greater than 0, got"),
        ("solvers.0={args: {}}", "--set solvers.0={args: {}}: solvers.0.name: Field required."),
        ("solvers.0=", "--set solvers.0=: solvers.0: expected a name, or a mapping with the key name, got 'None'."),
        ("models=[]", "--set models=[]: models: expected at least one, got '[]'."),
        ("models=3", "--set models=3: models: expected a name, or a list of names, got '3'."),
        ("tasks=", "--set tasks=: tasks: expected a name, or a list of names, got 'None'."),
        ("tags=2024", "--set tags=2024: tags: expected a name, or a list of names, got '2024'."),
        ("grader=[a/b, c/d]", "--set grader=[a/b, c/d]: grader: expected a name, or a mapping with the key name"),
        ("roles.critic=", "--set roles.critic=: roles.critic: expected a name, or a mapping with the key name"),
    ],
)
def test_an_invalid_change_is_refused_in_its_own_words(tmp_path: Path, change: str, message: str) -> None:
    assert refusal(write(tmp_path), change).startswith(message)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["epochs=2", "option.x=2", "tags=[a]"], "--set option.x=2: option: unknown key."),
        (["limits.time=9", "limits.sampels=2"], "--set limits.sampels=2: limits.sampels: unknown key."),
        (["limits.sampels=2", "limits.time=9"], "--set limits.sampels=2: limits.sampels: unknown key."),
        (["epochs=1", "epochs=0"], "--set epochs=0: epochs: Input should be greater than 0"),
        (["limits.time=x", "limits={time: y}"], "--set limits={time: y}: limits.time: "),
    ],
)
def test_of_several_changes_the_one_at_fault_is_named(tmp_path: Path, changes: list[str], message: str) -> None:
    assert refusal(write(tmp_path), *changes).startswith(message)


def test_a_setting_can_be_added_to_a_component_that_the_file_gives_only_by_name(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD + "grader: mockllm/judge\n")
    changes = ("tasks.0.args.sandbox=local", "models.0.config.temperature=0", "grader.config.seed=7")
    experiment, _ = changed(path, *changes).read()
    assert experiment.tasks[0].model_dump() == {"name": "discoverybench/demo", "args": {"sandbox": "local"}}
    [model] = experiment.models
    assert (model.name, model.settings) == ("discoverybench/baseline", {"temperature": 0})
    assert experiment.grader is not None
    assert (experiment.grader.name, experiment.grader.settings) == ("mockllm/judge", {"seed": 7})


def test_a_change_is_not_blamed_for_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD + "grade: x\n")
    assert refusal(path, "epochs=2", "tags=[a]").startswith(f"{path}:8: grade: unknown key. Did you mean grader?")


def test_an_invalid_mapping_is_named_with_its_line_and_all_changes_of_its_keys(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD + "grader:\n  name: a/b\n  config: {seed: 1}\n")
    # The error is one of `config` as a whole, so both changes in it are named, although only the first is invalid.
    message = refusal(path, "grader.config.temprature=1", "grader.config.seed=2")
    changes = "--set grader.config.temprature=1 --set grader.config.seed=2"
    assert f"small.yaml:10 with {changes}: grader.config: Unknown GenerateConfig field(s)" in message


@pytest.mark.parametrize("name", ["openai/gpt-4o", "{name: openai/gpt-4o}"])
def test_the_origin_of_a_single_model_names_the_change(tmp_path: Path, name: str) -> None:
    # A model in place of a list, on line 5. Its name is `models.name`, not `models.0.name`.
    single = GOOD.replace("models:\n  - discoverybench/baseline", "models: {name: discoverybench/baseline}")
    path = write(tmp_path, single)
    [cell] = matrix(*changed(path, f"models={name}").read())
    assert cell.model_origin == f"--set models={name}"
    [cell] = matrix(*changed(path, "models.name=openai/gpt-4o").read())
    assert cell.model_origin == f"{path}:5 with --set models.name=openai/gpt-4o"


def test_a_model_that_differs_in_the_base_url_alone_is_in_the_matrix_twice(tmp_path: Path) -> None:
    # It is the same model, on whatever server.
    model = "{name: discoverybench/baseline, base_url: 'http://127.0.0.1:1'}"
    path = write(tmp_path, GOOD.replace("log_dir", f"  - {model}\nlog_dir"))
    with pytest.raises(InvalidExperiment) as raised:
        matrix(*ExperimentFile(path).read())
    run = "discoverybench/demo · discoverybench/codegen · discoverybench/baseline"
    assert f"small.yaml:7: {run} is in the matrix twice. Remove one." in raised.value.message


def test_a_sandbox_of_the_command_line_that_a_task_would_ignore_is_refused(tmp_path: Path) -> None:
    tasks = "tasks: [{name: discoverybench/demo, args: {sandbox: local}}]"
    path = write(tmp_path, GOOD.replace("tasks:\n  - discoverybench/demo", tasks))
    with pytest.raises(InvalidExperiment) as raised:
        matrix(*changed(path, "sandbox=docker").read())
    assert raised.value.message == (
        "--set sandbox=docker would not change discoverybench/demo, which has sandbox: local in its args. "
        "Set it there: --set tasks.0.args.sandbox=docker"
    )
    # The sandbox that the task has already is accepted. So is any, if the command line sets the one of the task, too.
    [cell] = matrix(*changed(path, "sandbox=local").read())
    assert cell.labels.task == "discoverybench/demo(sandbox=local)"
    [cell] = matrix(*changed(path, "sandbox=docker", "tasks.0.args.sandbox=docker").read())
    assert cell.labels.task == "discoverybench/demo(sandbox=docker)"

    one_task = tasks.replace("[", "").replace("]", "")  # a task in place of a list, so that its place has no number
    single = write(tmp_path, GOOD.replace("tasks:\n  - discoverybench/demo", one_task))
    with pytest.raises(InvalidExperiment, match=r"Set it there: --set tasks\.args\.sandbox=null"):
        matrix(*changed(single, "sandbox=null").read())
    [cell] = matrix(*changed(single, "sandbox=docker", "tasks.args.sandbox=k8s").read())
    assert cell.labels.task == "discoverybench/demo(sandbox=k8s)"


def test_the_matrix_is_tasks_times_solvers_times_models(tmp_path: Path) -> None:
    changes = (
        "tasks=[discoverybench/demo, {name: discoverybench/real, args: {sandbox: k8s}}]",
        "models=[mockllm/a, mockllm/b]",
        "sandbox=local",
    )
    cells = matrix(*changed(write(tmp_path), *changes).read())
    assert [cell.labels for cell in cells] == [
        ("discoverybench/demo(sandbox=local)", "discoverybench/codegen", "mockllm/a"),
        ("discoverybench/demo(sandbox=local)", "discoverybench/codegen", "mockllm/b"),
        ("discoverybench/real(sandbox=k8s)", "discoverybench/codegen", "mockllm/a"),
        ("discoverybench/real(sandbox=k8s)", "discoverybench/codegen", "mockllm/b"),
    ]
