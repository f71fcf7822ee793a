"""The report's page: one HTML file that shows sections and samples, works offline and loads nothing."""

import re
import shlex
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files

import pandas as pd
from jinja2 import Environment, FunctionLoader, StrictUndefined

from inspect_discoverybench.report.charts import Chart
from inspect_discoverybench.report.contents import Contents
from inspect_discoverybench.report.figure import svg
from inspect_discoverybench.report.notices import notices
from inspect_discoverybench.report.section import Section, glossary
from inspect_discoverybench.report.table import Column, ShownTable, shown_tables
from inspect_discoverybench.results.result import Result
from inspect_discoverybench.results.sample_score import Outcome
from inspect_discoverybench.scorer.facets import SCORE_KEYS

SAMPLES, LEFT_OUT = "samples", "logs-left-out"
"""Names of the page's own sections."""

MAX_SHORT, MIN_LONG = 36, 70
"""Lengths in characters up to which the texts of a column are on one line, and from which the column is wide."""

FILTERS = ("benchmark", "agent", "model", "settings", "judge", "status")
"""Columns of the table of samples that the page can filter by."""

OPTIONAL = ("benchmark", "epoch", "settings", "judge")
"""Columns of the table of samples that the page leaves out if they have a single value."""

MARKUP = re.compile(r"`(?P<code>[^`]+)`|\*(?P<term>[^*]+)\*")
"""Code, and terms of the glossary, in the text of a section."""


def render_page(contents: Contents, title: str) -> bytes:
    """The page as HTML in UTF-8."""
    css, script = _resource("page.css"), _resource("page.js")
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(_resource),
    )
    left_out = pd.DataFrame(contents.left_out.items(), columns=["log", "reason"])
    sections = [*contents.sections, _sample_section(contents), Section(LEFT_OUT, left_out)]
    html = environment.get_template("page.html").render(
        title=title,
        policy=_policy(css, script),
        css=css,
        script=script,
        facts=_facts(contents.results),
        notices=notices(contents.leaderboard),
        key_numbers=_key_numbers(contents),
        sections=sections,
        tables={section.name: _tables(section, contents) for section in sections},
        glossary=glossary(),
        anchors={term.lower(): number for number, term in enumerate(glossary())},
        filters=FILTERS,
        pieces=_pieces,
        image=_image,
        column_classes=_column_classes,
    )
    return html.encode("utf-8", "replace")


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


def _image(chart: Chart, dark: bool) -> str:
    return f"data:image/svg+xml;base64,{b64encode(svg(chart, dark)).decode()}"


def _tables(section: Section, contents: Contents) -> list[ShownTable]:
    titles = {} if section.name == SAMPLES else contents.leaderboard.titles
    return shown_tables(section.table, titles)


def _column_classes(table: ShownTable) -> list[str]:
    return [_column_class(column) for column in table.columns]


def _column_class(column: Column) -> str:
    """The class of a column's cells: numbers, longer texts, or long ones; none for texts on one line."""
    if column.is_numeric:
        return "number"
    length = max(map(len, column.cells))
    if length <= MAX_SHORT:
        return ""
    return "long" if length >= MIN_LONG else "medium"


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """The pieces of a text with their kind: `text`, `code` or `term`."""
    end = 0
    for match in MARKUP.finditer(text):
        yield "text", text[end : match.start()]
        kind = match.lastgroup or ""
        yield kind, match[kind]
        end = match.end()
    yield "text", text[end:]


def _sample_section(contents: Contents) -> Section:
    """The table of samples, with scores × 100 as everywhere on the page."""
    table = contents.samples
    shown = [name for name in table if name not in OPTIONAL or table[name].nunique() > 1]
    scores = {key: 100 * table[key] for key in SCORE_KEYS}
    headings = {key: f"{label} × 100" for key, label in SCORE_KEYS.items()}
    folders = {str(log).rpartition("/")[0] or "." for log in table.log}
    folder = shlex.quote(folders.pop()) if len(folders) == 1 else "LOG_DIR"
    note = (
        f"To read the transcripts, run `inspect view --log-dir {folder}`; to share them, run "
        f"`inspect view bundle --log-dir {folder} --output-dir FOLDER`."
    )
    return Section(SAMPLES, table.assign(**scores)[shown].rename(columns=headings), notes=[note])


def _facts(results: Iterable[Result]) -> Mapping[str, str]:
    """What is at the top of the page about the logs."""
    runs = {result.run for result in results}
    judges = dict.fromkeys(result.score.judge for result in results if result.score.judge)
    days = sorted(run.created[:10] for run in runs)
    commits = {(run.data_commit or "")[:12] for run in runs}
    facts = {
        "Logs": f"{len(runs):,}, written {' to '.join(dict.fromkeys((days[0], days[-1])))}",
        "Judges" if len(judges) > 1 else "Judge": ", ".join(judges) or "none",
        "Task version": _listed(run.task_version for run in runs),
        "Package": _listed(run.package_version for run in runs),
        "Sandbox image": _listed(run.image for run in runs),
        "Data": _listed(commits),
        "Report": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, inspect-discoverybench {version('inspect-discoverybench')}",
    }
    return {name: text for name, text in facts.items() if text}


def _listed(values: Iterable[str | None]) -> str:
    return ", ".join(sorted({value for value in values if value}))


def _key_numbers(contents: Contents) -> Mapping[str, int]:
    """The numbers at the top of the page. Outcomes other than scored and unscored are left out if they are 0."""
    leaderboard = contents.leaderboard
    outcomes = Counter(result.score.outcome for standing in leaderboard.standings for result in standing.results)
    tasks = {(benchmark.name, result.sample.id) for benchmark in leaderboard.benchmarks for result in benchmark.results}
    numbers = {"Samples": outcomes.total(), "Tasks": len(tasks), "Configurations": len(leaderboard.standings)}
    for outcome in Outcome:
        if outcomes[outcome] or outcome in (Outcome.SCORED, Outcome.UNSCORED):
            numbers[outcome.capitalize()] = outcomes[outcome]
    if contents.left_out:
        numbers["Logs left out"] = len(contents.left_out)
    return numbers
