"""The report's page in a real browser: tables, filters, and hostile text written by models."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from inspect_discoverybench.report.contents import Contents
from inspect_discoverybench.report.page import render_page
from inspect_discoverybench.report.section import descriptions, glossary
from inspect_discoverybench.results.frame import ResultFrame
from tests.browser import launched
from tests.typed_results import MISSING, results

HOSTILE = (
    "</script><script>window.ran = 1</script><img src=x onerror='window.ran = 1'><!-- "
    "<a href='javascript:ran = 1'>x</a> \u202e right to left \u2066 {{ 7 * 7 }} *floor "
)

SCORES = {
    "test/0": 0.0,
    "test/1": 0.5,
    "test/2": 1.0,
}
OTHER_SCORES = {
    "test/0": 0.2,
    "test/1": 0.1,
    "test/2": MISSING,
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Samples of two configurations, one without a score. Domains, hypotheses, models and paths are hostile."""
    endless = HOSTILE + "unbroken" * 200
    metadata = {"wrote_calls_as_text": True}
    rows = [
        *results(SCORES, domain=HOSTILE, hypothesis=endless, metadata=metadata),
        *results(OTHER_SCORES, agent="codegen", model=HOSTILE),
    ]
    left_out = {f"logs/{HOSTILE}.eval": "was cancelled"}
    contents = Contents.of(ResultFrame(rows, left_out))
    html = render_page(contents)

    folder = tmp_path_factory.mktemp("report")
    path = folder / "report.html"
    path.write_bytes(html)
    return path


@pytest.fixture(scope="module")
def browser(chromium: str, report: Path) -> Iterator[Browser]:
    """It is launched after the page is written, because it occupies the event loop."""
    with launched(chromium) as browser:
        yield browser


@pytest.fixture(params=[1400])
def page(report: Path, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The open page, which must request nothing and run no script but its own."""
    page = browser.new_page(viewport={"width": request.param, "height": 900})
    requested: list[str] = []
    page.on("request", lambda call: requested.append(call.url))
    address = report.as_uri()
    page.goto(address)
    yield page
    for url in requested:
        assert url.startswith((address, "data:image/svg+xml;base64,"))
    assert page.evaluate("window.ran") is None
    page.close()


def shown(page: Page, section: str, column: str) -> list[str]:
    """The visible cells of a column."""
    table = page.locator(f"#{section} table")
    headings = table.locator("th").all_inner_texts()
    for place, heading in enumerate(headings, start=1):
        if heading.startswith(column):
            cells = table.locator(f"tr:visible td:nth-child({place})")
            return cells.all_inner_texts()
    raise AssertionError(column)


def test_sections_have_a_figure_and_a_table_for_each_benchmark(page: Page) -> None:
    section = page.locator("#hms")
    benchmark = section.locator("h3")
    expect(benchmark).to_contain_text("DB-REAL test: 3 of 239 tasks (3 selected: ")
    figure = section.locator("img:visible")
    expect(figure).to_have_count(1)
    assert shown(page, "hms", "HMS") == ["50.0", "15.0*"]
    for interval in shown(page, "hms", "95 % CI, these tasks"):
        assert re.fullmatch(r"\d+\.\d to \d+\.\d", interval)

    assert shown(page, "logs-left-out", "reason") == ["was cancelled"]


@pytest.mark.parametrize("page", [390, 1400], indirect=True)
def test_score_and_interval_are_on_the_screen_and_figures_are_not_shrunk(page: Page) -> None:
    width = page.evaluate("innerWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    interval = page.locator("#hms tbody td:nth-child(3)")
    box = interval.first.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= width

    assert page.evaluate("[...document.images].every(image => image.width >= image.naturalWidth)")


def test_terms_link_to_the_glossary(page: Page) -> None:
    link = page.locator("#hms .lead a", has_text="floor")
    link.click()
    target = page.locator("dt:target")
    expect(target).to_have_text("floor")


def test_all_terms_of_texts_are_in_the_glossary() -> None:
    known = {term.lower() for term in glossary()}
    for description in descriptions().values():
        for term in re.findall(r"\*([^*]+)\*", description.text):
            assert term.lower() in known


def test_samples_are_filtered_and_searched(page: Page) -> None:
    outcome = page.get_by_label("outcome")
    count = page.locator(".count")
    outcome.select_option("unscored")
    expect(count).to_have_text("1 of 6 rows")
    assert shown(page, "samples", "outcome") == ["unscored"]

    outcome.select_option("all")
    search = page.get_by_label("Search")
    search.fill("UNBROKEN")
    expect(count).to_have_text("3 of 6 rows")


def test_tables_are_sorted_by_their_headings_with_missing_numbers_last(page: Page) -> None:
    button = page.locator("#samples th button", has_text="HMS × 100")
    button.press("Enter")
    decreasing = ["100.0", "50.0", "20.0", "10.0", "0.0", "–"]
    assert shown(page, "samples", "HMS") == decreasing
    button.press("Enter")
    increasing = ["0.0", "10.0", "20.0", "50.0", "100.0", "–"]
    assert shown(page, "samples", "HMS") == increasing


def test_hostile_text_stays_text(page: Page, report: Path) -> None:
    cells = page.locator("td", has_text="right to left")
    for text in cells.all_text_contents():
        assert HOSTILE.strip() in text
    elements = page.locator("td *")
    expect(elements).to_have_count(0)
    html = report.read_text("utf-8")
    assert HOSTILE not in html

    policy = page.locator("meta[http-equiv=Content-Security-Policy]")
    only_its_script = re.compile("^default-src 'none'; script-src 'sha256-[^' ]+';")
    expect(policy).to_have_attribute("content", only_its_script)
