"""`discoverybench data describe`: drafts of metadata files."""

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.command_line import completed, failed, refused

TABLE = pd.DataFrame(
    {
        "the place": ["island", "mainland", "island"],
        "height": [1.5, 2.0, None],
        "visits": [3, None, 5],
        "open": [True, False, True],
        "notes": [None, None, None],
    }
)
COLUMNS = {
    "the place": ("text", "island, mainland"),
    "height": ("number", "1.5, 2.0"),
    "visits": ("integer", "3, 5"),
    "open": ("boolean", "True, False"),
    "notes": ("empty", ""),
}
"""Type and examples of each column."""


def drafted(path: str = "metadata_0.json") -> dict[str, dict[str, tuple[str, str]]]:
    """Type and examples of the columns of each file of a draft."""
    content = json.loads(Path(path).read_text("utf-8"))
    files = {}
    for file in content["datasets"]:
        files[file["name"]] = {column["name"]: (column["type"], column["examples"]) for column in file["columns"]}
    return files


@pytest.mark.parametrize("name", ["visits of 2024.csv", "visits.tsv", "semicolons.csv", "visits.parquet"])
def test_columns_are_described_with_types_and_examples(name: str) -> None:
    separators = {"visits.tsv": "\t", "semicolons.csv": ";"}
    if name.endswith(".parquet"):
        TABLE.to_parquet(name)
    else:
        TABLE.to_csv(name, index=False, sep=separators.get(name, ","))
    output = completed(f"data describe '{name}'")
    assert f"{name}: 5 columns" in output
    assert drafted()[name] == COLUMNS

    # The audit finds every described column in the data file. What the draft lacks is goals.
    audit = completed("data audit --path metadata_0.json")
    assert "metadata files without goals" in audit
    assert "missing" not in audit


def test_labels_of_a_stata_file_become_descriptions() -> None:
    table = pd.DataFrame({"place": ["island", "mainland"], "height": [1.5, 2.0]})
    table.to_stata("visits.dta", variable_labels={"height": "Height in metres"}, write_index=False)
    completed("data describe visits.dta")
    [file] = json.loads(Path("metadata_0.json").read_text("utf-8"))["datasets"]
    descriptions = {column["name"]: column["description"] for column in file["columns"]}
    assert descriptions == {"place": "", "height": "Height in metres"}


def test_several_files_keep_their_paths_and_a_filled_draft_is_a_study() -> None:
    for name in ("north/visits.csv", "south/visits.csv", "notes.txt"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("x,y\n1,2\n", "utf-8")
    output = completed("data describe north/visits.csv south/visits.csv notes.txt")
    assert "notes.txt: its columns are not read here" in output
    assert [*drafted()] == ["north/visits.csv", "south/visits.csv", "notes.txt"]

    draft = Path("metadata_0.json")
    content = json.loads(draft.read_text("utf-8"))
    query = {"qid": 0, "question": "Why?", "question_type": "general", "true_hypothesis": "So."}
    draft.write_text(json.dumps({**content, "queries": [query]}), "utf-8")
    audit = completed("data audit --path .")
    assert "without goals" not in audit


def test_a_draft_without_goals_is_enough_for_ask_and_its_columns_are_audited() -> None:
    Path("visits.csv").write_text("x,y\n1,2\n", "utf-8")
    completed("data describe visits.csv")
    options = "--sandbox local --model discoverybench/baseline"
    output = completed(f"ask --metadata metadata_0.json --goal 'How does y depend on x?' {options}")
    assert "This answer is not scored" in output
    renamed = Path("metadata_0.json").read_text("utf-8").replace('"x"', '"z"')
    Path("metadata_0.json").write_text(renamed, "utf-8")
    audit = failed("data audit --path metadata_0.json")
    assert "described columns that are missing" in audit


def test_a_metadata_file_is_not_overwritten() -> None:
    Path("visits.csv").write_text("x,y\n1,2\n", "utf-8")
    Path("metadata_0.json").write_text("{}", "utf-8")
    assert "metadata_0.json exists. Move it" in refused("data describe visits.csv")
    assert Path("metadata_0.json").read_text("utf-8") == "{}"

    completed("data describe visits.csv --out metadata_1.json")
    assert [*drafted("metadata_1.json")] == ["visits.csv"]


def test_a_draft_is_a_metadata_file_in_the_folder_of_its_data() -> None:
    Path("visits.csv").write_text("x,y\n1,2\n", "utf-8")
    assert "invalid name of a metadata file" in refused("data describe visits.csv --out draft.json")
    assert "Use --out " in refused("data describe visits.csv --out folder/metadata_0.json")
    assert "no folder in common" in refused("data describe visits.csv /etc/hostname")


def test_the_name_that_is_suggested_for_another_draft_can_be_used() -> None:
    """The data may be in another folder than the one in which the command is run."""
    Path("my studies").mkdir()
    for name in ("visits.csv", "metadata_0.json", "metadata_1.json"):
        Path("my studies", name).write_text("x,y\n1,2\n", "utf-8")
    message = refused("data describe 'my studies/visits.csv'")
    _, _, option = message.partition("such as ")
    completed(f"data describe 'my studies/visits.csv' {option}")
    assert [*drafted("my studies/metadata_2.json")] == ["visits.csv"]
