"""DB-SYNTH on the released files: counts, encodings, flags, selection, and what is known beyond the metadata."""

import collections
import json

import pytest
from click.testing import CliRunner
from inspect_ai import eval as inspect_eval

from inspect_discoverybench import synth
from inspect_discoverybench.cli.main import main
from inspect_discoverybench.dataset import splits
from inspect_discoverybench.dataset.samples import Hints, SampleMetadata
from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.solvers.gold import gold
from tests.endpoint import serve, truthful

pytestmark = [pytest.mark.data, pytest.mark.usefixtures("upstream")]


def known(kind: splits.Kind, split: str) -> list[SampleMetadata]:
    return [SampleMetadata.model_validate(sample.metadata) for sample in splits.released(kind, split, Hints())]


@pytest.mark.parametrize(
    ("split", "goals", "folders", "domains", "golds", "constant", "near", "difficulty"),
    [
        ("train", 550, 230, 27, 550, 141, 30, [322, 150, 62, 16]),
        ("dev", 153, 69, 8, 152, 19, 8, [88, 43, 18, 4]),
        ("test", 200, 75, 13, 200, 52, 15, [147, 36, 9, 8]),
    ],
)
def test_the_counts_of_the_release(
    split: str, goals: int, folders: int, domains: int, golds: int, constant: int, near: int, difficulty: list[int]
) -> None:
    found = known("synth", split)
    assert len(found) == len({m.sample_id for m in found}) == goals
    assert len({m.dataset for m in found}) == folders
    assert len({m.domain for m in found}) == domains
    assert len({m.gold_hypothesis for m in found}) == golds
    assert sum(m.solvable is False for m in found) == constant
    assert sum(m.near_constant is True for m in found) == near
    levels = collections.Counter(m.difficulty for m in found)
    assert [levels[level] for level in (1, 2, 3, 4)] == difficulty
    assert {m.question_type for m in found} == {"general"}
    assert {m.tree_level for m in found} == {0, 1, 2, 3}
    assert {m.data_file_count for m in found} == {1}


def test_no_domain_is_in_two_splits() -> None:
    domains = [{m.domain for m in known("synth", split)} for split in splits.SYNTH]
    assert sum(map(len, domains)) == len(set.union(*domains)) == 48


def test_windows_1252_text_is_read_right() -> None:
    texts = "".join(s.target + str(s.input) for split in splits.SYNTH for s in splits.released("synth", split, Hints()))
    assert "�" not in texts
    assert "\x92" not in texts


def test_flags_of_db_real() -> None:
    test, train = known("real", "test"), known("real", "train")
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
def test_selection(arguments: dict[str, object], count: int | None) -> None:
    task = synth(sandbox="local", **arguments)  # type: ignore[arg-type]
    assert len(task.dataset) == count if count else len(task.dataset) > 0


def test_selection_that_selects_nothing_lists_what_is_possible() -> None:
    with pytest.raises(InvalidArgument, match="difficulty=5 selects no sample; possible are: 1, 2, 3, 4"):
        synth(difficulty=5)
    with pytest.raises(
        InvalidArgument, match="split=validation is not a split of DB-SYNTH; possible are: train, dev, test"
    ):
        synth(split="validation")


def test_every_task_of_the_dev_split_scores_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(truthful) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        log = inspect_eval(
            synth(split="dev", sandbox="local"),
            model="mockllm/model",
            model_roles={"grader": "openai/gpt-4o"},
            solver=gold(),
            max_connections=50,
            max_samples=50,
            max_sandboxes=50,
        )[0]
    assert log.status == "success", log.error
    assert log.samples
    assert len(log.samples) == 153
    assert {sample.scores["HMS"].as_dict()["hms"] for sample in log.samples if sample.scores} == {1}
    hms = {n: m.value for s in log.results.scores if s.name == "hms" for n, m in s.metrics.items()}  # type: ignore[union-attr]
    assert hms["inspect_discoverybench/solvable_solvable_samples"] == 134
    assert hms["inspect_discoverybench/solvable_mean_solvable"] == hms["mean"] == 1


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
    "ids unlike the number of their file": [10, 135, 0, 0, 0],
    "data files not separated by commas": [0, 2, 0, 0, 0],
    "described columns that are absent": [0, 82, 0, 0, 0],
    "questions asked twice": [0, 57, 0, 0, 0],
    "of these, with different gold hypotheses": [0, 2, 0, 0, 0],
    "target columns that are constant": [0, 0, 141, 19, 52],
    "target columns that are nearly constant": [0, 0, 30, 8, 15],
    "files that cannot be used": [0, 0, 0, 0, 0],
}


def test_the_audit_counts_what_the_release_is_known_for() -> None:
    done = CliRunner().invoke(main, ["data", "audit", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert list(found) == ["real/train", "real/test", "synth/train", "synth/dev", "synth/test"]
    assert {name: [audit[name]["count"] for audit in found.values()] for name in AUDIT} == AUDIT
    leaking = "questions that hold the gold hypothesis"
    assert found["real/train"][leaking]["count"] + found["real/test"][leaking]["count"] == 25
    assert found["real/test"]["domains"]["items"][-2:] == ["meta science: 100", "sociology: 58"]
    assert "introduction_pathways_non-native_plants/invaded_niche_pathways.csv" in str(
        found["real/test"]["data files not separated by commas"]["items"]
    )
