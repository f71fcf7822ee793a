"""Labels: which samples are drawn, the HMS that follows from labels, and the error message for each mistake."""

from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from inspect_discoverybench.errors.exceptions import DiscoveryBenchError, InvalidArgument
from inspect_discoverybench.human_study.judged_sample import JudgedSample, read_judged_samples
from inspect_discoverybench.human_study.labels import (
    JudgeStep,
    LabelledSample,
    draw_samples,
    judge_answers,
    read_labels,
)
from tests.human_study.logs import csv_file, judged_logs

KEY = "item,log,sample_id,epoch,score,gold,hms,context,variables,relationship"
LABELS = "item,annotator,gold_context,predicted_context,context_match,variables,relationship"
ANSWERS = f"{LABELS},true_variables,true_relationship"

PARTIAL = "a,L,s/1,1,HMS,g1,0.3333333333333333,1,0.6666666666666666,0.5"
"""The key of item a: by the judge, context 1, variables 2/3 and relationship 0.5, so that HMS is 1/3."""

MISMATCH = "b,L,s/2,1,HMS,g2,0,0,1,1"
"""The key of item b: by the judge, the contexts do not match, so that HMS is 0. The other facets are 1."""


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
    return "".join(letters[sample.is_judge_right(step)] for step in JudgeStep)


def test_annotators_see_the_answers_of_the_judge(samples: list[JudgedSample]) -> None:
    by_hypothesis = {sample.hypothesis: sample for sample in samples}
    with_different_contexts = by_hypothesis["Finding 2"]
    assert judge_answers(with_different_contexts) == {
        "gold_context": {"value": f"where {with_different_contexts.gold_hypothesis}"},
        "predicted_context": {"value": "where Finding 2"},
        "context_match": {"value": "no"},
        "variables": {"value": "3 3 1", "reason": "compared"},
        "relationship": {"value": "A", "reason": "compared"},
    }
    answers_on_equal_contexts = judge_answers(by_hypothesis["Finding 6"])
    assert answers_on_equal_contexts
    assert answers_on_equal_contexts["context_match"] == {"value": "yes"}  # known without asking the judge


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
    with pytest.raises(InvalidArgument, match=r"^No sample of these logs was judged\. Pass logs with scored subm"):
        draw_samples([], "HMS", 5, seed=1)


@pytest.mark.parametrize(
    ("key", "row", "hms"),
    [
        (PARTIAL, "a,Ann,right,right,right,right,right", 0.3333333333333333),
        # The correct variables have F1 3/4, and the correct relationship A is 1.
        (PARTIAL, "a,Ann,wrong,right,right,wrong,wrong,4 4 3,A", 0.75),
        # A wrong verdict on the match needs no correct answer: the context is then 0 instead of 1, or 1 instead of 0.
        (PARTIAL, "a,Ann,,,wrong,,", 0),
        (MISMATCH, "b,Ann,,,wrong,right,right", 1),
        # The correct relationship C is 0, so the correct variables, which are missing, do not matter.
        (PARTIAL, "a,Ann,,,right,wrong,wrong,,C", 0),
        # There is no verdict on the match.
        (PARTIAL, "a,Ann,right,right,,right,right", None),
    ],
)
def test_hms_follows_from_the_labels(key: str, row: str, hms: float | None) -> None:
    sample = labelled(row, key=key)
    assert sample.true_hms == (None if hms is None else pytest.approx(hms))
    assert sample.is_incomplete == (hms is None)


def test_the_majority_decides() -> None:
    # After the names, a row has a label for each of the five steps, and the correct variables and relationship.
    sample = labelled(
        "a,Ann,right,,right,wrong,wrong,4 2 1,A",
        "a,Ben,wrong,,right,wrong,right,4 2 1,",
        "a,Cy,,,wrong,wrong,wrong,4 4 4,A",
    )
    # The labels of the gold context are one right and one wrong, and the predicted context has none.
    assert verdicts(sample) == "--rww"
    # The match is right. Two of three annotators give the variables `4 2 1`, whose F1 is 1/3. The relationship A is 1.
    assert sample.true_hms == pytest.approx(1 / 3)


def test_a_folder_is_read_with_its_key() -> None:
    Path("sheet").mkdir()
    csv_file("sheet/key.csv", KEY, PARTIAL, MISMATCH)
    csv_file("sheet/ann.csv", LABELS, "b,Ann,right,wrong,right,wrong,right")
    # Some spreadsheets write semicolons. The row of item a is empty. Ben disagrees about the gold context of item b.
    csv_file("sheet/ben.csv", LABELS.replace(",", ";"), "a;Ben  Öz;;;;;", "b;Ben  Öz;wrong;;;;")
    unlabelled, sample = read_labels([Path("sheet")])
    assert unlabelled.labels == {}
    assert list(sample.labels) == ["Ann", "Ben Öz"]
    assert verdicts(sample) == "-wrwr"


@pytest.mark.parametrize(
    ("row", "key", "message"),
    [
        ("a,Ann,maybe,,,,", PARTIAL, "labels.csv: line 2: gold_context: Input should be 'right' or 'wrong'."),
        ("a,Ann,,,,wrong,,4 2,", PARTIAL, "labels.csv: line 2: true_variables: write three numbers of variables"),
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
