"""DB-REAL and DB-SYNTH on the released files: every known count and irregularity, filters, and target columns."""

import collections
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from inspect_ai import eval as inspect_eval

from inspect_discoverybench import synth
from inspect_discoverybench.cli.main import main
from inspect_discoverybench.dataset import splits
from inspect_discoverybench.dataset.samples import Hints, SampleMetadata, select
from inspect_discoverybench.dataset.target import synth_targets
from inspect_discoverybench.errors import DataCorrupt, DataMissing, InvalidArgument
from inspect_discoverybench.solvers.gold import gold
from tests.endpoint import truthful
from tests.scorer.judging import InProcessJudge

pytestmark = pytest.mark.usefixtures("upstream")

AUDIT = {
    "study folders": [4, 10, 230, 69, 75],
    "metadata files": [14, 144, 550, 153, 200],
    "goals": [25, 239, 550, 153, 200],
    "goals without a gold hypothesis": [0, 0, 0, 0, 0],
    "distinct gold hypotheses": [15, 117, 550, 152, 200],
    "goals with several data files": [4, 110, 0, 0, 0],
    "maximum data files per goal": [2, 6, 1, 1, 1],
    "domains": [3, 6, 27, 8, 13],
    "question type: context": [3, 85, 0, 0, 0],
    "question type: general": [0, 0, 550, 153, 200],
    "question type: relationship": [14, 134, 0, 0, 0],
    "question type: variables": [8, 20, 0, 0, 0],
    "difficulty: 1": [0, 0, 322, 88, 147],
    "difficulty: 2": [0, 0, 150, 43, 36],
    "difficulty: 3": [0, 0, 62, 18, 9],
    "difficulty: 4": [0, 0, 16, 4, 8],
    "studies with a public workflow": [14, 0, 0, 0, 0],
    "workflow length: s": [21, 0, 0, 0, 0],
    "workflow length: m": [2, 0, 0, 0, 0],
    "Windows-1252 files": [0, 0, 30, 25, 26],
    "ids that differ from the file number": [10, 135, 0, 0, 0],
    "data files not separated by commas": [0, 2, 0, 0, 0],
    "described columns that are missing": [0, 82, 0, 0, 0],
    "duplicate questions": [0, 57, 0, 0, 0],
    "duplicates: hard and easy variants": [0, 56, 0, 0, 0],
    "duplicates: different gold hypotheses": [0, 2, 0, 0, 0],
    "goals with known predictors": [0, 0, 30, 153, 0],
    "goals with missing predictors": [0, 0, 0, 1, 0],
    "constant target columns": [0, 0, 141, 19, 52],
    "nearly constant target columns": [0, 0, 30, 8, 15],
    "unusable files": [0, 0, 0, 0, 0],
}


def metadata_of(kind: splits.Kind, split: str) -> list[SampleMetadata]:
    return [SampleMetadata.model_validate(sample.metadata) for sample in splits.released(kind, split, Hints())]


@pytest.mark.usefixtures("sweep")
def test_the_audit_counts_known_irregularities() -> None:
    result = CliRunner().invoke(main, ["data", "audit", "--json"])
    assert result.exit_code == 0, result.output
    audits = json.loads(result.output)
    assert list(audits) == ["real/train", "real/test", "synth/train", "synth/dev", "synth/test"]
    absent = {"count": 0}
    assert {name: [audit.get(name, absent)["count"] for audit in audits.values()] for name in AUDIT} == AUDIT
    leaking = "questions that reveal the gold hypothesis"
    assert audits["real/train"][leaking]["count"] + audits["real/test"][leaking]["count"] == 22
    domains = [
        "biology: 16",
        "economics: 12",
        "engineering: 15",
        "humanities: 38",
        "meta science: 100",
        "sociology: 58",
    ]
    assert audits["real/test"]["domains"]["items"] == domains
    assert "introduction_pathways_non-native_plants/invaded_niche_pathways.csv" in str(
        audits["real/test"]["data files not separated by commas"]["items"]
    )


