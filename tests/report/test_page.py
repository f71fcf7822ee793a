"""The report's page in a real browser: views, addresses, and hostile text written by models."""

import os
import random
import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import altair as alt
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect
from synthetic_logs import Run, write_logs

from inspect_discoverybench.report.configurations import by_task, label_configurations, main_judge
from inspect_discoverybench.report.judges import judge_sections
from inspect_discoverybench.report.page import write_page
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results import read_results
from tests.browser import launched

HOSTILE = (
    "</script><script>window.ran = 1</script><img src=x onerror='window.ran = 1'><!-- "
    "<a href='javascript:ran = 1'>x</a> \u202e right to left \u2066 {{ 7 * 7 }} "
)
HUGE = "unbroken" * 1200

RUNS = [
    Run("real", "react", "provider/large", 0.3, unscored=0.1, second_judge=0.2),
    Run("real", "codegen", "provider/large", 0.2, errors=0.1, no_submission=0.1),
    Run("real", "react", "provider/small", 0.1),
]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """150 samples of three configurations, one of which has two judges. Some texts are hostile."""
    logs = write_logs(RUNS, tmp_path_factory.mktemp("logs"), samples=50, padding=10)
    frame = label_configurations(read_results(logs).samples)
    hostile = frame.index[frame.outcome == "scored"][5]
    for column in ("goal", "gold_hypothesis", "hypothesis", "workflow", "domain"):
        frame.loc[hostile, column] = HOSTILE
    frame.loc[hostile, "explanation"] = f"**HMS 0.00**\n\n### {HOSTILE}\n\n- \\*\\*{HOSTILE}\n\nJudge: {HUGE}"
    return frame


def hms_section(samples: pd.DataFrame, by: str) -> Section:
    table = by_task(main_judge(samples)).groupby(["benchmark", by]).hms.mean().mul(100).rename("HMS").reset_index()
    chart = alt.Chart(table).mark_point().encode(x="HMS", y=by)
    return Section(f"by-{by}", f"HMS by {by}", "Means over tasks.", table, ("benchmark", by), chart, {"HMS": ".1f"})


def write(samples: pd.DataFrame, path: Path) -> Path:
    sections = [hms_section(samples, "configuration"), hms_section(samples, "domain")]
    left_out = pd.DataFrame([(f"logs/{HOSTILE}.eval", "was cancelled")], columns=["log", "reason"])
    write_page(sections, samples, left_out, "Agents <b>and</b> models", path)
    return path


