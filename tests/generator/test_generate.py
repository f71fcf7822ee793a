"""The task `synth_generate`: a set from the baseline author, and what happens to mistakes of an author or reviewer."""

import csv
import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelOutput, ModelUsage
from inspect_ai.solver import SolverSpec

from inspect_discoverybench import custom, synth_generate
from inspect_discoverybench.errors.exceptions import DiscoveryBenchError, InvalidArgument
from inspect_discoverybench.generator.tree import Tree
from tests.generator.authoring import (
    APPROVAL,
    BASELINE,
    RIG,
    ROOT,
    Values,
    contents,
    cut_off,
    derived,
    generate,
    leaf,
    output_of,
    score_of,
    scripted_author,
    state_of,
)

SAIL = leaf("sail_area", 4, 20)
DRAG = leaf("hull_drag", 0, 6)


def answer_key(out: Path) -> list[dict[str, str]]:
    with (out / "answer_key.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("slow")
def test_the_solver_gold_solves_every_task_of_a_set(tmp_path: Path) -> None:
    out = tmp_path / "set"
    generate(out, BASELINE, height=3)
    [log] = inspect_eval(
        custom(path=str(out), sandbox="local"),
        model="none",
        solver=SolverSpec("discoverybench/gold"),
        model_roles={"grader": "discoverybench/lexical"},
    )
    assert log.status == "success", log.error
    scores = []
    for sample in log.samples or []:
        assert sample.scores
        scores.append(sample.scores["HMS"].as_dict()["hms"])
    assert scores == [1] * len(answer_key(out))
    # A folder's name has the name of the domain, the height of the observed nodes, and the depth of the target. The
    # baseline author numbers its domains, and starts with 6 (`_domains` in `offline/author.py`).
    folders = {row["dataset"] for row in answer_key(out)}
    assert {"invented-domain-6_2_0", "invented-domain-6_0_0", "invented-domain-6_1_1"} <= folders

    # The reviewer is the author if no model has the role of the reviewer.
    [file] = out.glob("domains/*.json")
    record = json.loads(file.read_text("utf-8"))
    assert record["author"] == record["reviewer"] == BASELINE


@pytest.mark.usefixtures("slow")
def test_a_goal_of_the_baseline_author_masks_one_facet_and_no_more(tmp_path: Path) -> None:
    """If the variables are masked, the question has the expression, with x1, x2, … in place of their names.

    No question tells the path length of its task ("in two steps"), because it is the difficulty.
    """
    out = tmp_path / "set"
    generate(out, BASELINE, height=3)
    masked = set()
    for file in out.glob("*/metadata_*.json"):
        for query in json.loads(file.read_text("utf-8"))["queries"]:
            *variables, target = query["relevant_cols"]
            mentioned = [name for name in variables if name in query["question"]]
            if query["masked_facet"] == "relationship":
                assert mentioned == variables
                assert "**" not in query["question"]
            else:
                assert mentioned == []
                assert "**" in query["question"]  # the question has the expression, whose terms are squares
            assert target in query["question"]
            assert "step" not in query["question"]
            masked.add(query["masked_facet"])
    assert masked == {"relationship", "variables"}


@pytest.mark.usefixtures("slow")
def test_an_interrupted_set_is_continued(tmp_path: Path) -> None:
    """The provider fails at the second domain; a new run continues the set."""
    out = tmp_path / "set"
    available = False

    def root(values: Values, count: int) -> Any:
        if values["name"] == "rowing" and not available:
            raise RuntimeError("the provider is down")
        return ROOT

    domains = [{"name": name, "description": "Boats."} for name in ("sailing", "rowing")]
    author = scripted_author(domains={"domains": domains}, root=root)
    assert generate(out, author, domains=2).status == "error"
    first = contents(out / "sailing_0_0")
    assert first

    available = True
    generate(out, author, domains=2)
    generate(tmp_path / "whole", author, domains=2)
    assert contents(out / "sailing_0_0") == first
    assert contents(tmp_path / "whole") == contents(out)


@pytest.mark.usefixtures("slow")
def test_no_two_second_records_have_the_same_name(tmp_path: Path) -> None:
    """The name of a second record is the first 46 characters of the column's name, and `_2`.

    Names have at most 48 characters. These columns differ only in the last two, so their second records would have the
    same name. Several of them are drawn for one, and only the first gets it.
    """

    def distractors(values: Values, count: int) -> dict[str, Any]:
        return {"columns": [leaf(f"{'o' * 46}{number:02}") for number in range(values["count"])]}

    generate(tmp_path, scripted_author(distractors=distractors))
    [file] = tmp_path.glob("trees/*.json")
    names = Tree.read(file).names()
    assert names.count(f"{'o' * 46}_2") == 1


def test_an_answer_key_that_was_not_written_is_written_by_the_next_run(tmp_path: Path) -> None:
    generate(tmp_path / "set", scripted_author())
    before = contents(tmp_path / "set")
    (tmp_path / "set" / "answer_key.csv").unlink()
    generate(tmp_path / "set", scripted_author())
    assert contents(tmp_path / "set") == before


def test_a_folder_with_other_files_or_with_another_set_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InvalidArgument, match="is not empty and does not contain a generated set"):
        synth_generate(out=str(tmp_path))
    synth_generate(out=str(tmp_path / "set"), seed=1)
    with pytest.raises(InvalidArgument, match="contains a set with different settings"):
        synth_generate(out=str(tmp_path / "set"), seed=2)


