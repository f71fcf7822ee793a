"""Votes: which pairs are drawn, how votes are read, and what HMS prefers."""

import re
from pathlib import Path

import pytest
from inspect_ai import score as inspect_score
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.scorer import Score

from inspect_discoverybench.errors import DiscoveryBenchError, InvalidArgument
from inspect_discoverybench.scorer.scorer import hms
from inspect_discoverybench.validation.judged_sample import JudgedSample, JudgedSamples
from inspect_discoverybench.validation.sheet import write_sheet
from inspect_discoverybench.validation.votes import VOTES, Ballot, Choice, draw_pairs, find_pairs, read_ballots
from tests.validation.logs import evaluated

HEADER = "pair,annotator,choice\n"


@pytest.fixture
def samples() -> list[JudgedSample]:
    return JudgedSamples.read(evaluated(), "HMS").samples


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def sheet(samples: list[JudgedSample]) -> tuple[Path, list[Path]]:
    """The key of a sheet of four pairs, and a vote."""
    write_sheet(VOTES, draw_pairs(find_pairs(samples), 4, seed=5), Path("sheet"))
    return Path("sheet/key.csv"), [write("votes.csv", HEADER + "p001,Ann,1\n")]


def test_every_sample_answered_differently_is_a_candidate(samples: list[JudgedSample]) -> None:
    pairs = find_pairs(samples)
    assert len(pairs) == 4
    for one, other in pairs:
        assert one.id == other.id
        assert one.log != other.log
        assert one.hypothesis != other.hypothesis


def test_unscored_unanswered_and_equal_predictions_are_not_candidates(samples: list[JudgedSample]) -> None:
    react, guess = evaluated()
    log = read_eval_log(guess)
    first, second, third, fourth = log.samples or []
    same = next(sample for sample in samples if sample.id[0] == third.id and sample.log != log.eval.task_id)
    first.scores = {"HMS": Score.unscored(answer="It rises.")}
    second.scores = {"HMS": Score(value={"hms": 0.0}, reason="no_response")}
    third.scores = {"HMS": Score(value={"hms": 1.0}, answer=f" {same.hypothesis}\n")}
    write_eval_log(log, "changed.eval")
    changed = JudgedSamples.read([react, "changed.eval"], "HMS", anyway=True)
    assert [one.id[0] for one, _ in find_pairs(changed.samples)] == [fourth.id]
    assert changed.left_out == {"unscored": 1, "no submission": 1}


def test_a_seed_chooses_pairs_their_order_and_sides(samples: list[JudgedSample]) -> None:
    pairs = find_pairs(samples)
    drawn = draw_pairs(pairs, 3, seed=1)
    assert [item.name for item in drawn] == ["p001", "p002", "p003"]
    assert drawn == draw_pairs(pairs, 3, seed=1)
    assert len(draw_pairs(pairs, 100, seed=1)) == 4
    by_seed = [draw_pairs(pairs, 4, seed) for seed in range(20)]
    assert len({tuple(item.key["sample_id"] for item in items) for items in by_seed}) > 1
    sides = [item.key["log_1"] == samples[0].log for items in by_seed for item in items]
    assert 20 < sum(sides) < 60


def test_logs_without_pairs(samples: list[JudgedSample]) -> None:
    with pytest.raises(InvalidArgument, match=r"^No pairs can be drawn from these logs: no sample has different scor"):
        find_pairs([sample for sample in samples if sample.log == samples[0].log])


def test_a_ballot_has_the_votes_on_a_pair_and_the_choice_of_hms() -> None:
    rows = ("p1,0a,1,0", "p2,0a,0,0.25", "p3,0b,0.3,0.30000000000000004", "p4,,0,1")
    key = write("key.csv", "\n".join(["pair,gold,hms_1,hms_2", *rows]))
    choices = ("1", " 2 ", "EQUAL ", "=", "Tie", "0")
    votes = write("votes.csv", HEADER + "".join(f"p1,annotator {n},{choice}\n" for n, choice in enumerate(choices)))
    one, two, three, four = read_ballots([votes], key)
    assert list(one.votes.values()) == [Choice.FIRST, Choice.SECOND, *[Choice.EQUAL] * 4]
    assert (two, four) == (Ballot({}, Choice.SECOND, one.cluster), Ballot({}, Choice.SECOND, "pair p4"))
    assert three.hms is Choice.EQUAL
    assert len({one.cluster, three.cluster, four.cluster}) == 3


def test_hms_of_logs_in_any_order_replaces_that_of_the_key(
    samples: list[JudgedSample], sheet: tuple[Path, list[Path]]
) -> None:
    key, votes = sheet
    assert read_ballots(votes, key, samples[::-1]) == read_ballots(votes, key)
    react, guess = evaluated()
    log = inspect_score(read_eval_log(react), hms("discoverybench/lexical"), action="append", display="none")
    for sample in log.samples or []:
        (sample.scores or {})["HMS"].value = {"hms": 0.5}
    write_eval_log(log, "again.eval")
    again = JudgedSamples.read(["again.eval"], "HMS1").samples
    others = JudgedSamples.read([guess], "HMS").samples
    assert read_ballots(votes, key, again + others) == read_ballots(votes, key)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            r"(p001,.*?),1,",
            r"\1,9,",
            r"line 2: no log that was passed has HMS of sample demo/\S+, epoch 9, in the run ",
        ),
        (r"log_1", "log", r"line 1: missing column log_1\. Expected the columns pair, sample_id, epoch, log_1, log_2"),
    ],
)
def test_a_key_that_does_not_match_the_logs(
    samples: list[JudgedSample], sheet: tuple[Path, list[Path]], old: str, new: str, line: str
) -> None:
    key, votes = sheet
    key.write_text(re.sub(old, new, key.read_text("utf-8"), count=1), "utf-8")
    with pytest.raises(DiscoveryBenchError, match=f"^sheet/key.csv: {line}"):
        read_ballots(votes, key, samples)


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ("p1,1.5,0", "key.csv: line 2: hms_1 must be a number from 0 to 1, got '1.5'."),
        ("p1,0,-0.1", "key.csv: line 2: hms_2 must be a number from 0 to 1, got '-0.1'."),
        ("p1,nan,0", "key.csv: line 2: hms_1 must be a number from 0 to 1, got 'nan'."),
        ("p1,,0", "key.csv: line 2: hms_1 must be a number from 0 to 1, got ''."),
        ("p1,0,1\np1,0,1", "key.csv: line 3: duplicate row for pair p1 (key.csv: line 2). Remove one of the two rows."),
    ],
)
def test_a_mistake_in_the_key_is_one_line(row: str, line: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        read_ballots([write("votes.csv", HEADER + "p1,Ann,1\n")], write("key.csv", f"pair,hms_1,hms_2\n{row}\n"))
    assert raised.value.message == line


def test_a_choice_that_does_not_exist_is_one_line() -> None:
    votes = write("votes.csv", HEADER + "p1,Ann,maybe\n")
    with pytest.raises(InvalidArgument, match=r"^votes.csv: line 2: choice must be 1, 2 or equal, got 'maybe'\.$"):
        read_ballots([votes], write("key.csv", "pair,hms_1,hms_2\np1,0,1\n"))
