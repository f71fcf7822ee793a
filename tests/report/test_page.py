"""The report's page in a real browser: tables, filters, and hostile text written by models."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import altair as alt
import pandas as pd
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from inspect_discoverybench.report.charts import Chart
from inspect_discoverybench.report.page import write_page
from inspect_discoverybench.report.report_columns import add_report_columns
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.frame import read_results
from tests.browser import launched
from tests.synthetic_logs import Run, write_logs

HOSTILE = (
    "</script><script>window.ran = 1</script><img src=x onerror='window.ran = 1'><!-- "
    "<a href='javascript:ran = 1'>x</a> \u202e right to left \u2066 {{ 7 * 7 }} "
)
HUGE = "unbroken" * 200
POLICY = (
    r"default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; img-src data:; base-uri 'none'; "
    r"form-action 'none'"
)
RUNS = [
    Run("real", "react", "provider/large", 0.3, unscored=0.1, second_judge=0.2),
    Run("real", "codegen", "provider/large", 0.2, errors=0.1, no_submission=0.1),
    Run("real", "react", "provider/small", 0.1),
]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """150 samples of three configurations, one of which has two judges. Some texts are hostile."""
    logs = write_logs(RUNS, tmp_path_factory.mktemp("logs"), samples=50, padding=10)
    frame = add_report_columns(read_results(logs).samples)
    hostile = frame.index[frame.outcome == "scored"][5]
    frame.loc[hostile, "gold_hypothesis"] = HOSTILE
    frame.loc[hostile, "hypothesis"] = f"{HOSTILE} {HUGE}"
    return frame


def write(samples: pd.DataFrame, path: Path) -> Path:
    table = samples[samples.is_main].groupby(["benchmark", "domain"]).hms.mean().mul(100).rename("HMS").reset_index()
    table["domain"] = [HOSTILE, *table.domain[1:]]

    def chart(table: pd.DataFrame) -> Chart:
        encoded: Chart = alt.Chart(table).mark_point().encode(x="HMS", y="domain")
        return encoded

    left_out = pd.DataFrame([(f"logs/{HOSTILE}.eval", "was cancelled")], columns=["log", "reason"])
    section = Section("domain", table, chart)
    write_page([section], samples, left_out, "Agents <b>and</b> models", path)
    return path


@pytest.fixture(scope="module")
def report(samples: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(samples, tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture(scope="module")
def browser(chromium: str, report: Path) -> Iterator[Browser]:
    """It is launched after the logs are read, because it occupies the event loop."""
    with launched(chromium) as browser:
        yield browser


def opened(context: BrowserContext, report: Path) -> tuple[Page, list[str]]:
    """The page, and what the browser requests or complains about."""
    page, events = context.new_page(), list[str]()
    page.on("request", lambda call: events.append(call.url.split(",")[0]))
    page.on("console", lambda message: events.append(message.text))
    page.on("pageerror", lambda error: events.append(str(error)))
    page.goto(report.as_uri())
    return page, events


@pytest.fixture
def page(report: Path, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page, events = opened(context, report)
    yield page
    assert {*events} <= {report.as_uri(), "data:image/svg+xml;base64"}
    assert page.evaluate("window.ran") is None
    context.close()


def shown(page: Page, section: str, column: str) -> list[str]:
    """The visible cells of a column."""
    headings = [text.rstrip(" ↑↓") for text in page.locator(f"#{section} thead th").all_inner_texts()]
    rows = page.locator(f"#{section} tbody tr:visible td:nth-child({headings.index(column) + 1})")
    return rows.all_inner_texts()


def test_summary_and_sections_are_shown(page: Page, samples: pd.DataFrame) -> None:
    main = samples[samples.is_main]
    expect(page.get_by_role("heading", level=1)).to_have_text("Agents <b>and</b> models")
    summary = page.locator("#summary li").all_inner_texts()
    assert summary[:3] == ["150\nSamples", "50\nTasks", "3\nConfigurations"]
    assert f"{(main.outcome == 'error').sum()}\nError" in summary
    assert page.locator("header").inner_text().count("provider/judge") == 2
    assert page.locator("#domain img:visible").count() == 1
    assert len(shown(page, "domain", "HMS")) == main.domain.nunique()
    expect(page.locator("#logs-left-out td").last).to_have_text("was cancelled")


def test_samples_are_filtered_and_searched(page: Page, samples: pd.DataFrame) -> None:
    is_error = (samples.model == "provider/large") & (samples.outcome == "error")
    page.get_by_label("model").select_option("provider/large")
    page.get_by_label("status").select_option("error")
    expect(page.locator(".count")).to_have_text(f"{is_error.sum()} of {len(samples)} rows")
    assert {*shown(page, "samples", "status")} == {"error"}
    page.get_by_label("model").select_option("all")
    page.get_by_label("status").select_option("all")
    page.get_by_label("Search").fill("JAVASCRIPT:ran")
    expect(page.locator(".count")).to_have_text(f"1 of {len(samples)} rows")
    page.keyboard.press("Enter")
    assert page.url.endswith("report.html")


def test_tables_are_sorted_by_their_headings(page: Page, samples: pd.DataFrame) -> None:
    heading = page.locator("#samples").get_by_role("columnheader", name="hms")
    for direction, is_descending in (("descending", True), ("ascending", False)):
        heading.get_by_role("button").press("Enter")
        expect(heading).to_have_attribute("aria-sort", direction)
        expected = [f"{value:.2f}" for value in sorted(samples.hms.dropna(), reverse=is_descending)]
        assert shown(page, "samples", "hms") == expected + ["–"] * int(samples.hms.isna().sum())
    page.locator("#samples").get_by_role("button", name="id", exact=True).click()
    assert shown(page, "samples", "id") == sorted(samples.id, key=lambda name: int(name.removeprefix("test/")))


def test_hostile_text_stays_text(page: Page, report: Path) -> None:
    hostile = page.locator("td", has_text="right to left")
    assert [HOSTILE.strip() in text for text in hostile.all_text_contents()] == [True] * 4
    assert page.locator("td *").count() == 0
    assert page.locator("script").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    html = report.read_text("utf-8")
    assert HOSTILE not in html
    tags = Tags(html).tags
    [policy] = [values["content"] for _, values in tags if values.get("http-equiv") == "Content-Security-Policy"]
    assert re.fullmatch(POLICY, policy or "")
    assert [name for _, values in tags for name in values if name.startswith("on") or name == "style"] == []
    addresses = [values[name] or "" for _, values in tags for name in ("src", "srcset", "href") if name in values]
    assert {address.split("#")[0].split(",")[0] for address in addresses} <= {"", "data:image/svg+xml;base64"}


class Tags(HTMLParser):
    """Tags of a page with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
