"""Reading experiment files: those in `evals/`, errors with their lines, and `options` of `eval_set`."""

import inspect
import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import eval_set
from inspect_ai.log import EvalConfig
from inspect_ai.util import SandboxEnvironmentSpec

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.experiment.definition import Experiment
from inspect_discoverybench.experiment.experiment_source import INSTEAD, Source, eval_set_options, load
from inspect_discoverybench.experiment.run import matrix, plan_experiment
from tests.experiment.command import logs, run

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
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text, "utf-8")
    assert golden.read_text("utf-8") == text


def experiment(folder: Path, text: str = GOOD, name: str = "small.yaml") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("name", FILES)
def test_every_file_resolves_to_its_golden_file(name: str) -> None:
    definition, source = load(EVALS / name)
    cells = [
        {"task": c.task.model_dump(), "solver": c.solver and c.solver.model_dump(), "model": c.model.name}
        for c in matrix(definition, source)
    ]
    resolved = {"experiment": definition.model_dump(mode="json", exclude_defaults=True), "matrix": cells}
    compare(GOLDEN / f"{name}.json", json.dumps(resolved, indent=2, ensure_ascii=False) + "\n")


def test_the_schema_is_up_to_date() -> None:
    compare(EVALS / "experiment.schema.json", json.dumps(Experiment.model_json_schema(), indent=2) + "\n")


BOMB = "tags: [&a0 [x], " + ", ".join(f"&a{n + 1} [{', '.join([f'*a{n}'] * 9)}]" for n in range(9)) + "]\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (GOOD + "limits: {sampels: 3}\n", "small.yaml:8: limits.sampels: unknown key. Did you mean samples?"),
        (GOOD + "models: []\n", "small.yaml:8: duplicate key models. Remove one."),
        (GOOD.replace("name: small\n", ""), "small.yaml:1: name: Field required."),
        (GOOD + "epochs: 0\n", "small.yaml:8: epochs: Input should be greater than or equal to 1, got '0'."),
        (GOOD + "limits: &a {samples: *a}\n", "small.yaml: the values are nested too deeply."),
        pytest.param(GOOD + "tags: " + "[" * 9_000, "small.yaml: the values are nested too deeply.", id="brackets"),
        pytest.param(GOOD + "#" * 3_000_000, "small.yaml is larger than 200,000 bytes.", id="a large file"),
        (GOOD + BOMB, "small.yaml: more than 10,000 values; an alias counts as the values it stands for."),
        (GOOD + "grader: nowhere/x\n", "small.yaml:8: model nowhere/x cannot be called: "),
        (GOOD + "include: pipe\n", "pipe is not a regular file. Check the path."),
        (GOOD + "tags: [!!python/name:os.system x]\n", "small.yaml:8: invalid YAML: could not determine a constru"),
        (GOOD + "tags: ['${NOT_SET_AT_ALL}']\n", "small.yaml:8: the environment variable NOT_SET_AT_ALL is not set. "),
        (GOOD.replace("log_dir: ", "log_dir: 'http://[::1' # "), "log_dir: Invalid IPv6 URL, got 'http://[::1"),
        (GOOD.replace("log_dir: ", "log_dir: run#1/"), "log_dir: Inspect cannot resume runs in a folder with #, ? "),
        (GOOD.replace("log_dir: ", "log_dir: ~nobody-here/"), "log_dir: there is no such folder; write an absolute "),
        (GOOD + "defaults: {models: {temperature: .nan}}\n", "small.yaml:8: nan is not a finite number."),
        (GOOD + "epochs: 1" + 24 * "0", "small.yaml:8: epochs: Input should be less than or equal to 10000"),
        (GOOD + 'include: "a\\0"\n', "cannot be read (embedded null byte). Check the path."),
        (GOOD + "include: nowhere.yaml\n", "nowhere.yaml cannot be read (No such file or directory). Check the path."),
        (GOOD + "include: 3\n", "small.yaml:8: include: expected a path or a list of paths, got 3."),
        (GOOD + "include: small.yaml\n", "small.yaml:8: include: circular include: "),
        ("- a list\n", "small.yaml: expected a mapping with the keys include, name, description, tasks,"),
    ],
)
def test_an_error_names_the_file_and_the_line(tmp_path: Path, text: str, line: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidExperiment) as raised:
        plan_experiment(experiment(tmp_path, text))
    assert line in raised.value.message
    assert str(tmp_path) in raised.value.message
    assert "\n" not in raised.value.message


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("exclude=[{model: discoverybench/baseline}]", "the matrix is empty because every run is excluded"),
        ("exclude=[{model: discoverybench/none}]", "exclude model=discoverybench/none matches no run"),
        (
            "models=[discoverybench/baseline, {name: discoverybench/baseline, base_url: 'http://127.0.0.1:1'}]",
            "is in the matrix twice. Remove one. A different base_url does not make a different run.",
        ),
    ],
)
def test_an_empty_or_ambiguous_matrix_is_rejected(tmp_path: Path, change: str, line: str) -> None:
    with pytest.raises(InvalidExperiment) as raised:
        matrix(*load(experiment(tmp_path, GOOD + "exclude: []\n"), [change]))
    assert line in raised.value.message


