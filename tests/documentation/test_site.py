"""The documentation site, and links from Markdown files into the repository."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documentation.commands import REPOSITORY

FILES = sorted([*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/*.md"), *REPOSITORY.glob("benchmarks/*.md")])
_LINK = re.compile(
    r"(?:\]\(|\]: )(?:https://github\.com/inspect-discoverybench/inspect-discoverybench/blob/main/)([^)\s]+)"
)
_RELATIVE = re.compile(r"\]\((?!https?:|mailto:)([^)\s]*)\)")


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives to the headings of a Markdown text."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


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


def test_the_site_is_built_without_warnings(sweep: None, command_line: None, tmp_path: Path) -> None:
    # Copies, because the site would be written next to the target of a link.
    shutil.copy(REPOSITORY / "mkdocs.yml", tmp_path)
    shutil.copytree(REPOSITORY / "docs", tmp_path / "docs")
    (tmp_path / "src").symlink_to(REPOSITORY / "src")
    command = [str(Path(sys.executable).with_name("zensical")), "build", "--strict"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "No issues found" in result.stderr
    api = (tmp_path / "site" / "api" / "index.html").read_text("utf-8")
    assert all(f'id="inspect_discoverybench.tasks.{task}"' in api for task in ("real", "synth", "custom", "demo"))
