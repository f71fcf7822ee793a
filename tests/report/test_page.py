"""The report's page in a real browser: tables, filters, and hostile text written by models."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from inspect_discoverybench.report.contents import Contents
from inspect_discoverybench.report.page import render_page
from inspect_discoverybench.report.sample_list import SampleList
from inspect_discoverybench.report.section import glossary, section_descriptions
from inspect_discoverybench.results.frame import ResultFrame
from tests.browser import launched
from tests.typed_results import MISSING, contents, result, results

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
    html = render_page(Contents.of(ResultFrame(rows, left_out)))

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


def test_the_section_on_losses_has_a_figure_and_a_table_of_the_benchmark(page: Page) -> None:
    section = page.locator("#losses")
    expect(section.locator("h3")).to_contain_text("DB-REAL test: 3 of 239 tasks (3 selected: ")
    expect(section.locator("img:visible")).to_have_count(1)
    assert shown(page, "losses", "lost at") == ["no score", "context", "partial score", "full score"]
    assert shown(page, "losses", "react") == ["–", "33.3", "33.3", "33.3"]


def test_logs_that_were_left_out_are_listed(page: Page) -> None:
    assert shown(page, "logs-left-out", "reason") == ["was cancelled"]


# A phone, and wider screens. The layout changes below 60, 70 and 84 rem, which are 960, 1120 and 1344 pixels.
@pytest.mark.parametrize("page", [390, 970, 1200, 1345, 1400], indirect=True)
def test_the_leaderboard_is_on_the_screen_and_figures_are_not_shrunk(page: Page) -> None:
    width = page.evaluate("innerWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#hms > .scroll").evaluate("node => node.scrollWidth <= node.clientWidth")
    rows = page.locator("#hms .ranking tbody tr")
    assert rows.locator(".mean").all_inner_texts() == ["50.0", "15.0*"]
    for number in range(2):
        for drawn in (rows.nth(number).locator("svg.axis"), *rows.nth(number).locator("svg.facet").all()):
            box = drawn.bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["height"] > 10
    expect(rows.first.locator("svg.axis")).to_have_attribute("aria-label", re.compile(r"^50\.0, 95 % CI \d+\.\d to"))
    page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
    assert page.evaluate("[...document.images].every(image => image.width >= image.naturalWidth)")


def test_the_page_has_one_family_of_letters_without_serifs(page: Page) -> None:
    families = page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, p, td, summary, button')]"
        ".map(element => getComputedStyle(element).fontFamily)"
    )
    [family] = set(families)
    assert family.endswith(", sans-serif")


@pytest.mark.parametrize("page", [390, 1200], indirect=True)
def test_a_phone_shows_the_interval_and_the_tasks_of_each_row_too(page: Page) -> None:
    rows = page.locator("#hms .ranking tbody tr")
    for row, tasks in zip(rows.all(), ("3", "2"), strict=True):
        expect(row.locator(".ends")).to_be_visible()
        expect(row.locator(".ends")).to_have_text(re.compile(r"^\d+\.\d to \d+\.\d$"))
        expect(row.locator(".count")).to_be_visible()
        expect(row.locator(".count")).to_have_text(tasks)


@pytest.mark.parametrize("page", [390], indirect=True)
def test_on_a_phone_the_first_column_of_a_scrolled_table_stays_visible(page: Page) -> None:
    table = page.locator("#facets .scroll")
    assert table.evaluate("node => node.scrollWidth > node.clientWidth")
    table.evaluate("node => node.scrollLeft = node.scrollWidth")
    name = table.locator("tbody td:first-child").first.bounding_box()
    last = table.locator("tbody tr:first-child td:last-child").bounding_box()
    assert name is not None
    assert last is not None
    end_of_name = name["x"] + name["width"]
    end_of_table = last["x"] + last["width"]
    assert 0 <= name["x"] < end_of_name <= end_of_table <= 390  # the width of the screen


@pytest.mark.parametrize("page", [1200, 1400], indirect=True)
def test_no_table_is_wider_than_the_screen_of_a_laptop(page: Page) -> None:
    page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
    for table in page.locator(".scroll", has=page.locator("table")).all():
        assert table.evaluate("node => node.scrollWidth <= node.clientWidth")


def test_the_judge_has_no_column_where_some_samples_were_not_judged() -> None:
    silent = result("c", 0.0, outcome="no submission", judge_record=None)
    shown = contents(results({"a": 1.0, "b": 0.5}), [silent])
    samples = SampleList(shown.samples, shown.results)
    assert "judge" not in samples.headings
    assert "outcome" in samples.headings
    assert samples.shared_values.endswith("judge provider/judge, epoch 1")


def test_some_samples_are_shown_at_first_and_more_on_request(browser: Browser, tmp_path: Path) -> None:
    """All samples of a large report, such as 2,400, would put what follows them at the end of a very long page."""
    shown = contents(results({f"test/{number}": 0.5 for number in range(130)}))
    path = tmp_path / "report.html"
    path.write_bytes(render_page(shown))
    page = browser.new_page()
    page.goto(path.as_uri())
    rows = page.locator(".sample:visible")
    expect(page.locator(".tally")).to_have_text("130 of 130 samples, the first 100 are shown")
    expect(rows).to_have_count(100)
    more = page.get_by_role("button", name="Show more")
    more.click()
    expect(rows).to_have_count(130)
    expect(more).to_be_hidden()
    page.get_by_label("Search").fill("gold of test/12")  # in the samples 12 and 120 to 129
    expect(page.locator(".tally")).to_have_text("11 of 130 samples")
    page.close()


def test_many_notices_do_not_hide_the_leaderboard(browser: Browser, tmp_path: Path) -> None:
    """Fifteen configurations may have fifteen notices."""
    metadata = {"wrote_calls_as_text": True}
    groups = [results({"a": 0.0}, model=f"provider/{number}", metadata=metadata) for number in range(15)]
    path = tmp_path / "report.html"
    path.write_bytes(render_page(contents(*groups)))
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(path.as_uri())
    expect(page.locator(".notice:visible")).to_have_count(3)
    box = page.locator("#hms .answer").bounding_box()
    assert box is not None
    assert box["y"] < 600
    page.get_by_text("12 more notices").click()
    expect(page.locator(".notice:visible")).to_have_count(15)
    page.close()


@pytest.mark.parametrize("page", [1200, 1400], indirect=True)
def test_headings_of_the_samples_are_not_cut(page: Page) -> None:
    for heading in page.locator("#samples .head span:visible").all():
        assert heading.evaluate("node => node.scrollWidth <= node.clientWidth"), heading.inner_text()


@pytest.mark.parametrize("page", [390, 1400], indirect=True)
def test_samples_are_single_lines_that_open_to_texts_and_the_transcript(page: Page) -> None:
    samples = page.locator("#samples .sample")
    heights = [box["height"] for sample in samples.all() if (box := sample.bounding_box())]
    assert len(heights) == 6
    assert max(heights) < 40  # a text on two lines would make a sample higher
    headings = page.locator("#samples .head span").all_inner_texts()
    assert headings[:6] == ["id", "agent", "HMS", "context", "variables", "relationship"]
    assert "benchmark" not in headings
    expect(page.locator("#samples .same")).to_contain_text("benchmark DB-REAL test, judge provider/judge")

    second = samples.nth(1)
    expect(second.locator("dl")).to_be_hidden()
    second.locator("summary").click()
    expect(second.locator("dl")).to_contain_text("How?")
    expect(second.locator("dl")).to_contain_text("gold of test/1")
    expect(second.locator("dl")).to_contain_text("HMS 0.50 = context 1.00 × variables 1.00 × relationship 0.50")
    expect(second.locator("dl")).to_contain_text("inspect view --log-dir logs")
    link = "http://127.0.0.1:7575/#/logs/a.eval/samples/sample/test%2F1/1"
    expect(second.locator("a")).to_have_attribute("href", link)


def test_the_page_is_complete_without_a_script(report: Path, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    sample = page.locator(".sample").first
    expect(page.locator(".sample:visible")).to_have_count(6)
    sample.locator("summary").click()
    expect(sample.locator("dd").first).to_be_visible()
    folded = page.locator("#hms > details")
    folded.locator("> summary").click()
    expect(folded.locator(".lead").first).to_be_visible()
    context.close()


def test_a_link_to_a_folded_section_opens_it(page: Page) -> None:
    facets = page.locator("#facets")
    page.evaluate("document.querySelector('#facets').closest('details').open = false")
    expect(facets).to_be_hidden()
    page.locator("nav a[href='#facets']").click()
    expect(facets).to_be_visible()


def test_terms_link_to_the_glossary(page: Page) -> None:
    link = page.locator("#hms .answer a", has_text="floor")
    link.click()
    target = page.locator("dt:target")
    expect(target).to_have_text("floor")
    expect(page.locator("#glossary code", has_text="-T claim=true")).to_have_count(1)
    expect(page.locator("#glossary")).not_to_contain_text("`")


def test_all_terms_of_texts_are_in_the_glossary() -> None:
    known = {term.lower() for term in glossary()}
    for description in section_descriptions().values():
        for term in re.findall(r"\*([^*]+)\*", description.text):
            assert term.lower() in known


def listed(page: Page, column: int) -> list[str]:
    """The visible cells of a column of the samples."""
    return page.locator(f".sample:visible summary span:nth-child({column})").all_text_contents()


def test_samples_are_filtered_and_searched(page: Page) -> None:
    outcome = page.get_by_label("outcome")
    tally = page.locator(".tally")
    outcome.select_option("unscored")
    expect(tally).to_have_text("1 of 6 samples")
    assert listed(page, 1) == ["test/2"]

    outcome.select_option("all")
    search = page.get_by_label("Search")
    search.fill("UNBROKEN")  # in the hypotheses of one configuration, in lower case
    expect(tally).to_have_text("3 of 6 samples")
    search.fill("gold of test/1")
    expect(tally).to_have_text("2 of 6 samples")
    for word in ("transcript", "log", "relationship"):  # the page has these words in each sample
        search.fill(word)
        expect(tally).to_have_text("0 of 6 samples")


def test_samples_are_sorted_by_their_headings_with_missing_numbers_last(page: Page) -> None:
    button = page.locator("#samples .head button", has_text="HMS")
    button.press("Enter")
    assert listed(page, 3) == ["100.0", "50.0", "20.0", "10.0", "0.0", "–"]
    button.press("Enter")
    assert listed(page, 3) == ["0.0", "10.0", "20.0", "50.0", "100.0", "–"]


def test_tables_are_sorted_by_their_headings(page: Page) -> None:
    def means() -> list[str]:
        """The cells of the column, without their intervals."""
        return [cell.split()[0] for cell in shown(page, "facets", "context")]

    button = page.locator("#facets th button", has_text="context × 100").first
    button.press("Enter")
    assert means() == ["100.0*", "66.7"]
    button.press("Enter")
    assert means() == ["66.7", "100.0*"]


def test_hostile_text_stays_text(page: Page, report: Path) -> None:
    texts = page.locator("td, summary span, dd", has_text="right to left").all_text_contents()
    assert len(texts) > 6
    for text in texts:
        assert "</script><script>window.ran = 1</script>" in text
    # No text became an element. The cells of tables have only the elements that the page itself puts there.
    expect(page.locator("tbody td :not(svg, svg *, .mean, .ends span, .facet span)")).to_have_count(0)
    # The line of a sample has none in its cells, and the opened row only those of the command and the link.
    expect(page.locator(".sample span *")).to_have_count(0)
    expect(page.locator(".sample dd :not(code, a)")).to_have_count(0)
    expect(page.locator("img[src=x]")).to_have_count(0)
    html = report.read_text("utf-8")
    assert HOSTILE not in html

    policy = page.locator("meta[http-equiv=Content-Security-Policy]")
    only_its_script = re.compile("^default-src 'none'; script-src 'sha256-[^' ]+';")
    expect(policy).to_have_attribute("content", only_its_script)
