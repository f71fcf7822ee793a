"""The README: a front page whose links work in the repository and in the package's metadata."""

import re
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from tests.conftest import REPOSITORY

README = (REPOSITORY / "README.md").read_text("utf-8")


def targets(text: str) -> list[str]:
    """Where the links and pictures of a page point to."""
    return re.findall(r"\]\((.*?)\)", text)


def test_links_of_the_readme_are_relative_and_exist() -> None:
    local = [target for target in targets(README) if not target.startswith("https://")]
    assert "docs/images/viewer.png" in local
    for target in local:
        path, _, _ = target.partition("#")  # test_site.py looks up the anchors
        assert (REPOSITORY / path).exists(), target


def test_links_of_the_package_metadata_are_absolute(installed_wheel: Path) -> None:
    [site_packages] = installed_wheel.parent.glob("lib/python*/site-packages")
    [metadata] = site_packages.glob("inspect_discoverybench-*.dist-info")
    description = (metadata / "METADATA").read_text("utf-8").partition("\n\n")[2]
    found = targets(description)
    assert len(found) == len(targets(README))
    assert all(target.startswith("https://") for target in found)
    assert any(target.endswith("/main/docs/images/viewer.png") for target in found)


@pytest.mark.usefixtures("slow")
def test_the_python_form_runs() -> None:
    [code] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, Any] = {}
    offline = code.replace("real", "demo").replace('"openai/gpt-4o"', '"discoverybench/baseline", limit=1')
    exec(offline, names)
    logs = [read_eval_log(info, header_only=True) for info in list_eval_logs("logs")]
    assert len(logs) == 3  # of one `eval`, and of the two tasks of `eval_set`
    assert all(log.status == "success" for log in logs)
