"""`discoverybench data audit` on custom studies."""

import gzip
import json
from pathlib import Path

import pytest

from inspect_discoverybench import custom
from tests.command_line import completed, discoverybench, failed, refused
from tests.dataset.studies import QUERY, study, write_study


def test_all_problems_are_reported_at_once() -> None:
    studies = Path("studies")
    without_gold = {"qid": 2, "question": "Why?", "question_type": "general"}
    write_study(studies / "four", study(queries=[without_gold]))
    write_study(studies / "one")
    write_study(studies / "three", study("gone.csv"))
    folder = write_study(studies / "two")
    metadata = folder / "metadata_0.json"
    metadata.write_bytes(b"\x81")

    output = failed("data audit --path studies", exit_code=2)
    no_gold, no_file, no_text = output.splitlines()
    assert "no gold hypothesis for custom/four/0/2" in no_gold
    assert "gone.csv" in no_file
    assert "two/metadata_0.json" in no_text


def test_a_key_and_a_column_that_occur_twice_are_found() -> None:
    folder = write_study(Path("mine"))
    metadata = folder / "metadata_0.json"
    content = metadata.read_text("utf-8")
    metadata.write_text(content.replace('"queries":', '"queries": [], "queries":'), "utf-8")
    output = refused("data audit --path mine")
    assert "mine/metadata_0.json: the key 'queries' occurs twice in one object" in output

    metadata.write_text(content, "utf-8")
    # The names of the last two columns differ only in a space.
    Path("key.csv").write_text("dataset,metadataid,query_id,gold_hypo,gold_hypo \nmine,0,0,So.,Not so.\n", "utf-8")
    output = refused("data audit --path mine --answer-key key.csv")
    assert "key.csv: the column 'gold_hypo' occurs twice" in output


def test_irregularities_are_listed_with_json() -> None:
    revealing = {
        "qid": 0,
        "question": "Does y rise with x by 3 in towns?",
        "question_type": "general",
        "true_hypothesis": "In towns y does rise with x by 3",
    }
    other_gold = {**revealing, "qid": 1, "true_hypothesis": "y falls."}
    metadata = study(queries=[revealing, other_gold])
    write_study(Path("one"), metadata, table="x\n1\n3\n")

    result = discoverybench("data audit --path one --json")
    facts = json.loads(result.stdout)["one"]
    [missing_column] = facts["described columns that are missing"]
    assert missing_column.endswith("one/metadata_0.json: a.csv: y")
    for name, items in (
        ("duplicate questions", ["custom/one/0/1"]),
        ("duplicates: different gold hypotheses", ["custom/one/0/0", "custom/one/0/1"]),
        ("questions that reveal the gold hypothesis", ["custom/one/0/0"]),
    ):
        assert facts[name] == items


def test_missing_and_repeated_columns_are_named() -> None:
    columns = [{"name": name, "description": "A column."} for name in ("x", "y", "y", "gone")]
    metadata = study(datasets=[{"name": "a.csv", "columns": columns}])
    # Without the space before it, the third column has the name of the first. The last two columns have no name.
    write_study(Path("one"), metadata, table="x,y, x,,\n1,2,3,4,5\n")
    result = discoverybench("data audit --path one")
    folder = Path("one").absolute()
    _, findings = result.stdout.split("Described columns that are missing:\n")
    assert findings.splitlines() == [
        f"  {folder}/metadata_0.json: a.csv: gone",
        "Columns that are described twice:",
        f"  {folder}/metadata_0.json: a.csv: y",
        "Columns with the name of another one:",
        f"  {folder}/a.csv: columns without a name",
        f"  {folder}/a.csv: x",
    ]


def test_unknown_and_misplaced_metadata_keys_are_named_and_those_that_we_know_are_not() -> None:
    # `raw`, `depth`, `max_depth`, `target_col` and `id` are keys of the release, and `masked_facet` of generated sets.
    columns = {"raw": [{"name": "x", "descriptions": "X.", "depth": 1}]}
    query = {**QUERY, "target_col": "y", "masked_facet": "context", "gold": "Because.", "domain_knowledge": "Tides."}
    metadata = study(
        datasets=[{"name": "a.csv", "columns": columns, "max_depth": 2, "url": "here"}],
        queries=[[query]],
        id=3,
        tags="",
        survives_permutation=True,
    )
    write_study(Path("one"), metadata)
    output = completed("data audit --path one")
    place = f"  {Path('one').absolute()}/metadata_0.json"
    _, keys = output.split("Unknown metadata keys:\n")
    assert keys.splitlines() == [
        f"{place}: datasets.0.columns.0.descriptions. Did you mean description?",
        f"{place}: datasets.0.url.",
        f"{place}: queries.0.domain_knowledge. It belongs to the top level or datasets.",
        f"{place}: queries.0.gold.",
        f"{place}: survives_permutation. It belongs to queries.",
        f"{place}: tags.",
    ]


def test_a_required_key_that_is_misspelled_is_named_where_it_is_missed() -> None:
    metadata = study(datasets=[{"name": "a.csv", "column": []}])
    write_study(Path("one"), metadata)
    for command in ("data audit --path one", "ask --metadata one/metadata_0.json --goal Why? --model none"):
        message = refused(command)
        assert "datasets.0.columns: Field required." in message
        assert "Unknown keys: datasets.0.column. Did you mean columns?" in message


