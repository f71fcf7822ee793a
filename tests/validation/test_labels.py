"""Reading labels: majorities, the HMS that follows from them, and the error message for each mistake."""

from pathlib import Path

import pytest

from inspect_discoverybench.errors import DataMissing, DiscoveryBenchError, InvalidArgument, UnreadableTable
from inspect_discoverybench.validation.answers import Step
from inspect_discoverybench.validation.labels import LabelledSample, Labels, read_labels

KEY = "item,log,sample_id,epoch,score,gold,stratum,weight,hms," + ",".join(Step)
LABELS = "item,annotator,gold_context,predicted_context,context_match,variables,relationship"
TRUE = "true_gold_context,true_predicted_context,true_context_match,true_variables,true_relationship"

# F1 of 4 2 2 is 2/3, and B is a half.
PARTIAL = 'a,L,s/1,1,HMS,g1,"1, partial, B",2.5,0.3333333333333333,in towns,in cities,yes,4 2 2,B'
MISMATCH = 'b,L,s/2,1,HMS,g2,"0, 1, A",1,0.0,in towns,None,no,3 3 3,A'
GATED = 'c,L,s/3,2,HMS,g3,"0, –, –",1,0.0,in towns,None,no,,'


def csv_file(name: str, *lines: str) -> Path:
    path = Path(name)
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def labels_of(*rows: str, key: str = PARTIAL) -> Labels:
    """The labels in rows without correct answers, or with them if there are twelve values."""
    header = f"{LABELS},{TRUE}" if rows[0].partition("\n")[0].count(",") > 6 else LABELS
    return read_labels([csv_file("key.csv", KEY, key), csv_file("labels.csv", header, *rows)])


def one(*rows: str, key: str = PARTIAL) -> LabelledSample:
    [sample] = labels_of(*rows, key=key).samples
    return sample


def test_a_sample_that_is_right_in_every_step_keeps_its_hms() -> None:
    sample = one("a,Ann,right,right,right,right,right")
    assert (sample.item, sample.log, sample.sample_id, sample.epoch, sample.score) == ("a", "L", "s/1", 1, "HMS")
    assert (sample.gold, sample.stratum, sample.weight) == ("g1", "1, partial, B", 2.5)
    assert [sample.right(step) for step in Step] == [True] * 5
    assert sample.hms == sample.true_hms == 0.3333333333333333


def test_correct_answers_give_another_hms() -> None:
    sample = one("a,Ann,wrong,right,right,wrong,wrong,in big towns,,,4 4 3,A")
    assert sample.true == {
        Step.GOLD_CONTEXT: "in big towns",
        Step.PREDICTED_CONTEXT: "in cities",
        Step.CONTEXT_MATCH: "yes",
        Step.VARIABLES: "4 4 3",
        Step.RELATIONSHIP: "A",
    }
    assert sample.true_hms == pytest.approx(0.75)


def test_a_wrong_match_needs_no_correct_answer() -> None:
    assert one("a,Ann,,,wrong,,").true_hms == 0
    assert one("b,Ann,,,wrong,right,right", key=MISMATCH).true_hms == 1


@pytest.mark.parametrize(
    "row",
    [
        "a,Ann,right,right,right,wrong,right",
        "a,Ann,right,right,right,right,wrong",
        "a,Ann,right,right,right,right,",
        "a,Ann,right,right,,right,right",
    ],
)
def test_labels_that_do_not_determine_hms_are_incomplete(row: str) -> None:
    labels = labels_of(row)
    assert [sample.true_hms for sample in labels.samples] == [None]
    assert labels.complete == ()


def test_one_facet_that_is_0_determines_hms() -> None:
    assert one("a,Ann,,,,wrong,,,,,4 2 0,").true_hms == 0
    assert one("a,Ann,,,right,wrong,wrong,,,,,C").true_hms == 0


def test_the_correct_answer_alone_is_a_verdict() -> None:
    sample = one("a,Ann,,,,,,In Towns,,no,4 2 2,A")
    assert [sample.right(step) for step in Step] == [True, None, False, True, False]


def test_the_majority_decides() -> None:
    rows = (
        "a,Ann,right,,right,wrong,wrong,,,,4 2 1,A",
        "a,Ben,wrong,,right,wrong,right,,,,4 2 1,",
        "a,Cy,,,wrong,wrong,wrong,,,,4 4 4,C",
    )
    sample = one(*rows)
    assert [sample.right(step) for step in Step] == [None, None, True, False, False]
    assert sample.true[Step.VARIABLES] == "4 2 1"
    # Two different correct answers have no majority.
    assert sample.true[Step.RELATIONSHIP] == ""
    assert sample.true_hms is None


