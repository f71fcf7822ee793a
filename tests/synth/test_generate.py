"""The task `synth_generate`: a set from the baseline author, and what happens to an author's mistakes."""

import csv
import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, SolverSpec, TaskState, solver

from inspect_discoverybench import custom, synth_generate
from inspect_discoverybench.cli.main import main
from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.session.reply import CellResult
from inspect_discoverybench.session.session import PythonSession
from tests.synth.authoring import (
    BASELINE,
    ROOT,
    contents,
    generate,
    leaf,
    output_of,
    sample_of,
    score_of,
    scripted_author,
    state_of,
)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One domain of height 3."""
    out = tmp_path_factory.mktemp("sets") / "fresh"
    assert generate(out, BASELINE, height=3).status == "success"
    return out


def golds(out: Path) -> list[dict[str, str]]:
    with (out / "answer_key.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("sweep")
def test_three_domains_give_thirty_tasks_that_gold_solves(tmp_path: Path) -> None:
    """As in the README."""
    fresh = tmp_path / "fresh"
    generate(fresh, BASELINE, domains=3, height=3, rows=500)
    tasks = golds(fresh)
    assert len(tasks) >= 30
    assert len({row["query_id"] for row in tasks}) == len(tasks)
    [log] = inspect_eval(
        custom(path=str(fresh), sandbox="local"),
        model="none",
        solver=SolverSpec("discoverybench/gold"),
        model_roles={"grader": "discoverybench/lexical"},
    )
    assert log.status == "success", log.error
    assert log.samples
    assert len(log.samples) == len(tasks)
    values = [sample.scores["HMS"].value for sample in log.samples if sample.scores]
    assert [value["hms"] for value in values if isinstance(value, dict)] == [1.0] * len(tasks)


def test_the_audit_has_no_finding(fresh: Path) -> None:
    key = str(fresh / "answer_key.csv")
    audit = CliRunner().invoke(main, ["data", "audit", "--path", str(fresh), "--answer-key", key, "--json"])
    assert audit.exit_code == 0, audit.output
    [report] = json.loads(audit.stdout).values()
    findings = (
        "constant target columns",
        "duplicate questions",
        "goals with missing predictors",
        "questions that reveal the gold hypothesis",
        "unusable files",
    )
    assert [report[name]["count"] for name in findings] == [0] * len(findings)


def test_the_manifest_lists_every_file(fresh: Path) -> None:
    manifest = json.loads((fresh / "manifest.json").read_text("utf-8"))
    files = set(contents(fresh)) - {"manifest.json", "settings.json", "domains.json"}
    assert set(manifest["files"]) == {name for name in files if not name.startswith("domains/")}
    assert manifest["settings"]["seed"] == 0
    assert [domain["author"] for domain in manifest["domains"]] == [BASELINE]
    assert set(manifest["domains"][0]["versions"]) == {"python", "numpy"}
    assert sum(len(domain["tasks"]) for domain in manifest["domains"]) == len(golds(fresh))


def test_goals_mask_each_facet_and_difficulties_vary(fresh: Path) -> None:
    goals = [json.loads(path.read_text("utf-8"))["queries"][0] for path in fresh.glob("*/metadata_0.json")]
    assert {goal["question_type"] for goal in goals} == {"context", "variables", "relationship"}
    assert {goal["difficulty"] for goal in goals} >= {1, 3}


def test_the_same_seed_gives_the_same_files(tmp_path: Path) -> None:
    for name, seed in (("one", 5), ("two", 5), ("other", 6)):
        generate(tmp_path / name, BASELINE, seed=seed)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert contents(tmp_path / "one") != contents(tmp_path / "other")


def test_an_interrupted_set_is_continued(tmp_path: Path) -> None:
    """The provider fails at the second domain; a new run continues the set."""
    out = tmp_path / "set"
    available = False

    def root(values: Mapping[str, Any], count: int) -> Any:
        if values["name"] == "rowing" and not available:
            raise RuntimeError("the provider is down")
        return {**ROOT, "context": f"Among the boats of {values['name']}"}

    domains = {"domains": [{"name": name, "description": "Boats."} for name in ("sailing", "rowing")]}
    author = scripted_author(domains=domains, root=root)
    assert generate(out, author, domains=2).status == "error"
    first = {name: body for name, body in contents(out).items() if "sailing" in name}
    assert "domains/sailing.json" in first
    assert not (out / "domains" / "rowing.json").exists()
    available = True
    generate(out, author, domains=2)
    assert contents(out).items() >= first.items()
    generate(tmp_path / "whole", author, domains=2)
    assert contents(tmp_path / "whole") == contents(out)


def test_another_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(InvalidArgument, match="is not empty and does not contain a generated set"):
        synth_generate(out=str(tmp_path / "other"))
    synth_generate(out=str(tmp_path / "set"), seed=1)
    synth_generate(out=str(tmp_path / "set"), seed=1)
    with pytest.raises(InvalidArgument, match="contains a set with different settings"):
        synth_generate(out=str(tmp_path / "set"), seed=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"domains": ["a1", "A1"]}, "The domain 'a1' is given twice"),
        ({"height": 9}, "height=9 is invalid"),
        ({"splits": ["trees"]}, "trees is a folder of every set"),
    ],
)
def test_invalid_arguments(arguments: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=message):
        synth_generate(out=str(tmp_path / "set"), **arguments)


RIG = {"name": "rig", "description": "The rig", "type": "category", "values": ["sloop", "ketch"]}
FAILING: list[dict[str, Any]] = [
    {"expression": "open('owned', 'w') and df['sail_area'] + df['hull_drag']"},
    {"expression": "df['sail_area'] * 0 + df['hull_drag'] * 0"},
    {"expression": "1000 * df['sail_area'] * df['hull_drag']"},
    # The allow-list does not know the types of columns. This must not fill the memory.
    {"expression": "(df['rig'] * 1000000000 == 'x') + df['sail_area']", "children": [RIG, leaf("sail_area")]},
]


@pytest.mark.parametrize("failing", [FAILING[:3], FAILING[3:]])
def test_hostile_and_failing_expressions_are_sent_back(failing: list[dict[str, Any]], tmp_path: Path) -> None:
    def root(values: Mapping[str, Any], count: int) -> Any:
        return {**ROOT, **[*failing, {}][count]}

    state = state_of(generate(tmp_path / "set", scripted_author(root=root), height=1))
    assert (state.sent_back, len(state.accepted)) == (len(failing), 1)
    assert not list(tmp_path.rglob("owned"))


@pytest.mark.usefixtures("sweep")
def test_the_program_runs_within_the_limits_of_the_session() -> None:
    """No known expression gets this far; the limits apply to any code in the session of the generator."""
    cells: list[CellResult] = []

    @solver
    def hostile() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            session = PythonSession(cell_seconds=3)
            program = files("inspect_discoverybench.synth").joinpath("rows.py").read_text("utf-8")
            codes = (program, "np.ones(10**10)", "while True: pass", "stream(1).random()")
            cells.extend([await session.run(code) for code in codes])
            await session.stop()
            return state

        return solve

    [log] = inspect_eval(Task(dataset=[Sample("?")], solver=hostile(), sandbox="local"), model="none")
    assert log.status == "success", log.error
    assert [cell.status for cell in cells] == ["ok", "error", "interrupted", "ok"]
    assert "MemoryError" in cells[1].output


def test_a_node_that_cannot_be_derived_stays_a_leaf(tmp_path: Path) -> None:
    log = generate(tmp_path / "set", scripted_author(expand="not JSON"))
    assert [(name, gate) for name, gate, _ in state_of(log).rejected] == [
        ("sail_area", "expression"),
        ("hull_drag", "expression"),
    ]
    assert len(state_of(log).accepted) == 1
    assert score_of(log).value == pytest.approx(1 / 3)
    assert "sail_area: expression: no valid reply" in str(score_of(log).explanation)


WIDE: dict[str, Any] = {**ROOT["target"], "low": None, "high": None}
WILD = "5 + 0.001 * df['sail_area'] - np.sin(400 * df['hull_drag'])"


def derived(values: Mapping[str, Any], count: int) -> Any:
    """Two children for every leaf."""
    name = values["name"]
    children = [leaf(f"{name}_{part}", 1, 5) for part in ("x", "y")]
    return {"expression": f"df['{name}_x'] + 0.2 * df['{name}_y']", "children": children}


def test_a_goal_that_another_task_has_is_rejected(tmp_path: Path) -> None:
    def goal(values: Mapping[str, Any], count: int) -> Any:
        return {"goal": f"What determines the {values['target']['label']} here?"}

    log = generate(tmp_path / "set", scripted_author(expand=derived, goal=goal), height=2)
    duplicates = [(name, reason) for name, gate, reason in state_of(log).rejected if gate == "duplicate"]
    assert duplicates == [("top_speed/2", "another task has the same goal")]
    assert len(state_of(log).accepted) == 3


def test_a_forest_has_several_trees(tmp_path: Path) -> None:
    out = tmp_path / "set"
    log = generate(out, BASELINE, forest=2, height=1)
    assert len(state_of(log).accepted) == 2, state_of(log).rejected
    tree = json.loads((out / "trees" / "cave-diving.json").read_text("utf-8"))
    assert len(tree["roots"]) == 2
    names = [name for path in out.glob("*/data.csv") for name in path.read_text("utf-8").splitlines()[0].split(",")]
    assert {root["name"] for root in tree["roots"]} <= set(names)


def test_domains_are_split(tmp_path: Path) -> None:
    out = tmp_path / "set"
    generate(out, BASELINE, domains=3, height=1, splits=["train", "test"])
    folders = {split: sorted(path.name for path in (out / split).iterdir()) for split in ("train", "test")}
    assert folders == {"train": ["cave-diving_0_0", "night-markets_0_0"], "test": ["glass-blowing_0_0"]}
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert [domain["split"] for domain in manifest["domains"]] == ["train", "test", "train"]
    assert "train/cave-diving_0_0/data.csv" in manifest["files"]
    key = str(out / "answer_key.csv")
    samples = custom(path=str(out / "test"), answer_key=key, sandbox="local").dataset
    assert [sample.id for sample in samples] == ["custom/glass-blowing_0_0/0/1"]


@pytest.mark.parametrize(
    ("steps", "scale", "criterion", "reason"),
    [
        ({"goal": {"goal": "How is top speed 5 plus 2 times the sail area?"}}, 0, "goal", "a number of the gold"),
        ({"root": {**ROOT, "target": WIDE, "expression": WILD}}, 0, "identifiable", "a generic fit has a skill of"),
        ({}, 1, "reproduction", "below 0.95"),
    ],
)
@pytest.mark.usefixtures("sweep")
def test_criteria_give_reasons(
    steps: dict[str, Any], scale: float, criterion: str, reason: str, tmp_path: Path
) -> None:
    log = generate(tmp_path / "set", scripted_author(**steps), height=1, noise_share=1.0, noise_scale=scale)
    [(name, rejected_by, why)] = state_of(log).rejected
    assert (name, rejected_by) == ("top_speed/1", criterion)
    assert reason in why
    assert score_of(log).value == 0
    assert "no task was accepted" in str(score_of(log).explanation)


def test_the_reviewer_has_a_role(tmp_path: Path) -> None:
    def refuse(*_: Any) -> ModelOutput:
        return output_of('{"answerable": false, "reason": "No."}')

    reviewer = get_model("mockllm/reviewer", custom_outputs=refuse, memoize=False)
    task = synth_generate(out=str(tmp_path / "set"), domains=1, height=1, rows=100, sandbox="local")
    [log] = inspect_eval(task, model=scripted_author(), model_roles={"reviewer": reviewer})
    assert state_of(log).rejected == [("top_speed/1", "answerable", "No.")]


def test_the_user_names_the_domains(tmp_path: Path) -> None:
    log = generate(tmp_path / "set", BASELINE, domains=["night markets"], height=1)
    assert sample_of(log).id == "night markets"
    assert len(state_of(log).accepted) == 1