@pytest.mark.parametrize(
    ("domains", "others"),
    [
        (["sailing"], ["rowing"]),  # the set would have tasks of both, with the same query ids
        (["sailing", "rowing"], ["rowing", "sailing"]),
        (["rowing"], 1),  # the author would propose sailing
        (1, ["rowing"]),
    ],
)
def test_a_set_is_not_continued_with_other_domains(tmp_path: Path, domains: Any, others: Any) -> None:
    generate(tmp_path / "set", scripted_author(), domains=domains)
    before = contents(tmp_path / "set")
    with pytest.raises(InvalidArgument, match=r"contains the tasks of other domains: domain 1 is '(sailing|rowing)'"):
        generate(tmp_path / "set", scripted_author(), domains=others)
    assert contents(tmp_path / "set") == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"domains": ["tea", "Tea"]}, "The domain 'tea' is given twice"),
        ({"domains": ["Чайное дело"]}, "The domain 'Чайное дело' has fewer than 3 letters from a to z or digits"),
        ({"domains": ["tea" * 21]}, "has more than 60 characters"),
        ({"domains": 2.5}, "domains must be a positive integer, got 2.5"),
        ({"rows": 20_000}, "rows: Input should be less than"),  # Inspect's output limit allows 10,000
        ({"trees": "nothing"}, "nothing"),
    ],
)
def test_invalid_arguments_are_refused(arguments: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(DiscoveryBenchError, match=message):
        synth_generate(out=str(tmp_path / "set"), **arguments)


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("open('owned', 'w') and df['sail_area'] + df['hull_drag']", "not allowed"),
        ("df['sail_area'] * 0 + df['hull_drag'] * 0", "one value of top_speed fills 100% of the rows"),
        ("1000 * df['sail_area'] * df['hull_drag']", "of the values are between low and high"),
        ("df['sail_area'] / (df['hull_drag'] // 100)", "not finite"),
        # The allow-list does not know the types of columns. This must not fill the memory.
        ("(df['rig'] * 1000000000 == 'x') + df['sail_area'] + df['hull_drag']", "'Categorical' and 'int'"),
    ],
)
def test_a_failing_expression_is_sent_back_with_the_reason(expression: str, reason: str, tmp_path: Path) -> None:
    children = [SAIL, DRAG]
    if "rig" in expression:
        children.append(RIG)
    root = {**ROOT, "expression": expression, "children": children}
    log = generate(tmp_path / "set", scripted_author(root=root), height=1)
    failure = state_of(log).failure or ""
    assert "no valid reply to 'root' after 4 attempts" in failure
    assert reason in failure
    assert not list(tmp_path.rglob("owned"))


def test_numbers_do_not_stand_for_true_and_false(tmp_path: Path) -> None:
    """Numbers are refused for a boolean target, not converted.

    The gold expression of a longer path contains this expression in place of the column. It would compute with numbers,
    while the data would have True and False.
    """
    target = {"name": "is_fast", "description": "Whether the boat is fast", "type": "boolean"}
    root = {**ROOT, "target": target, "expression": "df['sail_area'] - df['hull_drag']", "children": [SAIL, DRAG]}
    log = generate(tmp_path / "set", scripted_author(root=root), height=1)
    assert "the values are not True or False" in (state_of(log).failure or "")


