"""Studies of one's own: the example of the guide, and every way to get one wrong."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval

from inspect_discoverybench import custom
from inspect_discoverybench.dataset import splits
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


def test_the_example_of_the_guide_runs_to_a_score() -> None:
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


def test_the_gold_of_the_example_scores_one() -> None:
    task = custom(path=str(EXAMPLE), sandbox="local", domain_knowledge=True)
    log = inspect_eval(task, model="mockllm/model", solver=gold(), model_roles=ROLES)[0]
    assert log.samples
    assert log.samples[0].scores
    assert log.samples[0].scores["HMS"].as_dict()["hms"] == 1
    assert "ferry only" in str(log.samples[0].input)


def test_a_file_a_folder_and_a_folder_of_folders_are_the_same_study(write: Callable[..., Path]) -> None:
    place = write()
    texts = [load(path)[0].input for path in (place / "metadata_0.json", place, place.parent)]
    assert texts[0] == texts[1] == texts[2]


def test_gold_from_an_answer_key(write: Callable[..., Path], tmp_path: Path) -> None:
    hidden = study(queries=[{"qid": 4, "question": "Why?", "question_type": "general"}])
    place, key = write(hidden), tmp_path / "key.csv"
    with key.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["dataset", "metadataid", "query_id", "gold_hypo"], ["mine", 0, 4, "So."]])
    assert load(place, answer_key=key)[0].target == "So."
    with pytest.raises(InvalidMetadata, match="qid 4 has no true_hypothesis; write it there, or give an answer key"):
        load(place)


def test_a_missing_hint_is_noted_and_leaves_no_heading(write: Callable[..., Path], tmp_path: Path) -> None:
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
    (None, "x,y\n1,2\n3", UnreadableTable, r"a\.csv: line 3 has 1 values, but there are 2 columns; .* cut off"),
    (None, 'x,y\n1,2\n3,"4', UnreadableTable, r"a\.csv: line 3: .*; the file may be cut off"),
    (None, "", UnreadableTable, r"a\.csv: the file is empty"),
    (b'{"domain": "\x81"}', "x\n", InvalidMetadata, r"metadata_0\.json: byte 12 is neither UTF-8 nor Windows-1252"),
    (b"{", "x\n", InvalidMetadata, r"metadata_0\.json: the file: Invalid JSON"),
    (
        study(queries=[study()["queries"][0]] * 2),
        "x,y\n",
        InvalidMetadata,
        r"metadata_0\.json: .*two queries have the qid 0; give each its own",
    ),
    (
        study(datasets=[{"name": "b.csv", "columns": []}]),
        "x,y\n",
        DataMissing,
        r"b\.csv: the metadata describe this data file, but it is not there",
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
def test_what_is_wrong_has_an_error_of_its_own_and_nothing_is_loaded(
    write: Callable[..., Path], tmp_path: Path, metadata: Any, table: str, error: type[DataError], message: str
) -> None:
    write(folder="good")
    write(metadata, table, folder="broken")
    with pytest.raises(error, match=message):
        load(tmp_path)


def test_an_empty_folder_and_no_folder(tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match=r"no metadata_<number>\.json in this folder or in a subfolder"):
        load(tmp_path)
    with pytest.raises(InvalidArgument, match=r"path=.*nowhere: no such file or folder"):
        load(tmp_path / "nowhere")