def with_file(name: str, content: bytes) -> Path:
    """Write a study with a data file beside the table `a.csv`."""
    folder = write_study(Path("one"), study("a.csv", name))
    file = folder / name
    file.write_bytes(content)
    return file.absolute()


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("b.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Excel 97 needs xlrd"),
        ("b.ZSAV", b"$FL2@(#)", "SPSS needs pyreadstat"),
        ("b.h5", b"\x89HDF\r\n\x1a\n", "HDF5 needs PyTables or h5py"),
        ("b.nc", b"\x89HDF\r\n\x1a\n", "NetCDF, version 4 needs netCDF4"),
        ("b.xpt", b"HEADER RECORD*******LIBV8   ", "SAS transport, version 8 needs pyreadstat"),
        ("b.rds", b"\x1f\x8b", "R needs pyreadr"),
    ],
)
def test_a_data_file_that_the_image_cannot_read_is_named_and_refused_by_the_task(
    name: str, content: bytes, reason: str
) -> None:
    file = with_file(name, content)
    output = failed("data audit --path one")
    heading = "Data files that the sandbox image cannot read:"
    assert f"{heading}\n  {file}: {reason}. Convert it to Parquet or CSV.\n" in output
    assert output.endswith("To be corrected: data files that the sandbox image cannot read (1).\n")

    message = refused("ask --metadata one/metadata_0.json --goal Why? --model none")
    assert f"The sandbox image cannot read {file} ({reason})." in message
    assert "-T image=NAME" in message


def test_a_data_file_that_the_image_cannot_read_is_accepted_for_another_image_or_this_machine() -> None:
    """What these can read is not known."""
    with_file("b.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    for task in (custom(path="one", image="mine:1"), custom(path="one", sandbox="local")):
        assert len(task.dataset) == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("b.nc", b"CDF\x01"),  # NetCDF, version 3
        ("b.parquet", b"PAR1"),
        ("b.csv", b"ORCID,PAR1\n1,2\n"),  # text that begins like the binary format ORC
        ("b.img", b"\0"),  # a suffix of no known format
        ("b", b"x"),
    ],
)
@pytest.mark.usefixtures("docker_command")
def test_a_data_file_that_the_image_reads_or_that_is_unknown_is_not_named(name: str, content: bytes) -> None:
    with_file(name, content)
    assert "cannot read" not in discoverybench("data audit --path one").output
    assert len(custom(path="one").dataset) == 1


@pytest.mark.parametrize(
    ("name", "content", "description"),
    [
        ("b.csv", gzip.compress(b"x,y\n", mtime=0), "its content begins like gzip"),
        ("b.csv", b"PK\x03\x04\0", "its content begins like Excel"),
        ("b.tsv", "x\ty\n".encode("utf-16"), "its content begins like UTF-16 text"),
        ("b.txt", "x\ty\n".encode("utf-16-be"), "its content is binary"),
        ("b.json", "{}".encode("utf-16"), "its content begins like UTF-16 text"),
        ("b.xlsx", b"x,y\n1,2\n", "its content is text"),
        ("b.xls", b"<html><table>", "its content is text"),
        ("b.parquet", b"", "it is empty"),
        ("b.dta", b"PK\x03\x04\0", "its content begins like Excel"),
    ],
)
def test_a_data_file_that_is_not_what_its_suffix_says_is_refused(name: str, content: bytes, description: str) -> None:
    file = with_file(name, content)
    for command in ("data audit --path one", "ask --metadata one/metadata_0.json --goal Why? --model none"):
        message = refused(command)
        assert f"{file} is no " in message
        assert f"although its name ends with {file.suffix}: {description}. Convert it" in message


def test_an_answer_key_without_its_studies_is_refused() -> None:
    message = refused("data audit --answer-key key.csv")
    assert message == "Error: --answer-key is for custom studies. Give their path, too."


@pytest.mark.parametrize("queries", [[QUERY], []])
def test_an_answer_key_among_the_data_files_is_found_with_and_without_goals(queries: list[dict[str, object]]) -> None:
    folder = write_study(Path("one"), study("a.csv", "key.csv", queries=queries))
    (folder / "key.csv").write_text("dataset,metadataid,query_id,gold_hypo\none,0,0,So.\n", "utf-8")
    message = refused("data audit one --answer-key one/key.csv")
    assert "key.csv is described as a data file but is the answer key" in message


def test_a_study_is_named_with_and_without_the_option() -> None:
    write_study(Path("one"))
    output = completed("data audit one")
    assert output == completed("data audit --path one")
    message = refused("data audit one --path one/metadata_0.json")
    assert message == "Error: one and --path one/metadata_0.json exclude one another. Pass one of them."


@pytest.mark.parametrize("options", ["", "--json"])
def test_the_exit_code_tells_errors_from_remarks(options: str) -> None:
    """A column that the agent is told of and that does not exist is an error; an unknown key is a remark."""
    columns = [{"name": name, "description": "A column."} for name in ("x", "y", "gone", "away")]
    write_study(Path("wrong"), study(datasets=[{"name": "a.csv", "columns": columns}]))
    result = discoverybench(f"data audit wrong {options}")
    assert result.exit_code == 1
    assert result.stderr == "To be corrected: described columns that are missing (2).\n"

    write_study(Path("odd"), study(tags=""))
    result = discoverybench(f"data audit odd {options}")
    assert result.exit_code == 0
    assert "tags." in result.stdout
    assert result.stderr == ""
