"""Both splits of DB-REAL on the released files: every known count and irregularity of the release."""

import collections
import shutil
from pathlib import Path

import pytest
from inspect_ai.dataset import Sample

from inspect_discoverybench.dataset import splits
from inspect_discoverybench.dataset.samples import Hints, SampleMetadata, select
from inspect_discoverybench.errors import DataCorrupt, DataMissing, InvalidArgument

pytestmark = pytest.mark.usefixtures("upstream")


def metadata_of(samples: list[Sample]) -> list[SampleMetadata]:
    return [SampleMetadata.model_validate(sample.metadata) for sample in samples]


@pytest.mark.parametrize(
    ("split", "tasks", "folders", "metadata_files", "golds", "several_files"),
    [("train", 25, 4, 14, 15, 4), ("test", 239, 10, 144, 117, 110)],
)
def test_counts_match_the_release(
    split: str, tasks: int, folders: int, metadata_files: int, golds: int, several_files: int
) -> None:
    samples = splits.released("real", split, Hints())
    metadata = metadata_of(samples)
    assert len(samples) == len({sample.id for sample in samples}) == tasks
    assert len({m.dataset for m in metadata}) == folders
    assert len({(m.dataset, m.metadata_number) for m in metadata}) == metadata_files
    assert len({m.gold_hypothesis for m in metadata}) == golds
    assert sum(len(m.data_files) > 1 for m in metadata) == several_files
    assert max(len(m.data_files) for m in metadata) == (6 if split == "test" else 2)


def test_spellings_of_domains_and_question_types_are_merged() -> None:
    test, train = (
        metadata_of(splits.released("real", "test", Hints())),
        metadata_of(splits.released("real", "train", Hints())),
    )
    assert collections.Counter(m.domain for m in test) == {
        "meta science": 100,
        "sociology": 58,
        "humanities": 38,
        "biology": 16,
        "engineering": 15,
        "economics": 12,
    }
    assert collections.Counter(m.question_type for m in test) == {"relationship": 134, "context": 85, "variables": 20}
    assert collections.Counter(m.question_type for m in train) == {"relationship": 14, "variables": 8, "context": 3}


def test_the_answer_key_uses_the_number_in_the_file_name() -> None:
    """135 of 144 test files contain a different `id`; by that `id`, this file would have a different gold."""
    sample = {s.id: s for s in splits.released("real", "test", Hints())}["test/archaeology/12/0"]
    assert "Depots peaked" in sample.target
    assert sample.target == metadata_of([sample])[0].gold_hypothesis


def test_workflows_are_public_in_train_only() -> None:
    assert all(m.gold_workflow for m in metadata_of(splits.released("real", "train", Hints())))
    assert not any(m.gold_workflow for m in metadata_of(splits.released("real", "test", Hints())))


def test_domain_knowledge_is_read_from_data_files_if_present() -> None:
    metadata = metadata_of(splits.released("real", "test", Hints()))
    assert all(m.domain_knowledge for m in metadata if m.dataset == "archaeology")
    assert any(not m.domain_knowledge for m in metadata)


def test_hints_are_in_the_task_text_only_if_requested() -> None:
    def text(hints: Hints) -> str:
        return str({s.id: s for s in splits.released("real", "test", hints)}["test/archaeology/0/0"].input)

    assert "## Domain knowledge" not in text(Hints())
    assert "Symbolic capital" in text(Hints(domain_knowledge=True))
    assert "## Workflow tags" in text(Hints(workflow_tags=True))


def test_samples_have_data_files_but_no_metadata_files(upstream: Path) -> None:
    for split in splits.REAL:
        for sample in splits.released("real", split, Hints()):
            assert sample.files
            assert not any("metadata" in name or "answer" in name for name in sample.files)
            assert all(Path(source).is_absolute() and Path(source).is_file() for source in sample.files.values())
            assert list(sample.files) == [file["name"] for file in (sample.metadata or {})["data_files"]]


def test_the_task_text_does_not_contain_the_gold_hypothesis() -> None:
    for sample in splits.released("real", "train", Hints()):
        assert str(sample.target) not in str(sample.input)


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ({"domain": "biology"}, 16),
        ({"domain": ["biology", "economics"]}, 28),
        ({"domain": "biology", "question_type": "relationship"}, 6),
        ({"question_type": "variables"}, 20),
    ],
)
def test_filters_select_samples(filters: dict[str, str | list[str]], count: int) -> None:
    samples = splits.released("real", "test", Hints())
    assert len(select(samples, **filters)) == count


def test_a_filter_that_selects_nothing_lists_the_possible_values() -> None:
    samples = splits.released("real", "test", Hints())
    with pytest.raises(InvalidArgument, match=r"domain=botany matches no sample\. Possible values: biology, economics"):
        select(samples, domain="botany")
    with pytest.raises(InvalidArgument, match="No sample matches all of dataset=archaeology, domain=biology"):
        select(samples, dataset="archaeology", domain="biology")


def test_an_unknown_split_is_rejected() -> None:
    with pytest.raises(InvalidArgument, match=r"split=dev is not a split of DB-REAL\. Possible values: train, test"):
        splits.released("real", "dev", Hints())


def test_a_hint_that_no_sample_has_is_rejected() -> None:
    with pytest.raises(InvalidArgument, match="domain_knowledge=true: no sample of the demo has this hint"):
        splits.demo(Hints(domain_knowledge=True))


@pytest.fixture
def copy(upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "copy"
    shutil.copytree(upstream / "discoverybench/real/train", root / "discoverybench/real/train")
    for folder in [root, *root.rglob("*")]:
        folder.chmod(0o755)
    monkeypatch.setenv("DISCOVERYBENCH_DATA_DIR", str(root))
    return root


def test_a_changed_file_is_named(copy: Path) -> None:
    file = copy / "discoverybench/real/train/nls_bmi/nls_bmi_processed.csv"
    file.write_text(file.read_text("utf-8").replace("MALE", "male", 1), "utf-8")
    with pytest.raises(DataCorrupt, match=r"nls_bmi_processed\.csv differs from the released file"):
        splits.released("real", "train", Hints())


def test_a_missing_file_is_named(copy: Path) -> None:
    (copy / "discoverybench/real/train/nls_bmi/nls_bmi_processed.csv").unlink()
    with pytest.raises(DataMissing, match=r"nls_bmi_processed\.csv is missing"):
        splits.released("real", "train", Hints())


def test_a_split_needs_only_its_own_files(copy: Path) -> None:
    assert len(splits.released("real", "train", Hints())) == 25
