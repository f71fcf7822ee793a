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
from tests import shared
from tests.browser import launched
from tests.log_viewer import serving


@dataclass(frozen=True)
class Viewer:
    """Inspect's viewer at work on one log."""

    url: str
    log: str
    samples: list[EvalSample]

    def open_sample(self, page: Page, tab: str) -> EvalSample:
        """Open the first sample by its address. A click may be lost while the viewer loads and draws its rows again."""
        sample = self.samples[0]
        name = quote(str(sample.id), safe="")
        page.goto(f"{self.url}/#/tasks/{self.log}/samples/sample/{name}/1/{tab}")
        return sample


def evaluate_demo() -> str:
    """A folder with the log of an eval."""
    folder = str(shared.folder() / "viewer")
    # The viewer opens a single sample instead of the list.
    [log] = inspect_eval(demo(), model="discoverybench/baseline", limit=2, log_dir=folder, display="none")
    assert log.status == "success", log.error
    return folder


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    """The viewer of one log."""
    folder = Path(shared.build_once("viewer", evaluate_demo))
    [path] = folder.iterdir()
    samples = read_eval_log(str(path), resolve_attachments=True).samples
    assert samples
    with serving(folder) as url:
        yield Viewer(url, path.name, samples)


@pytest.fixture(scope="module")
def browser(chromium: str, viewer: Viewer) -> Iterator[Browser]:
    """It is launched after the evals, because it occupies the event loop."""
    with launched(chromium) as browser:
        yield browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    # Rows outside the viewport are not in the DOM.
    page = browser.new_page(viewport={"width": 1600, "height": 6000})
    yield page
    page.close()


def test_the_list_of_samples_shows_the_goal(page: Page, viewer: Viewer) -> None:
    page.goto(f"{viewer.url}/#/tasks/{viewer.log}/samples")
    for sample in viewer.samples:
        goal = page.get_by_text(f"Goal: {sample.metadata['goal']}")
        expect(goal).to_be_visible(timeout=30_000)


def test_the_transcript_shows_the_code_and_the_whole_submission(page: Page, viewer: Viewer) -> None:
    sample = viewer.open_sample(page, "transcript")
    calls = [event for event in sample.events if isinstance(event, ToolEvent)]
    first, last = calls[0], calls[-1]
    panel = page.locator(f"#event-panel-{first.uuid}")
    keyword = panel.locator("code .token.keyword").first
    expect(keyword).to_be_visible(timeout=30_000)
    code = panel.locator("code.language-python")
    expect(code).to_have_text(str(first.arguments["code"]))
    assert '"code":' not in panel.inner_text()

    panel = page.locator(f"#event-panel-{last.uuid}")
    for text in last.arguments.values():
        expect(panel).to_contain_text(str(text))


def test_the_scoring_panel_shows_the_explanation(page: Page, viewer: Viewer) -> None:
    sample = viewer.open_sample(page, "scoring")
    assert sample.scores
    explanation = str(sample.scores["HMS"].explanation)
    headings = re.findall("^#+ (.*)", explanation, re.MULTILINE)
    assert len(headings) >= 3
    for text in headings:
        heading = page.get_by_role("heading", name=text, exact=True)
        expect(heading).to_be_visible(timeout=30_000)

    # All Markdown is rendered.
    block = page.locator(".markdown-content").filter(has_text="Gold hypothesis")
    expect(block).to_contain_text("HMS ")
    for line in block.inner_text().splitlines():
        assert not line.lstrip().startswith((">", "#", "**"))
