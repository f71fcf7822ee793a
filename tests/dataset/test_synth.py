"""DB-SYNTH on the released files: counts, encodings, flags, selection, and target columns."""

import collections
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog

from inspect_discoverybench import synth
from inspect_discoverybench.cli.main import main
from inspect_discoverybench.dataset import splits
from inspect_discoverybench.dataset.samples import Hints, SampleMetadata
from inspect_discoverybench.dataset.table import Table
from inspect_discoverybench.dataset.target import Target, synth_targets
from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.solvers.gold import gold
from tests.endpoint import truthful
from tests.scorer.judging import InProcessJudge

pytestmark = pytest.mark.usefixtures("upstream", "sweep")


def metadata_of(kind: splits.Kind, split: str) -> list[SampleMetadata]:
    return [SampleMetadata.model_validate(sample.metadata) for sample in splits.released(kind, split, Hints())]


@pytest.mark.parametrize(
    ("split", "goals", "folders", "domains", "golds", "constant", "near", "difficulty"),
    [
        ("train", 550, 230, 27, 550, 141, 30, [322, 150, 62, 16]),
        ("dev", 153, 69, 8, 152, 19, 8, [88, 43, 18, 4]),
        ("test", 200, 75, 13, 200, 52, 15, [147, 36, 9, 8]),
    ],
)
def test_counts_match_the_release(
    split: str, goals: int, folders: int, domains: int, golds: int, constant: int, near: int, difficulty: list[int]
) -> None:
    metadata = metadata_of("synth", split)
    assert len(metadata) == len({m.sample_id for m in metadata}) == goals
    assert len({m.dataset for m in metadata}) == folders
    assert len({m.domain for m in metadata}) == domains
    assert len({m.gold_hypothesis for m in metadata}) == golds
    assert sum(m.solvable is False for m in metadata) == constant
    assert sum(m.near_constant is True for m in metadata) == near
    levels = collections.Counter(m.difficulty for m in metadata)
    assert [levels[level] for level in (1, 2, 3, 4)] == difficulty
    assert {m.question_type for m in metadata} == {"general"}
    assert {m.tree_level for m in metadata} == {0, 1, 2, 3}
    assert {m.data_file_count for m in metadata} == {1}


def test_no_domain_is_in_two_splits() -> None:
    domains = [{m.domain for m in metadata_of("synth", split)} for split in splits.SYNTH]
    assert sum(map(len, domains)) == len(set.union(*domains)) == 48


def test_windows_1252_text_is_decoded() -> None:
    texts = "".join(f"{s.target}{s.input}" for split in splits.SYNTH for s in splits.released("synth", split, Hints()))
    assert "�" not in texts
    assert "\x92" not in texts


def test_db_real_duplicates_and_conflicts_are_flagged() -> None:
    test, train = metadata_of("real", "test"), metadata_of("real", "train")
    assert sum(m.duplicate_of is not None for m in test) == 57
    ids = {m.sample_id for m in test}
    assert all(m.duplicate_of in ids for m in test if m.duplicate_of)
    conflicting = {m.sample_id for m in test if m.conflicting_gold}
    assert conflicting == {
        f"test/{folder}/16/{n}" for folder in ("meta_regression", "meta_regression_raw") for n in (0, 1)
    }
    assert {m.solvable for m in test + train} == {None}
    assert collections.Counter(m.workflow_bucket for m in train) == {"s": 21, "m": 2, None: 2}
    assert {m.workflow_length for m in test} == {None}


def test_duplicates_are_easy_and_hard_variants() -> None:
    test = {m.sample_id: m for m in metadata_of("real", "test")}
    hard = [m for m in test.values() if m.variant == "hard"]
    assert len(hard) == 56
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
    assert {m.variant for m in metadata_of("real", "train")} == {None}


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


def test_target_counts_match_the_documentation() -> None:
    """The counts of docs/paper_map.md."""
    goals = [m for split in splits.SYNTH for m in metadata_of("synth", split)]
    varying = [m for m in goals if m.solvable]
    assert (len(goals), len(varying)) == (903, 691)
    assert [m.predictors_present for m in varying].count(False) == 5
    assert None not in {m.predictors_present for m in goals}
    rank = [
        m.gold_agreement for m in varying if m.gold_agreement_measure == "spearman" and m.gold_agreement is not None
    ]
    # Below this, a correlation over 500 rows does not differ from 0 at the 5 % level.
    assert (len(rank), sum(value < 1.96 / 499**0.5 for value in rank)) == (540, 18)
    targets = synth_targets()
    labels = [
        (m.gold_agreement, targets[m.split, m.dataset, m.metadata_number, m.query_id].top_share)
        for m in varying
        if m.gold_agreement_measure == "equal_labels" and m.gold_agreement is not None
    ]
    assert (len(labels), sum(agreement <= top_share for agreement, top_share in labels)) == (67, 3)
    assert sum(m.gold_agreement is None for m in varying) == 5 + 79
    assert len(varying) - 5 - 18 - 3 - 79 == 586
    assert sum(m.near_constant is True for m in varying) == 53


