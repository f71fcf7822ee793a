"""The report's page: one HTML file that shows sections and samples, works offline and loads nothing."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files

import pandas as pd
from jinja2 import Environment, FunctionLoader, StrictUndefined

from inspect_discoverybench.report.contents import Contents
from inspect_discoverybench.report.figure import dark, svg
from inspect_discoverybench.report.notices import notices
from inspect_discoverybench.report.section import Section, glossary
from inspect_discoverybench.report.table import shown_tables
from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.scorer.facets import SCORE_KEYS
from inspect_discoverybench.scorer.released_form import RELEASED_KEYS

SAMPLES, LEFT_OUT = "samples", "logs-left-out"
"""Names of the page's own sections."""

FILTERS = ("benchmark", "agent", "model", "settings", "judge", "outcome")
"""Columns of the table of samples that the page can filter by."""

MARKUP = re.compile(r"`(?P<code>[^`]+)`|\*(?P<term>[^*]+)\*")
"""Code, and terms of the glossary, in the text of a section."""


def render_page(contents: Contents) -> bytes:
    """The page as HTML in UTF-8."""
    titles = contents.leaderboard.style.titles
    tables = {section.name: shown_tables(section.table, titles) for section in contents.sections}
    samples = _in_percent(contents.samples)
    left_out = pd.DataFrame(contents.left_out.items(), columns=["log", "reason"])
    tables[SAMPLES] = shown_tables(samples, {})
    tables[LEFT_OUT] = shown_tables(left_out, {})

    sections = [*contents.sections, Section(SAMPLES, samples), Section(LEFT_OUT, left_out)]
    terms = glossary()
    css = _resource("page.css")
    script = _resource("page.js")
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(_resource),
    )
    template = environment.get_template("page.html")
    html = template.render(
        policy=_policy(css, script),
        css=css,
        script=script,
        facts=_facts(contents.results),
        notices=notices(contents.leaderboard, contents.results),
        sections=sections,
        tables=tables,
        glossary=terms,
        anchors={term.lower(): number for number, term in enumerate(terms)},
        filters=FILTERS,
        pieces=_pieces,
        zip=zip,
        svg=svg,
        dark=dark,
        data_url=_data_url,
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


def _data_url(image: str) -> str:
    encoded = b64encode(image.encode())
    return f"data:image/svg+xml;base64,{encoded.decode()}"


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """The pieces of a text with their kind: `text`, `code` or `term`."""
    end = 0
    for match in MARKUP.finditer(text):
        yield "text", text[end : match.start()]
        kind = match.lastgroup or ""
        yield kind, match[kind]
        end = match.end()
    yield "text", text[end:]


def _in_percent(samples: pd.DataFrame) -> pd.DataFrame:
    """The table of samples, with scores × 100 as everywhere on the page."""
    labels = SCORE_KEYS | {key: key.replace("_", " ").replace("hms", "HMS") for key in RELEASED_KEYS}
    headings = {key: f"{label} × 100" for key, label in labels.items() if key in samples}
    table = samples.copy()
    table[list(headings)] *= 100
    return table.rename(columns=headings)


def _facts(results: Iterable[ResultRow]) -> Mapping[str, str]:
    """What is at the top of the page about the logs."""
    runs = {result.run for result in results}
    days = sorted(run.created[:10] for run in runs)
    commits = [run.data_commit or "" for run in runs]
    now = datetime.now(UTC)
    package = version("inspect-discoverybench")
    facts = {
        "Logs": f"{len(runs):,}",
        "Written": f"{days[0]} to {days[-1]}",
        "Judge": _listed(result.score.judge for result in results) or "none",
        "Task version": _listed(run.task_version for run in runs),
        "Package": _listed(run.package_version for run in runs),
        "Sandbox image": _listed(run.image for run in runs),
        "Data": _listed(commit[:12] for commit in commits),
        "Report": f"{now:%Y-%m-%d %H:%M} UTC, inspect-discoverybench {package}",
    }
    return {name: text for name, text in facts.items() if text}


def _listed(values: Iterable[str | None]) -> str:
    known = set(filter(None, values))
    return ", ".join(sorted(known))
