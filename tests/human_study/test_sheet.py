"""Sheets of both studies: blind and harmless; and what is read back from them."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from inspect_discoverybench.errors.exceptions import DiscoveryBenchError, InvalidArgument
from inspect_discoverybench.human_study.judged_sample import read_judged_samples
from inspect_discoverybench.human_study.labels import Label, draw_samples
from inspect_discoverybench.human_study.sheet import Item, Mark, page, page_name, read_study, write_sheet
from inspect_discoverybench.human_study.spreadsheet import read_rows
from inspect_discoverybench.human_study.votes import PairKeyRow, Vote, draw_pairs
from tests.human_study.logs import csv_file, judged_logs, rows

HOSTILE = '</script><script>alert("1")</script><!-- $pairs & <b>'
"""A text that would end the script with the data, start another one or a comment, or fill in a template."""
MARKS = pytest.mark.parametrize("mark", [Vote, Label])
HEADER = "item,annotator,choice"


def items_of(mark: type[Mark], goal: str) -> list[Item]:
    """The items of a sheet, with this goal."""
    samples, _ = read_judged_samples(judged_logs(), "HMS")
    items = draw_samples(samples, "HMS", 4, seed=3)
    if mark is Vote:
        items = draw_pairs(samples, 4, seed=3)
    return [replace(item, texts={**item.texts, "goal": goal}) for item in items]


def read_votes(*lines: str) -> list[str]:
    """Items with annotators and choices, such as `a Ann 1`."""
    key = csv_file("key.csv", "item,hms_1,hms_2", "a,1,0", "b,0,1")
    table = csv_file("votes.csv", *lines)
    read = []
    for pair, votes in read_study(Vote, PairKeyRow, [table], [key]):
        for name, vote in votes.items():
            read.append(f"{pair.item} {name} {vote.choice}")
    return read


@MARKS
def test_annotators_see_neither_logs_nor_scores(mark: type[Mark]) -> None:
    write_sheet(mark, items_of(mark, goal="Why?"), Path())
    sheet = Path("sheet.csv").read_text("utf-8")
    shown = sheet + Path(page_name(mark)).read_text("utf-8")
    assert "hms" not in shown
    assert ".eval" not in shown
    for row in rows(Path("key.csv")):
        # The key of votes has `log_1`, and that of labels `log`. `gold` is a digest of the gold hypothesis.
        for column in row.keys() & {"sample_id", "log", "log_1", "gold"}:
            assert row[column] not in shown


def test_excel_shows_the_texts_of_the_sheet_as_they_are() -> None:
    """It reads a CSV file as UTF-8 only if the file begins with a byte-order mark."""
    write_sheet(Vote, items_of(Vote, goal="Does β rise by 3 mg/m³?"), Path())
    assert Path("sheet.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    for row in read_rows(Path("sheet.csv")):
        assert row.values["goal"] == "Does β rise by 3 mg/m³?"
        # `item` is the first column. The byte-order mark before it is not read as a part of its name.
        assert row.values["item"].startswith("p")


@MARKS
def test_texts_of_models_are_data_in_the_page(mark: type[Mark]) -> None:
    [item, *_] = items_of(mark, goal=HOSTILE)
    answers = {step: {**answer, "reason": HOSTILE} for step, answer in item.answers.items()}
    text = page(mark, [replace(item, answers=answers)])
    assert text.count("</script>") == 2  # the page's own: its data and its program
    assert "<!--" not in text
    [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    [card] = json.loads(data)["items"]
    assert card["texts"]["goal"] == HOSTILE


@MARKS
def test_the_page_loads_nothing(mark: type[Mark]) -> None:
    text = page(mark, [])
    assert re.findall(r"(?:src|href)=|https?:|@import|url\(", text) == []


def test_names_that_differ_in_spaces_are_the_same_annotator_and_unfilled_rows_are_skipped() -> None:
    votes = read_votes(HEADER, "a, Zoë  Öz ,1", "b,Zoë Öz,2", "a,Ann,")
    assert votes == ["a Zoë Öz 1", "b Zoë Öz 2"]


def test_a_missing_column_is_named() -> None:
    with pytest.raises(DiscoveryBenchError, match=r"^votes\.csv: line 2: annotator: Field required\.$"):
        read_votes("item,choice", "a,1")


def test_a_file_without_the_column_of_votes_is_refused_and_not_skipped() -> None:
    """Without the column `choice`, all rows of Ben's file would count as not filled in, and would be skipped.

    Ann's vote alone would still give a result, so nobody would notice that Ben's vote is missing.
    """
    key = csv_file("key.csv", "item,hms_1,hms_2", "a,1,0")
    ann = csv_file("ann.csv", HEADER, "a,Ann,1")
    ben = csv_file("ben.csv", "item,annotator,Choice", "a,Ben,2")
    message = r"^ben\.csv: votes have the columns item, annotator, choice\. The columns are item, annotator, Choice\.$"
    with pytest.raises(InvalidArgument, match=message):
        read_study(Vote, PairKeyRow, [ann, ben], [key])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a,Ann,maybe", "votes.csv: line 2: choice: Input should be '1', '2' or 'equal'. Got 'maybe'."),
        ("a,Ann,1\na,Ann,2", "votes.csv: line 3: a second row for item a by Ann. Remove one of the rows."),
        ("z,Ann,1", "votes.csv, key.csv: item z is not in the key. Pass the key.csv that was written with the sheet."),
        ("a,Ann,", "votes.csv, key.csv: no votes. Expected one row per item and annotator."),
    ],
)
def test_a_mistake_is_one_line(line: str, message: str) -> None:
    with pytest.raises(DiscoveryBenchError) as raised:
        read_votes(HEADER, line)
    assert raised.value.message == message
