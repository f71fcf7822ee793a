"""The placebo: the same tables without associations, written in the style of the original files."""

import hashlib
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from inspect_ai import Task, eval_retry, eval_set
from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log
from inspect_ai.solver import SolverSpec

import inspect_discoverybench.dataset
from inspect_discoverybench import custom, real, synth
from inspect_discoverybench.errors.exceptions import InvalidArgument
from tests.dataset.studies import study, write_study

DEMO = Path(inspect_discoverybench.dataset.__file__).parent / "demo"
GOLD = SolverSpec("discoverybench/gold")
LEXICAL = {"grader": "discoverybench/lexical"}


def files_of(task: Task) -> dict[str, Path]:
    """The data files of all samples, by folder and name."""
    files = {}
    for sample in task.dataset:
        for name, path in (sample.files or {}).items():
            files[f"{(sample.metadata or {})['dataset']}/{name}"] = Path(path)
    return files


def demo_table(study_name: str, placebo: int | None = None) -> pd.DataFrame:
    task = custom(path=str(DEMO / f"{study_name}_0_0"), sandbox="local", placebo=placebo)
    [path] = files_of(task).values()
    return pd.read_csv(path)


def docking_difference(table: pd.DataFrame) -> float:
    """Minutes that ships without a bow thruster need more, of 14.5."""
    means = table.groupby("bow_thruster").docking_minutes.mean()
    return float(means["no"] - means["yes"])


def breakup_trend(table: pd.DataFrame) -> float:
    return float(table["year"].corr(table.ice_breakup_day))


def nectar_yield(table: pd.DataFrame) -> float:
    return float(table.flowering_hectares.corr(table.honey_yield_kg))


def test_gold_values_are_no_longer_supported() -> None:
    assert docking_difference(demo_table("ferry-operations")) > 4
    assert abs(docking_difference(demo_table("ferry-operations", placebo=1))) < 0.8
    assert breakup_trend(demo_table("river-ice")) < -0.6
    assert abs(breakup_trend(demo_table("river-ice", placebo=1))) < 0.15
    assert nectar_yield(demo_table("beekeeping")) > 0.6
    assert abs(nectar_yield(demo_table("beekeeping", placebo=1))) < 0.15


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(
            b'x,"the, y"\r\n1,"a ""b"""\r\n,\r\n3,"two\r\nlines"\r\n\r\n"4",5\r\n', id="quotes and empty cells"
        ),
        pytest.param("x\tä\n1\té\n2\tü\n3\t4".encode("cp1252"), id="tabs in Windows-1252, no last line break"),
        pytest.param("\ufeffx;y\n1,5;ß\n2,5;日本\n3,5;NA\n".encode(), id="semicolons and a byte-order mark"),
        pytest.param(b'x,y\n5" pipe,1\n6" pipe,2\n7 pipe,3\n', id="quotation marks inside of values"),
    ],
)
def test_the_style_of_a_file_stays(tmp_path: Path, content: bytes) -> None:
    folder = write_study(tmp_path / "mine")
    (folder / "a.csv").write_bytes(content)
    contents = set()
    for seed in range(1, 9):
        [path] = files_of(custom(path=str(folder), sandbox="local", placebo=seed)).values()
        permuted = path.read_bytes()
        assert Counter(permuted) == Counter(content)
        assert len(permuted.splitlines()) == len(content.splitlines())
        assert permuted.partition(b"\n")[0] == content.partition(b"\n")[0]
        assert permuted.endswith(b"\n") == content.endswith(b"\n")
        contents.add(permuted)
    assert len(contents) > 2


def test_each_column_keeps_its_values_and_each_seed_its_file() -> None:
    original = demo_table("ferry-operations")
    permuted = demo_table("ferry-operations", placebo=7)
    assert list(permuted) == list(original)
    for column in original:
        assert Counter(permuted[column].astype(str)) == Counter(original[column].astype(str))
        assert not permuted[column].equals(original[column])
    assert demo_table("ferry-operations", placebo=7).equals(permuted)
    assert not demo_table("ferry-operations", placebo=8).equals(permuted)


