"""Custom studies: the example of the guide, hints, paths and tables."""

import gzip
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import eval_retry
from inspect_ai.solver import SolverSpec

from inspect_discoverybench import custom
from inspect_discoverybench.dataset.custom import custom_samples
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.errors.exceptions import DataError, DiscoveryBenchError, InvalidArgument
from tests.dataset.studies import COLUMNS, load, study, write_study

EXAMPLE = Path(__file__).parents[2] / "examples" / "lighthouses"


def test_the_example_of_the_guide_is_scored() -> None:
    task = custom(path=str(EXAMPLE), sandbox="local", domain_knowledge=True)
    judge = {"grader": "discoverybench/lexical"}
    [log] = inspect_eval(task, model="discoverybench/baseline", model_roles=judge)
    assert log.status == "success", log.error
    [sample] = log.samples or []
    assert sample.id == "custom/lighthouses/0/0"
    assert "ferry only" in str(sample.input)  # the domain knowledge of the example
    assert sample.scores
    values = sample.scores["HMS"].as_dict()
    assert values["variables"]  # the baseline names some of the gold variables
    assert sample.metadata["workflow_length"] == 4
    assert sample.metadata["workflow_bucket"] == "s"  # fewer than ten steps


def test_hints_of_a_data_file_and_of_the_study_are_shown_and_a_missing_hint_has_no_heading(tmp_path: Path) -> None:
    file = {"name": "a.csv", "columns": COLUMNS, "domain_knowledge": "Known."}
    write_study(tmp_path / "file", study(datasets=[file]))
    write_study(tmp_path / "study", study(domain_knowledge="Known."))
    write_study(tmp_path / "without")
    samples = custom_samples(tmp_path, None, Hints(domain_knowledge=True))
    of_file, of_study, without = [str(sample.input) for sample in samples]
    assert "Domain knowledge: Known." in of_file
    assert "## Domain knowledge" in of_study
    assert "Domain knowledge" not in without


def test_a_file_without_described_columns_is_described_by_its_suffix(tmp_path: Path) -> None:
    file = {"name": "img.png", "columns": []}
    folder = write_study(tmp_path, study(datasets=[file]))
    (folder / "img.png").write_bytes(b"\x89PNG")
    [sample] = load(folder)
    assert "This is a `.png` file without described columns." in str(sample.input)


def test_a_truncated_table_is_refused(tmp_path: Path) -> None:
    folder = write_study(tmp_path, table="x,y\n1,2\n3")
    with pytest.raises(DataError, match=r"a\.csv: line 3 has 1 values, expected 2\. .* truncated"):
        load(folder)


def test_a_table_behind_a_link_is_checked_by_the_name_of_the_link(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    (folder / "a.csv").unlink()
    (folder / "a.csv").symlink_to("blob")
    # The name of the file itself does not say that it must be a table in text.
    (folder / "blob").write_bytes(gzip.compress(b"x,y\n1,2\n"))
    with pytest.raises(DataError, match=r"a\.csv is no text file"):
        load(folder)


def test_a_value_may_be_long(tmp_path: Path) -> None:
    long_value = "1" * 200_000  # by default, the module `csv` refuses values with more than 131,072 characters
    folder = write_study(tmp_path, table=f"x,y\n{long_value},2\n")
    assert len(load(folder)) == 1


def test_paths_without_metadata_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no metadata_<number>\.json in this folder or its subfolders"):
        load(tmp_path)
    with pytest.raises(DataError, match=r"The path '.*nowhere' does not exist\."):
        load(tmp_path / "nowhere")
    # File systems allow names of at most 255 bytes.
    with pytest.raises(DiscoveryBenchError, match=r"File name too long: .* Check the path"):
        load(tmp_path / ("x" * 300))
    folder = write_study(tmp_path / "study")
    other_name = folder / "metadata_final.json"
    (folder / "metadata_0.json").rename(other_name)
    (folder / "visits.csv").write_text("x,y\n1,2\n")
    with pytest.raises(DataError, match=r"Rename it to metadata_<number>\.json"):
        load(other_name)
    with pytest.raises(DataError, match=r"visits\.csv is no metadata file, .* run: discoverybench data describe /"):
        load(folder / "visits.csv")


def test_checkpoints_of_jupyter_are_no_metadata_files(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study")
    checkpoint = folder / ".ipynb_checkpoints" / "metadata_0-checkpoint.json"
    checkpoint.parent.mkdir()
    checkpoint.write_bytes((folder / "metadata_0.json").read_bytes())
    assert [sample.id for sample in load(folder)] == ["custom/study/0/0"]


def test_a_goal_that_inspect_has_split_at_its_commas_is_refused() -> None:
    goal: Any = ["Does height", " or age matter?"]
    with pytest.raises(InvalidArgument, match="at commas"):
        custom(path=str(EXAMPLE), goal=goal)


def test_a_relative_path_is_resolved_before_it_names_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_study(tmp_path / "mine")
    monkeypatch.chdir(folder)
    task = custom(path=".", sandbox="local")
    [sample] = task.dataset
    assert sample.id == "custom/mine/0/0"
    assert task.display_name == "DiscoveryBench custom (mine)"


def test_a_retry_in_another_folder_finds_the_study_and_its_answer_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    write_study(here / "mine")
    (here / "key.csv").write_text("dataset,metadataid,query_id,gold_hypo\nmine,0,0,y rises with x.\n", "utf-8")
    there.mkdir()
    monkeypatch.chdir(here)
    gold = SolverSpec("discoverybench/gold")
    grader = {"grader": "discoverybench/lexical"}
    arguments = {"path": "mine", "answer_key": "key.csv", "sandbox": "local"}
    [log] = inspect_eval("discoverybench/custom", task_args=arguments, model="none", solver=gold, model_roles=grader)
    assert log.eval.task_args_passed == {
        "path": str(here / "mine"),
        "answer_key": str(here / "key.csv"),
        "sandbox": "local",
    }
    monkeypatch.chdir(there)
    [again] = eval_retry(log)
    assert again.status == "success", again.error


# Inspect reads a path with "::" as a chain of file systems.
@pytest.mark.parametrize("folder", ["a::b", "s3::c/d"])
def test_a_folder_from_which_inspect_cannot_copy_files_is_refused(folder: str, tmp_path: Path) -> None:
    path = write_study(tmp_path / folder)
    with pytest.raises(DataError, match=r"cannot copy files from a folder with '::' in its path\. Rename the folder"):
        load(path)


def test_a_goal_needs_the_metadata_file_and_not_its_folder(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "mine")
    with pytest.raises(InvalidArgument, match=r"mine is a folder\. .* name the metadata file, such as .*metadata_0"):
        custom(path=str(folder), goal="Why?")
