"""The report's page: one HTML file that shows sections and samples, works offline and loads nothing."""

import shlex
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import pandas as pd
from jinja2 import Environment, FunctionLoader, StrictUndefined

from inspect_discoverybench.report.charts import Chart, render
from inspect_discoverybench.report.report_columns import SCORES, judge_notes
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.sample_score import Outcome

SAMPLE_COLUMNS = {
    **{name: name for name in ("benchmark", "id", "epoch", "agent", "model", "settings", "judge")},
    "outcome": "status",
    **{name: str(name) for name in SCORES},
    "gold_hypothesis": "gold_hypothesis",
    "hypothesis": "predicted_hypothesis",
    "log": "log",
}
"""Columns of the table of samples, with their names in it."""

MAX_SHORT, MIN_LONG = 36, 70
"""Lengths in characters up to which the texts of a column are on one line, and from which the column is wide."""

FILTERS = ("benchmark", "agent", "model", "settings", "judge", "status")
"""Columns of the table of samples that the page can filter by."""

OPTIONAL = ("benchmark", "epoch", "settings", "judge")
"""Columns of the table of samples that the page leaves out if they have a single value."""


def sample_table(samples: pd.DataFrame) -> pd.DataFrame:
    """The table of samples, one row per sample, epoch and judge, from the frame after `add_report_columns`."""
    return samples[[*SAMPLE_COLUMNS]].rename(columns=SAMPLE_COLUMNS)


def write_page(
    sections: Sequence[Section], samples: pd.DataFrame, left_out: pd.DataFrame, title: str, path: Path
) -> None:
    """Write the page from the frame of samples after `add_report_columns`, and the frame of logs that were left out."""
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
    main = samples[samples.is_main]
    html = environment.get_template("page.html").render(
        title=title,
        policy=policy,
        css=css,
        script=script,
        facts=_facts(samples),
        notes=judge_notes(main),
        key_numbers=_key_numbers(main, len(left_out)),
        sections=[*sections, _sample_section(samples), Section("logs-left-out", left_out)],
        filters=FILTERS,
        image=_image,
        column_classes=_column_classes,
        zip=zip,
    )
    path.write_bytes(html.encode("utf-8", "replace"))


def _resource(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _image(chart: Chart, dark: bool) -> str:
    return f"data:image/svg+xml;base64,{b64encode(render(chart, 'svg', dark)).decode()}"


def _column_classes(section: Section) -> Sequence[str]:
    """A class for the cells of each column: numbers, longer texts, and long ones; none for texts on one line."""
    lengths = [max(map(len, column)) for column in zip(*section.rows, strict=True)]
    return [
        "number" if is_numeric else "" if length <= MAX_SHORT else "long" if length >= MIN_LONG else "medium"
        for length, is_numeric in zip(lengths, section.is_numeric, strict=True)
    ]


def _sample_section(samples: pd.DataFrame) -> Section:
    table = sample_table(samples)
    shown = [name for name in table if name not in OPTIONAL or table[name].nunique() > 1]
    folders = {str(log).rpartition("/")[0] or "." for log in samples.log}
    folder = shlex.quote(folders.pop()) if len(folders) == 1 else "LOG_DIR"
    return Section("samples", table[shown], values={"folder": folder})


def _facts(samples: pd.DataFrame) -> Mapping[str, str]:
    def known(column: str) -> list[str]:
        return [*map(str, samples[column].dropna().unique())]

    days = sorted(date[:10] for date in known("created"))
    judges = known("judge")
    facts = {
        "Logs": f"{samples.log.nunique():,}, written {' to '.join(dict.fromkeys((days[0], days[-1])))}",
        "Judges" if len(judges) > 1 else "Judge": ", ".join(judges) or "none",
        "Task version": ", ".join(sorted(known("task_version"))),
        "Package": ", ".join(sorted(known("package_version"))),
        "Sandbox image": ", ".join(sorted(known("image"))),
        "Data": ", ".join(commit[:12] for commit in known("data_commit")),
        "Report": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, inspect-discoverybench {version('inspect-discoverybench')}",
    }
    return {name: text for name, text in facts.items() if text}


def _key_numbers(main: pd.DataFrame, left_out: int) -> Mapping[str, int]:
    """The numbers at the top of the page. Outcomes other than scored and unscored are left out if they are 0."""
    numbers = {
        "Samples": len(main),
        "Tasks": len(main[["benchmark", "id"]].drop_duplicates()),
        "Configurations": len(main[["benchmark", "configuration"]].drop_duplicates()),
        **{outcome.capitalize(): int((main.outcome == outcome).sum()) for outcome in Outcome},
        "Logs left out": left_out,
    }
    return {name: number for name, number in numbers.items() if number or name in ("Scored", "Unscored")}
