"""The report: a folder with a page, the table of samples, and tables and figures of the sections."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.human_study.labels import read_labels
from inspect_discoverybench.human_study.spreadsheet import escape
from inspect_discoverybench.report.charts import render
from inspect_discoverybench.report.judges import judge_error_section
from inspect_discoverybench.report.page import sample_table, write_page
from inspect_discoverybench.report.report_columns import add_report_columns
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.report.sections import sections
from inspect_discoverybench.results.frame import read_results

PAGE, SAMPLES, TABLES, FIGURES = "report.html", "samples.csv", "tables", "figures"

ENTRIES = (TABLES, FIGURES, SAMPLES, PAGE)
"""Entries of a report's folder. The page is moved into place last, so that a folder with a page is complete."""

PARTIAL = ".report-"
"""Prefix of the folder in which a report is prepared."""


def write_report(
    paths: Iterable[str | Path],
    out: Path,
    title: str,
    judge_labels: Sequence[Path] = (),
    force: bool = False,
    workers: int = 1,
) -> tuple[pd.DataFrame, Mapping[str, str]]:
    """Write the page, `samples.csv`, `tables/` and `figures/`. Returns the samples, and why logs were left out.

    HMS is corrected if there are labels of the judge's answers, with the key of their sheet; files or folders.

    Raises:
        DataMissing: There is no log or label file, or none of the logs can be used.
        InvalidArgument: The output folder contains other files and `force` is false, or the labels cannot be used.
    """
    _check(out, force)
    results = read_results(paths, workers)
    samples = add_report_columns(results.samples)
    parts = sections(samples)
    if judge_labels:
        parts.append(judge_error_section(samples, read_labels(judge_labels)))
    with report_folder(out, force) as folder:
        write_files(parts, folder)
        write_csv(sample_table(samples), folder / SAMPLES)
        write_page(
            parts, samples, pd.DataFrame(results.left_out.items(), columns=["log", "reason"]), title, folder / PAGE
        )
    return samples, results.left_out


@contextmanager
def report_folder(out: Path, force: bool = False) -> Iterator[Path]:
    """A folder in which a report is prepared. At the end, its entries replace those of an earlier report.

    If the preparation fails, `out` is left unchanged. With `force`, other files in it are kept.

    Raises:
        InvalidArgument: `out` is not a folder; or it contains anything other than a report, and `force` is false.
    """
    _check(out, force)
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=PARTIAL, dir=out, ignore_cleanup_errors=True) as temporary:
        partial, earlier = Path(temporary, "new"), Path(temporary, "earlier")
        partial.mkdir()
        earlier.mkdir()
        yield partial
        for source, target, names in ((out, earlier, reversed(ENTRIES)), (partial, out, ENTRIES)):
            for name in names:
                if (source / name).exists():
                    (source / name).rename(target / name)


def write_files(sections: Sequence[Section], folder: Path) -> None:
    """Write each section to `tables/<name>.csv` and `.md`, and its chart to `figures/<name>.svg` and `.png`."""
    tables, figures = folder / TABLES, folder / FIGURES
    tables.mkdir()
    figures.mkdir()
    for section in sections:
        write_csv(section.table, tables / f"{section.name}.csv")
        (tables / f"{section.name}.md").write_text(_markdown(section), "utf-8")
        if section.chart is not None:
            (figures / f"{section.name}.svg").write_bytes(render(section.chart, "svg"))
            (figures / f"{section.name}.png").write_bytes(render(section.chart, "png"))


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table with all digits, and an apostrophe before text that a spreadsheet would run as a formula."""
    cells = table.map(lambda value: escape(value) if isinstance(value, str) else value)
    # Python 3.11 quotes a carriage return in a cell only if it is part of the line terminator.
    cells.to_csv(path, index=False, lineterminator="\r\n", errors="replace")


def _check(out: Path, force: bool) -> None:
    if out.exists() and not out.is_dir():
        raise InvalidArgument(f"'{out}' is not a folder. Choose another one with --out.")
    paths = out.iterdir() if out.is_dir() else ()
    entries = {path.name for path in paths if not path.name.startswith(PARTIAL)}
    if force or not entries or (PAGE in entries and entries <= {*ENTRIES}):
        return
    others = sorted(entries - {*ENTRIES}) or sorted(entries)
    raise InvalidArgument(
        f"The folder '{out}' is not a report: it contains {', '.join(others[:3])}. Choose another folder with --out, "
        "or write into this one with --force."
    )


def _markdown(section: Section) -> str:
    rule = ["---:" if is_numeric else "---" for is_numeric in section.is_numeric]
    lines = [map(_markdown_cell, section.columns), rule, *(map(_markdown_cell, row) for row in section.rows)]
    return "\n".join([f"# {section.title}\n\n{section.text}\n", *(f"| {' | '.join(line)} |" for line in lines), ""])


def _markdown_cell(text: str) -> str:
    """Text on one line that cannot end the cell or act as markup."""
    return " ".join(text.split()).translate({ord(character): f"\\{character}" for character in "\\|`*[]<"})
