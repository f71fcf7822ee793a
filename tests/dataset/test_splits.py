"""DB-REAL and DB-SYNTH on the released files: counts, hints, filters and what each split needs."""

import shutil
from collections import Counter
from pathlib import Path

import draw_lite
import pytest

from inspect_discoverybench import real, synth
from inspect_discoverybench.dataset.custom import demo_samples
from inspect_discoverybench.dataset.filters import FieldFilter, select
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.splits import REAL, SYNTH, BenchmarkName, Split, released_samples
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.errors.exceptions import DataError, InvalidArgument

pytestmark = pytest.mark.usefixtures("upstream")


def metadata_of(benchmark: BenchmarkName, split: str) -> list[SampleMetadata]:
    samples = released_samples(benchmark, split, Hints())
    return [SampleMetadata.model_validate(sample.metadata) for sample in samples]


@pytest.mark.parametrize(("splits", "count"), [(REAL, 264), (SYNTH, 903)])
def test_all_splits_together_are_the_samples_of_each(splits: tuple[Split, ...], count: int) -> None:
    benchmark = splits[0].benchmark
    ids = []
    for split in splits:
        samples = released_samples(benchmark, split.name, Hints())
        ids += [sample.id for sample in samples]
    together = released_samples(benchmark, "all", Hints())
    assert [sample.id for sample in together] == ids
    assert len(set(ids)) == count
    for sample in together:  # all files were decoded in their own encodings
        assert "�" not in f"{sample.target}{sample.input}"


def test_hints_are_in_the_task_text_if_requested_and_where_a_task_has_them() -> None:
    plain = released_samples("real", "all", Hints())
    hinted = released_samples("real", "all", Hints(domain_knowledge=True, workflow_tags=True))
    for heading in ("## Domain knowledge", "## Workflow tags"):
        assert not [sample for sample in plain if heading in str(sample.input)]
        with_hint = [sample.id for sample in hinted if heading in str(sample.input)]
        assert "train/nls_bmi/0/0" in with_hint
    with pytest.raises(InvalidArgument, match="domain_knowledge=true: no sample has this hint"):
        demo_samples(Hints(domain_knowledge=True))


def test_gold_workflows_are_those_of_the_train_split() -> None:
    for goal in metadata_of("real", "all"):
        assert bool(goal.gold_workflow) == (goal.split == "train")


def test_the_folder_name_of_a_synthetic_data_set_ends_in_the_depth_of_its_target() -> None:
    levels = set()
    for metadata in metadata_of("synth", "all"):
        assert metadata.dataset.endswith(f"_{metadata.tree_level}")
        levels.add(metadata.tree_level)
    assert levels == {0, 1, 2, 3}


def test_the_answer_key_uses_the_number_in_the_file_name() -> None:
    """135 of 144 test files contain a different `id`; by that `id`, this file would have a different gold."""
    goals = metadata_of("real", "test")
    [goal] = [goal for goal in goals if goal.sample_id == "test/archaeology/12/0"]
    assert "Depots peaked" in goal.gold_hypothesis


def test_a_question_about_processed_and_raw_data_has_an_easy_and_a_hard_variant() -> None:
    goals = metadata_of("real", "test")
    by_id = {goal.sample_id: goal for goal in goals}
    hard_goals = [goal for goal in goals if goal.variant == "hard"]
    assert len(hard_goals) == 56
    for hard in hard_goals:
        easy = by_id[hard.duplicate_of or ""]
        assert easy.variant == "easy"

    # The easy and the hard variant of two questions have different gold hypotheses. Both variants are flagged.
    conflicting = [goal.sample_id for goal in goals if goal.conflicting_gold]
    assert conflicting == [
        "test/meta_regression/16/0",
        "test/meta_regression/16/1",
        "test/meta_regression_raw/16/0",
        "test/meta_regression_raw/16/1",
    ]


