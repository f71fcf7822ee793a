"""The placebo: the same tables without associations, written in the style of the original files."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai import Task, eval_retry, eval_set
from inspect_ai import eval as inspect_eval
from inspect_ai.event import ModelEvent
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import SolverSpec

import inspect_discoverybench.dataset
from inspect_discoverybench import custom, demo, real
from inspect_discoverybench.dataset.release import file_checksum
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.splits import released_samples
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.errors.exceptions import DataError, InvalidArgument
from tests.dataset.studies import CHANCE, COLUMNS, QUERY, study, write_study

DEMO = Path(inspect_discoverybench.dataset.__file__).parent / "demo"
JUDGE = {"grader": "discoverybench/lexical"}
GOLD = SolverSpec("discoverybench/gold")


def described(name: str) -> dict[str, Any]:
    """The description of a data file with the columns x and y."""
    return {"name": name, "columns": COLUMNS}


def stata(table: pd.DataFrame) -> bytes:
    file = BytesIO()
    table.to_stata(file, write_index=False)
    return file.getvalue()


def bare(name: str) -> dict[str, Any]:
    """The description of a data file without columns."""
    return {"name": name, "columns": []}


def files_of(task: Task) -> dict[str, Path]:
    """The data files of the first sample, by name."""
    files = task.dataset[0].files or {}
    return {name: Path(path) for name, path in files.items()}


def demo_table(study_name: str, seed: int | None = None) -> pd.DataFrame:
    [folder] = DEMO.glob(f"{study_name}_*")
    task = custom(path=str(folder), sandbox="local", placebo=seed)
    file = files_of(task)["data.csv"]
    return pd.read_csv(file)


def marginals(table: pd.DataFrame) -> dict[str, list[str]]:
    """The values of each column, in order."""
    return {column: sorted(table[column].map(repr)) for column in table.columns}


def association(table: pd.DataFrame, cause: str, effect: str) -> float:
    numbers = table[cause].replace({"no": 0, "yes": 1}).astype(float)
    return numbers.corr(table[effect])


@pytest.mark.parametrize(
    ("study_name", "cause", "effect"),
    [
        ("beekeeping", "flowering_hectares", "honey_yield_kg"),
        ("river-ice", "year", "ice_breakup_day"),
        ("ferry-operations", "bow_thruster", "docking_minutes"),
    ],
)
def test_a_gold_hypothesis_is_no_longer_supported(study_name: str, cause: str, effect: str) -> None:
    original = demo_table(study_name)
    placebo = demo_table(study_name, seed=1)
    assert abs(association(original, cause, effect)) > 0.6
    # Without an association, a correlation in 260 rows exceeds this in 2 of 100 cases (t = 2.4).
    assert abs(association(placebo, cause, effect)) < 0.15
    assert list(placebo) == list(original)
    assert marginals(placebo) == marginals(original)

    # The same seed gives the same placebo.
    assert demo_table(study_name, seed=1).equals(placebo)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b'x,"the, y"\r\n1,"a ""b"""\r\n,\r\n3,"two\r\nlines"\r\n\r\n"4",5\r\n', id="quotes, empty cells"),
        pytest.param("x\tä\n1\té\n2\tü\n3\t4".encode("cp1252"), id="tabs in Windows-1252, no last line break"),
        pytest.param("\ufeffx;y\n1,5;ß\n2,5;日本\n3,5;NA\n".encode(), id="semicolons and a byte-order mark"),
        pytest.param(b'x,y\n5" pipe,1\n6" pipe,2\n7 pipe,3\n', id="quotation marks inside of values"),
    ],
)
def test_the_style_of_a_file_stays(tmp_path: Path, content: bytes) -> None:
    folder = write_study(tmp_path / "mine")
    (folder / "a.csv").write_bytes(content)
    header = content.splitlines()[0]
    contents = set()
    for seed in range(1, 9):
        task = custom(path=str(folder), sandbox="local", placebo=seed)
        file = files_of(task)["a.csv"]
        permuted = file.read_bytes()
        contents.add(permuted)
        assert sorted(permuted) == sorted(content)
        assert permuted.startswith(header)
        assert permuted[-1:].isspace() == content[-1:].isspace()
    assert len(contents) > 2  # few rows have few permutations, and some seeds have the same


TABLE = described("a.csv")
TREE = {"name": "tree.txt", "columns": []}


