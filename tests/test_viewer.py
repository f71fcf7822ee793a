"""What a person sees of a run in Inspect's own viewer, in a real browser."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.event import ToolEvent
from inspect_ai.log import EvalSample, read_eval_log
from playwright.sync_api import Browser, Page, expect

from inspect_discoverybench import demo
from inspect_discoverybench.report.sample_list import VIEWER
from tests import shared
from tests.browser import launched
from tests.command_line import completed
from tests.log_viewer import serving


@dataclass(frozen=True)
class Viewer:
    """Inspect's viewer of one log.

    Tests open the address of what they look at. A click could be lost while the viewer loads and draws its rows again.

    Attributes:
        logs: The folder of the log.
        server: Address of the viewer.
        address: Address of the list of samples.
        first_address: Address of the first sample.
        samples: The samples of the log.
    """

    logs: Path
    server: str
    address: str
    first_address: str
    samples: list[EvalSample]


def evaluate_demo() -> str:
    """A folder with the log of an eval."""
    folder = str(shared.folder() / "viewer")
    [log] = inspect_eval(
        demo(),
        model="discoverybench/baseline",
        limit=2,  # of a log with one sample, the viewer shows the sample instead of the list
        log_dir=folder,
    )
    assert log.status == "success", log.error
    return folder


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    """The viewer of one log."""
    folder = Path(shared.build_once("viewer", evaluate_demo))
    [path] = folder.iterdir()
    log = read_eval_log(str(path), resolve_attachments=True)
    assert log.samples
    name = quote(str(log.samples[0].id), safe="")
    with serving(folder) as url:
        address = f"{url}/#/tasks/{path.name}/samples"
        yield Viewer(folder, url, address, f"{address}/sample/{name}/1", log.samples)


@pytest.fixture(scope="module")
def report(viewer: Viewer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a report on the log."""
    folder = tmp_path_factory.mktemp("report")
    completed(f"report {viewer.logs} --out {folder}")
    return folder / "report.html"


@pytest.fixture(scope="module")
def browser(chromium: str, report: Path) -> Iterator[Browser]:
    """It is launched after the evals, because it occupies the event loop."""
    with launched(chromium) as browser:
        yield browser


@pytest.fixture
def page(browser: Browser) -> Page:
    # Rows outside the viewport are not in the DOM.
    return browser.new_page(
        viewport={
            "width": 1600,
            "height": 6000,
        }
    )


def test_the_list_of_samples_shows_the_goal(page: Page, viewer: Viewer) -> None:
    page.goto(viewer.address)
    for sample in viewer.samples:
        goal = sample.metadata["goal"]
        row = page.get_by_text(f"Goal: {goal}")
        expect(row).to_be_visible(timeout=30_000)


def test_the_transcript_shows_the_code_and_the_whole_submission(page: Page, viewer: Viewer) -> None:
    page.goto(f"{viewer.first_address}/transcript")
    events = viewer.samples[0].events
    first, *_, last = [event for event in events if isinstance(event, ToolEvent)]
    panel = page.locator(f"#event-panel-{first.uuid}")
    code = panel.locator("code.language-python")
    written = str(first.arguments["code"])
    expect(code).to_have_text(written, timeout=30_000)

    panel = page.locator(f"#event-panel-{last.uuid}")
    for text in last.arguments.values():
        expect(panel).to_contain_text(str(text))


def test_the_scoring_panel_shows_the_explanation(page: Page, viewer: Viewer) -> None:
    page.goto(f"{viewer.first_address}/scoring")
    scores = viewer.samples[0].scores or {}
    explanation = str(scores["HMS"].explanation)
    headings = re.findall("^#+ (.*)", explanation, re.MULTILINE)
    assert len(headings) >= 3
    for text in headings:
        heading = page.get_by_role("heading", name=text, exact=True)
        expect(heading).to_be_visible(timeout=30_000)


def test_the_link_of_a_sample_in_a_report_opens_it(page: Page, viewer: Viewer, report: Path) -> None:
    page.goto(report.as_uri())
    links = [link.get_attribute("href") or "" for link in page.locator(".sample a").all()]
    assert len(links) == len(viewer.samples)
    for link, sample in zip(links, viewer.samples, strict=True):
        page.goto(link.replace(VIEWER, viewer.server))
        goal = page.get_by_text(sample.metadata["goal"]).first
        expect(goal).to_be_visible(timeout=30_000)
