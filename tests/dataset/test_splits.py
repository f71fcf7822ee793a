"""DB-REAL and DB-SYNTH on the released files: every known count and irregularity, filters, and target columns."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from inspect_discoverybench import synth
from inspect_discoverybench.cli.main import main
from inspect_discoverybench.dataset.custom import demo_samples
from inspect_discoverybench.dataset.filters import select
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.splits import REAL, SYNTH, Benchmark, released_samples
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.errors.exceptions import DataError, DataMissing, InvalidArgument

pytestmark = pytest.mark.usefixtures("upstream")

AUDIT = {
    "study folders": [4, 10, 230, 69, 75],
    "metadata files": [14, 144, 550, 153, 200],
    "goals": [25, 239, 550, 153, 200],
    "distinct gold hypotheses": [15, 117, 550, 152, 200],
    "goals with several data files": [4, 110, 0, 0, 0],
    "maximum data files per goal": [2, 6, 1, 1, 1],
    "domains": [3, 6, 27, 8, 13],
    "question type: context": [3, 85, 0, 0, 0],
    "question type: relationship": [14, 134, 0, 0, 0],
    "question type: variables": [8, 20, 0, 0, 0],
    "difficulty: 1": [0, 0, 322, 88, 147],
    "difficulty: 4": [0, 0, 16, 4, 8],
    "studies with a public workflow": [14, 0, 0, 0, 0],
    "workflow length: s": [21, 0, 0, 0, 0],
    "described columns that are missing": [0, 82, 0, 0, 0],
    "duplicate questions": [0, 57, 0, 0, 0],
    "duplicates: hard variants": [0, 56, 0, 0, 0],
    "duplicates: different gold hypotheses": [0, 2, 0, 0, 0],
    "constant target columns": [0, 0, 141, 19, 52],
    "nearly constant target columns": [0, 0, 30, 8, 15],
    "unusable files": [0, 0, 0, 0, 0],
}


def metadata_of(kind: Benchmark, split: str) -> list[SampleMetadata]:
    return [SampleMetadata.model_validate(sample.metadata) for sample in released_samples(kind, split, Hints())]


@pytest.mark.usefixtures("sweep")
def test_the_audit_counts_known_irregularities() -> None:
    result = CliRunner().invoke(main, ["data", "audit", "--json"])
    assert result.exit_code == 0, result.output
    audits = json.loads(result.output)
    assert list(audits) == ["real/train", "real/test", "synth/train", "synth/dev", "synth/test"]
    assert {name: [audit.get(name, {"count": 0})["count"] for audit in audits.values()] for name in AUDIT} == AUDIT
    leaking = "questions that reveal the gold hypothesis"
    assert audits["real/train"][leaking]["count"] + audits["real/test"][leaking]["count"] == 22
    assert "meta science: 100" in audits["real/test"]["domains"]["items"]


@pytest.mark.usefixtures("sweep")
@pytest.mark.parametrize(
    ("column", "kind", "split"),
    [(n, split.benchmark, split.name) for n, split in enumerate((*REAL, *SYNTH))],
)
def test_samples_are_those_that_the_audit_counts(column: int, kind: Benchmark, split: str) -> None:
    """The properties of DB-SYNTH's target columns are recorded; the audit computes them from the data."""
    samples, metadata = released_samples(kind, split, Hints()), metadata_of(kind, split)
    counts = {
        "goals": len({sample.id for sample in samples}),
        "study folders": len({m.dataset for m in metadata}),
        "metadata files": len({(m.dataset, m.metadata_number) for m in metadata}),
        "distinct gold hypotheses": len({m.gold_hypothesis for m in metadata}),
        "domains": len({m.domain for m in metadata}),
        "maximum data files per goal": max(len(m.data_files) for m in metadata),
        "duplicate questions": sum(m.duplicate_of is not None for m in metadata),
        "constant target columns": sum(m.solvable is False for m in metadata),
        "nearly constant target columns": sum(m.near_constant is True for m in metadata),
    }
    assert counts == {name: AUDIT[name][column] for name in counts}
    assert len({m.study for m in metadata}) == AUDIT["domains"][column]  # which studies have in common, by chance
    assert {m.tree_level for m in metadata} == ({0, 1, 2, 3} if kind == "synth" else {None})
    assert not {"�", "\x92"} & set("".join(f"{sample.target}{sample.input}" for sample in samples))


def test_all_splits_together_are_the_samples_of_each(upstream: Path) -> None:
    for splits, count in ((REAL, 264), (SYNTH, 903)):
        parts = []
        for split in splits:
            parts += released_samples(split.benchmark, split.name, Hints())
        together = released_samples(splits[0].benchmark, "all", Hints())
        assert len({sample.id for sample in together}) == count
        assert [sample.model_dump() for sample in together] == [sample.model_dump() for sample in parts]


