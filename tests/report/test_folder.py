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

TABLE = pd.DataFrame(
    {
        "model": ["=1+1", "a|b <i>*\n[c](javascript:d)", "None"],
        "HMS": [1 / 3, -0.5, float("nan")],
    }
)


def content(out: Path) -> dict[str, str]:
    return {str(path.relative_to(out)): path.read_text("utf-8") for path in out.rglob("*") if path.is_file()}


def test_csv_files_hold_all_digits_and_no_formulas(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(folder.csv(TABLE))
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["model"] for row in rows] == ["'=1+1", "a|b <i>*\n[c](javascript:d)", "None"]
    assert [row["HMS"] for row in rows] == [repr(1 / 3), "-0.5", ""]
    # The sheets of annotators are escaped in the same way.
    assert next(read_rows(path)).values["model"] == "=1+1"


def test_a_report_replaces_an_earlier_one_and_keeps_other_files() -> None:
    out = Path("deep/report")
    write_files(out, {"tables/gone.csv": b"first", "figures/gone.svg": b"first", "report.html": b"first"})
    (out / "notes.txt").write_text("mine", "utf-8")
    write_files(out, {"tables/hms.csv": b"second", "report.html": b"second"})
    assert content(out) == {"notes.txt": "mine", "tables/hms.csv": "second", "report.html": "second"}


@pytest.mark.parametrize(("name", "named"), [("tables/mine.csv", "tables"), ("notes.txt", "notes.txt")])
def test_a_folder_with_other_files_is_refused_unless_forced(name: str, named: str) -> None:
    logs = write_logs([Run("real", "react", "provider/large", 0.4)], Path("logs"), samples=2)
    mine = Path("work", name)
    mine.parent.mkdir(parents=True)
    mine.write_text("mine", "utf-8")
    with pytest.raises(InvalidArgument, match=rf"^The folder 'work' is not a report: it contains {named}\. .*--force"):
        write_report(logs, Path("work"), "Title")
    assert content(Path("work")) == {name: "mine"}
    write_report(logs, Path("work"), "Title", force=True)
    assert Path("work/report.html").exists()


def test_a_report_that_fails_leaves_the_earlier_one() -> None:
    logs = write_logs([Run("real", "react", "provider/large", 0.4)], Path("logs"), samples=2)
    write_report(logs, Path("report"), "First")
    tables = content(Path("report/tables"))
    with pytest.raises(DataMissing):
        write_report(logs, Path("report"), "Second", judge_labels=[Path("nowhere")])
    assert "<title>First</title>" in Path("report/report.html").read_text("utf-8")
    assert content(Path("report/tables")) == tables
