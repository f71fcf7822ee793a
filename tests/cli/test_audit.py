"""`discoverybench data audit` on custom studies."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from inspect_discoverybench.cli.main import main


def audit(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["data", "audit", *arguments])


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    for folder in ("one", "two", "three"):
        (tmp_path / folder).mkdir()
    question = {
        "qid": 0,
        "question": "Does y rise with x by 3 in towns?",
        "question_type": "general",
        "target_col": "y",
    }
    study = {
        "domain": "art",
        "datasets": [{"name": "a.csv", "columns": [{"name": "x"}, {"name": "size"}]}],
        "queries": [
            {**question, "true_hypothesis": "In towns y does rise with x by 3"},
            {**question, "qid": 1, "true_hypothesis": "y falls."},
            {"qid": 2, "question": "Why?", "question_type": "general"},
        ],
    }
    (tmp_path / "one" / "metadata_0.json").write_text(json.dumps(study), "utf-8")
    (tmp_path / "one" / "a.csv").write_text("x\ty\n1\t2\n3\t2\n", "utf-8")
    (tmp_path / "two" / "metadata_0.json").write_bytes(b"\x81")
    missing = {**study, "datasets": [{"name": "gone.csv", "columns": []}], "queries": study["queries"][:1]}
    (tmp_path / "three" / "metadata_0.json").write_text(json.dumps(missing), "utf-8")

    result = audit("--path", str(tmp_path), "--json")
    assert result.exit_code == 1
    facts = {name: fact["items"] for name, fact in json.loads(result.output)[tmp_path.name].items()}
    assert facts["goals without a gold hypothesis"] == ["one/0/2"]
    assert facts["described columns that are missing"] == ["one/metadata_0.json: a.csv: size"]
    assert facts["data files not separated by commas"] == ["one/a.csv ('\\t')"]
    assert len(facts["duplicate questions"]) == 1
    assert len(facts["duplicates: different gold hypotheses"]) == 1
    assert facts["constant target columns"] == ["one/0/0", "one/0/1"]
    assert facts["questions that reveal the gold hypothesis"] == ["one/0/0", "three/0/0"]
    assert [item.rpartition("/")[2].split(":")[0] for item in facts["unusable files"]] == [
        "metadata_0.json",
        "gone.csv",
    ]
    assert "one/0/2: no gold hypothesis" in audit("--path", str(tmp_path)).output
    assert audit("--path", "nowhere").output.startswith("Error: ")
