"""Pairs: which are drawn; and ballots: what votes and the key say about a pair."""

import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.scorer import Score

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.human_study.judged_sample import JudgedSample, read_judged_samples
from inspect_discoverybench.human_study.votes import Ballot, draw_pairs, read_ballots
from tests.human_study.logs import csv_file, judged_logs

HEADER = "item,annotator,choice"
KEY = "item,gold,hms_1,hms_2"


@pytest.fixture
def samples() -> list[JudgedSample]:
    samples, _ = read_judged_samples(judged_logs()[:2], "HMS")
    return samples


def ballot_of(row: str, *votes: str) -> Ballot:
    """The ballot of one pair."""
    [ballot] = read_ballots([csv_file("votes.csv", HEADER, *votes)], csv_file("key.csv", KEY, row))
    return ballot


def test_only_samples_with_different_scored_hypotheses_are_pairs() -> None:
    first, second, _ = judged_logs()
    log = read_eval_log(second)
    scores = {}
    for sample in log.samples or []:
        scores[(sample.scores or {})["HMS"].answer] = sample
    scores["Finding 0 again"].scores = {"HMS": Score.unscored(answer="It rises.")}
    scores["Finding 1 again"].scores = {"HMS": Score(value={"hms": 0.0}, reason="no_response")}
    scores["Finding 2 again"].scores = {"HMS": Score(value={"hms": 1.0}, answer=" Finding 2\n")}
    write_eval_log(log, "changed.eval")
    changed, left_out = read_judged_samples([first, "changed.eval"], "HMS", anyway=True)
    # The formula is in both logs.
    [pair] = draw_pairs(changed, 100, seed=1)
    assert pair.key["sample_id"] == scores["Finding 6 again"].id
    assert left_out == {"unscored": 5, "no submission": 3}


def test_a_log_alone_has_no_pairs() -> None:
    samples, _ = read_judged_samples(judged_logs()[:1], "HMS")
    with pytest.raises(InvalidArgument, match=r"^No pairs can be drawn from these logs: no sample has different scor"):
        draw_pairs(samples, 1, seed=1)


def test_a_seed_chooses_the_pairs(samples: list[JudgedSample]) -> None:
    drawn = draw_pairs(samples, 3, seed=1)
    assert len(drawn) == 3
    assert drawn == draw_pairs(samples, 3, seed=1)
    assert drawn != draw_pairs(samples, 3, seed=2)
    assert len(draw_pairs(samples, 100, seed=1)) == 4


def test_a_pair_has_the_same_name_and_sides_in_every_sheet(samples: list[JudgedSample]) -> None:
    """So votes can be compared with the scores of another judge."""
    sheets = [draw_pairs(samples, 4, seed) for seed in (1, 2)]
    first, second = ({item.name: item.texts for item in sheet} for sheet in sheets)
    assert len(first) == 4
    assert first == second


def test_sides_are_not_those_of_the_logs() -> None:
    samples, _ = read_judged_samples(judged_logs(), "HMS")
    pairs = draw_pairs(samples, 100, seed=1)
    swapped = sum(item.key["log_1"] > item.key["log_2"] for item in pairs)
    assert 0 < swapped < len(pairs)


def test_a_ballot_has_the_choice_of_each_annotator() -> None:
    ballot = ballot_of("a,g,1,0", "a,Ann,1", "a,Ben, 2 ", "a,Cy,equal")
    assert ballot.votes == {"Ann": "1", "Ben": "2", "Cy": "equal"}


@pytest.mark.parametrize(
    ("scores", "choice"), [("1,0", "1"), ("0,0.25", "2"), ("0.3,0.30000000000000004", "equal"), ("0,0", "equal")]
)
def test_hms_chooses_the_higher_score(scores: str, choice: str) -> None:
    assert ballot_of(f"a,g,{scores}", "a,Ann,1").hms == choice


def test_pairs_of_one_gold_are_a_cluster_and_a_pair_without_a_gold_is_its_own() -> None:
    assert ballot_of("a,0a,1,0", "a,Ann,1").cluster == "0a"
    assert ballot_of("a,,1,0", "a,Ann,1").cluster == "a"


def test_pairs_without_votes_are_kept() -> None:
    key = csv_file("key.csv", KEY, "b,g,0,1", "a,g,0,1")
    ballots = read_ballots([csv_file("votes.csv", HEADER, "b,Ann,1")], key)
    assert [len(ballot.votes) for ballot in ballots] == [0, 1]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a,g,1.5,0", "key.csv: line 2: hms_1: Input should be less than or equal to 1. Got '1.5'."),
        ("a,g,nan,0", "key.csv: line 2: hms_1: Input should be less than or equal to 1. Got 'nan'."),
        ("a,g,0,1\na,g,0,1", "key.csv: line 3: a second row for item a. Remove one of the rows."),
    ],
)
def test_a_mistake_in_the_key_is_one_line(row: str, message: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        ballot_of(row, "a,Ann,1")
    assert raised.value.message == message
