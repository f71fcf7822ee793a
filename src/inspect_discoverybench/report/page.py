"""The report's page: one HTML file that shows sections and samples, works offline and loads nothing."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files

import pandas as pd
from jinja2 import Environment, FunctionLoader, StrictUndefined

from inspect_discoverybench.report.charts import Chart
from inspect_discoverybench.report.contents import Contents
from inspect_discoverybench.report.facets import LOSS_COLORS, SHARE, STAGE
from inspect_discoverybench.report.figure import dark, svg
from inspect_discoverybench.report.judges import judge_sentences
from inspect_discoverybench.report.notices import notices
from inspect_discoverybench.report.ranking import Ranking
from inspect_discoverybench.report.sample_list import SampleList
from inspect_discoverybench.report.section import Section, glossary, section_descriptions
from inspect_discoverybench.report.table import ShownTable, means_by_group, shares_by_value, shown_tables
from inspect_discoverybench.results.result_row import ResultRow

LEFT_OUT = "logs-left-out"
"""Name of the section about logs that could not be used. Only the page has it."""

MAX_OPEN_ROWS = 8
"""Number of rows of a section up to which the page shows it unfolded."""

MAX_OPEN_NOTICES = 3
"""Number of notices that are not folded. Some notices are repeated for each configuration, and fifteen of them would
fill the first screen."""

MARKUP = re.compile(r"`(?P<code>[^`]+)`|\*(?P<term>[^*]+)\*")
"""Code, and terms of the glossary, in the text of a section."""


@dataclass(frozen=True)
class ShownSection:
    """A section as the page shows it."""

    section: Section
    tables: Sequence[ShownTable]

    @property
    def figure(self) -> Chart | None:
        """The figure, if the page shows it."""
        return self.section.chart if self.section.description.shows_figure else None

    @property
    def is_open(self) -> bool:
        """Whether the page shows the section unfolded: it has few rows, and its description does not fold it."""
        rows = sum(len(table.rows) for table in self.tables)
        return rows <= MAX_OPEN_ROWS and not self.section.description.is_folded


def render_page(contents: Contents) -> bytes:
    """The page as HTML in UTF-8."""
    titles = contents.leaderboard.style.titles
    sections = [ShownSection(section, _tables(section, titles)) for section in contents.sections]
    if contents.left_out:
        left_out = Section(LEFT_OUT, pd.DataFrame(contents.left_out.items(), columns=["log", "reason"]))
        sections.append(ShownSection(left_out, shown_tables(left_out.table, titles={})))
    hms, *others = sections  # every report has the section `hms`, and it is the first

    terms = glossary()
    samples = SampleList(contents.samples, contents.results)
    css = _resource("page.css") + _grid(samples)
    script = _resource("page.js")
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(_resource),
    )
    html = environment.get_template("page.html").render(
        policy=_policy(css, script),
        css=css,
        script=script,
        facts=_facts(contents.results),
        notices=list(notices(contents.leaderboard, contents.results)),
        max_notices=MAX_OPEN_NOTICES,
        rankings=[Ranking.of(benchmark) for benchmark in contents.leaderboard.benchmarks],
        judges=judge_sentences(contents.leaderboard.benchmarks, contents.audits),
        hms=hms,
        sections=others,
        samples=samples,
        samples_text=section_descriptions()["samples"],
        glossary=terms,
        anchors={term.lower(): number for number, term in enumerate(terms)},
        pieces=_pieces,
        zip=zip,
        svg=svg,
        dark=dark,
        data_url=_data_url,
    )
    return html.encode("utf-8", "replace")


def _tables(section: Section, titles: Mapping[str, str]) -> list[ShownTable]:
    """The tables of a section: configurations by groups of tasks, configurations by stage, or the section's own table.

    Args:
        section: The section.
        titles: Title of each benchmark.
    """
    column = section.description.column
    if column is not None:
        return means_by_group(section.table, titles, column)
    if STAGE in section.table:
        return shares_by_value(section.table, titles, STAGE, SHARE, LOSS_COLORS)
    return shown_tables(section.table, titles)


def _grid(samples: SampleList) -> str:
    """CSS for the columns of the list of samples.

    The last column is that of the predicted hypothesis, which `samples.widths` do not include. A narrow screen shows
    only the columns in `samples.narrow_widths`. The widths are not in the elements, because the page's policy allows
    styles only in its style sheet.
    """
    narrow = samples.narrow_widths
    numbers = ", ".join(f".line > :nth-child({place})" for place in samples.number_places)
    return f"""
:root {{ --columns: {" ".join(samples.widths)} minmax(7rem, 2.5fr); --narrow-columns: {" ".join(narrow)}; }}
{numbers} {{ text-align: right; }}
@media (max-width: 60rem) {{ .line > :nth-child(n+{len(narrow) + 1}) {{ display: none; }} }}
"""


def _resource(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text("utf-8")


def _policy(css: str, script: str) -> str:
    """The content security policy: nothing but the page's own script, style and images."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(css)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = sha256(text.encode()).digest()
    return f"sha256-{b64encode(digest).decode()}"


def _data_url(image: str) -> str:
    encoded = b64encode(image.encode())
    return f"data:image/svg+xml;base64,{encoded.decode()}"


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """The pieces of a text with their kind: `text`, `code` or `term`."""
    end = 0
    for match in MARKUP.finditer(text):
        yield "text", text[end : match.start()]
        if match.lastgroup:  # always `code` or `term`, which mypy does not know
            yield match.lastgroup, match[match.lastgroup]
        end = match.end()
    yield "text", text[end:]


def _facts(results: Iterable[ResultRow]) -> Mapping[str, str]:
    """The facts about the logs at the top of the page."""
    runs = {result.run for result in results}
    days = sorted({run.created[:10] for run in runs})
    commits = [run.data_commit or "" for run in runs]
    now = datetime.now(UTC)
    package = version("inspect-discoverybench")
    facts = {
        "Logs": f"{len(runs):,}",
        "Written": days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}",
        "Judge": _listed(result.score.judge for result in results) or "none",
        "Task version": _listed(run.task_version for run in runs),
        "Package": _listed(run.package_version for run in runs),
        "Sandbox image": _listed(run.image for run in runs),
        "Data": _listed(commit[:12] for commit in commits),
        "Report": f"{now:%Y-%m-%d %H:%M} UTC, inspect-discoverybench {package}",
    }
    return {name: text for name, text in facts.items() if text}


def _listed(values: Iterable[str | None]) -> str:
    distinct = {value for value in values if value}
    return ", ".join(sorted(distinct))