def test_includes_defaults_variables_and_changes_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE", "lexical")
    monkeypatch.setenv("HOME", "/home/me")
    experiment(tmp_path, GOOD + "limits: {samples: 3, messages: 40}\n", "base.yaml")
    own = """
        include: base.yaml
        name: own
        grader: discoverybench/${JUDGE}
        tags: ["${LAB:-none}"]
        solvers: [{name: discoverybench/react, args: {turns: 5}}, discoverybench/reflexion]
        limits: {samples: 2}
        defaults:
          solvers: {cell_seconds: 60}
          models: {temperature: 0.5}
    """
    path = experiment(tmp_path, own, "own.yaml")
    assert load(path, ["log_dir=~/logs"])[0].log_dir == "/home/me/logs"
    definition, source = load(path, ["limits.time=90", "solvers.0.args.turns=7", "models=[discoverybench/lexical]"])
    assert (definition.name, definition.log_dir, definition.tags) == ("own", "logs/small", ("none",))
    assert definition.grader
    assert definition.grader.name == "discoverybench/lexical"
    assert definition.limits.model_dump(exclude_none=True) == {"samples": 2, "messages": 40, "time": 90}
    cells = matrix(definition, source)
    assert [cell.solver.args for cell in cells if cell.solver] == [
        {"cell_seconds": 60, "turns": 7},
        {"cell_seconds": 60},
    ]
    assert {cell.model.name for cell in cells} == {"discoverybench/lexical"}
    assert {cell.model.config["temperature"] for cell in cells} == {0.5}


@pytest.mark.parametrize(
    "change",
    [
        *("limits", "models.3.name=x", "name.first=x", "name=[", "include=/etc/passwd", "tags=[2024-13-45]"),
        *("options.metadata=&a {x: *a}", f"options.metadata={{{BOMB.removesuffix(chr(10))}}}", "name=" + "[" * 9_000),
    ],
    ids=lambda change: change[:20],
)
def test_an_invalid_change_is_rejected(tmp_path: Path, change: str) -> None:
    with pytest.raises(InvalidExperiment) as raised:
        load(experiment(tmp_path), [change])
    assert raised.value.message.startswith(f"--set {change[:200]}")


@given(st.text(max_size=60))
def test_arbitrary_text_is_rejected(text: str) -> None:
    with TemporaryDirectory() as folder, pytest.raises(InvalidExperiment):
        load(experiment(Path(folder), text))


SOURCE = Path("small.yaml")
POLICY = {"approvers": [{"name": "auto", "tools": "*"}]}


def options(**values: object) -> dict[str, object]:
    return eval_set_options(values, Source(SOURCE, {}))


@pytest.mark.parametrize(
    ("name", "value", "argument"),
    [
        ("fail_on_error", 0.5, 0.5),
        ("fail_on_error", False, False),
        ("sample_id", ["a", "b"], ["a", "b"]),
        ("approval", "policy.yaml", "policy.yaml"),
        ("approval", POLICY, EvalConfig.model_validate({"approval": POLICY}).approval),
        ("sandbox", "local", "local"),
        ("sandbox", "k8s:values.yaml", ("k8s", "values.yaml")),
        ("sandbox", {"type": "k8s", "config": "v.yaml"}, SandboxEnvironmentSpec("k8s", "v.yaml")),
        ("temperature", 0.5, 0.5),
    ],
)
def test_values_are_converted_to_arguments(name: str, value: object, argument: object) -> None:
    assert options(**{name: value}) == {name: argument}


def test_every_argument_of_eval_set_is_an_option_or_a_key() -> None:
    for name in inspect.signature(eval_set).parameters:
        if name in INSTEAD:
            with pytest.raises(InvalidExperiment, match=r"use .* instead"):
                options(**{name: None})
        elif name not in ("kwargs", "score", "bundle_overwrite", "embed_viewer", "incomplete_action"):
            assert options(**{name: None}) == {name: None}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("options.max_smaples=3", "options.max_smaples: eval_set has no such argument. Did you mean max_samples?"),
        ("options.limit=3", "options.limit: use limits.samples instead."),
        ("options.max_samples=many", "options.max_samples: Input should be a valid integer"),
    ],
)
def test_an_invalid_option_is_one_line_with_the_remedy(file: str, change: str, line: str) -> None:
    result = run(file, "--set", change)
    assert result.exit_code == 2, result.output
    assert line in result.output
    assert len(result.output.splitlines()) == 1
    assert not Path("logs").exists()


def test_options_reach_the_run(file: str) -> None:
    given = "{sample_id: [demo/ferry-operations_0_0/0/3], turn_limit: 3, metadata: {team: lab}, attempt_timeout: 90}"
    arguments = ["--set", "limits={}", "--set", f"options={given}", "--set", "solvers=[discoverybench/gold]"]
    result = run(file, *arguments, "--model", "discoverybench/baseline")
    assert result.exit_code == 0, result.output
    [log] = logs()
    assert [sample.id for sample in log.samples or []] == ["demo/ferry-operations_0_0/0/3"]
    assert log.eval.config.turn_limit == 3
    assert log.eval.model_generate_config.attempt_timeout == 90  # the judge inherits it from here
    assert log.eval.metadata
    assert (log.eval.metadata["team"], log.eval.metadata["experiment"]) == ("lab", "small")