def test_the_lite_split_is_a_part_of_the_test_split_with_its_proportions() -> None:
    test = metadata_of("real", "test")
    lite = metadata_of("real", "lite")
    assert len(lite) == 48
    assert {goal.sample_id for goal in lite} < {goal.sample_id for goal in test}
    assert len({goal.gold_hypothesis for goal in lite}) == 48
    assert len({goal.goal.casefold() for goal in lite}) == 48

    datasets = Counter(goal.dataset for goal in lite)
    for name, count in Counter(goal.dataset for goal in test).items():
        assert abs(datasets[name] - count * 48 / 239) < 1
    types = Counter(goal.question_type for goal in lite)
    for name, count in Counter(goal.question_type for goal in test).items():
        # scripts/draw_lite.py rounds the share, and accepts a draw that differs from it by at most 1.
        assert abs(types[name] - count * 48 / 239) < 1.5

    # There are ten data sets. A run with `--limit` takes the first samples, which are of as many data sets as possible.
    assert len({goal.dataset for goal in lite[:5]}) == 5
    assert len({goal.dataset for goal in lite[:10]}) == 10
    # The largest data sets have 10 of the 48 goals. In proportion, that is 5 of 24.
    assert max(Counter(goal.dataset for goal in lite[:24]).values()) <= 6


def test_the_lite_split_is_the_draw_of_the_script() -> None:
    assert draw_lite.lite_ids() == [goal.sample_id for goal in metadata_of("real", "lite")]


def test_the_lite_split_can_be_filtered_and_has_a_name_of_its_own() -> None:
    task = real(split="lite", domain="biology", sandbox="local")
    assert len(task.dataset) == 3
    assert task.display_name == "DiscoveryBench DB-REAL (lite)"


def test_an_unknown_split_is_refused_with_the_names_of_the_splits() -> None:
    with pytest.raises(InvalidArgument, match=r"split=val is not a split of real\. .* train, test, lite, all"):
        real(split="val")
    with pytest.raises(InvalidArgument, match=r"split=val is not a split of synth\. .* train, dev, test, all"):
        synth(split="val")


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        # As `test_counts.py` counts them: all 153 but the 19 with a constant target column, and 18 and 4.
        ({"solvable": True}, 134),
        ({"difficulty": [3, 4]}, 22),
    ],
)
def test_filters_select_samples(filters: dict[str, FieldFilter], count: int) -> None:
    samples = released_samples("synth", "dev", Hints())
    assert len(select(samples, filters)) == count


def test_a_filter_that_selects_nothing_lists_the_possible_values() -> None:
    with pytest.raises(InvalidArgument, match=r"difficulty=5 matches no sample\. Possible values: 1, 2, 3, 4"):
        synth(difficulty=5)


def test_filters_that_select_nothing_together_are_refused() -> None:
    samples = released_samples("real", "test", Hints())
    with pytest.raises(InvalidArgument, match="No sample matches all filters together"):
        select(samples, {"dataset": "archaeology", "domain": "biology"})


def test_a_split_needs_only_its_own_files_and_names_a_changed_and_a_missing_one(
    upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    split = Path("discoverybench/real/train")
    shutil.copytree(upstream / split, tmp_path / split)
    # The released data may be read-only. Their copy is then read-only, too, but a file of the copy is changed below.
    for path in tmp_path.rglob("*"):
        path.chmod(0o755)
    monkeypatch.setenv("DISCOVERYBENCH_DATA_DIR", str(tmp_path))
    assert len(released_samples("real", "train", Hints())) == 25

    file = tmp_path / split / "nls_bmi/nls_bmi_processed.csv"
    file.write_text("changed", "utf-8")
    with pytest.raises(DataError, match=r"bmi_processed\.csv differs from .* `discoverybench data verify`"):
        released_samples("real", "train", Hints())
    file.unlink()
    with pytest.raises(DataError, match=r"nls_bmi_processed\.csv is missing"):
        released_samples("real", "train", Hints())


def test_metadata_files_that_are_not_released_add_no_goals(
    upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    split = Path("discoverybench/real/train")
    shutil.copytree(upstream / split, tmp_path / split)
    study = tmp_path / split / "nls_bmi"
    # The released data may be read-only. The copied folder is then read-only, too, but files are added to it.
    study.chmod(0o755)
    for name in ("metadata_77.json", "metadata_0-Copy1.json"):
        shutil.copyfile(study / "metadata_0.json", study / name)
    monkeypatch.setenv("DISCOVERYBENCH_DATA_DIR", str(tmp_path))
    ids = [sample.id for sample in released_samples("real", "train", Hints())]
    monkeypatch.setenv("DISCOVERYBENCH_DATA_DIR", str(upstream))
    assert ids == [sample.id for sample in released_samples("real", "train", Hints())]