def test_a_placebo_is_named_and_recorded(tmp_path: Path) -> None:
    table = "x,y\n" + "1,2\n3,4\n" * 20  # so many rows that the permuted file is not equal by chance
    folder = write_study(tmp_path / "mine", study(datasets=[TABLE, TREE]), table)
    (folder / "tree.txt").write_text("(a,b);", "utf-8")
    original = custom(path=str(folder), sandbox="local")
    task = custom(path=str(folder), sandbox="local", placebo=7)
    assert task.name == "discoverybench/custom_placebo"
    assert task.display_name == "DiscoveryBench custom (mine), placebo 7"
    assert task.version == f"{original.version}+placebo"

    sample = task.dataset[0]
    original_sample = original.dataset[0]
    assert sample.target == original_sample.target
    assert sample.input == original_sample.input
    files = files_of(task)
    checksums = {name: file_checksum(path) for name, path in files.items()}
    assert sample.metadata
    assert sample.metadata["data_checksums"] == checksums
    assert (original_sample.metadata or {})["data_checksums"] != checksums
    assert files["a.csv"] != folder / "a.csv"
    assert files["tree.txt"] == folder / "tree.txt"
    assert sample.metadata["unpermuted_files"] == ("tree.txt",)
    assert task.metadata
    assert task.metadata["unpermuted_files"] == ["mine/tree.txt"]


@pytest.mark.usefixtures("slow")
def test_an_eval_set_tells_a_placebo_from_the_data_and_a_retry_makes_its_files_again(tmp_path: Path) -> None:
    [path] = DEMO.glob("river-ice_*")
    original = custom(path=str(path), sandbox="local")
    placebo = custom(path=str(path), sandbox="local", placebo=1)
    folder = str(tmp_path / "set")
    complete, logs = eval_set([original, placebo], folder, model="none", solver=GOLD, model_roles=JUDGE)
    assert complete
    names = [log.eval.task for log in logs]
    assert sorted(names) == ["discoverybench/custom", "discoverybench/custom_placebo"]

    file = files_of(placebo)["data.csv"]
    file.write_text("changed", "utf-8")
    [failed] = inspect_eval(placebo, model="none", solver=GOLD, model_roles=JUDGE)
    assert failed.error
    assert "data.csv differs from the file that was checked" in failed.error.message
    [retried] = eval_retry(failed)
    assert retried.status == "success"
    assert retried.eval.task == "discoverybench/custom_placebo"


def with_file(folder: Path, file: Mapping[str, Any], content: bytes) -> Path:
    """Add a data file to a study with the table `a.csv`."""
    write_study(folder, study(datasets=[TABLE, file]))
    (folder / file["name"]).write_bytes(content)
    return folder


@pytest.mark.parametrize(
    ("file", "content", "reason"),
    [
        pytest.param(described("b.xlsx"), b"PK\x03\x04", "a .xlsx file", id="spreadsheet"),
        pytest.param(described("b"), b"x,y\n1,2\n", "a file without a suffix", id="no suffix"),
        pytest.param({"name": "b.parquet", "columns": []}, b"PAR1", "a .parquet file", id="no described columns"),
        pytest.param(described("b.txt"), b"(a,b);", "no described column is in its first row", id="no table"),
        pytest.param(described("b.csv"), b"x y\n1 2\n3 4\n", "no described column", id="separated by spaces"),
        pytest.param(described("b.csv"), b"x|y\n1|2\n3|4\n", "no described column", id="separated by bars"),
        pytest.param(bare("b.csv"), b"x|y\n1|2\n3|4\n", "seems to be a table", id="bars, without columns"),
        pytest.param(bare("b.csv"), b"x y\n1 2\n3 4\n5 6\n", "seems to be a table", id="spaces, without columns"),
        pytest.param(
            {"name": "b.csv", "columns": [{"name": "x|y"}]}, b"x|y\n1|2\n3|4\n", "seems to be a table", id="one column"
        ),
        pytest.param(bare("b.txt"), b"x|y\nmen|yes\nall|no\n", "seems to be a table", id="text between bars"),
        pytest.param(bare("b.dat"), b"x  y\n1  2\n3  4\n5  6\n", "seems to be a table", id="text with spaces"),
        pytest.param(bare("b.dat"), b'x y\n"1" 1 2\n"2" 3 4\n"3" 5 6\n', "seems to be a table", id="text of R"),
        pytest.param(bare("b.txt"), b"x;y\n1;2\n3;4\n5\n", "seems to be a table", id="truncated, without columns"),
        pytest.param(bare("b.dat"), "x\ty\n1\t2\n3\t4\n".encode("utf-16"), "is no text file", id="utf-16, no columns"),
        pytest.param(described("b.txt"), b"x\ty\n1\t2\n3\n", "line 3 has 1 values", id="truncated"),
        pytest.param(described("b.txt"), "x\ty\n1\t2\n".encode("utf-16"), "is no text file", id="utf-16"),
        pytest.param(described("b.csv"), b"x,y\n1,2\n", "it has only one row", id="one row"),
        pytest.param(described("b.dta"), stata(pd.DataFrame({"x": [1], "y": [2]})), "only one row", id="one of Stata"),
        pytest.param(described("b.dta"), b"x,y\n1,2\n", "is no Stata file", id="no file of Stata"),
        pytest.param(described("b.dta"), b"<stata_dta><header><release>118</release>", "damaged", id="cut off"),
    ],
)
def test_a_data_file_that_would_keep_its_associations_is_refused_by_name(
    tmp_path: Path, file: Mapping[str, Any], content: bytes, reason: str
) -> None:
    folder = with_file(tmp_path / "mine", file, content)
    # Some broken files are refused by a `DataError`, also without a placebo; the others by an `InvalidArgument`.
    with pytest.raises((DataError, InvalidArgument)) as refusal:
        custom(path=str(folder), sandbox="local", placebo=1)
    assert f"mine/{file['name']}" in str(refusal.value)
    assert reason in str(refusal.value)


