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
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.session.reply import CellResult
from inspect_discoverybench.session.session import PythonSession
from tests.synth.authoring import (
    BASELINE,
    RIG,
    ROOT,
    contents,
    derived,
    generate,
    leaf,
    output_of,
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


def test_gold_solves_every_task(fresh: Path) -> None:
    tasks = golds(fresh)
    assert len(tasks) >= 5
    assert len({row["query_id"] for row in tasks}) == len(tasks)
    [log] = inspect_eval(
        custom(path=str(fresh), sandbox="local"),
        model="none",
        solver=SolverSpec("discoverybench/gold"),
        model_roles={"grader": "discoverybench/lexical"},
    )
    assert log.status == "success", log.error
    scores = [sample.scores["HMS"].value for sample in log.samples or [] if sample.scores]
    assert [score["hms"] for score in scores if isinstance(score, dict)] == [1.0] * len(tasks)


def test_the_audit_has_no_finding(fresh: Path) -> None:
    key = str(fresh / "answer_key.csv")
    audit = CliRunner().invoke(main, ["data", "audit", "--path", str(fresh), "--answer-key", key, "--json"])
    assert audit.exit_code == 0, audit.output
    [report] = json.loads(audit.stdout).values()
    for finding in (
        "described columns that are missing",
        "duplicate questions",
        "questions that reveal the gold hypothesis",
    ):
        assert finding not in report


def test_the_manifest_lists_every_file(fresh: Path) -> None:
    manifest = json.loads((fresh / "manifest.json").read_text("utf-8"))
    names = set(contents(fresh)) - {"manifest.json", "settings.json", "domains.json"}
    assert set(manifest["files"]) == {name for name in names if not name.startswith("domains/")}
    assert manifest["settings"]["seed"] == 0
    [domain] = manifest["domains"]
    assert (domain["author"], domain["reviewer"]) == (BASELINE, BASELINE)


def test_folders_are_named_as_in_the_release(fresh: Path) -> None:
    """`<domain>_<start height>_<target depth>`."""
    samples = [sample.metadata or {} for sample in custom(path=str(fresh), sandbox="local").dataset]
    heights = set()
    for sample in samples:
        name, height, depth = sample["dataset"].split("_")
        assert name == "invented-domain-6"
        assert sample["tree_level"] == int(depth)
        assert int(height) + sample["difficulty"] + sample["tree_level"] <= 3
        assert sample["question_type"] == "general"
        heights.add(height)
    assert heights == {"0", "1", "2"}
    assert {sample["tree_level"] for sample in samples} == {0, 1, 2}


def test_an_interrupted_set_is_continued(tmp_path: Path) -> None:
    """The provider fails at the second domain; a new run continues the set."""
    out = tmp_path / "set"
    available = False

    def root(values: Mapping[str, Any], count: int) -> Any:
        if values["name"] == "rowing" and not available:
            raise RuntimeError("the provider is down")
        return ROOT

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
        ({"height": 9}, "height: Input should be less than or equal to 4"),
        ({"rows": 20_000}, "rows: Input should be less than"),  # of which Inspect's output limit allows half
        ({"trees": "nothing"}, "nothing"),
    ],
)
def test_invalid_arguments(arguments: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(Exception, match=message):
        synth_generate(out=str(tmp_path / "set"), **arguments)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("open('owned', 'w') and df['sail_area'] + df['hull_drag']", "not allowed"),
        ("df['sail_area'] * 0 + df['hull_drag'] * 0", "one value of top_speed fills 100% of the rows"),
        ("1000 * df['sail_area'] * df['hull_drag']", "of the values are between 0 and 60"),
        ("df['sail_area'] / (df['hull_drag'] // 100)", "not finite"),
        # The allow-list does not know the types of columns. This must not fill the memory.
        ("(df['rig'] * 1000000000 == 'x') + df['sail_area'] + df['hull_drag']", "'Categorical' and 'int'"),
    ],
)
def test_a_failing_expression_is_sent_back_with_the_reason(expression: str, reason: str, tmp_path: Path) -> None:
    children = [RIG, *ROOT["children"]] if "rig" in expression else ROOT["children"]
    root = ROOT | {"expression": expression, "children": children}
    failure = state_of(generate(tmp_path / "set", scripted_author(root=root), height=1)).failure
    assert "no valid reply to 'root' after 4 attempts" in failure
    assert reason in failure
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
    log = generate(tmp_path / "set", scripted_author(expand="not JSON"), seed=3)
    rejected = state_of(log).rejected
    assert {name for name, _, _ in rejected} <= {"sail_area", "hull_drag"}
    assert {criterion for _, criterion, _ in rejected} == {"expression"}
    assert score_of(log).value == pytest.approx(1 / (1 + len(rejected)))
    assert "expression: no valid reply" in str(score_of(log).explanation)


