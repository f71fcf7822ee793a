"""The report's folder: tables and figures of sections, next to the page."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.report.cell import cell_text, is_missing, is_number
from inspect_discoverybench.report.figures import render
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.validation.spreadsheet import escape

if TYPE_CHECKING:
    import pandas as pd

PAGE, TABLES, FIGURES = "report.html", "tables", "figures"

ENTRIES = (TABLES, FIGURES, PAGE)
"""Entries of a report's folder. The page is moved into place last, so that a folder with a page is complete."""

PARTIAL = ".report-"
"""Prefix of the folder in which a report is prepared."""


@contextmanager
def report_folder(out: Path, force: bool = False) -> Iterator[Path]:
    """A folder in which a report is prepared. At the end, its entries replace those of an earlier report.

    If an error occurs, `out` is left unchanged.

    Args:
        out: The report's folder; created if it does not exist.
        force: Also write into a folder that contains other files. They are kept.

    Raises:
        InvalidArgument: `out` is not a folder; or it contains anything other than a report, and `force` is false.
    """
    _check(out, force)
    created = _create(out)
    partial = Path(mkdtemp(prefix=PARTIAL, dir=out))
    try:
        yield partial
        _replace(out, partial)
    except BaseException:  # including an interrupt by the user; re-raised
        shutil.rmtree(partial, ignore_errors=True)
        for folder in created:
            folder.rmdir()
        raise
    for leftover in out.glob(f"{PARTIAL}*"):
        shutil.rmtree(leftover, ignore_errors=True)


def write_files(sections: Sequence[Section], folder: Path) -> None:
    """Write `tables/<name>.csv` and `.md` of every section, and `figures/<name>.svg` and `.png` of those with a chart.

    CSV files contain all digits, and put an apostrophe before text that a spreadsheet would run as a formula.

    Args:
        sections: The sections. Their names are distinct.
        folder: An existing folder.
    """
    names = [section.name for section in sections]
    if len(set(names)) < len(names):
        raise ValueError(f"two sections have the same name: {', '.join(names)}")
    for subfolder in (TABLES, FIGURES):
        (folder / subfolder).mkdir()
    for section in sections:
        table = section.table.map(_spreadsheet_cell)
        table.columns = table.columns.map(_spreadsheet_cell)
        # Python 3.11 quotes a carriage return in a cell only if it is part of the line terminator.
        table.to_csv(folder / TABLES / f"{section.name}.csv", index=False, lineterminator="\r\n")
        (folder / TABLES / f"{section.name}.md").write_text(_markdown(section), "utf-8")
        if section.chart is not None:
            (folder / FIGURES / f"{section.name}.svg").write_bytes(render(section.chart, "svg"))
            (folder / FIGURES / f"{section.name}.png").write_bytes(render(section.chart, "png"))


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


def _create(out: Path) -> list[Path]:
    """Create a folder and its parents; those that did not exist, the innermost first."""
    created = [folder for folder in (out, *out.parents) if not folder.exists()]
    out.mkdir(parents=True, exist_ok=True)
    return created


def _replace(out: Path, partial: Path) -> None:
    """Move the earlier report away, then the new one into place; after an error, undo both."""
    earlier = Path(mkdtemp(prefix=PARTIAL, dir=out))
    moved: list[tuple[Path, Path]] = []

    def move(source: Path, target: Path) -> None:
        if source.exists():
            source.rename(target)
            moved.append((source, target))

    try:
        for name in reversed(ENTRIES):
            move(out / name, earlier / name)
        for name in ENTRIES:
            move(partial / name, out / name)
    except BaseException:  # including an interrupt by the user; re-raised
        for source, target in reversed(moved):
            target.rename(source)
        shutil.rmtree(earlier)
        raise


def _spreadsheet_cell(value: Any) -> Any:
    return escape(value) if isinstance(value, str) and not _is_numeral(value) else value


def _is_numeral(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _markdown(section: Section) -> str:
    table: pd.DataFrame = section.table
    columns = [str(name) for name in table.columns]
    numeric = [any(is_number(value) and not is_missing(value) for value in table[name]) for name in table.columns]
    rows = [
        [
            _markdown_cell(cell_text(value, section.formats.get(name)))
            for name, value in zip(columns, values, strict=True)
        ]
        for values in table.itertuples(index=False, name=None)
    ]
    lines = [
        [_markdown_cell(name.replace("_", " ")) for name in columns],
        ["---:" if is_numeric else "---" for is_numeric in numeric],
        *rows,
    ]
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"# {section.title}\n\n{section.text}\n\n{body}\n"


def _markdown_cell(text: str) -> str:
    """Text on one line that cannot end the cell or act as markup."""
    text = " ".join(text.split())
    for character in "\\|`*[]<":
        text = text.replace(character, f"\\{character}")
    return text
