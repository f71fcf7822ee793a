"""The documentation site, and links from Markdown files into the repository."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.browser import launched
from tests.documentation.commands import PAGES, REPOSITORY

TASKS = ("real", "synth", "custom", "demo", "judge_audit", "synth_generate")
FILES = [
    *REPOSITORY.glob("*.md"),
    *REPOSITORY.glob("docs/*.md"),
    *REPOSITORY.glob("benchmarks/*.md"),
]
BLOB = "https://github.com/inspect-discoverybench/inspect-discoverybench/blob/main/"
_LINK = re.compile(rf"(?:\]\(|\]: ){re.escape(BLOB)}([^)\s]+)")
_RELATIVE = re.compile(r"\]\((?!https?:|mailto:)([^)\s]*)\)")
_LOADED = re.compile(
    r'''<(?:script|img|iframe|source)\b[^>]*\bsrc="([^"]+)"'''
    r'''|<link\b[^>]*\brel="(?:stylesheet|icon|preload|preconnect)"[^>]*\bhref="([^"]+)"'''
)


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives to the headings of a Markdown text."""
    found = set()
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        words = re.sub(r"[^\w\- ]", "", heading.lower())
        found.add(words.strip().replace(" ", "-"))
    return found


@pytest.mark.parametrize("page", FILES, ids=lambda page: page.name)
def test_links_into_the_repository_lead_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    links = [(REPOSITORY, link) for link in _LINK.findall(text)]
    links += [(page.parent, link) for link in _RELATIVE.findall(text)]
    for folder, link in links:
        name, _, anchor = link.partition("#")
        target = (folder / name) if name else page
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target.read_text("utf-8")), link


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, built without warnings."""
    folder = tmp_path_factory.mktemp("site")
    # Copies, because the site would be written next to the target of a link.
    shutil.copy(REPOSITORY / "mkdocs.yml", folder)
    shutil.copytree(REPOSITORY / "docs", folder / "docs")
    (folder / "src").symlink_to(REPOSITORY / "src")

    command = [str(Path(sys.executable).with_name("zensical")), "build", "--strict"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "No issues found" in result.stderr
    return folder / "site"


def test_the_api_page_describes_every_task(sweep: None, command_line: None, site: Path) -> None:
    api = (site / "api" / "index.html").read_text("utf-8")
    for task in TASKS:
        assert f'id="inspect_discoverybench.tasks.{task}"' in api


def test_no_page_loads_a_file_of_another_server(sweep: None, command_line: None, site: Path) -> None:
    for page in site.rglob("*.html"):
        for source, link in _LOADED.findall(page.read_text("utf-8")):
            assert "//" not in source + link, page


def test_a_browser_requests_only_the_server_of_the_site(
    sweep: None, command_line: None, site: Path, chromium: str
) -> None:
    requests: list[str] = []
    with serving_folder(site) as address, launched(chromium) as browser:
        page = browser.new_page()
        page.on("request", lambda request: requests.append(request.url))
        for file in sorted(site.rglob("index.html")):
            page.goto(f"{address}/{file.relative_to(site)}", wait_until="networkidle")
    assert len(requests) > len(PAGES)
    for request in requests:
        assert request.startswith((address, "data:", "blob:"))


@contextmanager
def serving_folder(folder: Path) -> Iterator[str]:
    """Serve a folder on loopback; the address."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
