"""Labels: which samples are drawn, the HMS that follows from labels, and the error message for each mistake."""

from collections import Counter
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from inspect_discoverybench.errors.exceptions import DataMissing, DiscoveryBenchError, InvalidArgument
from inspect_discoverybench.human_study.judged_sample import read_judged_samples
from inspect_discoverybench.human_study.labels import LabelledSample, Step, draw_samples, has_replies, read_labels
from inspect_discoverybench.human_study.sheet import Item
from tests.human_study.logs import FORMULA, SCRIPT, csv_file, judged_logs

KEY = "item,log,sample_id,epoch,score,gold,stratum,weight,hms," + ",".join(Step)
LABELS = "item,annotator,gold_context,predicted_context,context_match,variables,relationship"
TRUE = "true_gold_context,true_predicted_context,true_context_match,true_variables,true_relationship"

# F1 of 4 2 2 is 2/3, and B is a half.
PARTIAL = 'a,L,s/1,1,HMS,g1,"1, partial, partial",2.5,0.3333333333333333,in towns,in cities,yes,4 2 2,B'
MISMATCH = 'b,L,s/2,1,HMS,g2,"0, 1, 1",1,0.0,in towns,None,no,3 3 3,A'
GATED = 'c,L,s/3,2,HMS,g3,"0, –, –",1,0.0,in towns,None,no,,'


def drawn(logs: list[str], count: int = 200, seed: int = 1) -> list[Item]:
    return draw_samples(read_judged_samples(logs, "HMS")[0], count, seed)


def by_number(items: list[Item]) -> dict[int, Item]:
    """Items by their number in `SCRIPT`."""
    texts = {item.texts["predicted_hypothesis"]: item for item in items}
    return {7 if text == FORMULA else int(text.split()[1]): item for text, item in texts.items()}


def test_the_key_and_the_page_have_the_answers_of_the_judge() -> None:
    items = by_number(drawn(judged_logs()[:1]))
    assert sorted(items) == [0, 1, 2, 6, 7]
    for number, item in items.items():
        match, variables, relationship = SCRIPT[number]
        assert item.key["context_match"] == ("yes" if match else "no")
        assert item.key["variables"] == " ".join(map(str, variables or ()))
        assert item.key["relationship"] == relationship
    answers = items[1].answers
    assert answers["predicted_context"] == {"value": "where Finding 1", "reason": "<b>found</b>"}
    assert answers["variables"] == {"value": "4 2 2", "reason": "counted"}


def test_samples_without_their_replies_are_left_out() -> None:
    changed = read_eval_log(judged_logs()[0])
    records = [score.metadata for s in changed.samples or [] for score in (s.scores or {}).values() if score.metadata]
    scored = [record for record in records if len(record["facets"]) == 3]
    scored[0].pop("replies")
    scored[1]["facets"] = {"context": 0.5}
    write_eval_log(changed, "changed.eval")
    samples, _ = read_judged_samples(["changed.eval"], "HMS")
    assert [has_replies(sample) for sample in samples].count(False) == 2


def test_every_outcome_is_drawn_and_the_weights_sum_to_the_population() -> None:
    items = drawn(judged_logs(), 9)
    assert {item.key["stratum"] for item in items} == {"1, 1, 1", "1, partial, partial", "0, partial, 1", "0, 0, 0"}
    assert sum(float(item.key["weight"]) for item in items) == pytest.approx(15)
    for stratum, size in Counter(item.key["stratum"] for item in items).items():
        weights = {float(item.key["weight"]) for item in items if item.key["stratum"] == stratum}
        assert weights == {(6 if stratum == "1, 1, 1" else 3) / size}
    assert items == drawn(judged_logs(), 9)
    assert len({item.name for item in items + drawn(judged_logs(), 9, seed=2)}) == 18
    with pytest.raises(InvalidArgument, match=r"^--samples must be at least 4, got 3: the judged samples have 4 diff"):
        drawn(judged_logs(), 3)


def labelled(*rows: str, key: str = PARTIAL) -> LabelledSample:
    """The sample of the key with the labels in rows, which have correct answers if there are twelve values."""
    header = f"{LABELS},{TRUE}" if rows[0].count(",") > 6 else LABELS
    [sample] = read_labels([csv_file("key.csv", KEY, key), csv_file("labels.csv", header, *rows)])
    return sample