def test_a_placebo_is_named_and_recorded(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "mine", study("a.csv", "tree.txt"), "x,y\n" + "1,2\n3,4\n" * 20)
    (folder / "tree.txt").write_text("(a,b);", "utf-8")
    plain = custom(path=str(folder), sandbox="local")
    task = custom(path=str(folder), sandbox="local", placebo=7)
    assert task.name == "discoverybench/custom_placebo"
    assert task.display_name == "DiscoveryBench custom (mine), placebo 7"
    assert task.version == f"{plain.version}+placebo"
    assert task.metadata is not None
    assert plain.metadata is not None
    assert task.metadata["placebo"] == 7
    assert task.metadata["provenance"]["data"] == plain.metadata["provenance"]["data"]

    [sample] = task.dataset
    assert sample.target == plain.dataset[0].target
    assert sample.input == plain.dataset[0].input
    assert sample.files is not None
    assert sample.metadata is not None
    assert (sample.metadata["placebo"], sample.metadata["unpermuted_files"]) == (7, ("tree.txt",))
    assert sample.files["tree.txt"] == str(folder / "tree.txt")
    for name, path in sample.files.items():
        assert sample.metadata["data_checksums"][name] == hashlib.sha256(Path(path).read_bytes()).hexdigest()


def test_an_eval_set_tells_a_placebo_from_the_data_and_a_retry_makes_its_files_again(tmp_path: Path) -> None:
    path = str(DEMO / "river-ice_0_0")
    tasks = [custom(path=path, sandbox="local"), custom(path=path, sandbox="local", placebo=1)]
    complete, logs = eval_set(tasks, str(tmp_path / "set"), model="none", solver=GOLD, model_roles=LEXICAL)
    assert complete
    assert {log.eval.task for log in logs} == {"discoverybench/custom", "discoverybench/custom_placebo"}

    [file] = files_of(tasks[1]).values()
    file.write_text("changed", "utf-8")
    [failed] = inspect_eval(tasks[1], model="none", solver=GOLD, model_roles=LEXICAL)
    assert failed.error
    assert "data.csv differs from the file that was checked" in failed.error.message
    file.unlink()
    [retried] = eval_retry(failed)
    assert retried.status == "success"
    [sample] = read_eval_log(retried.location).samples or []
    assert sample.metadata["placebo"] == 1
    assert sample.scores
    assert sample.scores["HMS"].as_dict()["hms"] == 1


@pytest.mark.parametrize("seed", ["seven", True, 0, 1.5])
def test_a_seed_is_a_positive_integer(seed: object) -> None:
    with pytest.raises(InvalidArgument, match=f"^placebo must be a positive integer, got {seed}"):
        custom(path=str(DEMO), sandbox="local", placebo=seed)  # type: ignore[arg-type]


@pytest.mark.usefixtures("upstream")
def test_the_released_tables_keep_their_marginals_also_in_stata_files() -> None:
    folder = "immigration_offshoring_effect_on_employment"
    original = files_of(real(split="train", dataset=folder))
    permuted = files_of(real(split="train", dataset=folder, placebo=3))
    assert len(original) == 2
    for name, path in original.items():
        before, after = pd.read_stata(path), pd.read_stata(permuted[name])
        assert before.dtypes.equals(after.dtypes)
        for column in before:
            assert before[column].sort_values().tolist() == pytest.approx(after[column].sort_values().tolist())
        with pd.read_stata(path, iterator=True) as first, pd.read_stata(permuted[name], iterator=True) as second:
            assert first.variable_labels() == second.variable_labels()

    fish = "evolution_freshwater_fish/body-size-evolution-in-south-american-freshwater-fishes.csv"
    for seed, is_supported in ((None, True), (3, False)):
        table = pd.read_csv(files_of(real(split="train", placebo=seed))[fish])
        correlation = table.MBL_evol.corr(table.BAMM_speciation)
        assert (abs(correlation) > 0.3) == is_supported, correlation


@pytest.mark.usefixtures("upstream")
def test_synthetic_tasks_have_a_placebo() -> None:
    task = synth(split="dev", dataset="ancient-civilizations_0_0", placebo=9)
    assert (task.name, task.display_name) == (
        "discoverybench/synth_placebo",
        "DiscoveryBench DB-SYNTH (dev), placebo 9",
    )
    [path] = files_of(task).values()
    [original] = files_of(synth(split="dev", dataset="ancient-civilizations_0_0")).values()
    assert path.read_bytes() != original.read_bytes()
    assert Counter(path.read_bytes()) == Counter(original.read_bytes())
