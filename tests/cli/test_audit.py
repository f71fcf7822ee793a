"""`discoverybench data audit` on custom studies."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import discoverybench

QUESTION = {
    "qid": 0,
    "question": "Does y rise with x by 3 in towns?",
    "question_type": "general",
    "target_col": "y",
    "true_hypothesis": "In towns y does rise with x by 3",
}
DATASET = {"name": "a.csv", "columns": [{"name": "x"}, {"name": "size"}]}


def write_study(folder: str, datasets: list[dict[str, Any]], queries: list[dict[str, Any]]) -> None:
    study = {"domain": "art", "datasets": datasets, "queries": queries}
    Path("studies", folder).mkdir(parents=True)
    Path("studies", folder, "metadata_0.json").write_text(json.dumps(study), "utf-8")


@pytest.fixture
def studies() -> None:
    """Three studies with several problems each."""
    other_gold = {**QUESTION, "qid": 1, "true_hypothesis": "y falls."}
    without_gold = {"qid": 2, "question": "Why?", "question_type": "general"}
    write_study("one", [DATASET], [QUESTION, other_gold, without_gold])
    Path("studies/one/a.csv").write_text("x,y\n1,2\n3,2\n", "utf-8")
    write_study("two", [], [])
    Path("studies/two/metadata_0.json").write_bytes(b"\x81")
    write_study("three", [{"name": "gone.csv", "columns": []}], [QUESTION])


@pytest.mark.usefixtures("studies")
def test_all_problems_are_reported_at_once() -> None:
    result = discoverybench("data audit --path studies --json")
    assert result.exit_code == 1
    items = {name: fact["items"] for name, fact in json.loads(result.output)["studies"].items()}
    assert items["goals without a gold hypothesis"] == ["one/0/2"]
    assert items["described columns that are missing"] == ["one/metadata_0.json: a.csv: size"]
    assert items["duplicate questions"] == ["one/0/0 = one/0/1"]
    assert items["duplicates: different gold hypotheses"] == ["one/0/0 = one/0/1"]
    assert items["constant target columns"] == ["one/0/0", "one/0/1"]
    assert items["questions that reveal the gold hypothesis"] == ["one/0/0"]
    [no_file, no_json] = items["unusable files"]
    assert "gone.csv" in no_file
    assert "two/metadata_0.json" in no_json


@pytest.mark.usefixtures("studies")
def test_counts_are_a_table_with_the_problems_below() -> None:
    result = discoverybench("data audit --path studies")
    assert result.exit_code == 1
    rows = [line.split() for line in result.output.splitlines()]
    assert ["goals", "3"] in rows
    assert "studies: one/0/2: no gold hypothesis" in result.output


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
