"""Labels: which samples are drawn, the HMS that follows from labels, and the error message for each mistake."""

from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from inspect_discoverybench.errors.exceptions import DataMissing, DiscoveryBenchError, InvalidArgument
from inspect_discoverybench.human_study.judged_sample import JudgedSample, read_judged_samples
from inspect_discoverybench.human_study.labels import (
    LabelledSample,
    Step,
    draw_samples,
    judge_answers,
    read_labels,
)
from tests.human_study.logs import REPLIES, csv_file, judged_logs

KEY = "item,log,sample_id,epoch,score,gold,hms,context,variables,relationship"
LABELS = "item,annotator,gold_context,predicted_context,context_match,variables,relationship"
ANSWERS = f"{LABELS},true_variables,true_relationship"

PARTIAL = "a,L,s/1,1,HMS,g1,0.3333333333333333,1,0.6666666666666666,0.5"
MISMATCH = "b,L,s/2,1,HMS,g2,0,0,1,1"


@pytest.fixture
def samples() -> list[JudgedSample]:
    samples, _ = read_judged_samples(judged_logs()[:1], "HMS")
    return samples


def labelled(*rows: str, key: str = PARTIAL) -> LabelledSample:
    """The sample of the key with the labels in rows, which have correct answers if there are nine values."""
    header = ANSWERS if rows[0].count(",") > 6 else LABELS
    table = csv_file("labels.csv", header, *rows)
    [sample] = read_labels([csv_file("key.csv", KEY, key), table])
    return sample


def verdicts(sample: LabelledSample) -> str:
    """Whether the judge is right in each step: r, w, or - without a majority."""
    letters = {True: "r", False: "w", None: "-"}
    return "".join(letters[sample.right(step)] for step in Step)


@pytest.mark.parametrize("number", [0, 1, 2, 6])
def test_annotators_see_the_answers_of_the_judge(samples: list[JudgedSample], number: int) -> None:
    [sample] = [sample for sample in samples if sample.hypothesis == f"Finding {number}"]
    context = "among all" if number == 6 else f"where Finding {number}"
    match, counts, letter = REPLIES[number]
    answers = judge_answers(sample) or {}
    del answers["gold_context"]
    assert answers == {
        "predicted_context": {"value": context},
        "context_match": {"value": match},
        "variables": {"value": counts, "reason": "counted"},
        "relationship": {"value": letter, "reason": "compared"},
    }


def test_a_sample_without_all_replies_has_no_answers() -> None:
    log = read_eval_log(judged_logs()[0])
    for sample in log.samples or []:
        score = (sample.scores or {})["HMS"]
        record = score.metadata or {}
        record.get("replies", {}).pop("relationship", None)
    write_eval_log(log, "changed.eval")
    samples, _ = read_judged_samples(["changed.eval"], "HMS")
    assert [judge_answers(sample) for sample in samples] == [None] * 5


def test_a_seed_chooses_the_samples_and_their_order(samples: list[JudgedSample]) -> None:
    items = draw_samples(samples, "HMS", 3, seed=1)
    assert len(items) == 3
    assert items == draw_samples(samples, "HMS", 3, seed=1)
    assert items != draw_samples(samples, "HMS", 3, seed=2)
    assert len(draw_samples(samples, "HMS", 200, seed=1)) == 5


def test_without_judged_samples_there_is_no_sheet() -> None:
    with pytest.raises(InvalidArgument, match=r"^No sample of these logs was judged\. Pass logs with scored subm"):
        draw_samples([], "HMS", 5, seed=1)


