"""What a person sees of a run in Inspect's own viewer, in a real browser."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from inspect_ai.event import ToolEvent
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from playwright.sync_api import Browser, Page, expect, sync_playwright

pytestmark = pytest.mark.browser

CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
COLUMNS = ["hms", "context", "variables", "relationship"]


@dataclass(frozen=True)
class Viewer:
    """Inspect's viewer at work on one log."""

    url: str
    samples: list[EvalSample]


def answering(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


INSPECT = [sys.executable, "-m", "inspect_ai"]


def evaluated(logs: Path, *arguments: str) -> EvalLog:
    """Run the demo with the offline models, from the command line."""
    evaluate = ["eval", "discoverybench/demo", "--model", "discoverybench/baseline", *arguments]
    command = [*INSPECT, *evaluate, "--log-dir", str(logs), "--display", "plain"]
    done = subprocess.run(command, cwd=logs.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    newest = max(logs.iterdir(), key=lambda path: path.stat().st_mtime)
    return read_eval_log(str(newest), resolve_attachments=True)


@contextmanager
def serving(logs: Path) -> Iterator[str]:
    """Inspect's viewer on these logs; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    view = [*INSPECT, "view", "start", "--port", str(port), "--log-dir", str(logs)]
    server = subprocess.Popen(view, cwd=logs.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not answering(port):
            assert server.poll() is None, "the viewer ended"
            assert time.monotonic() < deadline, "the viewer does not answer"
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(10)


@pytest.fixture(scope="module")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Viewer]:
    logs = tmp_path_factory.mktemp("viewer") / "logs"
    log = evaluated(logs, "--limit", "2")
    assert log.samples
    with serving(logs) as url:
        yield Viewer(url, log.samples)


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=chromium, args=CHROMIUM) as opened:
        yield opened


@pytest.fixture
def page(viewer: Viewer, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The list of samples, opened; at the end a picture is taken if a folder for pictures is named."""
    opened = browser.new_page(viewport={"width": 1600, "height": 1000})
    opened.goto(viewer.url)
    expect(opened.get_by_role("row").filter(has_text=str(viewer.samples[0].id))).to_be_visible(timeout=30_000)
    yield opened
    if folder := os.environ.get("DISCOVERYBENCH_SCREENSHOTS"):
        opened.screenshot(path=Path(folder) / f"{request.node.name}.png")
    opened.close()


def opened_sample(page: Page, sample: EvalSample, tab: str) -> None:
    page.get_by_text(str(sample.id), exact=True).click()
    page.get_by_role("tab", name=tab, exact=True).click()


def called(sample: EvalSample, tool: str) -> ToolEvent:
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
        shown = page.get_by_role("row").filter(has_text=str(sample.id)).get_by_role("gridcell").nth(place).inner_text()
        assert re.fullmatch(r"[01]\.?\d*", shown), shown
        assert float(shown) == pytest.approx(scores(sample)[key], abs=0.005)


def test_a_python_call_is_shown_as_highlighted_code(page: Page, viewer: Viewer) -> None:
    opened_sample(page, viewer.samples[0], "Transcript")
    call = called(viewer.samples[0], "python")
    panel = page.locator(f"#event-panel-{call.uuid}")
    expect(panel.locator("code .token.keyword").first).to_be_visible()
    expect(panel.locator("code.language-python")).to_have_text(str(call.arguments["code"]))
    assert '"code":' not in panel.inner_text()


def test_the_transcript_shows_the_whole_submission(page: Page, viewer: Viewer) -> None:
    # What is out of sight is not on the page.
    page.set_viewport_size({"width": 1600, "height": 6000})
    opened_sample(page, viewer.samples[0], "Transcript")
    call = called(viewer.samples[0], "submit")
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
def test_the_transcript_names_who_speaks(browser: Browser, tmp_path: Path, agent: str, spans: list[str]) -> None:
    # The baseline falls short of 1 on this one, so that Reflexion goes on.
    chosen = ["--sample-id", "demo/street-trees_0_0/0/4", "--solver", f"discoverybench/{agent}"]
    log = evaluated(tmp_path / "logs", *chosen, *(["-S", "trials=2"] if agent == "reflexion" else []))
    assert log.samples
    with serving(tmp_path / "logs") as url:
        page = browser.new_page(viewport={"width": 1600, "height": 1400})
        page.goto(url)
        opened_sample(page, log.samples[0], "Transcript")
        titles = page.get_by_text(re.compile(r"^sub-agent: ", re.IGNORECASE))
        expect(titles).to_have_count(len(spans))
        assert [title.casefold() for title in titles.all_inner_texts()] == [f"sub-agent: {name}" for name in spans]
        page.close()
