"""The report's folder: its tables and figures, and what happens to an earlier report."""

import csv
from dataclasses import replace
from pathlib import Path

import altair as alt
import pandas as pd
import pytest

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.human_study.spreadsheet import read_rows
from inspect_discoverybench.report.charts import Chart
from inspect_discoverybench.report.report import report_folder, write_files
from inspect_discoverybench.report.section import Section

TABLE = pd.DataFrame(
    {
        "model": ["=1+1", "a|b <i>*\n[c](javascript:d)", "None"],
        "HMS": [1 / 3, -0.5, float("nan")],
        "samples": [1200, 1, 1],
        "is_best": [True, False, False],
    }
)
SECTION = Section("hms", TABLE, notes=["Means over tasks."], values={"coverage": 90})


def chart(table: pd.DataFrame) -> Chart:
    encoded: Chart = alt.Chart(table).mark_point().encode(x="HMS", y="model")
    return encoded


def failing(table: pd.DataFrame) -> Chart:
    raise ZeroDivisionError


def write(out: Path, text: str = "page", force: bool = False, section: Section = SECTION) -> None:
    """Write a report whose page is one word."""
    with report_folder(out, force) as folder:
        (folder / "report.html").write_text(text, "utf-8")
        write_files([section], folder)


def content(out: Path) -> dict[str, str]:
    return {str(path.relative_to(out)): path.read_text("utf-8") for path in out.rglob("*") if path.is_file()}


def test_figures_are_written_and_csv_files_hold_all_digits_and_no_formulas() -> None:
    write_files([replace(SECTION, draw=chart)], Path())
    assert Path("figures/hms.png").read_bytes().startswith(b"\x89PNG")
    assert Path("figures/hms.svg").read_text("utf-8").startswith("<svg")
    with Path("tables/hms.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["model"] for row in rows] == ["'=1+1", "a|b <i>*\n[c](javascript:d)", "None"]
    assert [row["HMS"] for row in rows] == [repr(1 / 3), "-0.5", ""]
    # The sheets of annotators are escaped in the same way.
    assert next(read_rows(Path("tables/hms.csv"), ["model"])).values["model"] == "=1+1"


def test_markdown_tables_are_read_by_people() -> None:
    write_files([SECTION], Path())
    assert Path("tables/hms.md").read_text("utf-8").splitlines() == [
        "# HMS by agent and model",
        "",
        SECTION.text,
        "",
        "| model | HMS | samples | is best |",
        "| --- | ---: | ---: | --- |",
        "| =1+1 | 0.3 | 1,200 | yes |",
        r"| a\|b \<i>\* \[c\](javascript:d) | -0.5 | 1 | no |",
        "| None | – | 1 | no |",
    ]


def test_a_repeated_report_replaces_the_earlier_one_unless_it_fails() -> None:
    out = Path("deep/report")
    write(out, "first")
    (out / "tables" / "gone.csv").write_text("x", "utf-8")
    write(out, "second")
    with pytest.raises(ZeroDivisionError):
        write(out, "third", section=replace(SECTION, draw=failing))
    assert {*content(out)} == {"report.html", "tables/hms.csv", "tables/hms.md"}
    assert content(out)["report.html"] == "second"
    assert sorted(path.name for path in out.iterdir()) == ["figures", "report.html", "tables"]


def test_other_files_are_neither_replaced_nor_removed() -> None:
    out = Path("work")
    (out / "tables").mkdir(parents=True)
    (out / "tables" / "mine.csv").write_text("mine", "utf-8")
    with pytest.raises(
        InvalidArgument, match=r"^The folder 'work' is not a report: it contains tables\. Choose another"
    ):
        write(out)
    (out / "notes.txt").write_text("mine", "utf-8")
    with pytest.raises(
        InvalidArgument, match=r"^The folder 'work' is not a report: it contains notes\.txt\. .*--force"
    ):
        write(out)
    assert set(content(out)) == {"notes.txt", "tables/mine.csv"}
    write(out, force=True)
    assert set(content(out)) == {"notes.txt", "report.html", "tables/hms.csv", "tables/hms.md"}