@pytest.mark.parametrize(
    ("key", "row", "hms"),
    [
        (PARTIAL, "a,Ann,right,right,right,right,right", 0.3333333333333333),
        (PARTIAL, "a,Ann,wrong,right,right,wrong,wrong,in big towns,,,4 4 3,A", 0.75),
        # A wrong match needs no correct answer.
        (PARTIAL, "a,Ann,,,wrong,,", 0),
        (MISMATCH, "b,Ann,,,wrong,right,right", 1),
        # One facet that is 0 determines HMS.
        (PARTIAL, "a,Ann,,,right,wrong,wrong,,,,,C", 0),
        (PARTIAL, "a,Ann,right,right,right,wrong,right", None),
        (PARTIAL, "a,Ann,right,right,,right,right", None),
        # A step that was not asked about may get an answer.
        (GATED, "c,Ann,,,wrong,,,,,,2 2 2,A", 1),
        (GATED, "c,Ann,,,wrong,,,,,,2 2 2,", None),
        (GATED, "c,Ann,,,right,,", 0),
    ],
)
def test_hms_follows_from_the_labels(key: str, row: str, hms: float | None) -> None:
    assert labelled(row, key=key).true_hms == (None if hms is None else pytest.approx(hms))


def test_the_correct_answer_alone_is_a_verdict() -> None:
    sample = labelled("a,Ann,,,,,,In Towns,,no,4 2 2,A")
    assert [sample.right(step) for step in Step] == [True, None, False, True, False]


def test_the_majority_decides() -> None:
    rows = (
        "a,Ann,right,,right,wrong,wrong,,,,4 2 1,A",
        "a,Ben,wrong,,right,wrong,right,,,,4 2 1,",
        "a,Cy,,,wrong,wrong,wrong,,,,4 4 4,C",
    )
    sample = labelled(*rows)
    assert [sample.right(step) for step in Step] == [None, None, True, False, False]
    # Two different correct answers have no majority.
    assert (sample.true[Step.VARIABLES], sample.true[Step.RELATIONSHIP]) == ("4 2 1", "")


def test_a_folder_is_read_with_its_key() -> None:
    Path("sheet").mkdir()
    csv_file("sheet/key.csv", KEY, PARTIAL, MISMATCH, GATED)
    csv_file("sheet/ann.csv", LABELS, "b,Ann,R,w,1,0,Right", "a,Ann,right,,,,", "c,,,,,,")
    csv_file("sheet/ben.csv", LABELS.replace(",", ";"), "a; ANN ;;;;;", "b;Ben  Öz;wrong;;;;")
    csv_file("sheet/other.csv", "pair,hms_1,hms_2", "p,0,0")
    samples = read_labels([Path("sheet")])
    assert [(one.item, list(one.labels[Step.GOLD_CONTEXT])) for one in samples] == [
        ("a", ["Ann"]),
        ("b", ["Ann", "Ben Öz"]),
        ("c", []),
    ]
    assert [samples[1].right(step) for step in Step] == [None, False, True, False, True]


@pytest.mark.parametrize(
    ("row", "key", "line"),
    [
        ("a,Ann,maybe,,,,", PARTIAL, "labels.csv: line 2: gold_context must be right or wrong, got 'maybe'."),
        ("a,Ann,,,,,,,,,4 2 3,", PARTIAL, "labels.csv: line 2: true_variables must be the number of variables in the "),
        ("a,Ann,,,,,,,,,,D", PARTIAL, "labels.csv: line 2: true_relationship must be A, B or C, got 'D'."),
        ("a,Ann,,,,,wrong,,,,,B", PARTIAL, "labels.csv: line 2: relationship is 'wrong', but the judge's answer is "),
        ("c,Ann,,,,wrong,", GATED, "labels.csv: line 2: variables is 'wrong', but the judge's answer is '' and true_"),
        ("a,Ann,right,,,,", PARTIAL.replace("2.5", "x"), "key.csv: line 2: weight must be a number from 1 to 1,000"),
        ("a,Ann,right,,,,", PARTIAL.replace("4 2 2", "4 2"), "key.csv: line 2: variables must be the number of varia"),
    ],
)
def test_a_mistake_is_one_line(row: str, key: str, line: str) -> None:
    with pytest.raises(DiscoveryBenchError) as raised:
        labelled(row, key=key)
    assert raised.value.message.startswith(line)
    assert "\n" not in raised.value.message


def test_files_that_are_missing_or_of_another_kind() -> None:
    key, labels = csv_file("key.csv", KEY, PARTIAL), csv_file("labels.csv", LABELS, "a,Ann,right,,,,")
    with pytest.raises(InvalidArgument, match=r"^labels.csv: no key.csv\. Pass the key.csv that was written with"):
        read_labels([labels])
    with pytest.raises(InvalidArgument, match=r"^key.csv: no labels\. Expected one row per item and annotator\.$"):
        read_labels([key])
    with pytest.raises(DataMissing, match=r"^gone\.csv cannot be read: No such file"):
        read_labels([key, Path("gone.csv")])
