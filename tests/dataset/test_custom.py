"""Custom studies: the example of the guide, all formats, and every error."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample

from inspect_discoverybench import custom
from inspect_discoverybench.dataset.audit import audit_studies
from inspect_discoverybench.dataset.custom import custom_samples
from inspect_discoverybench.dataset.metadata import Study
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.errors.exceptions import DataError, DataMissing, Refused, UnreadableTable
from inspect_discoverybench.solvers.gold import gold
from tests.dataset.studies import study, write_study

EXAMPLE = Path(__file__).parents[2] / "examples" / "lighthouses"
QUERY = {"qid": 4, "question": "Why?", "question_type": "general"}


def load(path: Path, answer_key: Path | None = None, hints: Hints = Hints()) -> list[Sample]:  # noqa: B008
    return custom_samples(path, answer_key, hints)


@pytest.mark.parametrize("solver", [None, gold()])
def test_the_example_of_the_guide_is_scored(solver: Any) -> None:
    task = custom(path=str(EXAMPLE), sandbox="local", domain_knowledge=True)
    judge = {"grader": "discoverybench/lexical"}
    [log] = inspect_eval(task, model="discoverybench/baseline", model_roles=judge, solver=solver)
    assert log.status == "success", log.error
    [sample] = log.samples or []
    assert sample.id == "custom/lighthouses/0/0"
    assert "ferry only" in str(sample.input)
    assert sample.scores
    assert sample.scores["HMS"].as_dict()["hms"] == 1 if solver else sample.scores["HMS"].as_dict()["variables"]
    assert (sample.metadata["solvable"], sample.metadata["near_constant"]) == (True, False)
    assert (sample.metadata["workflow_length"], sample.metadata["workflow_bucket"]) == (4, "s")


def test_both_formats_and_spellings_of_the_release_are_read(tmp_path: Path) -> None:
    [file], query = study()["datasets"], {**QUERY, "question_type": "relationhsip"}
    flat = write_study(tmp_path / "flat", study(queries=[query]))
    nested_file = {**file, "columns": {"raw": file["columns"]}}
    nested = write_study(tmp_path / "nested", study(queries=[[query]], datasets=[nested_file]))
    studies = [Study.read(folder / "metadata_0.json") for folder in (flat, nested)]
    assert studies[0] == studies[1]
    assert (studies[0].goals[0].query_id, studies[0].goals[0].question_type) == (4, "relationship")


def test_a_hint_can_be_described_with_a_data_file_and_a_missing_one_has_no_heading(tmp_path: Path) -> None:
    [file] = study()["datasets"]
    write_study(tmp_path / "study", study(domain_knowledge="Known."))
    write_study(tmp_path / "file", study(datasets=[{**file, "domain_knowledge": "Known."}], domain_knowledge=""))
    write_study(tmp_path / "without")
    samples = {str(s.id).split("/")[1]: s for s in load(tmp_path, hints=Hints(domain_knowledge=True))}
    for name, missing in (("study", ()), ("file", ()), ("without", ("domain_knowledge",))):
        assert ("Domain knowledge" in str(samples[name].input)) == (not missing)
        assert (samples[name].metadata or {})["missing_hints"] == missing
    [alone] = load(tmp_path / "file", hints=Hints(domain_knowledge=True))
    assert "Domain knowledge: Known." in str(alone.input)


@pytest.mark.parametrize(("name", "text"), [("a.csv", "This is a `.csv` file"), ("img.png", "This is a `.png` file")])
def test_a_file_without_described_columns_is_not_called_a_text_file(tmp_path: Path, name: str, text: str) -> None:
    [file] = study(name)["datasets"]
    (write_study(tmp_path, study(datasets=[{**file, "columns": []}])) / name).write_text("x\n1\n", "utf-8")
    [sample] = load(tmp_path)
    assert f"{text} without described columns." in str(sample.input)


BROKEN: dict[str, tuple[Any, str, type[DataError], str]] = {
    "short row": (None, "x,y\n1,2\n3", UnreadableTable, r"a\.csv: line 3 has 1 values, expected 2\. .* truncated"),
    "UTF-16": (json.dumps(study()).encode("utf-16"), "x\n", DataError, r"no text file in UTF-8 .*Save it as UTF-8"),
    "no JSON": (b"{", "x\n", DataError, r"metadata_0\.json: Expecting .* which are JSON"),
    "no field": (study(queries=[{"qid": 0, "question": "?"}]), "x\n", DataError, r"queries\.0\.question_type: "),
    "same file": (study("a.csv", "./a.csv"), "x,y\n", DataError, r"data file a\.csv is described twice"),
    "same qid": (
        study(queries=study()["queries"] * 2),
        "x,y\n",
        DataError,
        "broken/0/0 is defined in both .*qid",
    ),
}


@pytest.mark.parametrize(("metadata", "table", "error", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_an_invalid_study_among_others_is_rejected(
    tmp_path: Path, metadata: Any, table: str, error: type[DataError], message: str
) -> None:
    write_study(tmp_path / "good")
    write_study(tmp_path / "broken", metadata, table)
    with pytest.raises(error, match=message):
        load(tmp_path)


def test_paths_without_metadata_files_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match=r"no metadata_<number>\.json in this folder or its subfolders"):
        load(tmp_path)
    with pytest.raises(DataMissing, match=r"The path '.*nowhere' does not exist\."):
        load(tmp_path / "nowhere")
    with pytest.raises(Refused, match=r"File name too long: .* Check the path"):
        load(tmp_path / ("x" * 300))
    os.mkfifo(tmp_path / "metadata_1.json")
    with pytest.raises(DataMissing, match=r"metadata_1\.json is not a regular file"):
        load(tmp_path)
    (tmp_path / "metadata_1.json").unlink()
    with pytest.raises(DataMissing, match=r"The path '.*/3' does not exist\."):
        custom(path=3)  # type: ignore[arg-type]  # as the command line gives it
    (write_study(tmp_path) / "metadata_0.json").rename(tmp_path / "metadata_final.json")
    with pytest.raises(DataError, match=r"Rename it to metadata_<number>\.json"):
        load(tmp_path / "metadata_final.json")


@pytest.mark.parametrize("path", [".", "metadata_0.json", ".."])
def test_a_relative_path_is_resolved_before_it_names_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    folder = write_study(tmp_path / "mine", study(queries=[QUERY]))
    key = write_key(tmp_path, "mine,0,4,So.")
    monkeypatch.chdir(folder)
    task = custom(path=path, answer_key=f"../{key.name}", sandbox="local")
    [sample] = task.dataset
    assert (sample.id, sample.target) == ("custom/mine/0/4", "So.")
    assert task.display_name == f"DiscoveryBench custom ({Path(path).resolve().name})"


KEY_HEADER = "dataset,metadataid,query_id,gold_hypo"


def write_key(folder: Path, *lines: str, header: str = KEY_HEADER, encoding: str = "utf-8") -> Path:
    (folder / "key.csv").write_text("\n".join([header, *lines]) + "\n", encoding)
    return folder / "key.csv"


KEYS = {
    "byte-order mark": ({"encoding": "utf-8-sig"}, ["mine,0,4,So."]),
    "semicolons": ({"header": KEY_HEADER.replace(",", ";")}, ["mine;0;4;So, indeed."]),
    "another order": ({"header": "note,gold_hypo,query_id,metadataid,dataset"}, ["x,So.,4,0,mine"]),
    "blank lines": ({}, ["", "mine,0,4,So.", "", ",,,"]),
    "rows of other studies": ({}, ["other,0,4,No.", "mine,1,4,No.", "mine,0,4,So.", "mine,0,5,"]),
    "Windows-1252": ({"encoding": "cp1252"}, ["mine,0,4,So é."]),
}


@pytest.mark.parametrize(("form", "lines"), KEYS.values(), ids=KEYS.keys())
def test_answer_keys_are_read_in_several_formats(tmp_path: Path, form: dict[str, str], lines: list[str]) -> None:
    folder = write_study(tmp_path / "mine", study(queries=[QUERY]))
    assert str(load(folder, write_key(tmp_path, *lines, **form))[0].target).startswith("So")


BROKEN_KEYS: dict[str, tuple[str, list[str], str]] = {
    "a short row": (KEY_HEADER, ["mine,0"], r"key\.csv: line 2 has 2 values, expected 4\. .*double quotes"),
    "missing columns": ("dataset,gold_hypo", ["mine,So."], r"no column metadataid, query_id.*are dataset, gold_hypo"),
    "two golds": (
        KEY_HEADER,
        ["mine,0,4,So.", "mine,0,4,Not so."],
        r"line 3: .*mine, 0, 4 .*Remove one",
    ),
    "no row": (
        KEY_HEADER,
        ["mine,0,5,So."],
        r"key\.csv: no gold .* dataset mine, metadataid 0, query_id 4\. Add a row",
    ),
    "no header": ("", [], r"key\.csv: the file is empty"),
}


@pytest.mark.parametrize(("header", "lines", "message"), BROKEN_KEYS.values(), ids=BROKEN_KEYS.keys())
def test_errors_in_an_answer_key_name_the_line_and_the_remedy(
    tmp_path: Path, header: str, lines: list[str], message: str
) -> None:
    folder = write_study(tmp_path / "mine", study(queries=[QUERY]))
    with pytest.raises(DataError, match=message):
        load(folder, write_key(tmp_path, *lines, header=header))


def test_gold_hypotheses_need_a_key_that_is_a_file(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "mine", study(queries=[QUERY]))
    with pytest.raises(DataError, match=r"query_id 4\. Add its true_hypothesis, or pass an answer key"):
        load(folder)
    with pytest.raises(DataMissing, match=r"nowhere\.csv cannot be read: No such file"):
        load(folder, tmp_path / "nowhere.csv")


@pytest.mark.parametrize("name", ["./x.csv", "a table é.csv", "X.CSV", "deep/er/x.csv", "-x.csv"])
def test_a_data_file_keeps_its_relative_path(tmp_path: Path, name: str) -> None:
    folder = write_study(tmp_path, study(name))
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("x,y\n1,2\n", "utf-8")
    [sample] = load(folder)
    assert sample.files == {name: str((folder / name).resolve())}
    assert name in str(sample.input)


def test_a_value_may_be_long(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "mine", study("long.csv"))
    (folder / "long.csv").write_text(f"x,y\n{'1' * 200_000},2\n", "utf-8")
    assert not audit_studies(folder, None).problems


REFUSED: dict[str, tuple[str, type[DataError], str]] = {
    "above the folder": ("../a.csv", DataError, r"'\.\./a\.csv' is not inside the folder .*relative path"),
    "absolute": ("/etc/hostname", DataError, "'/etc/hostname' is not inside the folder"),
    "a folder": ("folder", DataMissing, r"mine/folder: .* it is not a regular file\. List"),
    "a pipe": ("pipe.csv", DataMissing, r"pipe\.csv: .* it is not a regular file\. List"),
    "a link to a file elsewhere": ("keys.csv", DataError, "'keys.csv' .* a link to a file outside"),
    "a loop of links": ("loop.csv", DataError, "'loop.csv' cannot be found"),
    "a colon": ("a:b.csv", DataError, r"has ':' or .* in its name\. Rename it"),
    "a file of the session": ("./.session/a.csv", DataError, "reserved name"),
    "the metadata": ("metadata_0.json", DataError, "is a metadata file, which the agent must not see"),
    "a link to the metadata": ("link.csv", DataError, "is a metadata file, which the agent must not"),
    "a folder of Reflexion": ("trial-2/a.csv", DataError, "reserved name"),
    "a link to nothing": ("dangling.csv", DataMissing, r"dangling\.csv: .* it does not exist\. Add it"),
    "the answer key": ("key.csv", DataError, r"key\.csv.*the answer key.*the agent must not see"),
}


@pytest.mark.parametrize(("name", "error", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_data_file_that_must_not_be_copied_to_a_sandbox_is_rejected(
    tmp_path: Path, name: str, error: type[DataError], message: str
) -> None:
    folder = write_study(tmp_path / "mine", study(name))
    (folder / "folder").mkdir()
    (folder / "link.csv").symlink_to("metadata_0.json")
    (folder / "keys.csv").symlink_to("/proc/self/environ")
    os.mkfifo(folder / "pipe.csv")
    (folder / "loop.csv").symlink_to("loop.csv")
    (folder / "dangling.csv").symlink_to("nowhere.csv")
    (folder / "a:b.csv").write_text("x,y\n1,2\n", "utf-8")
    key = write_key(folder, "mine,0,0,So.")
    with pytest.raises(error, match=message):
        load(folder, key)
    audit = audit_studies(folder, key)
    assert len(audit.problems) == 1
