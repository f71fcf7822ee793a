"""The folder of a report: its files, and what happens to an earlier report."""

import csv
from pathlib import Path

import pandas as pd
import pytest

from inspect_discoverybench.errors.exceptions import DataError, InvalidArgument
from inspect_discoverybench.report import folder
from inspect_discoverybench.report.folder import write_files, write_report
from tests.synthetic_logs import Run, write_logs


@pytest.fixture
def logs() -> list[Path]:
    run = Run("real", "react", "provider/large", 0.4)
    return write_logs([run], Path("logs"), samples=2)


def files(out: Path) -> set[str]:
    paths = [path for path in out.rglob("*") if path.is_file()]
    return {str(path.relative_to(out)) for path in paths}


TERMINAL = "\x1b]0;title\x07a \x9b31mhypothesis\x1b[2J\rover"
"""A text that would set the title of a terminal, its colour and its contents."""


def test_csv_files_hold_no_commands_for_a_terminal() -> None:
    # The second text is a formula once its first character is removed, so it gets an apostrophe.
    table = pd.DataFrame({"hypothesis": [TERMINAL, "\x1b=1+1"]})
    assert folder.csv(table).decode().splitlines() == ["hypothesis", "]0;titlea 31mhypothesis[2Jover", "'=1+1"]


def test_csv_files_hold_all_digits_and_no_formulas() -> None:
    table = pd.DataFrame(
        {
            "model": ["=1+1", "a\n[c](javascript:d)"],  # no spreadsheet runs the second text, which stays as it is
            "HMS": [1 / 3, None],
        }
    )
    text = folder.csv(table).decode()
    lines = text.splitlines(keepends=True)
    assert list(csv.reader(lines)) == [
        ["model", "HMS"],
        ["'=1+1", repr(1 / 3)],
        ["a\n[c](javascript:d)", ""],
    ]


def test_a_report_replaces_an_earlier_one_and_keeps_other_files() -> None:
    out = Path("deep/report")
    write_files(out, {"report.html": b"first", "tables/gone.csv": b"first"})
    notes = out / "notes.txt"
    notes.touch()
    write_files(out, {"report.html": b"second", "tables/hms.csv": b"second"})
    assert files(out) == {"notes.txt", "tables/hms.csv", "report.html"}
    page = out / "report.html"
    assert page.read_bytes() == b"second"


def test_a_folder_with_files_but_no_report_is_refused(logs: list[Path]) -> None:
    work = Path("work")
    work.mkdir()
    mine = work / "tables.csv"
    mine.touch()
    with pytest.raises(InvalidArgument, match=r"^The folder 'work' is not a report: it contains tables\.csv\."):
        write_report(logs, work)
    assert files(work) == {"tables.csv"}


def test_a_report_that_fails_leaves_the_earlier_one(logs: list[Path]) -> None:
    out = Path("report")
    write_report(logs, out)
    before = files(out)
    page = out / "report.html"
    written = page.read_bytes()
    with pytest.raises(DataError):
        write_report(logs, out, judge_labels=[Path("nowhere")])
    assert page.read_bytes() == written
    assert files(out) == before
