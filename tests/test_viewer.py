"""What a person sees of a run in Inspect's own viewer, in a real browser."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.event import ToolEvent
from inspect_ai.log import EvalSample, read_eval_log
from playwright.sync_api import Browser, Page, expect

from inspect_discoverybench import demo
from inspect_discoverybench.solvers.datavoyager.datavoyager import datavoyager
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.solvers.reflexion import reflexion
from tests import shared
from tests.browser import launched
from tests.log_viewer import serving

COLUMNS = ["hms", "context", "variables", "relationship"]


@dataclass(frozen=True)
class Viewer:
    """Inspect's viewer at work on one log."""

    url: str
    samples: list[EvalSample]


TREES = "demo/street-trees_0_0/0/4"  # the analyst falls short of 1 here, so that Reflexion goes on
EVALS: dict[str, dict[str, Any]] = {
    "react": {"solver": react(), "limit": 2},
    "datavoyager": {"solver": datavoyager(), "sample_id": TREES},
    "reflexion": {"solver": reflexion(trials=2), "sample_id": TREES},
}
"""Options of the evals by agent."""


def evaluated() -> dict[str, str]:
    """A folder for each agent, with the log of its eval of the demo."""
    folders = {}
    for agent, options in EVALS.items():
        folders[agent] = str(shared.folder() / "viewer" / agent)
        [log] = inspect_eval(demo(), model="discoverybench/baseline", log_dir=folders[agent], display="none", **options)
        assert log.status == "success", log.error
    return folders


@pytest.fixture(scope="module")
def folders() -> dict[str, Path]:
    """Folders of logs by agent."""
    return {agent: Path(folder) for agent, folder in shared.once("viewer", evaluated).items()}


def samples_in(folder: Path) -> list[EvalSample]:
    [path] = folder.iterdir()
    samples = read_eval_log(str(path), resolve_attachments=True).samples
    assert samples
    return samples


@pytest.fixture(scope="module")
def viewer(folders: dict[str, Path]) -> Iterator[Viewer]:
    with serving(folders["react"]) as url:
        yield Viewer(url, samples_in(folders["react"]))


@pytest.fixture(scope="module")
def browser(chromium: str, folders: dict[str, Path]) -> Iterator[Browser]:
    """It is launched after the evals, because it occupies the event loop."""
    with launched(chromium) as browser:
        yield browser


@pytest.fixture
def page(viewer: Viewer, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The list of samples, opened; at the end a picture is taken if a folder for pictures is named."""
    tab = browser.new_page(viewport={"width": 1600, "height": 1000})
    tab.goto(viewer.url)
    expect(tab.get_by_role("row").filter(has_text=str(viewer.samples[0].id))).to_be_visible(timeout=30_000)
    yield tab
    if folder := os.environ.get("DISCOVERYBENCH_SCREENSHOTS"):
        tab.screenshot(path=Path(folder) / f"{request.node.name}.png")
    tab.close()


def opened_sample(page: Page, sample: EvalSample, tab: str) -> None:
    page.get_by_text(str(sample.id), exact=True).click()
    page.get_by_role("tab", name=tab, exact=True).click()


def tool_event(sample: EvalSample, tool: str) -> ToolEvent:
    """The first call of a tool."""
    return next(event for event in sample.events if isinstance(event, ToolEvent) and event.function == tool)


def scores(sample: EvalSample) -> dict[str, float]:
    assert sample.scores
    [score] = sample.scores.values()
    return {key: float(str(value)) for key, value in score.as_dict().items()}


@pytest.mark.parametrize("key", COLUMNS)
def test_the_list_of_samples_shows_each_score(page: Page, viewer: Viewer, key: str) -> None:
    headers = [text.casefold() for text in page.get_by_role("columnheader").all_inner_texts()]
    # The table of metrics above has headers of its own; the first column of this one is a sign without a name.
    place = headers.index(key, headers.index("id")) - headers.index("id") + 1
    for sample in viewer.samples:
        number = page.get_by_role("row").filter(has_text=str(sample.id)).get_by_role("gridcell").nth(place).inner_text()
        assert re.fullmatch(r"[01]\.?\d*", number), number
        assert float(number) == pytest.approx(scores(sample)[key], abs=0.005)


def test_a_python_call_is_shown_as_highlighted_code(page: Page, viewer: Viewer) -> None:
    opened_sample(page, viewer.samples[0], "Transcript")
    call = tool_event(viewer.samples[0], "python")
    panel = page.locator(f"#event-panel-{call.uuid}")
    expect(panel.locator("code .token.keyword").first).to_be_visible()
    expect(panel.locator("code.language-python")).to_have_text(str(call.arguments["code"]))
    assert '"code":' not in panel.inner_text()


def test_the_transcript_shows_the_whole_submission(page: Page, viewer: Viewer) -> None:
    # Rows outside the viewport are not in the DOM.
    page.set_viewport_size({"width": 1600, "height": 6000})
    opened_sample(page, viewer.samples[0], "Transcript")
    call = tool_event(viewer.samples[0], "submit")
    panel = page.locator(f"#event-panel-{call.uuid}")
    for text in call.arguments.values():
        expect(panel).to_contain_text(str(text))


def test_the_scoring_panel_explains_the_score(page: Page, viewer: Viewer) -> None:
    sample = viewer.samples[0]
    opened_sample(page, sample, "Scoring")
    s = scores(sample)
    sentence = (
        f"HMS {s['hms']:.2f} = context {s['context']:.2f} × variables {s['variables']:.2f} "
        f"× relationship {s['relationship']:.2f}"
    )
    expect(page.get_by_text(sentence)).to_be_visible()
    for heading in ("Context", "Variables", "Relationship"):
        expect(page.get_by_role("heading", name=re.compile(f"^{heading}: [01]\\.\\d\\d$"))).to_be_visible()


def test_the_explanation_is_rendered(page: Page, viewer: Viewer) -> None:
    sample = viewer.samples[0]
    opened_sample(page, sample, "Scoring")
    block = page.locator(".markdown-content").filter(has_text="Gold hypothesis")
    expect(block.get_by_role("heading").first).to_be_visible()
    marks = re.compile(r"\s*(>|#+ |\*\*)")
    assert [line for line in block.inner_text().splitlines() if marks.match(line)] == []


@pytest.mark.parametrize(
    ("agent", "spans"),
    [
        ("datavoyager", ["planner", "critic", "coder", "critic", "analyst", "critic", "analyst"]),
        ("reflexion", ["trial 1", "oracle 1", "reflection 1", "trial 2", "oracle 2"]),
    ],
)
def test_the_transcript_names_the_roles(
    browser: Browser, folders: dict[str, Path], agent: str, spans: list[str]
) -> None:
    [sample] = samples_in(folders[agent])
    with serving(folders[agent]) as url:
        page = browser.new_page(viewport={"width": 1600, "height": 1400})
        page.goto(url)
        opened_sample(page, sample, "Transcript")
        titles = page.get_by_text(re.compile(r"^sub-agent: ", re.IGNORECASE))
        expect(titles).to_have_count(len(spans))
        assert [title.casefold() for title in titles.all_inner_texts()] == [f"sub-agent: {name}" for name in spans]
        page.close()
