"""Reading votes and scores: what is tolerated, and the one line that each mistake is answered with."""

from pathlib import Path

import pytest

from inspect_discoverybench.errors import DataMissing, DiscoveryBenchError, InvalidArgument, UnreadableTable
from inspect_discoverybench.validation.votes import (
    Ballot,
    Choice,
    Scores,
    Vote,
    ballots,
    read_scores,
    read_votes,
)

HEADER = "pair,annotator,choice\n"


def written(name: str, text: str, encoding: str = "utf-8") -> Path:
    path = Path(name)
    path.write_text(text, encoding)
    return path


def test_votes_of_several_files_come_together() -> None:
    one = written("one.csv", HEADER + "p001,Ann,1\np002,Ann,equal\n")
    other = written("other.csv", HEADER + "p001,Ben,2\n")
    assert read_votes([one, other]) == [
        Vote("p001", "Ann", Choice.FIRST, "one.csv: line 2"),
        Vote("p002", "Ann", Choice.EQUAL, "one.csv: line 3"),
        Vote("p001", "Ben", Choice.SECOND, "other.csv: line 2"),
    ]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("1", Choice.FIRST),
        (" 2 ", Choice.SECOND),
        ("Equal", Choice.EQUAL),
        ("EQUAL ", Choice.EQUAL),
        ("=", Choice.EQUAL),
        ("Tie", Choice.EQUAL),
        ("0", Choice.EQUAL),
    ],
)
def test_spellings_of_a_choice(typed: str, meant: Choice) -> None:
    [vote] = read_votes([written("votes.csv", f"{HEADER}p001,Ann,{typed}\n")])
    assert vote.choice is meant


def test_what_a_spreadsheet_makes_of_a_file_is_read() -> None:
    text = 'goal;choice; pair ;annotator\n"two\nlines";1;p001; Zoë  Öz \n;;;\n"";2;p002;zoë öz\n'
    votes = read_votes([written("votes.csv", text, "utf-8-sig")])
    assert [(vote.pair, vote.annotator, vote.choice) for vote in votes] == [
        ("p001", "Zoë Öz", Choice.FIRST),
        ("p002", "Zoë Öz", Choice.SECOND),
    ]
    assert votes[1].place == "votes.csv: line 5"


@pytest.mark.parametrize(
    ("text", "error", "line"),
    [
        (
            "pair,choice\np001,1\n",
            UnreadableTable,
            "votes.csv: line 1: no column annotator; expected the columns pair, annotator, choice.",
        ),
        ("", UnreadableTable, "votes.csv: line 1: no column pair, annotator, choice; expected the columns pair, "),
        (
            HEADER + "p001,Ann,1\np002,Ann,maybe\n",
            InvalidArgument,
            "votes.csv: line 3: choice=maybe is not possible; expected 1, 2 or equal.",
        ),
        (HEADER + "p001,Ann,\n", InvalidArgument, "votes.csv: line 2: choice= is not possible; expected 1, 2 or "),
        (HEADER + "p001, ,1\n", InvalidArgument, "votes.csv: line 2: annotator is empty; every row needs one."),
        (HEADER + ",Ann,1\n", InvalidArgument, "votes.csv: line 2: pair is empty; every row needs one."),
        (
            HEADER + "p001,Ann,1\np001,ann,2\n",
            InvalidArgument,
            "votes.csv: line 3: Ann votes 2 on pair p001, but voted 1 on it before (votes.csv: line 2); keep one ",
        ),
        (HEADER + "p001,Ann,1\np001,Ann,1\n", InvalidArgument, "votes.csv: line 3: Ann votes 1 on pair p001, but "),
        (HEADER + "p001,Ann\n", UnreadableTable, "votes.csv: line 2 has 2 values, but there are 3 columns."),
        (HEADER + 'p001,"Ann,1\n', UnreadableTable, "votes.csv: line 2: unexpected end of data; expected a CSV file."),
        (HEADER, InvalidArgument, "votes.csv: no votes; expected a row for each pair and annotator."),
    ],
)
def test_a_mistake_in_the_votes_is_one_line(text: str, error: type[DiscoveryBenchError], line: str) -> None:
    with pytest.raises(error) as raised:
        read_votes([written("votes.csv", text)])
    assert raised.value.message.startswith(line)
    assert "\n" not in raised.value.message


def test_the_same_file_twice_is_refused() -> None:
    votes = written("votes.csv", HEADER + "p001,Ann,1\n")
    with pytest.raises(InvalidArgument, match=r"before \(votes.csv: line 2\)"):
        read_votes([votes, votes])


def test_files_that_are_not_there() -> None:
    with pytest.raises(DataMissing, match=r"^gone.csv: there is no such file\.$"):
        read_votes([Path("gone.csv")])
    with pytest.raises(DataMissing, match=r"^gone.csv: there is no such file\.$"):
        read_scores(Path("gone.csv"))


def test_hms_prefers_the_higher_one() -> None:
    scores = read_scores(
        written("key.csv", "pair,sample_id,hms_1,hms_2\np1,a,1,0.5\np2,b,0,0.25\np3,c,0.3,0.30000000000000004\n")
    )
    assert scores["p2"] == Scores(0, 0.25)
    assert [scores[pair].preference for pair in ("p1", "p2", "p3")] == [Choice.FIRST, Choice.SECOND, Choice.EQUAL]


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ("p1,1.5,0", "key.csv: line 2: hms_1=1.5 is not possible; expected a number from 0 to 1."),
        ("p1,0,-0.1", "key.csv: line 2: hms_2=-0.1 is not possible; expected a number from 0 to 1."),
        ("p1,0,high", "key.csv: line 2: hms_2=high is not possible; expected a number from 0 to 1."),
        ("p1,nan,0", "key.csv: line 2: hms_1=nan is not possible; expected a number from 0 to 1."),
        ("p1,,0", "key.csv: line 2: hms_1= is not possible; expected a number from 0 to 1."),
        ("p1,0,1\np1,0,1", "key.csv: line 3: pair=p1 has a row before (key.csv: line 2); keep one of them."),
    ],
)
def test_a_mistake_in_the_scores_is_one_line(row: str, line: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        read_scores(written("key.csv", f"pair,hms_1,hms_2\n{row}\n"))
    assert raised.value.message == line


def test_a_ballot_holds_every_vote_on_a_pair() -> None:
    votes = read_votes([written("votes.csv", HEADER + "p2,Ann,1\np1,Ann,2\np2,Ben,equal\n")])
    scores = {"p1": Scores(0, 1), "p2": Scores(1, 0), "p3": Scores(1, 1)}
    assert ballots(votes, scores, Path("key.csv")) == [
        Ballot("p1", {"Ann": Choice.SECOND}, Choice.SECOND),
        Ballot("p2", {"Ann": Choice.FIRST, "Ben": Choice.EQUAL}, Choice.FIRST),
    ]


def test_a_pair_without_scores() -> None:
    votes = read_votes([written("votes.csv", HEADER + "p9,Ann,1\n")])
    with pytest.raises(InvalidArgument, match=r"^votes.csv: line 2: pair=p9 has no scores in key.csv; expected the "):
        ballots(votes, {"p1": Scores(0, 1)}, Path("key.csv"))
