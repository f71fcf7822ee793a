"""`discoverybench data audit` on custom studies."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import completed, discoverybench, failed

QUESTION = {
    "qid": 0,
    "question": "Does y rise with x by 3 in towns?",
    "question_type": "general",
    "true_hypothesis": "In towns y does rise with x by 3",
}
DATASET = {"name": "a.csv", "columns": [{"name": "x"}, {"name": "size"}]}


def write_study(folder: str, datasets: list[dict[str, Any]], queries: list[dict[str, Any]]) -> None:
    study = {"domain": "art", "datasets": datasets, "queries": queries}
    metadata = Path("studies", folder, "metadata_0.json")
    metadata.parent.mkdir(parents=True)
    metadata.write_text(json.dumps(study), "utf-8")


@pytest.fixture
def studies() -> None:
    """A study with irregularities, and three that cannot be used."""
    other_gold = {**QUESTION, "qid": 1, "true_hypothesis": "y falls."}
    without_gold = {"qid": 2, "question": "Why?", "question_type": "general"}
    write_study("one", [DATASET], [QUESTION, other_gold])
    Path("studies/one/a.csv").write_text("x,y\n1,2\n3,2\n", "utf-8")
    write_study("two", [], [])
    Path("studies/two/metadata_0.json").write_bytes(b"\x81")
    write_study("three", [{"name": "gone.csv", "columns": []}], [QUESTION])
    write_study("four", [DATASET], [without_gold])


@pytest.mark.usefixtures("studies")
def test_all_problems_are_reported_at_once() -> None:
    output = failed("data audit --path studies")
    no_gold, no_file, no_text = output.splitlines()
    assert "no gold hypothesis for custom/four/0/2" in no_gold
    assert "gone.csv" in no_file
    assert "two/metadata_0.json" in no_text


@pytest.mark.usefixtures("studies")
def test_irregularities_are_listed_with_json() -> None:
    facts = json.loads(completed("data audit --path studies/one --json"))["one"]
    source = Path("studies/one/metadata_0.json").resolve()
    for name, items in (
        ("described columns that are missing", [f"{source}: a.csv: size"]),
        ("duplicate questions", ["custom/one/0/1"]),
        ("duplicates: different gold hypotheses", ["custom/one/0/0", "custom/one/0/1"]),
        ("questions that reveal the gold hypothesis", ["custom/one/0/0"]),
    ):
        assert facts[name]["items"] == items


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--path nowhere", "Error: "),
        ("--answer-key key.csv", "Give their --path, too."),
    ],
)
def test_wrong_options_are_refused(options: str, message: str) -> None:
    result = discoverybench(f"data audit {options}")
    assert result.exit_code != 0
    assert message in result.output
    assert len(result.output.splitlines()) == 1
