"""Votes: which pairs are drawn, how votes are read, and what HMS prefers."""

import re
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.scorer import Score

from inspect_discoverybench.errors.exceptions import DiscoveryBenchError, InvalidArgument
from inspect_discoverybench.human_study.judged_sample import JudgedSample, read_judged_samples
from inspect_discoverybench.human_study.sheet import write_sheet
from inspect_discoverybench.human_study.votes import VOTES, Ballot, draw_pairs, read_ballots
from tests.human_study.logs import csv_file, judged_logs

HEADER = "pair,annotator,choice"
SCORED = [f"Finding {number} again" for number in (0, 1, 2, 6)]


@pytest.fixture
def samples() -> list[JudgedSample]:
    return read_judged_samples(judged_logs()[:2], "HMS")[0]


def test_only_samples_with_different_scored_hypotheses_are_pairs() -> None:
    first, second, _ = judged_logs()
    log = read_eval_log(second)
    scored = [sample for sample in log.samples or [] if (sample.scores or {})["HMS"].answer in SCORED]
    scored[0].scores = {"HMS": Score.unscored(answer="It rises.")}
    scored[1].scores = {"HMS": Score(value={"hms": 0.0}, reason="no_response")}
    scored[2].scores = {"HMS": Score(value={"hms": 1.0}, answer=" Finding 2\n")}
    write_eval_log(log, "changed.eval")
    changed, left_out = read_judged_samples([first, "changed.eval"], "HMS", anyway=True)
    # The formula is in both logs.
    assert [item.key["sample_id"] for item in draw_pairs(changed, 100, seed=1)] == [scored[3].id]
    assert left_out == {"unscored": 5, "no submission": 3}
    with pytest.raises(InvalidArgument, match=r"^No pairs can be drawn from these logs: no sample has different scor"):
        draw_pairs(read_judged_samples([first], "HMS")[0], 1, seed=1)


def test_a_seed_chooses_pairs_their_order_and_sides(samples: list[JudgedSample]) -> None:
    drawn = draw_pairs(samples, 3, seed=1)
    assert [item.name for item in drawn] == ["p001", "p002", "p003"]
    assert drawn == draw_pairs(samples, 3, seed=1)
    by_seed = [draw_pairs(samples, 100, seed) for seed in range(20)]
    assert {len(items) for items in by_seed} == {4}
    assert len({tuple(item.key["sample_id"] for item in items) for items in by_seed}) > 1
    sides = [item.key["log_1"] == samples[0].log for items in by_seed for item in items]
    assert 20 < sum(sides) < 60


def test_a_ballot_has_the_votes_on_a_pair_and_the_choice_of_hms() -> None:
    rows = ("p1,0a,1,0", "p2,0a,0,0.25", "p3,0b,0.3,0.30000000000000004", "p4,,0,1")
    key = csv_file("key.csv", "pair,gold,hms_1,hms_2", *rows)
    choices = ("1", " 2 ", "EQUAL ", "=", "Tie", "0")
    votes = csv_file("votes.csv", HEADER, *(f"p1,annotator {n},{choice}" for n, choice in enumerate(choices)))
    one, two, three, four = read_ballots([votes], key)
    assert list(one.votes.values()) == [1, -1, 0, 0, 0, 0]
    assert (two, four) == (Ballot({}, -1, one.cluster), Ballot({}, -1, "pair p4"))
    assert three.hms == 0
    assert len({one.cluster, three.cluster, four.cluster}) == 3


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (r"(p001,.*?),1,", r"\1,9,", r"line 2: no log that was passed has HMS of sample demo/\S+, epoch 9, in the ru"),
        (r"log_1", "log", r"line 1: missing column log_1\. Expected the columns pair, sample_id, epoch, log_1, log_2"),
    ],
)
def test_a_key_that_does_not_match_the_logs(samples: list[JudgedSample], old: str, new: str, line: str) -> None:
    write_sheet(VOTES, draw_pairs(samples, 4, seed=5), Path())
    key, votes = Path("key.csv"), [csv_file("votes.csv", HEADER, "p001,Ann,1")]
    assert read_ballots(votes, key, samples[::-1]) == read_ballots(votes, key)
    key.write_text(re.sub(old, new, key.read_text("utf-8"), count=1), "utf-8")
    with pytest.raises(DiscoveryBenchError, match=f"^key.csv: {line}"):
        read_ballots(votes, key, samples)


@pytest.mark.parametrize(
    ("row", "choice", "line"),
    [
        ("p1,1.5,0", "1", "key.csv: line 2: hms_1 must be a number from 0 to 1, got '1.5'."),
        ("p1,nan,0", "1", "key.csv: line 2: hms_1 must be a number from 0 to 1, got 'nan'."),
        ("p1,0,1\np1,0,1", "1", "key.csv: line 3: a second row for pair p1 (key.csv: line 2). Remove one of the two"),
        ("p1,0,1", "maybe", "votes.csv: line 2: choice must be 1, 2 or equal, got 'maybe'."),
    ],
)
def test_a_mistake_is_one_line(row: str, choice: str, line: str) -> None:
    votes = csv_file("votes.csv", HEADER, f"p1,Ann,{choice}")
    with pytest.raises(InvalidArgument) as raised:
        read_ballots([votes], csv_file("key.csv", "pair,hms_1,hms_2", row))
    assert raised.value.message.startswith(line)