WEAK = {"expression": "10 + 5 * df['sail_area'] + 0.0001 * df['hull_drag']", "target": leaf("top_speed", 0, 120)}
SAME = {
    "expression": "np.where(df['rig'] == 'sloop', 3 + 2 * df['sail_area'], 3.01 + 2 * df['sail_area'])",
    "children": [RIG, ROOT["children"][0]],
}
CANCELLED = {"expression": f"{ROOT['expression']} + 3 * df['hull_drag']"}


def reviewed(**fields: Any) -> dict[str, Any]:
    return {"review": {"statement_is_true": True, **fields}}


@pytest.mark.parametrize(
    ("steps", "criterion", "reason"),
    [
        ({"root": ROOT | WEAK}, "variables", "without hull_drag, the prediction is worse by only"),
        ({"root": ROOT | SAME}, "variables", "without rig"),
        ({"root": ROOT | CANCELLED}, "variables", "without hull_drag"),
        (
            {"task": {"hypothesis": "It follows from the sail.", "goal": "It follows from the sail, does it not?"}},
            "text",
            "contains the hypothesis",
        ),
        (reviewed(statement_is_true=False, reason="It falls."), "statement", "It falls."),
        (reviewed(goal_giveaway="hull_drag"), "goal", "'hull_drag' gives the answer away"),
        (reviewed(description_giveaway="One boat"), "description", "'One boat' gives the formula away"),
        (reviewed(goal_giveaway="twice the area"), "statement", "must be a quotation from the goal"),
        (reviewed(description_giveaway="twice the area"), "statement", "must be a quotation from a description"),
    ],
)
def test_criteria_give_reasons(steps: dict[str, Any], criterion: str, reason: str, tmp_path: Path) -> None:
    log = generate(tmp_path / "set", scripted_author(**steps), height=1)
    [(name, rejected_by, why)] = state_of(log).rejected
    assert (name, rejected_by) == ("top_speed/1", criterion)
    assert reason in why
    assert score_of(log).value == 0
    assert "no task was accepted" in str(score_of(log).explanation)


def test_author_and_reviewer_see_what_was_computed_from_the_data(tmp_path: Path) -> None:
    """Means of the target by fifths of each variable: they rise with the sail area, and fall with the drag."""
    seen: list[Mapping[str, Any]] = []

    def review(values: Mapping[str, Any], count: int) -> Any:
        seen.append(values)
        return {"statement_is_true": True}

    generate(tmp_path / "set", scripted_author(review=review), height=1)
    [values] = seen
    assert values["expression"] == ROOT["expression"]
    table = values["table"]["mean of top_speed by group"]
    assert [len(groups) for groups in table.values()] == [5, 5]
    rising, falling = ([*groups.values()] for groups in table.values())
    assert rising == sorted(rising)
    assert falling == sorted(falling, reverse=True)


def test_a_goal_that_another_task_has_is_rejected(tmp_path: Path) -> None:
    texts = {"hypothesis": "The speed follows from the others.", "goal": "What determines the speed here?"}
    log = generate(tmp_path / "set", scripted_author(expand=derived, task=texts))
    duplicates = [reason for _, criterion, reason in state_of(log).rejected if criterion == "duplicate"]
    assert set(duplicates) == {"another task has the same goal"}
    assert len(state_of(log).accepted) == 1


def test_an_invalid_reply_is_sent_back(tmp_path: Path) -> None:
    """A repeated key and a missing field are invalid; reasoning, a code fence and nulls are not."""
    valid = json.dumps(ROOT | {"sub_population": None, "target": leaf("top_speed", 0, 60, values=None)})
    replies = [valid[:-1] + ', "rows": "Boats."}', '{"rows": "Boats."}', f"<think>{{}}</think>\n```json\n{valid}\n```"]
    author = scripted_author(root=lambda values, count: replies[count])
    log = generate(tmp_path / "set", author, height=1)
    assert len(state_of(log).accepted) == 1


def test_the_reviewer_has_a_role(tmp_path: Path) -> None:
    def refuse(*_: Any) -> ModelOutput:
        return output_of('{"statement_is_true": false, "reason": "No."}')

    reviewer = get_model("mockllm/reviewer", custom_outputs=refuse, memoize=False)
    task = synth_generate(out=str(tmp_path / "set"), domains=1, height=1, rows=100, sandbox="local")
    [log] = inspect_eval(task, model=scripted_author(), model_roles={"reviewer": reviewer})
    assert state_of(log).rejected == [("top_speed/1", "statement", "No.")]


@pytest.mark.parametrize(("domains", "last"), [(["Night markets (US)", "tea"], "tea"), (7, "domain 7")])
def test_the_baseline_author_serves_any_domains(domains: Any, last: str, tmp_path: Path) -> None:
    log = generate(tmp_path / "set", BASELINE, domains=domains, height=1)
    assert [sample.id for sample in log.samples or ()][-1] == last
    rows = golds(tmp_path / "set")
    assert len({row["gold_hypo"] for row in rows}) == len(rows) == len(log.samples or ())