@pytest.mark.parametrize(
    ("key", "row", "hms"),
    [
        (PARTIAL, "a,Ann,right,right,right,right,right", 0.3333333333333333),
        (PARTIAL, "a,Ann,wrong,right,right,wrong,wrong,4 4 3,A", 0.75),
        # A wrong match needs no correct answer.
        (PARTIAL, "a,Ann,,,wrong,,", 0),
        (MISMATCH, "b,Ann,,,wrong,right,right", 1),
        # One facet that is 0 determines HMS.
        (PARTIAL, "a,Ann,,,right,wrong,wrong,,C", 0),
        (PARTIAL, "a,Ann,right,right,right,wrong,right", None),
        (PARTIAL, "a,Ann,right,right,,right,right", None),
    ],
)
def test_hms_follows_from_the_labels(key: str, row: str, hms: float | None) -> None:
    sample = labelled(row, key=key)
    assert sample.true_hms == (None if hms is None else pytest.approx(hms))
    assert sample.is_incomplete == (hms is None)


def test_the_majority_decides() -> None:
    sample = labelled(
        "a,Ann,right,,right,wrong,wrong,4 2 1,A",
        "a,Ben,wrong,,right,wrong,right,4 2 1,",
        "a,Cy,,,wrong,wrong,wrong,4 4 4,A",
    )
    assert verdicts(sample) == "--rww"
    assert sample.true_hms == pytest.approx(1 / 3)


def test_without_a_majority_of_correct_answers_hms_is_not_determined() -> None:
    sample = labelled("a,Ann,,,right,right,wrong,,A", "a,Ben,,,right,right,wrong,,C")
    assert sample.true_hms is None


def test_a_folder_is_read_with_its_key() -> None:
    Path("sheet").mkdir()
    csv_file("sheet/key.csv", KEY, PARTIAL, MISMATCH)
    csv_file("sheet/ann.csv", LABELS, "b,Ann,right,wrong,right,wrong,right")
    csv_file("sheet/ben.csv", LABELS.replace(",", ";"), "a;Ann;;;;;", "b;Ben  Öz;wrong;;;;")
    unlabelled, sample = read_labels([Path("sheet")])
    assert unlabelled.labels == {}
    assert list(sample.labels) == ["Ann", "Ben Öz"]
    assert verdicts(sample) == "-wrwr"


@pytest.mark.parametrize(
    ("row", "key", "message"),
    [
        ("a,Ann,maybe,,,,", PARTIAL, "labels.csv: line 2: gold_context: Input should be 'right', 'wrong' or ''."),
        ("a,Ann,,,,wrong,,4 2,", PARTIAL, "labels.csv: line 2: true_variables: write three numbers of variables"),
        ("a,Ann,,,,wrong,,4 2 3,", PARTIAL, "labels.csv: line 2: true_variables: intersection is 3, but sizeA is 4"),
        ("a,Ann,,,,,wrong,,D", PARTIAL, "labels.csv: line 2: true_relationship: Input should be 'A', 'B', 'C' or ''"),
        ("a,Ann,,,,,right,,A", PARTIAL, "labels.csv: line 2: true_relationship has an answer, but relationship is n"),
        ("a,Ann,right,,,,", PARTIAL.replace("0.5", "x"), "key.csv: line 2: relationship: Input should be a valid nu"),
    ],
)
def test_a_mistake_is_one_line(row: str, key: str, message: str) -> None:
    with pytest.raises(DiscoveryBenchError) as raised:
        labelled(row, key=key)
    assert raised.value.message.startswith(message)
    assert "\n" not in raised.value.message


def test_labels_and_key_are_needed() -> None:
    key = csv_file("key.csv", KEY, PARTIAL)
    with pytest.raises(InvalidArgument, match=r"^key.csv: no labels\. Expected one row per item and annotator\.$"):
        read_labels([key])
    labels = csv_file("labels.csv", LABELS, "a,Ann,right,,,,")
    with pytest.raises(InvalidArgument, match=r"^labels.csv: no key.csv\. Pass the key.csv that was written with"):
        read_labels([labels])
    with pytest.raises(DataMissing, match=r"^gone\.csv cannot be read: No such file"):
        read_labels([Path("gone.csv")])