def test_a_study_without_tables_has_no_placebo(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "mine", study(datasets=[TREE]))
    (folder / "tree.txt").write_text("(a,b);", "utf-8")
    with pytest.raises(InvalidArgument, match=r"tree.txt of custom/mine/0/0 \(no table\)"):
        custom(path=str(folder), sandbox="local", placebo=1)


@pytest.mark.parametrize(
    "text",
    [
        "(a:0.1,b:0.2);",
        "#NEXUS\nbegin trees;\n translate\n 1 Homo,\n 2 Pan;\nend;\n",
        "1 = North\n2 = Other\n3 = Other\n",
        "Data of 2020, from 3 sites.\n\nWe measured 20 plants, on 30 days, at 2 places.\nSee the paper.\n",
    ],
    ids=["a tree", "named trees", "codes", "prose"],
)
def test_a_text_that_is_no_table_stays(tmp_path: Path, text: str) -> None:
    folder = with_file(tmp_path / "mine", bare("b.txt"), text.encode())
    task = custom(path=str(folder), sandbox="local", placebo=1)
    assert (task.metadata or {})["unpermuted_files"] == ["mine/b.txt"]


@pytest.mark.parametrize("suffix", [".txt", ".tab", ".dat"])
@pytest.mark.parametrize("columns", [COLUMNS, []])
def test_a_table_in_a_text_file_is_permuted(tmp_path: Path, suffix: str, columns: list[Any]) -> None:
    numbers = np.random.default_rng(0).normal(size=60)
    table = pd.DataFrame({"x": numbers, "y": 2 * numbers})
    content = table.to_csv(sep="\t", index=False).encode()
    folder = with_file(tmp_path / "mine", {"name": f"survey{suffix}", "columns": columns}, content)
    permuted = files_of(custom(path=str(folder), sandbox="local", placebo=1))[f"survey{suffix}"]
    assert abs(association(pd.read_csv(permuted, sep="\t"), "x", "y")) < CHANCE


def keys_of(task: Task) -> list[set[str]]:
    """The keys of the score of each sample."""
    [log] = inspect_eval(task, model="none/none", solver=GOLD, model_roles=JUDGE)
    assert log.status == "success", log.error
    keys = []
    for sample in log.samples or []:
        assert sample.scores
        keys.append(set(sample.scores["HMS"].as_dict()))
    return keys


def test_the_file_of_an_earlier_run_is_written_again_only_if_it_has_changed(tmp_path: Path) -> None:
    study_folder = str(write_study(tmp_path / "mine"))

    def file_of_run() -> Path:
        [file] = files_of(custom(path=study_folder, sandbox="local", placebo=1)).values()
        return file

    first = file_of_run()
    permuted = first.read_bytes()
    # The file is not written again: in a shared cache folder, it may belong to another user.
    inode = first.stat().st_ino
    assert file_of_run() == first
    assert first.stat().st_ino == inode

    first.write_bytes(b"changed")
    assert file_of_run().read_bytes() == permuted


def test_a_study_can_say_that_its_gold_hypothesis_survives_the_permutation(tmp_path: Path) -> None:
    surviving = {**QUERY, "qid": 1, "true_hypothesis": "X is 2 on average.", "survives_permutation": True}
    write_study(tmp_path, study(queries=[QUERY, surviving]))
    # On a placebo, the judge is not asked about the claim of the second goal.
    ordinary, left_out = keys_of(custom(path=str(tmp_path), placebo=1, sandbox="local"))
    assert ordinary - left_out == {"claim"}
    # On the data, the judge is asked about the claim of both.
    assert all("claim" in keys for keys in keys_of(custom(path=str(tmp_path), claim=True, sandbox="local")))


