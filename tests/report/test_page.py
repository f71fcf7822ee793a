"""The report's page in a real browser: tables, filters, and hostile text written by models."""

import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from inspect_discoverybench.report.contents import Contents
from inspect_discoverybench.report.page import MARKUP, render_page
from inspect_discoverybench.report.section import descriptions, glossary
from inspect_discoverybench.results.frame import Results
from inspect_discoverybench.results.result import Result
from tests.browser import launched
from tests.typed_results import MISSING, result

HOSTILE = (
    "</script><script>window.ran = 1</script><img src=x onerror='window.ran = 1'><!-- "
    "<a href='javascript:ran = 1'>x</a> \u202e right to left \u2066 {{ 7 * 7 }} "
)
HUGE = "unbroken" * 200
POLICY = (
    r"default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; img-src data:; base-uri 'none'; "
    r"form-action 'none'"
)
SAMPLES = 50


def results() -> Iterator[Result]:
    """50 samples of three configurations, some without a score; some texts are hostile."""
    for number in range(SAMPLES):
        name, hms, domain = f"test/{number}", number % 5 / 4, ("biology", HOSTILE)[number % 2]
        yield result(name, hms, domain=domain, hypothesis=f"{HOSTILE} {HUGE}" if number == 7 else "It rises.")
        if number % 10:
            yield result(name, hms / 2, agent="codegen", domain=domain)
        else:
            yield result(name, agent="codegen", domain=domain, outcome="error")
        yield result(name, MISSING if number == 3 else hms / 4, model="provider/small", domain=domain)


def hms_cells(rows: Sequence[Result]) -> list[str]:
    values = [row.score.value("hms") for row in rows]
    return [f"{100 * value:.1f}" for value in values if value == value]


@pytest.fixture(scope="module")
def contents() -> Contents:
    return Contents.of(Results(list(results()), {f"logs/{HOSTILE}.eval": "was cancelled"}))


@pytest.fixture(scope="module")
def report(contents: Contents, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_bytes(render_page(contents, "Agents <b>and</b> models"))
    return path


@pytest.fixture(scope="module")
def browser(chromium: str, report: Path) -> Iterator[Browser]:
    """It is launched after the page is written, because it occupies the event loop."""
    with launched(chromium) as browser:
        yield browser


def opened(context: BrowserContext, report: Path) -> tuple[Page, list[str]]:
    """The page, and what the browser requests or complains about."""
    page = context.new_page()
    events: list[str] = []
    page.on("request", lambda call: events.append(call.url.split(",")[0]))
    page.on("console", lambda message: events.append(message.text))
    page.on("pageerror", lambda error: events.append(str(error)))
    page.goto(report.as_uri())
    return page, events


@pytest.fixture
def page(report: Path, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page, events = opened(context, report)
    yield page
    assert {*events} <= {report.as_uri(), "data:image/svg+xml;base64"}
    assert page.evaluate("window.ran") is None
    context.close()


def shown(page: Page, section: str, column: str) -> list[str]:
    """The visible cells of a column."""
    headings = [text.rstrip(" ↑↓") for text in page.locator(f"#{section} thead th").all_inner_texts()]
    place = [heading.replace("\u00a0", " ") for heading in headings].index(column) + 1
    return page.locator(f"#{section} tbody tr:visible td:nth-child({place})").all_inner_texts()


def test_summary_and_sections_are_shown(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("Agents <b>and</b> models")
    assert shown(page, "hms", "error") == ["0", "5", "0"]
    assert "provider/judge" in page.locator("header").inner_text()
    assert page.locator("#hms img:visible").count() == 1
    expect(page.locator("#hms h3")).to_have_text(re.compile(r"^DB-REAL test: 50 of 239 tasks \(50 selected: "))
    assert shown(page, "hms", "kind")[0] == "best agent"
    expect(page.locator("#logs-left-out td").last).to_have_text("was cancelled")


def test_an_interval_is_one_cell_beside_its_mean(page: Page) -> None:
    headings = page.locator("#hms thead th").all_inner_texts()
    assert [heading.replace("\u00a0", " ") for heading in headings[:3]] == [
        "configuration",
        "HMS × 100",
        "95 % CI, these tasks",
    ]
    assert re.fullmatch(r"\d+\.\d to \d+\.\d", shown(page, "hms", "95 % CI, these tasks")[0])


@pytest.mark.parametrize("width", [390, 1400])
def test_score_and_interval_are_on_the_screen_and_figures_are_not_shrunk(
    browser: Browser, report: Path, width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900})
    page, _ = opened(context, report)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    interval = page.locator("#hms tbody td:nth-child(3)").first.bounding_box()
    assert interval is not None
    assert interval["x"] + interval["width"] <= width
    assert page.evaluate("[...document.images].every(image => image.width >= image.naturalWidth)")
    context.close()


def test_terms_link_to_the_glossary(page: Page) -> None:
    page.locator("#hms .lead a", has_text="floor").click()
    expect(page.locator("dt:target")).to_have_text("floor")
    terms = {term.lower() for term in glossary()}
    for description in descriptions().values():
        used = {match["term"].lower() for match in MARKUP.finditer(description.text) if match["term"]}
        assert used <= terms


def test_samples_are_filtered_and_searched(page: Page) -> None:
    filters = page.locator(".filters")
    filters.get_by_label("agent").select_option("codegen")
    filters.get_by_label("status").select_option("error")
    expect(page.locator(".count")).to_have_text("5 of 150 rows")
    assert {*shown(page, "samples", "status")} == {"error"}
    filters.get_by_label("agent").select_option("all")
    filters.get_by_label("status").select_option("all")
    filters.get_by_label("Search").fill("JAVASCRIPT:ran")
    expect(page.locator(".count")).to_have_text("1 of 150 rows")
    page.keyboard.press("Enter")
    assert page.url.endswith("report.html")


def test_tables_are_sorted_by_their_headings(page: Page, contents: Contents) -> None:
    heading = page.locator("#samples").get_by_role("columnheader", name="HMS × 100")
    for direction, is_descending in (("descending", True), ("ascending", False)):
        heading.get_by_role("button").press("Enter")
        expect(heading).to_have_attribute("aria-sort", direction)
        expected = sorted(hms_cells(contents.results), key=float, reverse=is_descending)
        assert shown(page, "samples", "HMS × 100") == [*expected, *["–"] * 6]
    page.locator("#samples").get_by_role("button", name="id", exact=True).click()
    assert shown(page, "samples", "id") == [f"test/{number}" for number in range(SAMPLES) for _ in range(3)]


def test_hostile_text_stays_text(page: Page, report: Path) -> None:
    hostile = page.locator("td", has_text="right to left")
    assert all(HOSTILE.strip() in text for text in hostile.all_text_contents())
    assert page.locator("td *").count() == 0
    assert page.locator("script").count() == 1
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
