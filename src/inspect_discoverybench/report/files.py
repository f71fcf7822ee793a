"""The report's folder: the page, the table of samples, and tables and figures of the sections."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pandas as pd

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.report.figures import render
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.validation.spreadsheet import escape

PAGE, SAMPLES, TABLES, FIGURES = "report.html", "samples.csv", "tables", "figures"

ENTRIES = (TABLES, FIGURES, SAMPLES, PAGE)
"""Entries of a report's folder. The page is moved into place last, so that a folder with a page is complete."""

PARTIAL = ".report-"
"""Prefix of the folder in which a report is prepared."""


@contextmanager
def report_folder(out: Path, force: bool = False) -> Iterator[Path]:
    """A folder in which a report is prepared. At the end, its entries replace those of an earlier report.

    If the preparation fails, `out` is left unchanged.

    Args:
        out: The report's folder; created if it does not exist.
        force: Also write into a folder that contains other files. They are kept.

    Raises:
        InvalidArgument: `out` is not a folder; or it contains anything other than a report, and `force` is false.
    """
    _check(out, force)
    created = [folder for folder in (out, *out.parents) if not folder.exists()]
    out.mkdir(parents=True, exist_ok=True)
    partial = Path(mkdtemp(prefix=PARTIAL, dir=out))
    try:
        yield partial
    except BaseException:  # including an interrupt by the user; re-raised
        shutil.rmtree(partial, ignore_errors=True)
        for folder in created:
            folder.rmdir()
        raise
    earlier = Path(mkdtemp(prefix=PARTIAL, dir=out))
    for source, target, names in ((out, earlier, reversed(ENTRIES)), (partial, out, ENTRIES)):
        for name in names:
            if (source / name).exists():
                (source / name).rename(target / name)
    for leftover in out.glob(f"{PARTIAL}*"):
        shutil.rmtree(leftover, ignore_errors=True)


def write_files(sections: Sequence[Section], folder: Path) -> None:
    """Write `tables/<name>.csv` and `.md` of every section, and `figures/<name>.svg` and `.png` of those with a chart.

    Args:
        sections: The sections. Their names are distinct.
        folder: An existing folder.
    """
    names = [section.name for section in sections]
    if len(set(names)) < len(names):
        raise ValueError(f"two sections have the same name: {', '.join(names)}")
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
    entries = {entry.name for entry in out.iterdir()} if out.is_dir() else set()
    entries = {name for name in entries if not name.startswith(PARTIAL)}
    foreign = sorted(entries - {*ENTRIES})
    if not entries or force:
        return
    if foreign:
        raise InvalidArgument(
            f"The folder '{out}' contains files that are not part of a report: {', '.join(foreign[:3])}. "
            "Choose another folder with --out, or write into this one with --force."
        )
    if PAGE not in entries:
        raise InvalidArgument(
            f"The folder '{out}' is not a report: it has no {PAGE}. Choose another folder with --out, or replace "
            f"{', '.join(sorted(entries))} with --force."
        )


def _markdown(section: Section) -> str:
    rule = ["---:" if is_numeric else "---" for is_numeric in section.is_numeric]
    lines = [map(_markdown_cell, section.columns), rule, *(map(_markdown_cell, row) for row in section.rows)]
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"# {section.title}\n\n{section.text}\n\n{body}\n"


def _markdown_cell(text: str) -> str:
    """Text on one line that cannot end the cell or act as markup."""
    text = " ".join(text.split())
    for character in "\\|`*[]<":
        text = text.replace(character, f"\\{character}")
    return text
