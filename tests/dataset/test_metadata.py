import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from inspect_discoverybench.dataset.answer_key import AnswerKey
from inspect_discoverybench.dataset.metadata import Study, metadata_number
from inspect_discoverybench.dataset.text_file import read_text
from inspect_discoverybench.errors import DataMissing, InvalidMetadata

QUERY = {"qid": 3, "question": "Why?", "question_type": "relationhsip", "true_hypothesis": "Because."}
FILE = {"name": "a.csv", "description": "A.", "columns": [{"name": "x", "description": "X."}]}


def write(folder: Path, content: Any, encoding: str = "utf-8") -> Path:
    path = folder / "metadata_7.json"
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    path.write_bytes(text.encode(encoding))
    return path


def study(**fields: Any) -> dict[str, Any]:
    return {"id": 0, "domain": "art", "datasets": [FILE], "queries": [QUERY], **fields}


def test_flat_and_nested_forms_are_equivalent(tmp_path: Path) -> None:
    flat = Study.read(write(tmp_path, study()))
    nested = Study.read(
        write(tmp_path, study(queries=[[QUERY]], datasets=[{**FILE, "columns": {"raw": FILE["columns"]}}]))
    )
    assert flat == nested
    assert flat.goals[0].query_id == 3
    assert flat.goals[0].question_type == "relationship"


def test_windows_1252_is_read(tmp_path: Path) -> None:
    assert Study.read(write(tmp_path, study(domain="café – “art”"), "cp1252")).domain == "café – “art”"


def test_domain_knowledge_of_a_data_file_applies_to_the_study(tmp_path: Path) -> None:
    inside = {**FILE, "domain_knowledge": "Known."}
    assert Study.read(write(tmp_path, study(datasets=[inside], domain_knowledge=""))).domain_knowledge == "Known."
    assert Study.read(write(tmp_path, study())).domain_knowledge == ""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "the file: Invalid JSON"),
        ("[]", "the file: Input should be an object|the file: Input should be a valid dictionary"),
        (study(datasets=[]), "datasets: "),
        (study(queries=[]), "queries: "),
        (study(queries=[{"qid": "x", "question": "?", "question_type": "general"}]), r"queries\.0\.qid: "),
        (study(datasets=[{"name": "a.csv"}]), r"datasets\.0\.columns: Field required"),
    ],
)
def test_invalid_fields_are_named(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(InvalidMetadata, match=rf"metadata_7\.json: ({message})"):
        Study.read(write(tmp_path, content))


@pytest.mark.parametrize("value", [None, 5, "text", [], {}, [5], [[5]], {"raw": 5}, [{}], True])
@pytest.mark.parametrize(
    "place", ["domain", "datasets", "queries", "workflow", "domain_knowledge", "columns", "question", "question_type"]
)
def test_any_value_is_read_or_rejected(tmp_path: Path, place: str, value: Any) -> None:
    fields = study(**{place: value})
    if place == "columns":
        fields = study(datasets=[{**FILE, "columns": value}])
    elif place.startswith("question"):
        fields = study(queries=[{**QUERY, place: value}])
    with contextlib.suppress(InvalidMetadata):
        Study.read(write(tmp_path, fields))


def test_an_undecodable_byte_is_named(tmp_path: Path) -> None:
    path = tmp_path / "metadata_0.json"
    path.write_bytes(b'{"domain": "\x81"}')
    with pytest.raises(InvalidMetadata, match="byte 12 is neither UTF-8 nor Windows-1252"):
        read_text(path)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match="does not exist"):
        Study.read(tmp_path / "metadata_0.json")


def test_the_metadata_number_is_in_the_file_name() -> None:
    assert metadata_number(Path("x/metadata_12.json")) == 12
    with pytest.raises(InvalidMetadata, match=r"Rename it to metadata_<number>\.json"):
        metadata_number(Path("x/metadata_final.json"))


def test_the_answer_key_contains_gold_hypotheses(tmp_path: Path) -> None:
    path = tmp_path / "key.csv"
    path.write_bytes('dataset,metadataid,query_id,gold_hypo\r\na,1,2,"Gold, “quoted”\nover lines"\r\n'.encode("cp1252"))
    key = AnswerKey(path)
    assert key.gold("a", 1, 2) == "Gold, “quoted”\nover lines"
    with pytest.raises(InvalidMetadata, match="no gold hypothesis for dataset a, metadataid 1, query_id 3"):
        key.gold("a", 1, 3)
    path.write_text("dataset,gold_hypo\n", "utf-8")
    with pytest.raises(InvalidMetadata, match="no column metadataid, query_id"):
        AnswerKey(path)
