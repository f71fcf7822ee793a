"""Answer keys: the gold hypotheses of custom studies in a file of their own."""

from pathlib import Path

import pytest

from inspect_discoverybench.dataset.custom import study_goal_samples
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.errors.exceptions import DataError
from tests.dataset.studies import load, study, write_study

HEADER = "dataset,metadataid,query_id,gold_hypo"
QUERY_WITHOUT_GOLD = {"qid": 4, "question": "Why?", "question_type": "general"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study whose only goal, `Why?` with the id 4, has no gold hypothesis."""
    return write_study(tmp_path / "mine", study(queries=[QUERY_WITHOUT_GOLD]))


def write_key(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder.parent / "key.csv"
    path.write_text(text, encoding)
    return path


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        pytest.param(f"{HEADER}\nmine,0,4,So.\n", "utf-8-sig", id="byte-order mark"),
        pytest.param("dataset;metadataid;query_id;gold_hypo\nmine;0;4;So, indeed.\n", "utf-8", id="semicolons"),
        pytest.param("note, gold_hypo ,query_id,metadataid,dataset\nx,So.,4,0,mine\n", "utf-8", id="another order"),
        pytest.param(f"{HEADER}\n\nother,0,4,No.\n\nmine,0,4,So.\n", "utf-8", id="blank lines, other studies"),
        pytest.param(f"{HEADER}\nmine,0,4,So é.\n", "cp1252", id="Windows-1252"),
    ],
)
def test_an_answer_key_is_read_in_several_formats(folder: Path, text: str, encoding: str) -> None:
    [sample] = load(folder, write_key(folder, text, encoding))
    assert str(sample.target).startswith("So")


def test_one_goal_has_its_gold_hypothesis_from_the_key(folder: Path) -> None:
    key = write_key(folder, f"{HEADER}\nmine,0,4,So.\n")
    [sample] = study_goal_samples(folder / "metadata_0.json", "Why?", key, Hints())
    assert sample.target == "So."


def test_a_new_goal_has_no_gold_hypothesis_even_if_the_key_has_a_row_with_its_id(folder: Path) -> None:
    # The highest id of the study is 4, so the new goal has the id 5.
    key = write_key(folder, f"{HEADER}\nmine,0,4,So.\nmine,0,5,Not so.\n")
    [sample] = study_goal_samples(folder / "metadata_0.json", "How?", key, Hints())
    assert sample.target == ""


@pytest.mark.parametrize("goal", [pytest.param("Why?", id="of the study"), pytest.param("How?", id="new")])
def test_a_broken_answer_key_is_also_refused_if_one_goal_is_asked(folder: Path, goal: str) -> None:
    metadata_file = folder / "metadata_0.json"
    with pytest.raises(DataError, match=r"nowhere\.csv cannot be read: No such file"):
        study_goal_samples(metadata_file, goal, folder / "nowhere.csv", Hints())
    key = write_key(folder, f"{HEADER}\nmine,0\n")
    with pytest.raises(DataError, match=r"key\.csv: line 2 has 2 values, expected 4"):
        study_goal_samples(metadata_file, goal, key, Hints())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{HEADER}\nmine,0\n", r"key\.csv: line 2 has 2 values, expected 4\. .*double quotes"),
        (
            "dataset,gold_hypo\nmine,So.\n",
            r"needs the columns dataset, metadataid, .* The columns are dataset, gold_hypo",
        ),
        (f"{HEADER}\nmine,0,4,So.\nmine,0,4,Not so.\n", r"line 3: .*'mine', '0', '4'.*Remove a row"),
        (f"{HEADER}\nmine,zero,4,So.\n", r"key\.csv: no gold hypothesis for custom/mine/0/4\. Add its row"),
        ("\n", r"key\.csv: the file is empty"),
        # Names of columns are compared without the spaces around them and without quotation marks.
        (f"{HEADER}, gold_hypo\nmine,0,4,So.,Not so.\n", r"key\.csv: the column 'gold_hypo' occurs twice"),
        (f"query_id ,{HEADER}\n4,mine,0,5,So.\n", r"key\.csv: the column 'query_id' occurs twice"),
        (f'{HEADER},"gold_hypo"\nmine,0,4,So.,Not so.\n', r"key\.csv: the column 'gold_hypo' occurs twice"),
        # Also columns that no answer key needs.
        (f"note,{HEADER},note\na,mine,0,4,So.,b\n", r"key\.csv: the column 'note' occurs twice"),
    ],
)
def test_a_broken_answer_key_is_refused_with_what_to_do(folder: Path, text: str, message: str) -> None:
    key = write_key(folder, text)
    with pytest.raises(DataError, match=message):
        load(folder, key)


def test_a_study_without_gold_hypotheses_needs_a_key_that_exists(folder: Path) -> None:
    with pytest.raises(DataError, match=r"no gold hypothesis for custom/mine/0/4\. Add its true_hypothesis"):
        load(folder)
    with pytest.raises(DataError, match=r"nowhere\.csv cannot be read: No such file"):
        load(folder, folder / "nowhere.csv")