def test_with_all_splits_hints_and_gold_workflows_are_those_that_a_task_has() -> None:
    hints = Hints(domain_knowledge=True, workflow_tags=True)
    without_hint = 0
    for sample in released_samples("real", "all", hints):
        metadata = SampleMetadata.model_validate(sample.metadata)
        assert bool(metadata.gold_workflow) == (metadata.split == "train")
        lacks_hint = "domain_knowledge" in metadata.missing_hints
        assert ("Domain knowledge" in str(sample.input)) != lacks_hint
        without_hint += lacks_hint
    assert 0 < without_hint < 264
    with pytest.raises(InvalidArgument, match=r"split=val is not a split of DB-REAL\. .* values: train, test, all"):
        released_samples("real", "val", hints)


def test_the_folder_of_a_synthetic_data_set_has_its_height_and_depth() -> None:
    samples = [SampleMetadata.model_validate(sample.metadata) for sample in released_samples("synth", "all", Hints())]
    for sample in samples:
        assert sample.dataset.endswith(f"_{sample.start_height}_{sample.tree_level}")
    assert {sample.start_height for sample in samples} == {0, 1, 2, 3}


def test_the_answer_key_uses_the_number_in_the_file_name() -> None:
    """135 of 144 test files contain a different `id`; by that `id`, this file would have a different gold."""
    sample = {s.id: s for s in released_samples("real", "test", Hints())}["test/archaeology/12/0"]
    assert "Depots peaked" in sample.target
    assert sample.target == (sample.metadata or {})["gold_hypothesis"]


def test_hints_are_in_the_task_text_only_if_requested() -> None:
    def text(hints: Hints) -> str:
        return str({s.id: s for s in released_samples("real", "test", hints)}["test/archaeology/0/0"].input)

    assert "## Domain knowledge" not in text(Hints())
    assert "Symbolic capital" in text(Hints(domain_knowledge=True))
    assert "## Workflow tags" in text(Hints(workflow_tags=True))
    with pytest.raises(InvalidArgument, match="domain_knowledge=true: no sample of the demo has this hint"):
        demo_samples(Hints(domain_knowledge=True))


def test_duplicates_are_easy_and_hard_variants() -> None:
    test = {m.sample_id: m for m in metadata_of("real", "test")}
    hard = [m for m in test.values() if m.variant == "hard"]
    for goal in hard:
        easy = test[str(goal.variant_of)]
        assert (easy.variant, easy.variant_of) == ("easy", None)
        assert goal.duplicate_of == easy.sample_id
    assert len(hard) == 56
    assert sum(m.variant == "easy" for m in test.values()) == 56
    assert [m.sample_id for m in test.values() if m.duplicate_of and not m.variant] == ["test/archaeology/26/0"]
    assert {m.sample_id for m in test.values() if m.conflicting_gold} == {
        f"test/{folder}/16/{n}" for folder in ("meta_regression", "meta_regression_raw") for n in (0, 1)
    }


@pytest.mark.parametrize(
    ("kind", "split", "filters", "count"),
    [
        ("real", "test", {"domain": ["biology", "economics"]}, 28),
        ("synth", "dev", {"solvable": True}, 134),
        ("synth", "test", {"difficulty": [3, 4]}, 17),
    ],
)
def test_filters_select_samples(
    kind: Benchmark, split: str, filters: dict[str, str | bool | list[str]], count: int
) -> None:
    assert len(select(released_samples(kind, split, Hints()), filters)) == count


def test_a_filter_that_selects_nothing_lists_the_possible_values() -> None:
    with pytest.raises(InvalidArgument, match=r"difficulty=5 matches no sample\. Possible values: 1, 2, 3, 4"):
        synth(difficulty=5)
    with pytest.raises(InvalidArgument, match=r"split=val is not a split of DB-SYNTH\. Possible values: train"):
        synth(split="val")
    samples = released_samples("real", "test", Hints())
    with pytest.raises(InvalidArgument, match="No sample matches all of dataset=archaeology, domain=biology"):
        select(samples, {"dataset": "archaeology", "domain": "biology"})


def test_a_split_needs_only_its_own_files_and_names_a_changed_and_a_missing_one(
    upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "copy"
    shutil.copytree(upstream / "discoverybench/real/train", root / "discoverybench/real/train")
    for path in [root, *root.rglob("*")]:
        path.chmod(0o755)
    monkeypatch.setenv("DISCOVERYBENCH_DATA_DIR", str(root))
    assert len(released_samples("real", "train", Hints())) == 25
    file = root / "discoverybench/real/train/nls_bmi/nls_bmi_processed.csv"
    file.write_text(file.read_text("utf-8").replace("MALE", "male", 1), "utf-8")
    with pytest.raises(DataError, match=r"bmi_processed\.csv differs from .* `discoverybench data verify`"):
        released_samples("real", "train", Hints())
    file.unlink()
    with pytest.raises(DataMissing, match=r"nls_bmi_processed\.csv is missing"):
        released_samples("real", "train", Hints())
