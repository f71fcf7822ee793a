"""`discoverybench data audit` on custom studies."""

import json
from pathlib import Path

from tests.command_line import completed, failed, refused
from tests.dataset.studies import study, write_study


def test_all_problems_are_reported_at_once() -> None:
    studies = Path("studies")
    without_gold = {"qid": 2, "question": "Why?", "question_type": "general"}
    write_study(studies / "four", study(queries=[without_gold]))
    write_study(studies / "one")
    write_study(studies / "three", study("gone.csv"))
    folder = write_study(studies / "two")
    metadata = folder / "metadata_0.json"
    metadata.write_bytes(b"\x81")

    output = failed("data audit --path studies", exit_code=2)
    no_gold, no_file, no_text = output.splitlines()
    assert "no gold hypothesis for custom/four/0/2" in no_gold
    assert "gone.csv" in no_file
    assert "two/metadata_0.json" in no_text


def test_a_key_and_a_column_that_occur_twice_are_found() -> None:
    folder = write_study(Path("mine"))
    metadata = folder / "metadata_0.json"
    content = metadata.read_text("utf-8")
    metadata.write_text(content.replace('"queries":', '"queries": [], "queries":'), "utf-8")
    output = refused("data audit --path mine")
    assert "mine/metadata_0.json: the key 'queries' occurs twice in one object" in output

    metadata.write_text(content, "utf-8")
    Path("key.csv").write_text("dataset,metadataid,query_id,gold_hypo,gold_hypo \nmine,0,0,So.,Not so.\n", "utf-8")
    output = refused("data audit --path mine --answer-key key.csv")
    assert "key.csv: the column 'gold_hypo' occurs twice" in output


def test_irregularities_are_listed_with_json() -> None:
    revealing = {
        "qid": 0,
        "question": "Does y rise with x by 3 in towns?",
        "question_type": "general",
        "true_hypothesis": "In towns y does rise with x by 3",
    }
    other_gold = {**revealing, "qid": 1, "true_hypothesis": "y falls."}
    metadata = study(queries=[revealing, other_gold])
    write_study(Path("one"), metadata, table="x\n1\n3\n")

    output = completed("data audit --path one --json")
    facts = json.loads(output)["one"]
    [missing_column] = facts["described columns that are missing"]
    assert missing_column.endswith("one/metadata_0.json: a.csv: y")
    for name, items in (
        ("duplicate questions", ["custom/one/0/1"]),
        ("duplicates: different gold hypotheses", ["custom/one/0/0", "custom/one/0/1"]),
        ("questions that reveal the gold hypothesis", ["custom/one/0/0"]),
    ):
        assert facts[name] == items


def test_an_answer_key_without_its_studies_is_refused() -> None:
    message = refused("data audit --answer-key key.csv")
    assert message == "Error: --answer-key is for custom studies. Give their --path, too."
