"""The report's page in a real browser: tables, filters, and hostile text written by models."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from inspect_discoverybench.report.contents import Contents
from inspect_discoverybench.report.page import MARKUP, render_page
from inspect_discoverybench.report.section import descriptions, glossary
from inspect_discoverybench.results.frame import Results
from tests.browser import launched
from tests.typed_results import result

HOSTILE = (
    "</script><script>window.ran = 1</script><img src=x onerror='window.ran = 1'><!-- "
    "<a href='javascript:ran = 1'>x</a> \u202e right to left \u2066 {{ 7 * 7 }} "
)
POLICY = (
    r"default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; "
    r"form-action 'none'"
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten samples of two configurations, one without a score. Domains, hypotheses and paths are hostile."""
    rows = []
    for number in range(10):
        name = f"test/{number}"
        hypothesis = HOSTILE + "unbroken" * 200 if number == 7 else "It rises."
        rows.append(result(name, number / 10, domain=HOSTILE, hypothesis=hypothesis))
        rows.append(result(name, number / 20, agent="codegen", domain="biology"))
    rows[-1] = result("test/9", agent="codegen", domain="biology", outcome="error")
    contents = Contents.of(Results(rows, {f"logs/{HOSTILE}.eval": "was cancelled"}))
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_bytes(render_page(contents, "Agents <b>and</b> models"))
    return path


@pytest.fixture(scope="module")
def browser(chromium: str, report: Path) -> Iterator[Browser]:
    """It is launched after the page is written, because it occupies the event loop."""
    with launched(chromium) as browser:
        yield browser


def opened(context: BrowserContext, report: Path, events: list[str]) -> Page:
    """The page; what the browser requests or complains about is added to the events."""
    page = context.new_page()
    page.on("request", lambda call: events.append(call.url.split(",")[0]))
    page.on("console", lambda message: events.append(message.text))
    page.on("pageerror", lambda error: events.append(str(error)))
    page.goto(report.as_uri())
    return page


@pytest.fixture(params=[1400])
def page(report: Path, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": request.param, "height": 900})
    events: list[str] = []
    page = opened(context, report, events)
    yield page
    assert {*events} <= {report.as_uri(), "data:image/svg+xml;base64"}
    assert page.evaluate("window.ran") is None
    context.close()


def headings(page: Page, section: str) -> list[str]:
    texts = page.locator(f"#{section} thead th").all_inner_texts()
    return [text.rstrip(" ↑↓").replace("\u00a0", " ") for text in texts]


def shown(page: Page, section: str, column: str) -> list[str]:
    """The visible cells of a column."""
    place = headings(page, section).index(column) + 1
    return page.locator(f"#{section} tbody tr:visible td:nth-child({place})").all_inner_texts()


def test_sections_have_a_text_a_figure_and_a_table_for_each_benchmark(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("Agents <b>and</b> models")
    expect(page.locator("#hms h3")).to_have_text(re.compile(r"^DB-REAL test: 10 of 239 tasks \(10 selected: "))
    assert page.locator("#hms img:visible").count() == 1
    assert headings(page, "hms")[:4] == ["configuration", "HMS × 100", "95 % CI, these tasks", "kind"]
    assert shown(page, "hms", "HMS × 100") == ["45.0", "20.0"]
    assert re.fullmatch(r"\d+\.\d to \d+\.\d", shown(page, "hms", "95 % CI, these tasks")[0])
    expect(page.locator("#logs-left-out td").last).to_have_text("was cancelled")


@pytest.mark.parametrize("page", [390, 1400], indirect=True)
def test_score_and_interval_are_on_the_screen_and_figures_are_not_shrunk(page: Page) -> None:
    width = page.evaluate("innerWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    interval = page.locator("#hms tbody td:nth-child(3)").first.bounding_box()
    assert interval is not None
    assert interval["x"] + interval["width"] <= width
    assert page.evaluate("[...document.images].every(image => image.width >= image.naturalWidth)")


def test_terms_link_to_the_glossary(page: Page) -> None:
    page.locator("#hms .lead a", has_text="floor").click()
    expect(page.locator("dt:target")).to_have_text("floor")
    terms = {term.lower() for term in glossary()}
    for description in descriptions().values():
        for match in MARKUP.finditer(description.text):
            assert match["term"] is None or match["term"].lower() in terms


def test_samples_are_filtered_and_searched(page: Page) -> None:
    filters = page.locator(".filters")
    filters.get_by_label("status").select_option("error")
    expect(page.locator(".count")).to_have_text("1 of 20 rows")
    assert shown(page, "samples", "status") == ["error"]
    filters.get_by_label("status").select_option("all")
    filters.get_by_label("Search").fill("JAVASCRIPT:ran")
    expect(page.locator(".count")).to_have_text("1 of 20 rows")
    page.keyboard.press("Enter")
    assert page.url.endswith("report.html")


def test_tables_are_sorted_by_their_headings(page: Page) -> None:
    heading = page.locator("#samples").get_by_role("columnheader", name="HMS × 100")
    heading.get_by_role("button").press("Enter")
    expect(heading).to_have_attribute("aria-sort", "descending")
    cells = shown(page, "samples", "HMS × 100")
    assert cells[:2] == ["90.0", "80.0"]
    assert cells[-1] == "–"
    heading.get_by_role("button").press("Enter")
    assert shown(page, "samples", "HMS × 100")[:3] == ["0.0", "0.0", "5.0"]


def test_hostile_text_stays_text(page: Page, report: Path) -> None:
    cells = page.locator("td", has_text="right to left").all_text_contents()
    assert cells
    assert all(HOSTILE.strip() in cell for cell in cells)
    assert page.locator("td *").count() == 0
    assert page.locator("script").count() == 1
    assert HOSTILE not in report.read_text("utf-8")
    policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert re.fullmatch(POLICY, policy or "")