@pytest.fixture(scope="module")
def report(samples: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(samples, tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture(scope="module")
def browser(chromium: str, report: Path) -> Iterator[Browser]:
    """It is launched after the logs are read, because it occupies the event loop."""
    with launched(chromium) as browser:
        yield browser


@dataclass
class View:
    """The page in the browser, with its requests and console messages."""

    page: Page
    url: str
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def go(self, address: str = "") -> Page:
        """Open the page at an address, as from a link that someone shared."""
        self.page.goto("about:blank")
        self.page.goto(self.url + address)
        expect(self.page.locator("html[data-ready]")).to_be_attached()
        return self.page

    def address(self) -> str:
        return self.page.url.removeprefix(self.url)


@pytest.fixture
def view(report: Path, browser: Browser, request: pytest.FixtureRequest) -> Iterator[View]:
    """The page; at the end a picture is taken if a folder for pictures is named."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    view = View(context.new_page(), report.as_uri())
    view.page.on("request", lambda call: view.requests.append(call.url))
    view.page.on("console", lambda message: view.complaints.append(message.text))
    view.page.on("pageerror", lambda error: view.complaints.append(str(error)))
    view.go()
    yield view
    if folder := os.environ.get("DISCOVERYBENCH_SCREENSHOTS"):
        view.page.screenshot(path=Path(folder) / f"{request.node.name}.png")
    assert view.complaints == []
    assert {url.split("#")[0] for url in view.requests if not url.startswith("data:")} <= {"about:blank", view.url}
    assert view.page.evaluate("window.ran") is None
    context.close()


def rows(page: Page) -> list[str]:
    return page.locator("#samples tbody tr").all_inner_texts()


def count(page: Page) -> str:
    return page.locator("#count").inner_text()


def test_summary_and_sections_are_shown(view: View, samples: pd.DataFrame) -> None:
    page, main = view.page, main_judge(samples)
    expect(page.get_by_role("heading", level=1)).to_have_text("Agents <b>and</b> models")
    summary = page.locator(".key-numbers li").all_inner_texts()
    assert summary[:3] == ["150\nSamples", "50\nTasks", "3\nConfigurations"]
    assert f"{(main.outcome == 'error').sum()}\nError" in summary
    assert page.locator(".facts").inner_text().count("provider/judge") == 2
    assert page.locator("#by-configuration figure img:visible").count() == 1
    first = page.locator("#by-configuration tbody tr").first
    table = hms_section(samples, "configuration").table
    assert first.inner_text().split("\t") == ["DB-REAL test", "codegen · provider/large", f"{table.HMS[0]:.1f}"]
    expect(page.locator("#logs-left-out td")).to_have_text("was cancelled")


def test_a_filter_is_in_the_address_and_the_address_restores_it(view: View, samples: pd.DataFrame) -> None:
    page, main = view.page, main_judge(samples)
    errors = main[(main.model == "provider/large") & (main.outcome == "error")]
    page.get_by_label("Model").select_option(label=f"provider/large ({(main.model == 'provider/large').sum()})")
    page.get_by_label("Outcome").select_option(label=f"error ({len(errors)})")
    expect(page.locator("#count")).to_have_text(f"{len(errors)} of 150 samples")
    assert all("error" in row for row in rows(page))
    shared, page_rows = view.address(), rows(page)
    assert shared == "#all-samples?model=provider%2Flarge&outcome=error"

    page.go_back()
    expect(page.locator("#count")).to_have_text("100 of 150 samples")
    page.go_back()
    expect(page.locator("#count")).to_have_text("150 of 150 samples, 1–100 shown")
    view.go(shared)
    assert rows(view.page) == page_rows
    page.get_by_role("button", name="Clear all filters").click()
    expect(page.locator("#count")).to_contain_text("150 of 150 samples")


def test_the_list_has_pages(view: View) -> None:
    page = view.page
    first = rows(page)
    page.get_by_role("button", name="Next →").click()
    expect(page.locator("#page-number")).to_have_text("Page 2 of 2")
    second = rows(page)
    assert (len(first), len(second)) == (100, 50)
    assert view.address() == "#all-samples?page=2"
    page.go_back()
    expect(page.locator("#page-number")).to_have_text("Page 1 of 2")
    view.go("#all-samples?page=99")
    assert rows(view.page) == second


def test_tables_are_sorted_by_their_headings(view: View) -> None:
    page = view.page
    table = page.locator("#by-configuration table")

    def column() -> list[float]:
        return [float(text) for text in table.locator("tbody td.number").all_inner_texts()]

    heading = table.get_by_role("columnheader", name="HMS")
    button, original = heading.get_by_role("button"), column()
    button.focus()
    page.keyboard.press("Enter")
    expect(heading).to_have_attribute("aria-sort", "descending")
    assert column() == sorted(original, reverse=True)
    button.click()
    expect(heading).to_have_attribute("aria-sort", "ascending")
    assert column() == sorted(original)
    assert view.address() == "#by-configuration?sort=HMS"
    view.go(view.address())
    assert column() == sorted(original)
    view.go()
    assert column() == original


def test_the_list_of_samples_is_filled_whatever_section_the_address_names(view: View) -> None:
    for address in ("#by-configuration?sort=HMS", "#logs-left-out", "#%E0%A4%A", "#nowhere"):
        view.go(address)
        expect(view.page.locator("#count")).to_contain_text("150 of 150 samples")
        assert rows(view.page)


def test_sorting_a_table_keeps_the_filters_of_the_list(view: View) -> None:
    page = view.page
    view.go("#all-samples?model=provider%2Fsmall&q=outcome")
    total, filtered = count(page), rows(page)
    page.locator("#by-configuration table").get_by_role("button", name="HMS").click()
    expect(page.locator("#by-configuration th[aria-sort]")).to_have_count(1)
    assert (count(page), rows(page)) == (total, filtered)
    view.go(view.address())
    expect(page.locator("#by-configuration th[aria-sort]")).to_have_count(1)
    assert (count(page), rows(page)) == (total, filtered)
    page.locator("#samples tbody a").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    assert (count(page), rows(page)) == (total, filtered)
    page.locator("#contents").get_by_role("link", name="HMS by domain").click()
    expect(page.locator("#by-domain h2")).to_be_focused()
    assert (count(page), rows(page)) == (total, filtered)


def test_judges_of_a_configuration_lead_to_their_own_scores(samples: pd.DataFrame, tmp_path: Path) -> None:
    [section] = [section for section in judge_sections(samples) if section.name == "judges"]
    path = tmp_path / "report.html"
    write_page([section], samples, pd.DataFrame(columns=["log", "reason"]), "Judges", path)
    links = re.findall(r'<a href="(#all-samples\?[^"]*judge[^"]*)" title="Show (\d+) samples"', path.read_text("utf-8"))
    assert len(links) == len(section.table) == 2
    for (href, number), judge in zip(links, section.table.judge, strict=True):
        assert f"judge={quote(judge, safe='')}" in href
        is_row = (samples.judge == judge) & (samples.configuration == section.table.configuration.iloc[0])
        assert int(number) == is_row.sum()


def test_different_judges_are_noted_on_top_of_the_page(samples: pd.DataFrame, tmp_path: Path) -> None:
    other = samples.assign(
        judge=samples.judge.where(samples.model != "provider/small", "provider/other"),
        judge_record=samples.judge_record.where(samples.model != "provider/small", '{"judge": "provider/other"}'),
    )
    notes = []
    for name, frame in (("one", samples), ("several", other)):
        path = tmp_path / f"{name}.html"
        write_page([], frame, pd.DataFrame(columns=["log", "reason"]), "Judges", path)
        notes.append(re.findall(r'<p class="note">([^<]*)</p>\s*<ul class="key-numbers">', path.read_text("utf-8")))
    assert notes[0] == []
    assert "provider/other scored react · provider/small" in notes[1][0]


def test_samples_are_sorted_with_missing_scores_last(view: View, samples: pd.DataFrame) -> None:
    page = view.page
    for sort, ascending in (("hms", True), ("-hms", False)):
        view.go(f"#all-samples?configuration={quote('react · provider/large')}&sort={sort}")
        scores = page.locator("#samples tbody td:nth-child(4)").all_inner_texts()
        hms_scores = main_judge(samples).query("configuration == 'react · provider/large'").hms
        expected = [f"{value:.2f}" for value in sorted(hms_scores.dropna(), reverse=not ascending)]
        assert scores == expected + ["–"] * int(hms_scores.isna().sum())
    expect(page.locator("#samples th[data-column=hms]")).to_have_attribute("aria-sort", "descending")


def test_an_aggregate_leads_to_its_samples(view: View, samples: pd.DataFrame) -> None:
    page, main = view.page, main_judge(samples)
    page.locator("#by-domain tbody").get_by_role("link", name="economics").click()
    expected = (main.domain == "economics").sum()
    expect(page.locator("#count")).to_have_text(f"{expected} of 150 samples")
    expect(page.locator("#all-samples h2")).to_be_focused()
    expect(page.locator("#filter-domain option:checked")).to_have_text(f"economics ({expected})")
    page.go_back()
    page.locator("#by-configuration tbody").get_by_role("link", name="react · provider/small").click()
    chip = page.get_by_role("button", name="Remove the filter configuration: react · provider/small")
    expect(page.locator("#count")).to_have_text("50 of 150 samples")
    chip.click()
    expect(page.locator("#count")).to_contain_text("150 of 150 samples")


def test_search_finds_words_of_goals_and_predicted_hypotheses(view: View, samples: pd.DataFrame) -> None:
    page, main = view.page, main_judge(samples)
    field = page.get_by_label("Search goals and hypotheses")
    predicted = main.hypothesis.fillna("").str.lower()
    texts = main.goal.str.lower() + main.gold_hypothesis.str.lower() + main.id + predicted
    for query in ("LARGER archaeology", "outcome 3 "):
        words = query.lower().split()
        expected = sum(all(word in text for word in words) for text in texts)
        field.fill(query)
        expect(page.locator("#count")).to_contain_text(f"{expected} of 150 samples")
        assert 0 < expected < 150
    assert view.address() == "#all-samples?q=outcome%203"
    view.go(view.address())
    expect(field).to_have_value("outcome 3")
    field.fill("nothing has these words")
    expect(page.locator("#count")).to_have_text("No sample matches. Remove a filter or change the search.")


def test_a_sample_shows_hypotheses_verdicts_and_how_to_open_its_transcript(view: View, samples: pd.DataFrame) -> None:
    page = view.page
    view.go(f"#all-samples?configuration={quote('react · provider/large')}&outcome=scored")
    page.locator("#samples tbody a").nth(1).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    shared = view.address()
    sample_id = page.locator("#samples tbody .meta:not(.narrow-only)").nth(1).inner_text()
    is_shown = (samples.id == sample_id) & (samples.configuration == "react · provider/large")
    row = samples[is_shown & (samples.score == "HMS")].iloc[0]
    for text in (row.goal, row.gold_hypothesis, row.hypothesis, row.workflow, "Judge: the context of both hypotheses."):
        expect(dialog.get_by_text(text, exact=True).first).to_be_visible()
    assert [dialog.get_by_role("heading", level=4).nth(i).inner_text().split(":")[0] for i in range(3)] == [
        "Context",
        "Variables",
        "Relationship",
    ]
    folder, _, name = row.log.rpartition("/")
    expect(dialog.get_by_text(f"inspect view start --log-dir {folder}", exact=True)).to_be_visible()
    address = f"http://127.0.0.1:7575/#/logs/{name}/samples/sample/{quote(row.id, safe='')}/1/"
    expect(dialog.get_by_role("link", name=address)).to_have_attribute("href", address)

    dialog.get_by_role("link", name="provider/judge-2").click()
    expect(dialog.get_by_role("link", name="provider/judge: HMS")).to_be_visible()
    page.go_back()
    dialog.get_by_role("button", name="Next →").click()
    expect(dialog.locator("#sample-position")).to_contain_text("3 of")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator("#samples tbody a").nth(1)).to_be_focused()
    assert "sample=" not in view.address()
    view.go(shared)
    expect(dialog.locator("h2")).to_have_text(row.goal)
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()


def test_outcomes_without_a_score_say_why(view: View) -> None:
    page = view.page
    view.go("#all-samples?outcome=error")
    page.locator("#samples tbody a").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("The provider did not answer")
    expect(page.get_by_role("dialog")).to_contain_text("Nothing was submitted.")


def test_hostile_text_stays_text(view: View) -> None:
    page = view.page
    view.go("#all-samples?q=javascript%3Aran")
    expect(page.locator("#count")).to_contain_text("1 of 150")
    expect(page.locator("#samples tbody a")).to_have_text(HOSTILE)
    assert any(HOSTILE in option for option in page.locator("#filter-domain option").all_text_contents())
    page.locator("#samples tbody a").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text(HOSTILE, exact=True)).not_to_have_count(0)
    expect(dialog.get_by_text(HUGE)).to_be_visible()
    assert dialog.locator("img, script").count() == 0
    assert page.locator("[href^='javascript']").count() == 0
    assert page.locator("script:not([type])").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_address_with_unknown_values_shows_no_sample(view: View) -> None:
    view.go("#all-samples?domain=__proto__&constructor=1&sample=x&sort=toString")
    expect(view.page.locator("#count")).to_contain_text("No sample matches")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phones_and_themes(report: Path, browser: Browser, scheme: str, request: pytest.FixtureRequest) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(report.as_uri())
    expect(page.locator("html[data-ready]")).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator(f"#by-domain figure img.{scheme}").is_visible()
    assert page.locator("#by-domain th[data-column=benchmark]").is_hidden()
    page.locator("#theme").click()
    other = "dark" if scheme == "light" else "light"
    assert page.locator(f"#by-domain figure img.{other}").is_visible()
    page.locator("#samples tbody a").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    if folder := os.environ.get("DISCOVERYBENCH_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{request.node.name}.png")
    context.close()


def test_the_first_key_press_leads_to_the_results(view: View) -> None:
    view.page.keyboard.press("Tab")
    skip = view.page.get_by_role("link", name="Skip to the results")
    expect(skip).to_be_focused()
    assert (skip.bounding_box() or {"y": -1})["y"] >= 0


@pytest.mark.usefixtures("sweep")
def test_texts_of_very_many_samples_are_shortened(samples: pd.DataFrame, tmp_path: Path) -> None:
    noise = b64encode(random.Random(0).randbytes(900_000)).decode()
    frame = samples.head(30).assign(workflow=[f"{number} {noise[number:]}" for number in range(30)])
    path = write(frame, tmp_path / "report.html")
    assert path.stat().st_size < 25_000_000
    assert (
        "Texts longer than 4,000 characters are truncated on this page. The logs contain the full texts."
        in path.read_text()
    )


class Tags(HTMLParser):
    """Tags of a page with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_the_page_runs_only_its_own_script_and_style(report: Path) -> None:
    html = report.read_text("utf-8")
    tags = Tags(html).tags
    [policy] = [
        attributes["content"] or ""
        for _, attributes in tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert re.fullmatch(
        r"default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; img-src data:; base-uri 'none'; "
        r"form-action 'none'",
        policy,
    )
    assert HOSTILE not in html
    assert [name for _, attributes in tags for name in attributes if name.startswith("on") or name == "style"] == []
    addresses = [attributes[name] or "" for _, attributes in tags for name in ("src", "href") if name in attributes]
    assert {address.split("#")[0].split(",")[0] for address in addresses} <= {"", "data:image/svg+xml;base64"}