def test_the_program_bounds_the_memory_of_its_session() -> None:
    """No known expression gets this far; the limit applies to any code in the session of the generator."""
    program = files("inspect_discoverybench.generator").joinpath("rows.py").read_text("utf-8")
    command = [sys.executable, "-c", f"{program}\nnp.ones(10**10)"]  # 80 GB
    process = subprocess.run(command, check=False, capture_output=True, text=True)
    assert "MemoryError" in process.stderr


def test_a_node_that_cannot_be_derived_stays_a_leaf(tmp_path: Path) -> None:
    # With this seed, one of the two leaves is chosen to be derived.
    log = generate(tmp_path / "set", scripted_author(expand="not JSON"), seed=3)
    rejected = state_of(log).rejected
    score = score_of(log)
    assert [(name, criterion) for name, criterion, _ in rejected] == [("sail_area", "expression")]
    assert score.value == 1 / 2  # the task of the root is accepted, and the leaf counts as a rejection
    assert "expression: no valid reply" in str(score.explanation)


def test_a_computed_column_without_a_range_may_have_a_second_record(tmp_path: Path) -> None:
    """A second record needs no range, because its values are those of another column."""
    root = {**ROOT, "target": leaf("top_speed", low=None, high=None)}
    # With this seed, the target has a second record.
    log = generate(tmp_path / "set", scripted_author(root=root), height=1, seed=4)
    assert len(state_of(log).accepted) == 1
    tree = Tree.read(tmp_path / "set" / "trees" / "sailing.json")
    assert "top_speed" in [column.follows for column in tree.distractors]


WEAK = {
    "expression": "10 + 5 * df['sail_area'] + 0.0001 * df['hull_drag']",
    "target": leaf("top_speed", 0, 120),
}
RIG_WITHOUT_EFFECT = {
    "expression": "np.where(df['rig'] == 'sloop', 3 + 2 * df['sail_area'], 3.01 + 2 * df['sail_area'])",
    "children": [RIG, SAIL],
}
GIVEN_AWAY = {
    "hypothesis": "It follows from the sail.",
    "goal": "It follows from the sail, does it not?",
}


def rejection(out: Path, **steps: Any) -> tuple[str, str]:
    """Generate a set whose only task is rejected; return the criterion and the reason.

    Checks that the sample scores 0 and that no task is written.
    """
    log = generate(out, scripted_author(**steps), height=1)
    [(name, criterion, reason)] = state_of(log).rejected
    assert name == "top_speed/1"
    assert score_of(log).value == 0
    assert set(contents(out)) == {"settings.json", "domains.json"}
    return criterion, reason


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(
    ("step", "reply", "criterion", "reason"),
    [
        ("root", ROOT | WEAK, "variables", "without hull_drag, the prediction is worse by only"),
        ("root", ROOT | RIG_WITHOUT_EFFECT, "variables", "without rig"),
        ("task", GIVEN_AWAY, "text", "contains the hypothesis"),
        ("task", cut_off, "text", "truncated by the token limit"),
        ("review", cut_off, "review", "truncated by the token limit"),
    ],
)
def test_a_rejected_task_has_a_reason_and_is_not_written(
    step: str, reply: Any, criterion: str, reason: str, tmp_path: Path
) -> None:
    rejected_by, why = rejection(tmp_path / "set", **{step: reply})  # checks that no task is written
    assert rejected_by == criterion
    assert reason in why


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(
    ("field", "value", "criterion", "reason"),
    [
        ("statement_is_true", False, "statement", "All is well."),
        ("goal_giveaway", "the others", "goal", "'the others' gives the answer away"),
        ("goal_giveaway", "twice the area", "review", "must be a quotation from the goal"),
        ("goal_giveaway", None, "review", "goal_giveaway: Input should be a valid string"),
        ("description_giveaway", "One boat", "description", "'One boat' gives the formula away"),
        ("description_giveaway", "twice the area", "review", "must be a quotation from a description"),
    ],
)
def test_each_answer_of_the_reviewer_can_reject_a_task(
    field: str, value: Any, criterion: str, reason: str, tmp_path: Path
) -> None:
    review = {**APPROVAL, field: value}
    rejected_by, why = rejection(tmp_path / "set", review=review)
    assert rejected_by == criterion
    assert reason in why