@pytest.mark.usefixtures("sweep")
@pytest.mark.parametrize(
    ("column", "kind", "split"),
    [(n, split.kind, split.name) for n, split in enumerate([*splits.REAL.values(), *splits.SYNTH.values()])],
)
def test_samples_are_those_that_the_audit_counts(column: int, kind: splits.Kind, split: str) -> None:
    """The properties of DB-SYNTH's target columns are recorded; the audit computes them from the data."""
    samples, metadata = splits.released(kind, split, Hints()), metadata_of(kind, split)
    counts = {
        "goals": len({sample.id for sample in samples}),
        "study folders": len({m.dataset for m in metadata}),
        "metadata files": len({(m.dataset, m.metadata_number) for m in metadata}),
        "distinct gold hypotheses": len({m.gold_hypothesis for m in metadata}),
        "domains": len({m.domain for m in metadata}),
        "maximum data files per goal": max(m.data_file_count for m in metadata),
        "duplicate questions": sum(m.duplicate_of is not None for m in metadata),
        "constant target columns": sum(m.solvable is False for m in metadata),
        "nearly constant target columns": sum(m.near_constant is True for m in metadata),
    }
    assert counts == {name: AUDIT[name][column] for name in counts}
    assert {m.tree_level for m in metadata} == ({0, 1, 2, 3} if kind == "synth" else {None})
    assert not {"�", "\x92"} & set("".join(f"{sample.target}{sample.input}" for sample in samples))


def test_samples_have_data_files_but_no_metadata_files() -> None:
    for split in splits.REAL:
        for sample in splits.released("real", split, Hints()):
            assert sample.files
            assert not any("metadata" in name or "answer" in name for name in sample.files)
            assert all(Path(path).is_absolute() and Path(path).is_file() for path in sample.files.values())
            assert list(sample.files) == [file["name"] for file in (sample.metadata or {})["data_files"]]


def test_the_task_text_does_not_contain_the_gold_hypothesis() -> None:
    for sample in splits.released("real", "train", Hints()):
        assert str(sample.target) not in str(sample.input)


def test_the_answer_key_uses_the_number_in_the_file_name() -> None:
    """135 of 144 test files contain a different `id`; by that `id`, this file would have a different gold."""
    sample = {s.id: s for s in splits.released("real", "test", Hints())}["test/archaeology/12/0"]
    assert "Depots peaked" in sample.target
    assert sample.target == (sample.metadata or {})["gold_hypothesis"]


def test_hints_are_in_the_task_text_only_if_requested() -> None:
    def text(hints: Hints) -> str:
        return str({s.id: s for s in splits.released("real", "test", hints)}["test/archaeology/0/0"].input)

    assert "## Domain knowledge" not in text(Hints())
    assert "Symbolic capital" in text(Hints(domain_knowledge=True))
    assert "## Workflow tags" in text(Hints(workflow_tags=True))
    with pytest.raises(InvalidArgument, match="domain_knowledge=true: no sample of the demo has this hint"):
        splits.demo(Hints(domain_knowledge=True))


def test_duplicates_are_easy_and_hard_variants() -> None:
    test = {m.sample_id: m for m in metadata_of("real", "test")}
    hard = [m for m in test.values() if m.variant == "hard"]
    for goal in hard:
        easy = test[str(goal.variant_of)]
        assert (easy.variant, easy.variant_of) == ("easy", None)
        assert goal.duplicate_of == easy.sample_id
    assert collections.Counter(m.dataset for m in hard) == {
        "meta_regression_raw": 50,
        "worldbank_education_gdp_indicators": 6,
    }
    assert sum(m.variant == "easy" for m in test.values()) == 56
    assert [m.sample_id for m in test.values() if m.duplicate_of and not m.variant] == ["test/archaeology/26/0"]
    assert {m.sample_id for m in test.values() if m.conflicting_gold} == {
        f"test/{folder}/16/{n}" for folder in ("meta_regression", "meta_regression_raw") for n in (0, 1)
    }
    assert {(m.variant, m.solvable) for m in metadata_of("real", "train")} == {(None, None)}


WORKFLOW_LENGTHS = {
    **{f"evolution_freshwater_fish/{n}": 2 for n in range(4)},
    **{f"immigration_offshoring_effect_on_employment/{n}": 4 for n in range(2)},
    **{f"nls_bmi/{n}": length for n, length in enumerate((3, None, None, 5, 5, 3))},
    **{f"nls_bmi_raw/{n}": length for n, length in enumerate((13, 14))},
}
"""Counted by reading the workflows; None where the steps are not numbered."""


def test_workflow_lengths_match_a_manual_count() -> None:
    lengths = {f"{m.dataset}/{m.metadata_number}": m.workflow_length for m in metadata_of("real", "train")}
    assert lengths == WORKFLOW_LENGTHS
    assert not any(m.gold_workflow or m.workflow_length for m in metadata_of("real", "test"))


