"""The folder of a report: its files, and what happens to an earlier report."""

import csv
from pathlib import Path

import pandas as pd
import pytest

from inspect_discoverybench.errors.exceptions import DataMissing, InvalidArgument
from inspect_discoverybench.human_study.spreadsheet import read_rows
from inspect_discoverybench.report import folder
from inspect_discoverybench.report.folder import write_files, write_report
from tests.synthetic_logs import Run, write_logs


def files(out: Path) -> set[str]:
    return {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}


@pytest.fixture
def logs() -> list[Path]:
    return write_logs([Run("real", "react", "provider/large", 0.4)], Path("logs"), samples=2)


def test_csv_files_hold_all_digits_and_no_formulas(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    table = pd.DataFrame({"model": ["=1+1", "a\n[c](javascript:d)"], "HMS": [1 / 3, None]})
    path.write_bytes(folder.csv(table))
    with path.open(encoding="utf-8", newline="") as file:
        cells = [list(row.values()) for row in csv.DictReader(file)]
    assert cells == [["'=1+1", repr(1 / 3)], ["a\n[c](javascript:d)", ""]]
    # The sheets of annotators are escaped in the same way.
    assert next(read_rows(path)).values["model"] == "=1+1"


def test_a_report_replaces_an_earlier_one_and_keeps_other_files() -> None:
    out = Path("deep/report")
    write_files(out, {"tables/gone.csv": b"first", "report.html": b"first"})
    (out / "notes.txt").write_text("mine", "utf-8")
    write_files(out, {"tables/hms.csv": b"second", "report.html": b"second"})
    assert files(out) == {"notes.txt", "tables/hms.csv", "report.html"}
    assert (out / "report.html").read_bytes() == b"second"


@pytest.mark.parametrize(("name", "listed"), [("tables/mine.csv", "tables"), ("notes.txt", "notes.txt")])
def test_a_folder_with_other_files_is_refused_unless_forced(logs: list[Path], name: str, listed: str) -> None:
    mine = Path("work", name)
    mine.parent.mkdir(parents=True)
    mine.touch()
    with pytest.raises(InvalidArgument, match=rf"^The folder 'work' is not a report: it contains {listed}\. .*--force"):
        write_report(logs, Path("work"), "Title")
    assert files(Path("work")) == {name}
    write_report(logs, Path("work"), "Title", force=True)
    assert "report.html" in files(Path("work"))


def test_a_report_that_fails_leaves_the_earlier_one(logs: list[Path]) -> None:
    write_report(logs, Path("report"), "First")
    before = files(Path("report"))
    with pytest.raises(DataMissing):
        write_report(logs, Path("report"), "Second", judge_labels=[Path("nowhere")])
    assert "<title>First</title>" in Path("report/report.html").read_text("utf-8")
    assert files(Path("report")) == before