@pytest.mark.usefixtures("upstream")
def test_which_gold_hypotheses_of_the_release_survive() -> None:
    surviving: Counter[tuple[str, str]] = Counter()
    marks: dict[tuple[str, str], set[bool]] = defaultdict(set)
    for sample in released_samples("real", "all", Hints()):
        metadata = SampleMetadata.model_validate(sample.metadata)
        surviving[metadata.split, metadata.dataset] += metadata.survives_permutation
        marks[metadata.dataset, metadata.gold_hypothesis].add(metadata.survives_permutation)
    assert +surviving == {  # without the data sets that have none
        ("test", "meta_regression"): 22,
        ("test", "meta_regression_raw"): 15,
        ("test", "nls_incarceration"): 5,
        ("test", "requirements_engineering_for_ML_enabled_systems"): 15,
        ("test", "worldbank_education_gdp_indicators"): 6,
    }
    # Goals with the same gold hypothesis and the same data have the same mark.
    assert all(len(values) == 1 for values in marks.values())
    lite = released_samples("real", "lite", Hints())
    assert sum((sample.metadata or {})["survives_permutation"] for sample in lite) == 12


@pytest.mark.usefixtures("upstream", "slow")
def test_of_all_files_of_db_real_only_the_phylogenetic_tree_of_16_goals_stays() -> None:
    task = real(split="all", placebo=1)
    tree = "phylogenetic_tree.txt"
    assert (task.metadata or {})["unpermuted_files"] == [f"introduction_pathways_non-native_plants/{tree}"]
    unpermuted = [(sample.metadata or {})["unpermuted_files"] for sample in task.dataset]
    assert Counter(unpermuted) == {(tree,): 16, (): 264 - 16}


def rises(table: pd.DataFrame, before: str, after: str) -> bool:
    return bool(table[after].mean() > table[before].mean())


@pytest.mark.usefixtures("upstream")
@pytest.mark.parametrize(
    ("before", "after"),
    [("fisr", "fiso"), ("power.o", "power_planned.r"), ("author_citations_avg.r", "author_citations_avg.o")],
)
def test_a_comparison_of_the_means_of_two_columns_holds_on_a_placebo(before: str, after: str) -> None:
    """A permutation keeps the mean of each column. So a hypothesis that one mean is above the other still holds."""
    for seed in (None, 1, 2):  # the data, and two placebos
        [path, *_] = files_of(real(dataset="meta_regression", placebo=seed)).values()
        assert rises(pd.read_csv(path), before, after)


@pytest.mark.usefixtures("upstream")
def test_a_share_in_a_subgroup_does_not_hold_on_a_placebo() -> None:
    """A permutation of the column gives each subgroup about the share of the whole table."""

    def share_of_cash(seed: int | None) -> float:
        [path, *_] = files_of(real(dataset="meta_regression", placebo=seed)).values()
        table = pd.read_csv(path)
        economics = table[table["project.x"] == "Experimental Economics"]
        return float((economics["compensation.r"] == "cash").mean())

    assert share_of_cash(None) == 1
    assert all(share_of_cash(seed) < 0.8 for seed in (1, 2))


@pytest.mark.usefixtures("upstream")
def test_a_trend_over_the_years_holds_on_a_placebo_if_each_year_is_a_column_of_two_rows() -> None:
    """Each table has two rows, one for each group of countries, and a column for each year.

    A permutation of a column can only exchange the two groups in that year. So the values of both tables still rise
    from year to year, and are correlated.
    """

    def by_group_and_year(path: Path) -> pd.Series:
        table = pd.read_csv(path).drop(columns="Country Group").set_index("Country Code")
        assert len(table) == 2
        values = table.stack()
        # For mypy: `stack` returns a table instead if the columns have several levels.
        assert isinstance(values, pd.Series)
        return values

    for seed in (None, 1, 2):  # the data, and two placebos
        files = files_of(real(dataset="worldbank_education_gdp_indicators", placebo=seed))
        [income] = [by_group_and_year(path) for name, path in files.items() if "GNI_per_capita" in name]
        [enrollment] = [by_group_and_year(path) for name, path in files.items() if "School_enrollment_primary" in name]
        paired = pd.DataFrame({"income": income, "enrollment": enrollment}).dropna().rank()
        assert paired["income"].corr(paired["enrollment"]) > 0.5


