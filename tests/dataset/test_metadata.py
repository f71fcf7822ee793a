"""Metadata files: the formats of the release, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspect_discoverybench.dataset.metadata import Study
from inspect_discoverybench.errors.exceptions import DataError
from tests.dataset.studies import COLUMNS, QUERY, load, study, write_study


@pytest.mark.parametrize(("misspelled", "question_type"), [("relationhsip", "relationship"), ("variable", "variables")])
def test_both_formats_and_misspelled_types_of_the_release_are_read(
    tmp_path: Path, misspelled: str, question_type: str
) -> None:
    query = {**QUERY, "qid": 4, "question_type": misspelled}
    nested_file = {"name": "a.csv", "columns": {"raw": COLUMNS}}
    write_study(tmp_path / "flat", study(queries=[query]))
    write_study(tmp_path / "nested", study(queries=[[query]], datasets=[nested_file]))
    flat = Study.read(tmp_path / "flat" / "metadata_0.json")
    nested = Study.read(tmp_path / "nested" / "metadata_0.json")
    assert flat == nested
    [goal] = flat.goals
    assert goal.query_id == 4
    assert goal.question_type == question_type


INCOMPLETE = {"qid": 0, "question": "?"}


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (study(queries=[INCOMPLETE]), r"metadata_0\.json: queries\.0\.question_type: "),
        (study("a.csv", "./a.csv"), r"metadata_0\.json: datasets: .*data file a\.csv is described twice"),
        (study(queries=[QUERY, QUERY]), "broken/0/0 is defined in both .*qid"),
    ],
)
def test_an_invalid_metadata_file_among_others_is_refused(
    tmp_path: Path, metadata: dict[str, Any], message: str
) -> None:
    write_study(tmp_path / "good")
    write_study(tmp_path / "broken", metadata)
    with pytest.raises(DataError, match=message):
        load(tmp_path)


def test_a_file_that_is_not_json_is_refused(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    (folder / "metadata_0.json").write_text("{", "utf-8")
    with pytest.raises(DataError, match=r"metadata_0\.json: Expecting .* which are JSON"):
        load(folder)


HYPOTHESIS = '"true_hypothesis": "Because y rises with x."'


@pytest.mark.parametrize(
    ("text", "repeated", "key"),
    [
        (HYPOTHESIS, f'{HYPOTHESIS}, "true_hypothesis": "Because y falls."', "true_hypothesis"),
        ('"queries":', '"queries": [], "queries":', "queries"),
        ('"datasets":', '"datasets": [], "datasets":', "datasets"),
        ('"name": "x"', '"name": "x", "name": "z"', "name"),
        # JSON has several spellings of a key.
        ('"queries":', '"querie\\u0073": [], "queries":', "queries"),
    ],
)
def test_a_key_that_occurs_twice_is_refused(tmp_path: Path, text: str, repeated: str, key: str) -> None:
    """One of the two values would be lost, such as a gold hypothesis."""
    folder = write_study(tmp_path / "mine")
    content = json.dumps(study())
    assert text in content
    (folder / "metadata_0.json").write_text(content.replace(text, repeated, 1), "utf-8")
    with pytest.raises(DataError, match=rf"metadata_0\.json: the key '{key}' occurs twice in one object"):
        load(folder)
