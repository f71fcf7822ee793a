"""Pairs: which are drawn; and ballots: what votes and the key say about a pair."""

from dataclasses import replace

import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.scorer import Score

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.human_study.judged_sample import JudgedSample, read_judged_samples
from inspect_discoverybench.human_study.votes import Ballot, draw_pairs, read_ballots
from tests.human_study.logs import csv_file, judged_logs


@pytest.fixture
def samples() -> list[JudgedSample]:
    samples, _ = read_judged_samples(judged_logs()[:2], "HMS")
    return samples


def names_of_pairs(samples: list[JudgedSample]) -> list[str]:
    """The names of all pairs."""
    return [item.name for item in draw_pairs(samples, 100, seed=1)]


def ballot_of(row: str, *votes: str) -> Ballot:
    """The ballot of one pair."""
    table = csv_file("votes.csv", "item,annotator,choice", *votes)
    key = csv_file("key.csv", "item,gold,hms_1,hms_2", row)
    [ballot] = read_ballots([table], key)
    return ballot


def test_only_samples_with_different_scored_hypotheses_are_pairs() -> None:
    """Of the five samples that are judged in both logs, only `Finding 6` remains a pair.

    In the second log, one hypothesis becomes unscored, one sample loses its submission, and one hypothesis becomes that
    of the first log with other spaces. The fifth sample has the same hypothesis in both logs from the start.
    """
    first, second, _ = judged_logs()
    log = read_eval_log(second)
    scores = {
        "Finding 0 again": Score.unscored(answer="It rises."),
        "Finding 1 again": Score(value={"hms": 0.0}, reason="no_response"),
        "Finding 2 again": Score(value={"hms": 1.0}, answer=" Finding 2\n"),
    }
    for sample in log.samples or []:
        score = (sample.scores or {})["HMS"]
        sample.scores = {"HMS": scores.get(score.answer or "", score)}
    write_eval_log(log, "changed.eval")
    # `anyway`, because the new score of `Finding 2 again` does not record how it was judged.
    samples, left_out = read_judged_samples([first, "changed.eval"], "HMS", anyway=True)
    [pair] = draw_pairs(samples, 100, seed=1)
    assert "Finding 6 again" in pair.texts.values()
    # In each log as it was, two samples are unscored and one has no submission. One of each is new.
    assert left_out == {"unscored": 2 + 2 + 1, "no submission": 1 + 1 + 1}


def test_a_log_alone_has_no_pairs() -> None:
    samples, _ = read_judged_samples(judged_logs()[:1], "HMS")
    with pytest.raises(InvalidArgument, match=r"^No pairs can be drawn from these logs: no sample has different scor"):
        draw_pairs(samples, 1, seed=1)


def test_hypotheses_that_were_judged_with_different_gold_hypotheses_are_no_pair(samples: list[JudgedSample]) -> None:
    """Annotators see one gold hypothesis. Their choice cannot be compared with an HMS that was judged with another one.

    Two logs may have different ones if the study was edited in between.
    """
    first, *others = samples
    names = names_of_pairs(samples)
    remaining = names_of_pairs([replace(first, gold_hypothesis="Another one."), *others])
    assert len(remaining) == len(names) - 1  # the pair of the first sample is lost
    assert set(remaining) < set(names)


def test_hypotheses_of_a_placebo_and_of_the_data_are_no_pair(samples: list[JudgedSample]) -> None:
    first, *others = samples
    names = names_of_pairs(samples)
    remaining = names_of_pairs([replace(first, task="demo_placebo"), *others])
    assert len(remaining) == len(names) - 1  # the pair of the first sample is lost
    assert set(remaining) < set(names)


def test_a_pair_has_the_same_name_and_sides_in_every_sheet(samples: list[JudgedSample]) -> None:
    """So votes can be compared with the scores of another judge."""
    drawn = draw_pairs(samples, 100, seed=1)
    again = draw_pairs(samples, 100, seed=2)
    assert len(drawn) == 4
    assert drawn != again
    assert {item.name: item for item in drawn} == {item.name: item for item in again}


def test_sides_are_not_those_of_the_logs() -> None:
    samples, _ = read_judged_samples(judged_logs(), "HMS")
    # A pair's sides depend on the ids of its logs, which are random. With fixed names, the test always has one result.
    logs = [*dict.fromkeys(sample.log for sample in samples)]
    named = [replace(sample, log=str(logs.index(sample.log))) for sample in samples]
    is_swapped = [pair.key["log_1"] > pair.key["log_2"] for pair in draw_pairs(named, 100, seed=1)]
    assert len(is_swapped) == 12  # four samples, whose hypotheses in three logs are three pairs each
    assert set(is_swapped) == {True, False}


def test_the_majority_of_annotators_decides() -> None:
    ballot = ballot_of("a,g,1,0", "a,Ann,1", "a,Ben, 2 ", "a,Cy,2")
    assert ballot.votes == {"Ann": "1", "Ben": "2", "Cy": "2"}
    assert ballot.majority == "2"
    assert ballot_of("a,g,1,0", "a,Ann,1", "a,Ben,2").majority is None


@pytest.mark.parametrize(
    ("scores", "choice"),
    [
        ("1,0", "1"),
        ("0,0.25", "2"),
        ("0.3,0.30000000000000004", "equal"),  # they differ by rounding
    ],
)
def test_hms_chooses_the_higher_score(scores: str, choice: str) -> None:
    assert ballot_of(f"a,g,{scores}", "a,Ann,1").hms == choice


def test_pairs_of_one_gold_are_a_cluster_and_a_pair_without_a_gold_is_its_own() -> None:
    assert ballot_of("a,0a,1,0", "a,Ann,1").cluster == "0a"
    assert ballot_of("a,,1,0", "a,Ann,1").cluster == "a"


def test_a_score_outside_0_to_1_is_one_line() -> None:
    with pytest.raises(InvalidArgument, match=r"^key.csv: line 2: hms_1: Input should be .* Got '1\.5'\.$"):
        ballot_of("a,g,1.5,0", "a,Ann,1")