def test_a_step_that_was_not_asked_may_get_an_answer() -> None:
    assert one("c,Ann,,,wrong,,,,,,2 2 2,A", key=GATED).true_hms == 1
    assert one("c,Ann,,,wrong,,,,,,2 2 2,", key=GATED).true_hms is None
    assert one("c,Ann,,,right,,", key=GATED).true_hms == 0


def test_annotators_and_files_come_together() -> None:
    key = csv_file("key.csv", KEY, PARTIAL, MISMATCH, GATED)
    ann = csv_file("ann.csv", LABELS, "b,Ann,R,w,1,0,Right", "a,Ann,right,,,,", "c,,,,,,")
    ben = csv_file("ben.csv", LABELS.replace(",", ";"), "a; ANN ;;;;;", "b;Ben  Öz;wrong;;;;")
    labels = read_labels([ben, ann, key])
    assert [(sample.item, sorted(sample.labels[Step.GOLD_CONTEXT])) for sample in labels.samples] == [
        ("a", ["Ann"]),
        ("b", ["Ann", "Ben Öz"]),
    ]
    assert labels.unlabelled == 1
    assert [labels.samples[1].right(step) for step in Step] == [None, False, True, False, True]


def test_a_folder_is_read_with_its_key() -> None:
    Path("sheet").mkdir()
    csv_file("sheet/key.csv", KEY, PARTIAL)
    csv_file("sheet/sheet.csv", f"{LABELS},goal", "a,,,,,,,Why?")
    csv_file("sheet/labels_Ann.csv", LABELS, "a,Ann,right,,,,")
    csv_file("sheet/other.csv", "pair,hms_1,hms_2", "p,0,0")
    assert len(read_labels([Path("sheet")]).samples) == 1


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ("a,Ann,maybe,,,,", "labels.csv: line 2: gold_context must be right or wrong, got 'maybe'."),
        ("a,Ann,,,,,,,,maybe,,", "labels.csv: line 2: true_context_match must be yes or no, got 'maybe'."),
        ("a,Ann,,,,,,,,,4 2 3,", "labels.csv: line 2: true_variables must be the number of variables in the gold "),
        ("a,Ann,,,,,,,,,,D", "labels.csv: line 2: true_relationship must be A, B or C, got 'D'."),
        (
            "a,Ann,,,,,right,,,,,A",
            "labels.csv: line 2: relationship is 'right', but true_relationship is 'A' and the judge's answer is 'B'.",
        ),
        ("a,Ann,,,,,wrong,,,,,B", "labels.csv: line 2: relationship is 'wrong', but true_relationship is 'B' and "),
    ],
)
def test_a_mistake_is_one_line(row: str, line: str) -> None:
    with pytest.raises(DiscoveryBenchError) as raised:
        labels_of(row)
    assert raised.value.message.startswith(line)
    assert "\n" not in raised.value.message


def test_a_verdict_on_a_missing_answer_is_a_mistake() -> None:
    with pytest.raises(InvalidArgument, match=r"line 2: variables must be empty, got 'wrong': the judge has no answer"):
        labels_of("c,Ann,,,,wrong,", key=GATED)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (",2.5,", ",x,", "key.csv: line 2: weight must be a number from 1 to 1,000,000, got 'x'."),
        (",0.3333333333333333,", ",1.5,", "key.csv: line 2: hms must be a number from 0 to 1, got '1.5'."),
        (",4 2 2,", ",4 2,", "key.csv: line 2: variables must be the number of variables in the gold hypothesis"),
    ],
)
def test_a_mistake_in_the_key_is_one_line(old: str, new: str, line: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        labels_of("a,Ann,right,,,,", key=PARTIAL.replace(old, new))
    assert raised.value.message.startswith(line)


def test_files_that_are_missing_or_of_another_kind() -> None:
    key, labels = csv_file("key.csv", KEY, PARTIAL), csv_file("labels.csv", LABELS, "a,Ann,right,,,,")
    with pytest.raises(InvalidArgument, match=r"^labels.csv: no key.csv\. Pass the key.csv that was written with"):
        read_labels([labels])
    with pytest.raises(InvalidArgument, match=r"^key.csv: no labels\. Expected one row per item and annotator\.$"):
        read_labels([key])
    with pytest.raises(DataMissing, match=r"^The file 'gone.csv' does not exist\."):
        read_labels([key, Path("gone.csv")])
    with pytest.raises(UnreadableTable, match=r"^votes.csv: line 1: missing column item, gold_context, "):
        read_labels([key, csv_file("votes.csv", "pair,annotator,choice", "p,Ann,1")])