def test_a_seed_is_a_positive_integer() -> None:
    with pytest.raises(InvalidArgument, match="placebo must be a positive integer, got 0"):
        custom(path=str(DEMO), sandbox="local", placebo=0)


@pytest.mark.usefixtures("upstream")
def test_files_of_stata_stay_files_of_stata() -> None:
    folder = "immigration_offshoring_effect_on_employment"
    original = files_of(real(split="train", dataset=folder))
    permuted = files_of(real(split="train", dataset=folder, placebo=3))
    assert len(original) == 2
    for name, path in original.items():
        before = pd.read_stata(path)
        after = pd.read_stata(permuted[name])
        assert before.dtypes.equals(after.dtypes)
        assert not before.equals(after)
        assert marginals(before) == marginals(after)


LOOK = """
import hashlib, json, os, pathlib, re, sys, time
seen = {
    "listed": os.listdir(),
    "files": sorted(
        (str(path), path.stat().st_size, oct(path.stat().st_mode), path.stat().st_uid, path.stat().st_nlink)
        for path in pathlib.Path().rglob("*")
    ),
    "order of times": sorted(os.listdir(), key=lambda name: os.stat(name).st_mtime_ns),
    "all are recent": all(os.stat(name).st_mtime > time.time() - 600 for name in os.listdir()),
    "attributes": [os.listxattr(name) for name in os.listdir()] if hasattr(os, "listxattr") else [],
    # The working folder has a random name.
    "environment": sorted((name, len(value)) for name, value in os.environ.items()),
    "arguments": sys.argv,
    "modules": sorted(name for name in sys.modules if "discovery" in name),
    "folder": [part for part in pathlib.Path.cwd().parts if "tmp" not in part],
    "headers": [open(name, "rb").readline().decode() for name in sorted(os.listdir())],
    "cells": [hashlib.md5(bytes(sorted(open(name, "rb").read()))).hexdigest() for name in sorted(os.listdir())],
}
"""

LOOK_AROUND = """
seen["mounts"] = sorted(line.split()[4] for line in open("/proc/self/mountinfo"))
commands = [path.read_text() for path in pathlib.Path("/proc").glob("[0-9]*/cmdline")]
# The session's folder has a random name.
seen["commands"] = sorted(re.sub("discoverybench-[a-z0-9_]+", "folder", command) for command in commands)
seen["other folders"] = [sorted(os.listdir(folder)) for folder in ("/", "/home", "/mnt", "/srv", "/opt")]
seen["temporary files"] = len(os.listdir("/tmp"))
seen["host name"] = len(os.uname().nodename)
"""
"""Only in a container: on this machine, other programs change what it shows."""

PRINT = """
print(json.dumps(seen))
"""


def look(task: Task, code: str) -> tuple[str, list[Any]]:
    """What an agent can see of the first sample: the output of the code, and everything that its model gets."""
    outputs = [
        ModelOutput.for_tool_call("mockllm/model", "python", {"code": code}),
        ModelOutput.for_tool_call("mockllm/model", "submit", {"hypothesis": "None holds.", "workflow": "1. look"}),
    ]
    for output in outputs:
        # Inspect would count tokens with a tokenizer that it downloads.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    model = get_model("mockllm/model", custom_outputs=outputs)
    [log] = inspect_eval(task, model=model, model_roles=JUDGE, limit=1)
    assert log.status == "success", log.error
    [sample] = log.samples or []
    [printed] = [message.text for message in sample.messages if message.role == "tool" and message.function == "python"]
    first, *_ = [event for event in sample.events if isinstance(event, ModelEvent) and event.model == "mockllm/model"]
    messages = [(message.role, message.text) for message in first.input]
    return printed, [messages, first.tools, first.tool_choice, first.config]


@pytest.mark.usefixtures("engine")
def test_nothing_in_a_container_tells_a_placebo_from_the_data() -> None:
    require_the_same_view("docker", LOOK + LOOK_AROUND + PRINT)


def test_nothing_that_an_agent_sees_tells_a_placebo_from_the_data() -> None:
    require_the_same_view("local", LOOK + PRINT)


def require_the_same_view(sandbox: str, code: str) -> None:
    data, request = look(demo(sandbox=sandbox), code)
    placebo, request_of_placebo = look(demo(sandbox=sandbox, placebo=3), code)
    assert request == request_of_placebo
    assert "listed" in data
    assert "placebo" not in placebo
    # Names, sizes, permissions, order, times, environment, headers, and the characters of each file in any order.
    for found, expected in zip(json.loads(placebo).items(), json.loads(data).items(), strict=True):
        assert found == expected
