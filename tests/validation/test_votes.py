"""Reading votes and scores: accepted variations, and the error message for each mistake."""

from pathlib import Path

import pytest

from inspect_discoverybench.errors import DataMissing, DiscoveryBenchError, InvalidArgument, UnreadableTable
from inspect_discoverybench.validation.votes import (
    Ballot,
    Choice,
    HmsPair,
    Vote,
    ballots,
    read_scores,
    read_votes,
)

HEADER = "pair,annotator,choice\n"


def csv_file(name: str, text: str, encoding: str = "utf-8") -> Path:
    path = Path(name)
    path.write_text(text, encoding)
    return path


def test_votes_of_several_files_come_together() -> None:
    one = csv_file("one.csv", HEADER + "p001,Ann,1\np002,Ann,equal\n")
    other = csv_file("other.csv", HEADER + "p001,Ben,2\n")
    assert read_votes([one, other]) == [
        Vote("p001", "Ann", Choice.FIRST, "one.csv: line 2"),
        Vote("p002", "Ann", Choice.EQUAL, "one.csv: line 3"),
        Vote("p001", "Ben", Choice.SECOND, "other.csv: line 2"),
    ]


@pytest.mark.parametrize(
    ("text", "choice"),
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
def test_spellings_of_a_choice(text: str, choice: Choice) -> None:
    [vote] = read_votes([csv_file("votes.csv", f"{HEADER}p001,Ann,{text}\n")])
    assert vote.choice is choice


def test_files_saved_by_spreadsheets_are_read() -> None:
    text = 'goal;choice; pair ;annotator\n"two\nlines";1;p001; Zoë  Öz \n;;;\n"";2;p002;zoë öz\n'
    votes = read_votes([csv_file("votes.csv", text, "utf-8-sig")])
    assert [(vote.pair, vote.annotator, vote.choice) for vote in votes] == [
        ("p001", "Zoë Öz", Choice.FIRST),
        ("p002", "Zoë Öz", Choice.SECOND),
    ]
    assert votes[1].location == "votes.csv: line 5"


@pytest.mark.parametrize(
    ("text", "error", "line"),
    [
        (
            "pair,choice\np001,1\n",
            UnreadableTable,
            "votes.csv: line 1: missing column annotator. Expected the columns pair, annotator, choice.",
        ),
        ("", UnreadableTable, "votes.csv: line 1: missing column pair, annotator, choice. Expected the columns pair, "),
        (
            HEADER + "p001,Ann,1\np002,Ann,maybe\n",
            InvalidArgument,
            "votes.csv: line 3: choice must be 1, 2 or equal, got 'maybe'.",
        ),
        (HEADER + "p001,Ann,\n", InvalidArgument, "votes.csv: line 2: choice must be 1, 2 or equal, got ''."),
        (HEADER + "p001, ,1\n", InvalidArgument, "votes.csv: line 2: annotator is empty."),
        (HEADER + ",Ann,1\n", InvalidArgument, "votes.csv: line 2: pair is empty."),
        (
            HEADER + "p001,Ann,1\np001,ann,2\n",
            InvalidArgument,
            "votes.csv: line 3: Ann already voted 1 on pair p001 (votes.csv: line 2). Remove one ",
        ),
        (HEADER + "p001,Ann,1\np001,Ann,1\n", InvalidArgument, "votes.csv: line 3: Ann already voted 1 on pair p001 "),
        (HEADER + "p001,Ann\n", UnreadableTable, "votes.csv: line 2: 2 values for 3 columns."),
        (HEADER + 'p001,"Ann,1\n', UnreadableTable, "votes.csv: line 2: not a valid CSV file: unexpected end of data."),
        (HEADER, InvalidArgument, "votes.csv: no votes. Expected one row per pair and annotator."),
    ],
)
def test_a_mistake_in_the_votes_is_one_line(text: str, error: type[DiscoveryBenchError], line: str) -> None:
    with pytest.raises(error) as raised:
        read_votes([csv_file("votes.csv", text)])
    assert raised.value.message.startswith(line)
    assert "\n" not in raised.value.message


def test_the_same_file_twice_is_refused() -> None:
    votes = csv_file("votes.csv", HEADER + "p001,Ann,1\n")
    with pytest.raises(InvalidArgument, match=r"already voted 1 on pair p001 \(votes.csv: line 2\)"):
        read_votes([votes, votes])


def test_missing_files() -> None:
    with pytest.raises(DataMissing, match=r"^The file 'gone.csv' does not exist\. Check the path\.$"):
        read_votes([Path("gone.csv")])
    with pytest.raises(DataMissing, match=r"^The file 'gone.csv' does not exist\. Check the path\.$"):
        read_scores(Path("gone.csv"))


def test_hms_prefers_the_hypothesis_with_the_higher_score() -> None:
    scores = read_scores(
        csv_file("key.csv", "pair,sample_id,hms_1,hms_2\np1,a,1,0.5\np2,b,0,0.25\np3,c,0.3,0.30000000000000004\n")
    )
    assert scores["p2"] == HmsPair(0, 0.25)
    assert [scores[pair].preference for pair in ("p1", "p2", "p3")] == [Choice.FIRST, Choice.SECOND, Choice.EQUAL]


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ("p1,1.5,0", "key.csv: line 2: hms_1 must be a number between 0 and 1, got '1.5'."),
        ("p1,0,-0.1", "key.csv: line 2: hms_2 must be a number between 0 and 1, got '-0.1'."),
        ("p1,0,high", "key.csv: line 2: hms_2 must be a number between 0 and 1, got 'high'."),
        ("p1,nan,0", "key.csv: line 2: hms_1 must be a number between 0 and 1, got 'nan'."),
        ("p1,,0", "key.csv: line 2: hms_1 must be a number between 0 and 1, got ''."),
        ("p1,0,1\np1,0,1", "key.csv: line 3: duplicate row for pair p1 (key.csv: line 2). Remove one of the two rows."),
    ],
)
def test_a_mistake_in_the_scores_is_one_line(row: str, line: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        read_scores(csv_file("key.csv", f"pair,hms_1,hms_2\n{row}\n"))
    assert raised.value.message == line


def test_a_ballot_holds_every_vote_on_a_pair() -> None:
    votes = read_votes([csv_file("votes.csv", HEADER + "p2,Ann,1\np1,Ann,2\np2,Ben,equal\n")])
    scores = {"p1": HmsPair(0, 1), "p2": HmsPair(1, 0), "p3": HmsPair(1, 1)}
    assert ballots(votes, scores, Path("key.csv")) == [
        Ballot("p1", {"Ann": Choice.SECOND}, Choice.SECOND),
        Ballot("p2", {"Ann": Choice.FIRST, "Ben": Choice.EQUAL}, Choice.FIRST),
    ]


def test_the_pairs_of_one_gold_are_a_cluster() -> None:
    key = csv_file("key.csv", "pair,gold,hms_1,hms_2\np1,0a,1,0\np2,0a,0,1\np3,0b,0,1\np4,,0,1\n")
    old_key = csv_file("old.csv", "pair,hms_1,hms_2\np1,1,0\np2,0,1\np3,0,1\np4,0,1\n")
    votes = read_votes([csv_file("votes.csv", HEADER + "".join(f"p{number},Ann,1\n" for number in range(1, 5)))])
    clusters = [ballot.cluster for ballot in ballots(votes, read_scores(key), key)]
    assert clusters[0] == clusters[1]
    assert len(set(clusters)) == 3
    assert len({ballot.cluster for ballot in ballots(votes, read_scores(old_key), old_key)}) == 4


def test_a_pair_without_scores() -> None:
    votes = read_votes([csv_file("votes.csv", HEADER + "p9,Ann,1\n")])
    with pytest.raises(InvalidArgument, match=r"^votes.csv: line 2: pair p9 has no scores in key.csv. Pass the "):
        ballots(votes, {"p1": HmsPair(0, 1)}, Path("key.csv"))
