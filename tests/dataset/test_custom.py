"""Custom studies: the example of the guide, and every error."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval

from inspect_discoverybench import custom
from inspect_discoverybench.dataset import splits
from inspect_discoverybench.dataset.audit import audit_studies
from inspect_discoverybench.dataset.samples import Hints
from inspect_discoverybench.errors import DataError, DataMissing, InvalidArgument, InvalidMetadata, UnreadableTable
from inspect_discoverybench.solvers.gold import gold

EXAMPLE = Path(__file__).parents[2] / "examples" / "lighthouses"
ROLES = {"grader": "discoverybench/lexical"}


def study(**fields: Any) -> dict[str, Any]:
    query = {"qid": 0, "question": "Why?", "question_type": "general", "true_hypothesis": "Because y rises with x."}
    columns = [{"name": "x", "description": "X."}, {"name": "y", "description": "Y."}]
    return {"domain": "art", "datasets": [{"name": "a.csv", "columns": columns}], "queries": [query], **fields}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def one(metadata: Any = None, table: str = "x,y\n1,2\n3,4\n", folder: str = "mine") -> Path:
        place = tmp_path / folder
        place.mkdir(exist_ok=True)
        content = metadata if isinstance(metadata, bytes) else json.dumps(metadata or study()).encode()
        (place / "metadata_0.json").write_bytes(content)
        (place / "a.csv").write_text(table, "utf-8")
        return place

    return one


def load(path: Path, **options: Any) -> Any:
    return splits.custom(path, options.get("answer_key"), options.get("hints", Hints()))


def test_the_example_of_the_guide_is_scored() -> None:
    log = inspect_eval(custom(path=str(EXAMPLE), sandbox="local"), model="discoverybench/baseline", model_roles=ROLES)[
        0
    ]
    assert log.status == "success", log.error
    assert log.samples
    assert log.samples[0].id == "custom/lighthouses/0/0"
    assert log.samples[0].scores
    assert log.samples[0].scores["HMS"].as_dict()["variables"]
    metadata = log.samples[0].metadata
    assert (metadata["solvable"], metadata["near_constant"]) == (True, False)
    assert (metadata["workflow_length"], metadata["workflow_bucket"]) == (4, "s")


def test_the_gold_hypothesis_of_the_example_scores_1() -> None:
    task = custom(path=str(EXAMPLE), sandbox="local", domain_knowledge=True)
    log = inspect_eval(task, model="mockllm/model", solver=gold(), model_roles=ROLES)[0]
    assert log.samples
    assert log.samples[0].scores
    assert log.samples[0].scores["HMS"].as_dict()["hms"] == 1
    assert "ferry only" in str(log.samples[0].input)


def test_a_study_can_be_a_file_a_folder_or_a_folder_of_folders(write: Callable[..., Path]) -> None:
    place = write()
    texts = [load(path)[0].input for path in (place / "metadata_0.json", place, place.parent)]
    assert texts[0] == texts[1] == texts[2]


def test_gold_hypotheses_are_read_from_an_answer_key(write: Callable[..., Path], tmp_path: Path) -> None:
    hidden = study(queries=[{"qid": 4, "question": "Why?", "question_type": "general"}])
    place, key = write(hidden), tmp_path / "key.csv"
    with key.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["dataset", "metadataid", "query_id", "gold_hypo"], ["mine", 0, 4, "So."]])
    assert load(place, answer_key=key)[0].target == "So."
    with pytest.raises(InvalidMetadata, match=r"qid 4 has no true_hypothesis\. Add it, or pass an answer key"):
        load(place)


def test_a_missing_hint_has_no_heading(write: Callable[..., Path], tmp_path: Path) -> None:
    write(study(domain_knowledge="Known."), folder="with")
    write(folder="without")
    samples = {s.metadata["dataset"]: s for s in load(tmp_path, hints=Hints(domain_knowledge=True))}
    assert "## Domain knowledge" in samples["with"].input
    assert "## Domain knowledge" not in samples["without"].input
    assert samples["with"].metadata["missing_hints"] == ()
    assert samples["without"].metadata["missing_hints"] == ("domain_knowledge",)


def test_a_constant_target_is_flagged(write: Callable[..., Path]) -> None:
    query = {**study()["queries"][0], "target_col": "y"}
    place = write(study(queries=[query]), "x,y\n1,2\n3,2\n5,\n")
    assert load(place)[0].metadata["solvable"] is False


BROKEN: list[tuple[Any, str, type[DataError], str]] = [
    (None, "x,y\n1,2\n3", UnreadableTable, r"a\.csv: line 3 has 1 values, expected 2\. .* truncated"),
    (None, 'x,y\n1,2\n3,"4', UnreadableTable, r"a\.csv: line 3: .*\. The file may be truncated"),
    (None, "", UnreadableTable, r"a\.csv: the file is empty"),
    (b'{"domain": "\x81"}', "x\n", InvalidMetadata, r"metadata_0\.json: byte 12 is neither UTF-8 nor Windows-1252"),
    (b"{", "x\n", InvalidMetadata, r"metadata_0\.json: the file: Invalid JSON"),
    (
        study(queries=[study()["queries"][0]] * 2),
        "x,y\n",
        InvalidMetadata,
        r"metadata_0\.json: .*two queries have qid 0; use a different qid for each",
    ),
    (
        study(datasets=[{"name": "b.csv", "columns": []}]),
        "x,y\n",
        DataMissing,
        r"b\.csv: the metadata describes this data file, but it does not exist",
    ),
    (study(domain=None), "x,y\n", InvalidMetadata, r"metadata_0\.json: domain: Input should be a valid string"),
    (
        study(queries=[{"qid": 0, "question": "?"}]),
        "x,y\n",
        InvalidMetadata,
        r"queries\.0\.question_type: Field required",
    ),
]


@pytest.mark.parametrize(("metadata", "table", "error", "message"), BROKEN)
def test_an_invalid_study_is_rejected(
    write: Callable[..., Path], tmp_path: Path, metadata: Any, table: str, error: type[DataError], message: str
) -> None:
    write(folder="good")
    write(metadata, table, folder="broken")
    with pytest.raises(error, match=message):
        load(tmp_path)


def test_empty_and_missing_folders_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match=r"no metadata_<number>\.json in this folder or its subfolders"):
        load(tmp_path)
    with pytest.raises(InvalidArgument, match=r"The path '.*nowhere' does not exist\."):
        load(tmp_path / "nowhere")


HIDDEN = study(queries=[{"qid": 4, "question": "Why?", "question_type": "general"}])
KEY_HEADER = "dataset,metadataid,query_id,gold_hypo"


def write_key(folder: Path, *lines: str, header: str = KEY_HEADER, encoding: str = "utf-8") -> Path:
    (folder / "key.csv").write_text("\n".join([header, *lines]) + "\n", encoding)
    return folder / "key.csv"


@pytest.mark.parametrize(
    "path", [".", "metadata_0.json", "./metadata_0.json", "../mine", "..", "../mine/../mine/metadata_0.json"]
)
def test_a_relative_path_is_resolved_before_it_names_the_study(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    place = write(HIDDEN)
    key = write_key(place.parent, "mine,0,4,So.")
    monkeypatch.chdir(place)
    task = custom(path=path, answer_key=f"../{key.name}", sandbox="local")
    [sample] = task.dataset
    assert (sample.id, sample.target) == ("custom/mine/0/4", "So.")
    assert task.display_name == f"DiscoveryBench custom ({Path(path).resolve().name})"


def test_a_symlinked_study_has_the_name_of_the_link(write: Callable[..., Path], tmp_path: Path) -> None:
    place = write(HIDDEN, folder="version-7")
    (tmp_path / "mine").symlink_to(place)
    key = write_key(tmp_path, "mine,0,4,So.")
    assert load(tmp_path / "mine", answer_key=key)[0].id == "custom/mine/0/4"


KEYS = {
    "byte-order mark": ({"encoding": "utf-8-sig"}, ["mine,0,4,So."]),
    "semicolons": ({"header": KEY_HEADER.replace(",", ";")}, ["mine;0;4;So, indeed."]),
    "tabs": ({"header": KEY_HEADER.replace(",", "\t")}, ["mine\t0\t4\tSo."]),
    "another order and another column": (
        {"header": "note,gold_hypo,query_id,metadataid,dataset"},
        ["x,So.,4,0,mine"],
    ),
    "white space": ({"header": "dataset, metadataid, query_id, gold_hypo"}, ["mine, 0, 4, So."]),
    "blank lines": ({}, ["", "mine,0,4,So.", "", ",,,"]),
    "the same row twice": ({}, ["mine,0,4,So.", "mine,0,4,So."]),
    "rows of other studies": ({}, ["other,0,4,No.", "mine,1,4,No.", "mine,0,4,So.", "mine,0,5,"]),
    "Windows-1252": ({"encoding": "cp1252"}, ["mine,0,4,So é."]),
}


@pytest.mark.parametrize(("form", "lines"), KEYS.values(), ids=KEYS.keys())
def test_answer_keys_are_read_in_several_formats(
    write: Callable[..., Path], tmp_path: Path, form: dict[str, str], lines: list[str]
) -> None:
    place = write(HIDDEN)
    assert load(place, answer_key=write_key(tmp_path, *lines, **form))[0].target.startswith("So")


BROKEN_KEYS: dict[str, tuple[str, list[str], str]] = {
    "a short row": (KEY_HEADER, ["mine,0"], r"key\.csv: line 2 has 2 values, expected 4\. .*double quotes"),
    "a long row": (KEY_HEADER, ["mine,0,4,On islands, y rises."], r"line 2 has 5 values, .*double quotes"),
    "a word for a number": (
        KEY_HEADER,
        ["mine,zero,4,So."],
        r"line 2: metadataid 'zero' is not an integer\. .*metad",
    ),
    "a decimal": (KEY_HEADER, ["mine,0,4,So.", "mine,0,4.0,So."], r"line 3: query_id '4\.0' is not an integer"),
    "an empty number": (KEY_HEADER, ["mine,,4,So."], r"line 2: metadataid '' is not an integer"),
    "another script's digits": (KEY_HEADER, ["mine,0,1_0,So."], r"line 2: query_id '1_0' is not an integer"),
    "missing columns": (
        "dataset,gold_hypo",
        ["mine,So."],
        r"no column metadataid, query_id.*columns are dataset, gold_hypo",
    ),
    "two golds": (KEY_HEADER, ["mine,0,4,So.", "mine,0,4,Not so."], r"line 3: .*mine, 0, 4 .* line 2.*[Rr]emove one"),
    "no row of the goal": (
        KEY_HEADER,
        ["mine,0,5,So."],
        r"no gold hypothesis for dataset mine, metadataid 0, query_id 4",
    ),
    "no gold": (KEY_HEADER, ["mine,0,4,"], r"no gold hypothesis for dataset mine, metadataid 0, query_id 4"),
    "no rows": (KEY_HEADER, [], r"no gold hypothesis for dataset mine"),
    "an open quote": (KEY_HEADER, ['mine,0,4,"So.'], r"key\.csv: line \d: "),
    "no header": ("", [], r"key\.csv: the file is empty"),
}


@pytest.mark.parametrize(("header", "lines", "message"), BROKEN_KEYS.values(), ids=BROKEN_KEYS.keys())
def test_errors_in_an_answer_key_name_the_line_and_the_remedy(
    write: Callable[..., Path], tmp_path: Path, header: str, lines: list[str], message: str
) -> None:
    place = write(HIDDEN)
    with pytest.raises(DataError, match=message):
        load(place, answer_key=write_key(tmp_path, *lines, header=header))


def test_a_folder_or_missing_file_is_not_an_answer_key(write: Callable[..., Path], tmp_path: Path) -> None:
    place = write(HIDDEN)
    with pytest.raises(DataMissing, match=r"is a folder\. Pass the path of a file"):
        load(place, answer_key=tmp_path)
    with pytest.raises(DataMissing, match=r"nowhere\.csv does not exist"):
        load(place, answer_key=tmp_path / "nowhere.csv")


def described(*names: str) -> dict[str, Any]:
    return study(datasets=[{"name": name, "columns": []} for name in names])


@pytest.mark.parametrize("name", ["tables/x.csv", "./x.csv", "a table é.csv", "X.CSV", "deep/er/x.csv", "-x.csv"])
def test_a_data_file_keeps_its_relative_path(write: Callable[..., Path], name: str) -> None:
    place = write(described(name))
    (place / name).parent.mkdir(parents=True, exist_ok=True)
    (place / name).write_text("x,y\n1,2\n", "utf-8")
    [sample] = load(place)
    assert sample.files == {name: str((place / name).resolve())}
    assert name in sample.input


def test_a_symlinked_data_file_is_copied(write: Callable[..., Path], tmp_path: Path) -> None:
    place = write(described("big.csv"))
    (tmp_path / "elsewhere.csv").write_text("x,y\n1,2\n", "utf-8")
    (place / "big.csv").symlink_to(tmp_path / "elsewhere.csv")
    assert load(place)[0].files == {"big.csv": str(tmp_path / "elsewhere.csv")}


REFUSED: dict[str, tuple[dict[str, Any], type[DataError], str]] = {
    "above the folder": (
        described("../a.csv"),
        InvalidMetadata,
        r"'\.\./a\.csv' is not inside the folder .*relative path",
    ),
    "above and back": (described("../mine/a.csv"), InvalidMetadata, "is not inside the folder"),
    "absolute": (described("/etc/hostname"), InvalidMetadata, "'/etc/hostname' is not inside the folder"),
    "a folder": (described("folder"), DataMissing, r"folder: .*it is a folder\. List its files"),
    "the study's folder": (described("."), DataMissing, "it is a folder"),
    "no name": (described(""), DataMissing, "it is a folder"),
    "a colon": (described("a:b.csv"), InvalidMetadata, r"':' in its name. Rename it"),
    "a backslash": (described("tables\\x.csv"), InvalidMetadata, r"separate folders with '/'"),
    "the metadata": (described("metadata_0.json"), InvalidMetadata, "is a metadata file, which the agent must not see"),
    "a link to the metadata": (described("link.csv"), InvalidMetadata, "is a metadata file, which the agent must not"),
    "a link to nothing": (described("dangling.csv"), DataMissing, "it does not exist"),
    "twice": (described("a.csv", "a.csv"), InvalidMetadata, r"data file a\.csv is described twice"),
    "twice, spelled differently": (
        described("a.csv", "./a.csv"),
        InvalidMetadata,
        r"data file a\.csv is described twice",
    ),
    "an upper-case table that is cut off": (described("B.CSV"), UnreadableTable, r"B\.CSV: line 2 has 1 values"),
}


@pytest.mark.parametrize(("metadata", "error", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_data_file_that_cannot_be_copied_to_a_sandbox_is_rejected(
    write: Callable[..., Path], metadata: dict[str, Any], error: type[DataError], message: str
) -> None:
    place = write(metadata)
    (place / "folder").mkdir()
    (place / "link.csv").symlink_to("metadata_0.json")
    (place / "dangling.csv").symlink_to("nowhere.csv")
    for name in ("a:b.csv", "tables\\x.csv"):
        (place / name).write_text("x,y\n1,2\n", "utf-8")
    (place / "B.CSV").write_text("x,y\n1\n", "utf-8")
    with pytest.raises(error, match=message):
        load(place)


def test_the_answer_key_cannot_be_a_data_file(write: Callable[..., Path]) -> None:
    place = write({**HIDDEN, "datasets": described("key.csv")["datasets"]})
    key = write_key(place, "mine,0,4,So.")
    with pytest.raises(InvalidMetadata, match=r"key\.csv.*the answer key.*the agent must not see"):
        load(place, answer_key=key)


def test_two_studies_with_the_same_name_are_rejected(write: Callable[..., Path]) -> None:
    place = write()
    shutil.copytree(place, place / "mine")
    with pytest.raises(InvalidMetadata, match=r"custom/mine/0/0 .*mine/metadata_0\.json.*mine/mine/metadata_0\.json"):
        load(place)


def test_duplicate_metadata_numbers_are_rejected(write: Callable[..., Path]) -> None:
    place = write()
    shutil.copy(place / "metadata_0.json", place / "metadata_00.json")
    with pytest.raises(InvalidMetadata, match=r"metadata_0\.json.*metadata_00\.json"):
        load(place)


@pytest.mark.parametrize("name", ["metadata_final.json", "study.json", "a.csv"])
def test_a_metadata_file_with_an_invalid_name_is_rejected(write: Callable[..., Path], name: str) -> None:
    place = write()
    if not (place / name).exists():
        (place / "metadata_0.json").rename(place / name)
    with pytest.raises(InvalidMetadata, match=r"Rename it to metadata_<number>\.json"):
        load(place / name)


def test_utf_16_is_rejected(write: Callable[..., Path]) -> None:
    place = write(json.dumps(study()).encode("utf-16"))
    with pytest.raises(InvalidMetadata, match=r"metadata_0\.json: the file is encoded in UTF-16\. Save it as UTF-8"):
        load(place)


def test_a_symlink_loop_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "metadata_0.json").symlink_to("metadata_0.json")
    with pytest.raises(DataMissing, match=r"metadata_0\.json cannot be read: "):
        load(tmp_path)


def test_the_audit_reports_unusable_data_files(write: Callable[..., Path]) -> None:
    audit = audit_studies(write(described("../a.csv", "folder", "b.csv")))
    assert len(audit.problems) == 3
    assert "is not inside the folder" in audit.problems[0]