def test_the_table_of_targets_agrees_with_the_data(upstream: Path) -> None:
    goals = splits.SYNTH["dev"].goals(upstream)
    for folder, m in goals[:20]:
        target = synth_targets()["dev", m.dataset, m.metadata_number, m.query_id]
        recomputed = Target.of(target.column, Table.read(folder / m.data_files[0].name))
        assert (recomputed.distinct_values, round(recomputed.top_share, 4)) == (
            target.distinct_values,
            target.top_share,
        )


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        ({"split": "dev", "solvable": True}, 134),
        ({"split": "dev", "solvable": False}, 19),
        ({"difficulty": 4}, 8),
        ({"difficulty": [3, 4]}, 17),
        ({"split": "dev", "domain": "jazz music", "difficulty": "1"}, None),
    ],
)
def test_filters_select_samples(arguments: dict[str, object], count: int | None) -> None:
    task = synth(sandbox="local", **arguments)  # type: ignore[arg-type]
    assert len(task.dataset) == count if count else len(task.dataset) > 0


def test_a_filter_that_selects_nothing_lists_the_possible_values() -> None:
    with pytest.raises(InvalidArgument, match=r"difficulty=5 matches no sample\. Possible values: 1, 2, 3, 4"):
        synth(difficulty=5)
    with pytest.raises(
        InvalidArgument, match=r"split=validation is not a split of DB-SYNTH\. Possible values: train, dev, test"
    ):
        synth(split="validation")


def scored_gold(sample_ids: list[str] | None) -> EvalLog:
    """A log of the dev split in which every gold hypothesis was submitted."""
    [log] = inspect_eval(
        synth(split="dev", sandbox="local"),
        model="mockllm/model",
        model_roles={"grader": InProcessJudge(truthful).model},
        solver=gold(),
        sample_id=sample_ids,
        max_connections=50,
        max_samples=50,
        max_sandboxes=50,
    )
    assert log.status == "success", log.error
    assert log.samples
    assert {sample.scores["HMS"].as_dict()["hms"] for sample in log.samples if sample.scores} == {1}
    return log


def test_one_task_of_each_domain_scores_1() -> None:
    ids = {m.domain: m.sample_id for m in metadata_of("synth", "dev")}
    assert len(scored_gold(list(ids.values())).samples or []) == 8


def test_every_task_of_the_dev_split_scores_1() -> None:
    log = scored_gold(None)
    assert len(log.samples or []) == 153
    assert log.results
    hms = {n: m.value for s in log.results.scores if s.name == "hms" for n, m in s.metrics.items()}
    assert hms["solvable_samples"] == 134
    assert hms["solvable_mean"] == hms["mean"] == 1


AUDIT = {
    "study folders": [4, 10, 230, 69, 75],
    "metadata files": [14, 144, 550, 153, 200],
    "goals": [25, 239, 550, 153, 200],
    "goals without a gold hypothesis": [0, 0, 0, 0, 0],
    "distinct gold hypotheses": [15, 117, 550, 152, 200],
    "goals with several data files": [4, 110, 0, 0, 0],
    "domains": [3, 6, 27, 8, 13],
    "studies with a public workflow": [14, 0, 0, 0, 0],
    "Windows-1252 files": [0, 0, 30, 25, 26],
    "ids that differ from the file number": [10, 135, 0, 0, 0],
    "data files not separated by commas": [0, 2, 0, 0, 0],
    "described columns that are missing": [0, 82, 0, 0, 0],
    "duplicate questions": [0, 57, 0, 0, 0],
    "duplicates: hard and easy variants": [0, 56, 0, 0, 0],
    "duplicates: different gold hypotheses": [0, 2, 0, 0, 0],
    "workflow length: s": [21, 0, 0, 0, 0],
    "workflow length: m": [2, 0, 0, 0, 0],
    "goals with known predictors": [0, 0, 30, 153, 0],
    "goals with missing predictors": [0, 0, 0, 1, 0],
    "constant target columns": [0, 0, 141, 19, 52],
    "nearly constant target columns": [0, 0, 30, 8, 15],
    "unusable files": [0, 0, 0, 0, 0],
}


def test_the_audit_counts_known_irregularities() -> None:
    result = CliRunner().invoke(main, ["data", "audit", "--json"])
    assert result.exit_code == 0, result.output
    audits = json.loads(result.output)
    assert list(audits) == ["real/train", "real/test", "synth/train", "synth/dev", "synth/test"]
    absent = {"count": 0}
    assert {name: [audit.get(name, absent)["count"] for audit in audits.values()] for name in AUDIT} == AUDIT
    leaking = "questions that reveal the gold hypothesis"
    assert audits["real/train"][leaking]["count"] + audits["real/test"][leaking]["count"] == 25
    assert audits["real/test"]["domains"]["items"][-2:] == ["meta science: 100", "sociology: 58"]
    assert "introduction_pathways_non-native_plants/invaded_niche_pathways.csv" in str(
        audits["real/test"]["data files not separated by commas"]["items"]
    )