def test_if_the_author_gives_no_valid_root_the_reason_is_one_line_and_no_task_is_written(tmp_path: Path) -> None:
    log = generate(tmp_path / "set", scripted_author(root=cut_off))
    _count_of_tasks, failure = str(score_of(log).explanation).splitlines()
    assert failure == (
        "Failure: no valid reply to 'root' after 4 attempts; the last error: it was truncated by the token limit."
    )
    assert set(contents(tmp_path / "set")) == {"settings.json", "domains.json"}


def test_a_reply_that_was_cut_off_is_requested_again_and_not_read_from_inspects_cache(tmp_path: Path) -> None:
    def root(values: Values, count: int) -> Any:
        return ROOT if count else cut_off(values, count)

    author = scripted_author(root=root)
    author.config.cache = True  # which must not repeat the truncated reply
    log = generate(tmp_path / "set", author, height=1)
    assert len(state_of(log).accepted) == 1


NOTHING_WRITTEN = ModelUsage(input_tokens=1, total_tokens=1)

NO_CHOICES = ModelOutput(model="mockllm/model", choices=[], usage=NOTHING_WRITTEN)

NO_CANDIDATES = output_of("(no content)")
"""What Inspect makes of a reply of Google without candidates."""

NO_CANDIDATES.usage = NOTHING_WRITTEN


@pytest.mark.parametrize("empty", [NO_CHOICES, NO_CANDIDATES])
def test_a_reply_without_choices_is_requested_again(empty: ModelOutput, tmp_path: Path) -> None:
    def root(values: Values, count: int) -> Any:
        return empty if count < 2 else ROOT

    author = scripted_author(root=root)
    author.config.cache = True  # which must not repeat the empty reply
    log = generate(tmp_path / "set", author, height=1)
    assert len(state_of(log).accepted) == 1


def test_an_author_who_only_gives_replies_without_choices_has_failed(tmp_path: Path) -> None:
    log = generate(tmp_path / "set", scripted_author(root=NO_CHOICES), height=1)
    [sample] = log.samples or []
    assert sample.error
    assert "its replies have no choices" in sample.error.message


def test_the_reviewer_sees_the_task_and_its_data_and_must_answer_all_questions(tmp_path: Path) -> None:
    """The table has the means of the target in each fifth of a variable. Here, the speed rises with the sail area."""
    requests: list[Values] = []

    def review(values: Values, count: int) -> Any:
        requests.append(values)
        # The first reply lacks answers, so the reviewer is asked again.
        return APPROVAL if count else {"statement_is_true": True}

    log = generate(tmp_path / "set", scripted_author(review=review), height=1)
    assert len(state_of(log).accepted) == 1
    assert len(requests) == 2
    values = requests[0]
    assert values["expression"] == ROOT["expression"]
    assert values["masked"] == "variables"
    groups = values["table"]["mean of top_speed by group"]["sail_area"]
    means = list(groups.values())
    assert len(means) == 5
    assert means == sorted(means)


@pytest.mark.usefixtures("slow")
def test_a_goal_that_another_task_has_is_rejected(tmp_path: Path) -> None:
    texts = {"hypothesis": "The speed follows from the others.", "goal": "What determines the speed here?"}
    log = generate(tmp_path / "set", scripted_author(expand=derived, task=texts))
    reasons = {(criterion, reason) for _, criterion, reason in state_of(log).rejected}
    assert ("duplicate", "another task has the same goal") in reasons
    assert len(state_of(log).accepted) == 1


def test_the_model_with_the_role_of_the_reviewer_reviews_the_tasks(tmp_path: Path) -> None:
    refusal = {**APPROVAL, "statement_is_true": False, "reason": "No."}
    reviewer = scripted_author(review=refusal)
    task = synth_generate(out=str(tmp_path / "set"), domains="tea", height=1, rows=100, sandbox="local")
    [log] = inspect_eval(task, model=scripted_author(), model_roles={"reviewer": reviewer})
    state = state_of(log)
    assert state.domain == "tea"
    assert state.rejected == [("top_speed/1", "statement", "No.")]


def test_data_files_with_the_maximum_number_of_rows_are_drawn(tmp_path: Path) -> None:
    """All columns are in one output of the sandbox, which Inspect limits to 10 MB."""
    log = generate(tmp_path / "set", scripted_author(), rows=10_000)
    assert state_of(log).failure is None