@pytest.mark.usefixtures("sweep")
def test_target_counts_match_the_documentation() -> None:
    """The counts of docs/paper_map.md."""
    goals = [m for split in splits.SYNTH for m in metadata_of("synth", split)]
    varying = [m for m in goals if m.solvable]
    assert (len(goals), len(varying)) == (903, 691)
    assert [m.predictors_present for m in varying].count(False) == 5
    assert None not in {m.predictors_present for m in goals}
    agreements = [(m, m.gold_agreement) for m in varying if m.gold_agreement is not None]
    rank = [agreement for m, agreement in agreements if m.gold_agreement_measure == "spearman"]
    # Below this, a correlation over 500 rows does not differ from 0 at the 5 % level.
    assert (len(rank), sum(value < 1.96 / 499**0.5 for value in rank)) == (540, 18)
    labels = [
        (agreement, synth_targets()[m.key].top_share)
        for m, agreement in agreements
        if m.gold_agreement_measure == "equal_labels"
    ]
    assert (len(labels), sum(agreement <= top_share for agreement, top_share in labels)) == (67, 3)
    assert len(varying) - len(agreements) == 5 + 79
    assert len(varying) - 5 - 18 - 3 - 79 == 586
    assert sum(m.near_constant is True for m in varying) == 53


@pytest.mark.parametrize(
    ("kind", "split", "filters", "count"),
    [
        ("real", "test", {"domain": "biology"}, 16),
        ("real", "test", {"domain": ["biology", "economics"]}, 28),
        ("real", "test", {"domain": "biology", "question_type": "relationship"}, 6),
        ("synth", "dev", {"solvable": True}, 134),
        ("synth", "dev", {"solvable": False}, 19),
        ("synth", "test", {"difficulty": "4"}, 8),
        ("synth", "test", {"difficulty": [3, 4]}, 17),
    ],
)
def test_filters_select_samples(
    kind: splits.Kind, split: str, filters: dict[str, str | bool | list[str]], count: int
) -> None:
    assert len(select(splits.released(kind, split, Hints()), **filters)) == count


def test_a_filter_that_selects_nothing_lists_the_possible_values() -> None:
    with pytest.raises(InvalidArgument, match=r"difficulty=5 matches no sample\. Possible values: 1, 2, 3, 4"):
        synth(difficulty=5)
    with pytest.raises(InvalidArgument, match=r"split=val is not a split of DB-SYNTH\. Possible values: train"):
        synth(split="val")
    samples = splits.released("real", "test", Hints())
    with pytest.raises(InvalidArgument, match="No sample matches all of dataset=archaeology, domain=biology"):
        select(samples, dataset="archaeology", domain="biology")


def test_a_split_needs_only_its_own_files_and_names_a_changed_and_a_missing_one(
    upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "copy"
    shutil.copytree(upstream / "discoverybench/real/train", root / "discoverybench/real/train")
    for path in [root, *root.rglob("*")]:
        path.chmod(0o755)
    monkeypatch.setenv("DISCOVERYBENCH_DATA_DIR", str(root))
    assert len(splits.released("real", "train", Hints())) == 25
    file = root / "discoverybench/real/train/nls_bmi/nls_bmi_processed.csv"
    file.write_text(file.read_text("utf-8").replace("MALE", "male", 1), "utf-8")
    with pytest.raises(DataCorrupt, match=r"bmi_processed\.csv differs from .* `discoverybench data verify`"):
        splits.released("real", "train", Hints())
    file.unlink()
    with pytest.raises(DataMissing, match=r"nls_bmi_processed\.csv is missing"):
        splits.released("real", "train", Hints())


@pytest.mark.usefixtures("sweep")
def test_every_gold_hypothesis_of_the_dev_split_scores_1() -> None:
    [log] = inspect_eval(
        synth(split="dev", sandbox="local"),
        model="mockllm/model",
        model_roles={"grader": InProcessJudge(truthful).model},
        solver=gold(),
        max_connections=50,
        max_samples=50,
        max_sandboxes=50,
    )
    assert log.status == "success", log.error
    assert log.samples
    assert len(log.samples) == 153
    assert {sample.scores["HMS"].as_dict()["hms"] for sample in log.samples if sample.scores} == {1}
    assert log.results
    hms = {n: m.value for s in log.results.scores if s.name == "hms" for n, m in s.metrics.items()}
    assert hms["solvable_samples"] == 134
    assert hms["solvable_mean"] == hms["mean"] == 1
