"""The folder of a report: a page, the table of samples, and tables and figures of the sections."""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.human_study.labels import read_labels
from inspect_discoverybench.human_study.spreadsheet import safe_cell
from inspect_discoverybench.report.contents import Contents
from inspect_discoverybench.report.figure import svg
from inspect_discoverybench.report.page import render_page
from inspect_discoverybench.results.frame import read_results

PAGE = "report.html"
SAMPLES = "samples.csv"
TABLES = "tables"
FIGURES = "figures"


def write_report(
    paths: Iterable[str | Path],
    out: Path,
    judge_labels: Sequence[Path] = (),
    pool_splits: bool = False,
) -> Contents:
    """Write the page, `samples.csv`, `tables/` and `figures/`. All is computed before an earlier report is replaced.

    Args:
        paths: Logs, and folders of logs.
        out: The folder.
        judge_labels: Labels of the judge's answers, and the key of their sheet, as files or folders. If there are any,
            HMS is corrected by them.
        pool_splits: Whether the splits of a task are one benchmark.

    Raises:
        DataError: There is no log or label file, or none of the logs can be used.
        InvalidArgument: The folder contains files but no report, or the labels cannot be used.
    """
    _refuse_other_files(out)
    results = read_results(paths)
    labels = read_labels(judge_labels) if judge_labels else []
    contents = Contents.of(results, labels, pool_splits)
    write_files(out, report_files(contents))
    return contents


def report_files(contents: Contents) -> dict[str, bytes]:
    """The files of a report by their path in its folder."""
    report = {
        PAGE: render_page(contents),
        SAMPLES: csv(contents.samples),
    }
    for section in contents.sections:
        table = f"{TABLES}/{section.name}.csv"
        report[table] = csv(section.table)
        if section.chart is not None:
            figure = f"{FIGURES}/{section.name}"
            image = svg(section.chart)
            report[f"{figure}.svg"] = image.encode()
    return report


def csv(table: pd.DataFrame) -> bytes:
    """A table as CSV, in which numbers have all their digits.

    A text that a spreadsheet would run as a formula has an apostrophe before it, and texts have no control characters.
    """
    cells = table.map(_safe_value)
    text = cells.to_csv(index=False, lineterminator="\r\n")  # as in RFC 4180, on every system
    return text.encode("utf-8", "replace")  # logs may contain lone surrogates, which UTF-8 cannot encode


def _safe_value(value: object) -> object:
    return safe_cell(value) if isinstance(value, str) else value


def write_files(out: Path, report: Mapping[str, bytes]) -> None:
    """Write the files of a report in place of those of an earlier one; other files are kept."""
    for name in (TABLES, FIGURES):
        shutil.rmtree(out / name, ignore_errors=True)
    for name, content in report.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _refuse_other_files(out: Path) -> None:
    """Refuse a folder that contains files but no page of a report."""
    names = sorted(path.name for path in out.glob("*"))
    if names and PAGE not in names:
        listed = ", ".join(names[:3])
        raise InvalidArgument(
            f"The folder '{out}' is not a report: it contains {listed}. Choose an empty folder or a report with --out."
        )
