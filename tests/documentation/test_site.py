"""The documentation site, and links from Markdown files into the repository."""

import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from inspect_discoverybench.report.folder import write_report
from tests.browser import launched
from tests.documentation.commands import PAGES, REPOSITORY, commands_of
from tests.synthetic_logs import Run, write_logs

FILES = [*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/*.md"), *REPOSITORY.glob("benchmarks/*.md")]
_LINK = re.compile(
    r"(?:\]\(|\]: )https://github\.com/inspect-discoverybench/inspect-discoverybench/blob/main/([^)\s]+)"
)
_RELATIVE = re.compile(r"\]\((?!https?:|mailto:)([^)\s]*)\)")


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives to the headings of a Markdown text."""
    names = set()
    headings = re.findall(r"(?m)^#+ (.+)$", text)
    for heading in headings:
        words = re.sub(r"[^\w\- ]", "", heading.lower())
        name = words.strip().replace(" ", "-")
        names.add(name)
    return names


@pytest.mark.parametrize("page", FILES, ids=lambda page: page.name)
def test_links_into_the_repository_lead_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    links = _LINK.findall(text)
    for link in links:
        assert_leads_somewhere(page, REPOSITORY, link)

    relative_links = _RELATIVE.findall(text)
    for link in relative_links:
        assert_leads_somewhere(page, page.parent, link)


def assert_leads_somewhere(page: Path, folder: Path, link: str) -> None:
    name, _, anchor = link.partition("#")
    target = page
    if name:
        target = folder / name
    assert target.exists(), link
    if anchor and target.suffix == ".md":
        text = target.read_text("utf-8")
        assert anchor in anchors(text), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_name_agents_by_the_argument_of_the_task(page: Path) -> None:
    """After `-T agent=`, a wrong name gives an error message of one line. After `--solver`, it gives a traceback."""
    commands = [command for command in commands_of(page) if re.match("inspect eval", command)]
    assert [command for command in commands if re.search(r"--solver (discoverybench/|\S+\.py)", command)] == []


def test_every_name_of_the_reference_exists() -> None:
    reference = (REPOSITORY / "docs" / "api.md").read_text("utf-8")
    names = re.findall(r"(?m)^::: (\S+)$", reference)
    assert names
    for name in names:
        assert pkgutil.resolve_name(name)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, built without warnings."""
    folder = tmp_path_factory.mktemp("site")
    # Copies, because the site would be written next to the target of a link.
    shutil.copy(REPOSITORY / "mkdocs.yml", folder)
    shutil.copytree(REPOSITORY / "docs", folder / "docs", ignore=shutil.ignore_patterns("demo_report"))
    # `make docs` runs the demo for it.
    logs = write_logs([Run("real", "react", "provider/large", 0.4)], folder / "logs", samples=2)
    write_report(logs, folder / "docs" / "demo_report")
    (folder / "src").symlink_to(REPOSITORY / "src")

    program = Path(sys.executable).with_name("zensical")
    command = [str(program), "build", "--strict"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    output = result.stdout + result.stderr
    assert result.returncode == 0, output
    assert "No issues found" in output
    return folder / "site"


def test_a_browser_requests_only_files_of_the_site(slow: None, command_line: None, site: Path, chromium: str) -> None:
    requests: list[str] = []
    with launched(chromium) as browser:
        page = browser.new_page()
        page.on("request", lambda request: requests.append(request.url))
        pages = site.rglob("index.html")
        for file in sorted(pages):
            page.goto(file.as_uri())
        page.get_by_role("link", name="Report of the demo", include_hidden=True).first.evaluate("link => link.click()")
        expect(page.get_by_role("heading", name="Leaderboard")).to_be_visible()
        page.wait_for_load_state("networkidle")
    assert len(requests) > len(PAGES)
    own = (site.as_uri(), "data:", "blob:")
    for request in requests:
        assert request.startswith(own)
