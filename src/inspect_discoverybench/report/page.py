"""The report's page: one HTML file that shows sections and samples, works offline and loads nothing."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from inspect_discoverybench.report.cell import cell_text, is_missing, is_number
from inspect_discoverybench.report.configurations import main_judge
from inspect_discoverybench.report.figures import Chart, render
from inspect_discoverybench.report.judge_labels import judge_notes
from inspect_discoverybench.report.packed_samples import PackedSamples, SampleSelection, pack
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results import Outcome

if TYPE_CHECKING:
    import pandas as pd

MAX_SHORT, MAX_SHORT_TITLE = 32, 10
"""Maximum length of cells and of headings that are not wrapped, in characters."""


@dataclass(frozen=True)
class TableCell:
    """A cell of a table.

    Attributes:
        text: What the reader sees.
        value: The number that rows are sorted by; empty if rows are sorted by the text.
        is_number: Whether the cell is aligned as a number.
    """

    text: str
    value: str
    is_number: bool


@dataclass(frozen=True)
class TableRow:
    """A row of a section's table, with the link to its samples."""

    cells: Sequence[TableCell]
    href: str | None
    count: int


@dataclass(frozen=True)
class Heading:
    """A column of a section's table.

    Attributes:
        name: Name of the column.
        title: What the reader sees.
        cells: Classes of its cells.
        names_row: Whether its cells name their rows and link to the samples.
    """

    name: str
    title: str
    cells: str
    names_row: bool

    @property
    def classes(self) -> str:
        """Classes of the heading."""
        return f"{self.cells} short-title" if len(self.title) <= MAX_SHORT_TITLE else self.cells


@dataclass(frozen=True)
class SectionView:
    """A section as the template needs it. Figures are data URLs of SVG images."""

    section: Section
    headings: Sequence[Heading]
    rows: Sequence[TableRow]
    light: str | None
    dark: str | None


@dataclass(frozen=True)
class KeyNumber:
    """A number at the top of the page, with the link to its samples."""

    title: str
    value: int
    href: str | None = None


def write_page(
    sections: Sequence[Section], samples: "pd.DataFrame", left_out: "pd.DataFrame", title: str, path: Path
) -> None:
    """Write the page.

    Texts of samples are compressed inside the page and unpacked when they are read. If there are very many samples,
    long texts are truncated to keep the page below 25 MB, and the page says so.

    Args:
        sections: Sections in their order on the page.
        samples: The frame of samples after `label_configurations`.
        left_out: Logs that could not be used; columns `log` and `reason`.
        title: Title of the page.
        path: Output file.
    """
    selection = SampleSelection(samples, [name for section in sections for name in section.filters])
    views = [_view(section, selection) for section in sections]
    main = main_judge(samples)
    html = _html(
        title=title,
        facts=_facts(samples),
        notes=judge_notes(main),
        key_numbers=_key_numbers(main, selection, len(left_out)),
        views=views,
        left_out=[(row.log, row.reason) for row in left_out.itertuples()],
        packed=pack(selection),
        sample_count=len(main),
    )
    path.write_bytes(html.encode("utf-8", "replace"))


def _html(packed: PackedSamples, **values: Any) -> str:
    css, script = _resource("page.css"), _resource("page.js")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(css)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(_resource),
    )
    # The CSS and the script are our own; everything else is escaped.
    return environment.get_template("page.html").render(
        policy=policy, css=Markup(css), script=Markup(script), packed=packed, zip=zip, **values
    )


def _resource(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _facts(samples: "pd.DataFrame") -> dict[str, str]:
    created = sorted(str(date)[:10] for date in samples.created.unique())
    days = created[0] if created[0] == created[-1] else f"{created[0]} to {created[-1]}"
    judges = [judge for judge in samples.judge.unique() if not is_missing(judge)]
    commits = [commit for commit in samples.data_commit.unique() if not is_missing(commit)]
    facts = {
        "Logs": f"{samples.log.nunique():,}, written {days}",
        "Judges" if len(judges) > 1 else "Judge": ", ".join(judges) or "none",
        "Task version": ", ".join(sorted(map(str, samples.task_version.unique()))),
        "Package": ", ".join(sorted(map(str, samples.package_version.dropna().unique()))),
        "Sandbox image": ", ".join(sorted(map(str, samples.image.dropna().unique()))),
        "Data": ", ".join(str(commit)[:12] for commit in commits),
        "Report": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, inspect-discoverybench {version('inspect-discoverybench')}",
    }
    return {name: text for name, text in facts.items() if text}


def _key_numbers(main: "pd.DataFrame", selection: SampleSelection, left_out: int) -> list[KeyNumber]:
    numbers = [
        KeyNumber("Samples", len(main), "#all-samples"),
        KeyNumber("Tasks", len(main[["benchmark", "id"]].drop_duplicates())),
        KeyNumber("Configurations", len(main[["benchmark", "configuration"]].drop_duplicates())),
    ]
    for outcome in Outcome:
        link = selection.link({"outcome": outcome.value})
        if link or outcome in (Outcome.SCORED, Outcome.UNSCORED):
            numbers.append(KeyNumber(outcome.value.capitalize(), link[1] if link else 0, link[0] if link else None))
    if left_out:
        numbers.append(KeyNumber("Logs left out", left_out, "#logs-left-out"))
    return numbers


def _view(section: Section, selection: SampleSelection) -> SectionView:
    table = section.table
    names = [str(name) for name in table.columns]
    # A filter that is not a column of the frame cannot select samples, so rows have no link.
    filters = [] if set(section.filters) - selection.columns.keys() else [*section.filters]
    # The most specific filter names the row.
    row_name = filters[-1] if filters else names[0]
    rows = [_row(section, names, values, filters, selection) for values in table.itertuples(index=False, name=None)]
    headings = [
        Heading(name, name.replace("_", " "), _classes(name, [row.cells[i] for row in rows]), name == row_name)
        for i, name in enumerate(names)
    ]
    light, dark = (None if section.chart is None else _image(section.chart, is_dark) for is_dark in (False, True))
    return SectionView(section, headings, rows, light, dark)


def _classes(name: str, cells: Sequence[TableCell]) -> str:
    names = []
    if name == "benchmark" and len({cell.text for cell in cells}) == 1:
        # On phones, hide a column with the same value in every row to make room for the others.
        names.append("wide-only")
    if any(cell.is_number for cell in cells):
        names.append("number")
    if all(len(cell.text) <= MAX_SHORT for cell in cells):
        names.append("short")
    return " ".join(names)


def _row(
    section: Section, names: Sequence[str], values: Sequence[Any], filters: Sequence[str], selection: SampleSelection
) -> TableRow:
    cells = [
        TableCell(
            cell_text(value, section.formats.get(name)),
            repr(float(value)) if is_number(value) else "",
            is_number(value),
        )
        for name, value in zip(names, values, strict=True)
    ]
    by_name = dict(zip(names, values, strict=True))
    link = selection.link({name: by_name[name] for name in filters}) if filters else None
    return TableRow(cells, *(link or (None, 0)))


def _image(chart: Chart, dark: bool) -> str:
    return f"data:image/svg+xml;base64,{b64encode(render(chart, 'svg', dark)).decode()}"
