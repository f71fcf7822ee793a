"""The task `synth_generate`: a set from the baseline author, and what happens to an author's mistakes."""

import csv
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from statistics import mean, median
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, SolverSpec, TaskState, solver

from inspect_discoverybench import custom, synth_generate
from inspect_discoverybench.cli.main import main
from inspect_discoverybench.dataset.text_file import read_text
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.replies import parse_reply
from inspect_discoverybench.session.reply import CellResult
from inspect_discoverybench.session.session import PythonSession
from inspect_discoverybench.synth.author import tidied
from inspect_discoverybench.synth.growth import Root
from tests.synth.authoring import (
    BASELINE,
    RIG,
    ROOT,
    USUAL,
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
def test_three_domains_give_twenty_tasks_that_gold_solves(tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    generate(fresh, BASELINE, domains=3, height=4, rows=500)
    tasks = golds(fresh)
    assert len(tasks) >= 20
    assert len({row["query_id"] for row in tasks}) == len(tasks)
    [log] = inspect_eval(
        custom(path=str(fresh), sandbox="local"),
        model="none",
        solver=SolverSpec("discoverybench/gold"),
        model_roles={"grader": "discoverybench/lexical"},
    )
    assert log.status == "success", log.error
    assert log.samples
    values = [sample.scores["HMS"].value for sample in log.samples if sample.scores]
    assert [value["hms"] for value in values if isinstance(value, dict)] == [1.0] * len(tasks)


def test_the_audit_has_no_finding(fresh: Path) -> None:
    key = str(fresh / "answer_key.csv")
    audit = CliRunner().invoke(main, ["data", "audit", "--path", str(fresh), "--answer-key", key, "--json"])
    assert audit.exit_code == 0, audit.output
    [report] = json.loads(audit.stdout).values()
    findings = (
        "constant target columns",
        "descriptions that state a formula",
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


@pytest.mark.usefixtures("sweep")
def test_sets_follow_the_released_distribution_and_share_no_gold(tmp_path: Path, upstream: Path) -> None:
    """The first task of each data file, as in the table of docs/generator.md."""
    released = measure(upstream / "discoverybench/synth/train")
    shares = {f"difficulty {level}": 0.05 for level in range(1, 5)} | {"missing": 0.005, "numbers": 0.1}
    seen: set[str] = set()
    for seed in (0, 1):
        generate(tmp_path / str(seed), BASELINE, domains=5, height=4, rows=500, seed=seed)
        generated, own = measure(tmp_path / str(seed)), {row["gold_hypo"] for row in golds(tmp_path / str(seed))}
        for name, value in generated.items():
            rel = None if name in shares else 0.25
            assert value == pytest.approx(released[name], rel=rel, abs=shares.get(name)), name
        assert not own & seen
        seen |= own


def measure(folder: Path) -> dict[str, float]:
    paths = sorted(folder.glob("*/metadata_*.json"))
    queries = {path: json.loads(read_text(path))["queries"][0] for path in paths}
    first = [query for path, query in queries.items() if path.stem.endswith("_0")]
    tables = [pd.read_csv(path.with_name("data.csv")) for path in paths if path.stem.endswith("_0")]
    numbers = [len(re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?", one["true_hypothesis"])) for one in first]
    return {
        "columns": median(table.shape[1] for table in tables),
        "rows": median(table.shape[0] for table in tables),
        "variables": median(len(one["relevant_cols"]) - 1 for one in queries.values() if "relevant_cols" in one),
        "missing": mean(table.isna().to_numpy().mean() for table in tables),
        "numbers": mean(number >= 2 for number in numbers),
        **{f"difficulty {level}": mean(one["difficulty"] == level for one in first) for level in range(1, 5)},
    }


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
        ({"domains": 2.5}, "domains must be a positive integer, got 2.5"),
        ({"height": 9}, "height=9 is invalid"),
        ({"rows": 20_000}, "rows=20000 is invalid"),  # Inspect's limit of a command's output allows half of them
        ({"splits": ["trees"]}, "trees is a folder of every set"),
    ],
)
def test_invalid_arguments(arguments: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=message):
        synth_generate(out=str(tmp_path / "set"), **arguments)


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
    followers = {"columns": [leaf(f"other_{letter}", follows="top_speed") for letter in "abcdefghijklmnopqrstuvw"]}
    log = generate(tmp_path / "set", scripted_author(expand="not JSON", distractors=followers))
    assert [(name, gate) for name, gate, _ in state_of(log).rejected] == [
        ("sail_area", "expression"),
        ("hull_drag", "expression"),
        ("distractors", "distractors"),
    ]
    assert score_of(log).value == pytest.approx(1 / 4)
    assert "sail_area: expression: no valid reply" in str(score_of(log).explanation)
    assert "23 follow a variable, 23 the same" in str(score_of(log).explanation)


WEAK = {"expression": "10 + 5 * df['sail_area'] + 0.0001 * df['hull_drag']", "target": leaf("top_speed", 0, 120)}
SAME = {
    "expression": "np.where(df['rig'] == 'sloop', 3 + 2 * df['sail_area'], 3.1 + 2 * df['sail_area'])",
    "children": [RIG, ROOT["children"][0]],
}
CANCELLED = {"expression": f"{ROOT['expression']} + 3 * df['hull_drag']"}
INSIDE = "(df['rig'] != 'sloop') & (df['strong_wind'] > 4)"
BRANCHES = {
    "expression": f"np.where({INSIDE}, 5 + 2 * df['area'], 60 - df['area'])",
    "children": [RIG, leaf("strong_wind", 0, 9), leaf("area", 4, 20)],
}
BRANCHED = {"root": {**ROOT, **BRANCHES}}


def derived(values: Mapping[str, Any], count: int) -> Any:
    """Two children for every leaf."""
    name = values["name"]
    low, high = values["node"]["low"], values["node"]["high"]
    children = [leaf(f"{name}_{part}", 0, 1) for part in ("x", "y")]
    expression = f"{low} + {(high - low) / 2} * df['{name}_x'] + {(high - low) / 2} * df['{name}_y']"
    return {"expression": expression, "children": children}


def test_a_goal_that_another_task_has_is_rejected(tmp_path: Path) -> None:
    def goal(values: Mapping[str, Any], count: int) -> Any:
        return {"goal": f"What determines the {values['target']['label']} here?"}

    log = generate(tmp_path / "set", scripted_author(expand=derived, goal=goal), height=2)
    duplicates = [(name, reason) for name, gate, reason in state_of(log).rejected if gate == "duplicate"]
    assert duplicates == [("top_speed/2", "another task has the same goal")]
    assert len(state_of(log).accepted) == 2


def test_domains_are_split(tmp_path: Path) -> None:
    out = tmp_path / "set"
    generate(out, BASELINE, domains=3, height=1, splits=["train", "test"])
    folders = {split: sorted(path.name for path in (out / split).iterdir()) for split in ("train", "test")}
    assert folders == {"train": ["cave-diving_0_0", "glass-blowing_0_0"], "test": ["night-markets_0_0"]}
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert [domain["split"] for domain in manifest["domains"]] == ["train", "test", "train"]
    assert "train/cave-diving_0_0/data.csv" in manifest["files"]
    key = str(out / "answer_key.csv")
    samples = custom(path=str(out / "test"), answer_key=key, sandbox="local").dataset
    assert [sample.id for sample in samples] == ["custom/night-markets_0_0/0/1"]


@pytest.mark.parametrize(
    ("steps", "criterion", "reason"),
    [
        ({"goal": {"goal": "How is top speed 5 plus 2 times the sail area?"}}, "goal", "a number of the gold"),
        ({"root": {**ROOT, **WEAK}}, "variables", "without hull_drag, a fit is worse by only"),
        ({"root": {**ROOT, **SAME}}, "variables", "without rig, a fit is worse by only"),
        ({"root": {**ROOT, **CANCELLED}}, "variables", "without hull_drag"),
        ({**BRANCHED, "goal": {"goal": "When do strong winds change it?"}}, "goal", "contains 'strong_wind'"),
        ({**BRANCHED, "goal": {"goal": "Does it depend on sloops?"}}, "goal", "contains 'sloop'"),
        ({**BRANCHED, "goal": {"goal": "Does it change above 4 knots?"}}, "goal", "contains 4, a number of the gold"),
        ({"review": {"answerable": True, "giveaway": "One boat"}}, "giveaway", "states the relationship"),
        ({"review": {"answerable": True, "giveaway": "twice the area"}}, "answerable", "must be a quotation"),
    ],
)
def test_criteria_give_reasons(steps: dict[str, Any], criterion: str, reason: str, tmp_path: Path) -> None:
    log = generate(tmp_path / "set", scripted_author(**steps), height=1)
    [(name, rejected_by, why)] = state_of(log).rejected
    assert (name, rejected_by) == ("top_speed/1", criterion)
    assert reason in why
    assert score_of(log).value == 0
    assert "no task was accepted" in str(score_of(log).explanation)


def test_a_gold_states_its_sub_population(tmp_path: Path) -> None:
    generate(tmp_path / "set", scripted_author(**BRANCHED), height=1)
    [row] = golds(tmp_path / "set")
    relations = "the top speed increases linearly with the area; elsewhere it decreases linearly with the area."
    assert row["gold_hypo"] == f"Among the boats where the rig is not sloop and the strong wind is above 4, {relations}"


SAILING = {**ROOT, "target": {**ROOT["target"], "values": None, "distribution": None}}


def untidy(reply: dict[str, Any]) -> list[str]:
    """What models make of a JSON object."""
    text = json.dumps(reply, indent=1)
    return [
        f"I use the form {{...}} here.\n{text}\nThe {{context}} may vary.",
        f"Sure:\n```json\n{text}\n```\nThe expression:\n```python\ndf['sail_area']\n```",
        f"```json\n{text}\n```\nAgain:\n```json\n{text}\n```",
        f"<think>Maybe {{}}.</think>{text}\n{text}",
        f"{reply!r} is my reply.",
        *(text.replace(",\n", f", {comment}\n", 1) for comment in ("// a name", "# a name", "/* a name */")),
        *(text.replace("null", literal) for literal in ("None", "NaN")),
        *(text.replace('"real"', f'"{name}"') for name in ("float", "Real", "number", "numeric")),
        *(json.dumps(wrapped) for wrapped in ({"root": reply}, [reply], {**reply, "notes": "{}"})),
        *(text.replace("60", number) for number in ('"60"', "+60", "60.", "6e1")),
        *(text.replace('"context"', key) for key in ("context", "'context'")),
        *(text.replace("\n}", ",\n}"), text[:-1]),
    ]


@pytest.mark.parametrize("text", untidy(SAILING))
def test_untidy_replies_are_read(text: str) -> None:
    read = parse_reply(tidied(text, {*Root.model_fields}), Root)
    assert read == parse_reply(json.dumps({**SAILING, "target": ROOT["target"]}), Root)


def test_a_repeated_key_and_two_different_objects_are_sent_back(tmp_path: Path) -> None:
    refused = [json.dumps(ROOT)[:-1] + ', "rows": "Boats."}', json.dumps(ROOT) + json.dumps({**ROOT, "rows": "Boats."})]

    def distractors(values: Mapping[str, Any], count: int) -> Any:
        columns = USUAL["distractors"](values, count)["columns"]
        return {"columns": [{**one, "follows": one["follows"] or "none", "strength": None} for one in columns]}

    author = scripted_author(
        root=lambda values, count: [*refused, untidy(SAILING)[0]][count],
        distractors=distractors,
        review={"answerable": "yes", "giveaway": "n/a"},
    )
    state = state_of(generate(tmp_path / "set", author, height=1))
    assert (len(state.accepted), state.sent_back) == (1, 2)


def test_the_reviewer_has_a_role(tmp_path: Path) -> None:
    def refuse(*_: Any) -> ModelOutput:
        return output_of('{"answerable": false, "reason": "No."}')

    reviewer = get_model("mockllm/reviewer", custom_outputs=refuse, memoize=False)
    task = synth_generate(out=str(tmp_path / "set"), domains=1, height=1, rows=100, sandbox="local")
    [log] = inspect_eval(task, model=scripted_author(), model_roles={"reviewer": reviewer})
    assert state_of(log).rejected == [("top_speed/1", "answerable", "No.")]


def test_the_user_names_the_domains(tmp_path: Path) -> None:
    name = "Night markets (US)"
    log = generate(tmp_path / "set", scripted_author(), domains=[name], height=1)
    assert sample_of(log).id == name
    assert len(state_of(log).accepted) == 1
    [sample] = custom(path=str(tmp_path / "set"), sandbox="local").dataset
    assert (sample.metadata or {})["study"] == name


@pytest.mark.parametrize(("domains", "last"), [(["night markets", "tea"], "tea"), (7, "domain 7")])
def test_the_baseline_author_serves_any_domains(domains: Any, last: str, tmp_path: Path) -> None:
    log = generate(tmp_path / "set", BASELINE, domains=domains, height=1)
    assert [sample.id for sample in log.samples or ()][-1] == last
    rows = golds(tmp_path / "set")
    assert len({row["gold_hypo"] for row in rows}) == len(rows) == len(log.samples or ())
