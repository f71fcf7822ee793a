"""What is defined twice in a metadata file or an answer key is refused, because one of the two would be lost."""

import json
from pathlib import Path

import pytest

from inspect_discoverybench.dataset.audit import audit_studies
from inspect_discoverybench.dataset.custom import custom_samples
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.errors.exceptions import DataError
from tests.dataset.studies import study, write_study

HYPOTHESIS = '"true_hypothesis": "Because y rises with x."'
REPEATED_KEYS = {
    "a gold hypothesis": (HYPOTHESIS, f'{HYPOTHESIS}, "true_hypothesis": "Because y falls."', "true_hypothesis"),
    "the goals": ('"queries":', '"queries": [], "queries":', "queries"),
    "a column's description": ('"description": "X."', '"description": "X.", "description": "Z."', "description"),
}


@pytest.mark.parametrize(("text", "repeated", "key"), REPEATED_KEYS.values(), ids=REPEATED_KEYS.keys())
def test_a_key_that_occurs_twice_in_metadata_is_refused(tmp_path: Path, text: str, repeated: str, key: str) -> None:
    content = json.dumps(study())
    assert text in content
    folder = write_study(tmp_path / "mine", content.replace(text, repeated, 1).encode())
    with pytest.raises(DataError, match=rf"metadata_0\.json: the key '{key}' occurs twice in one object"):
        custom_samples(folder, None, Hints())
    [problem] = audit_studies(folder).problems
    assert f"the key '{key}' occurs twice" in problem


HEADERS = {
    "the same name": ("dataset,metadataid,query_id,gold_hypo,gold_hypo", "gold_hypo"),
    "a name with a space": ("dataset,metadataid,query_id,gold_hypo, gold_hypo", "gold_hypo"),
    "another column": ("query_id,dataset,metadataid,gold_hypo,query_id ", "query_id"),
}


@pytest.mark.parametrize(("header", "column"), HEADERS.values(), ids=HEADERS.keys())
def test_a_column_that_occurs_twice_in_an_answer_key_is_refused(tmp_path: Path, header: str, column: str) -> None:
    folder = write_study(tmp_path / "mine")
    key = tmp_path / "key.csv"
    key.write_text(f"{header}\nmine,0,0,So.,Not so.\n", "utf-8")
    with pytest.raises(DataError, match=rf"key\.csv: the column '{column}' occurs twice"):
        custom_samples(folder, key, Hints())
    assert any(f"the column '{column}' occurs twice" in problem for problem in audit_studies(folder, key).problems)
