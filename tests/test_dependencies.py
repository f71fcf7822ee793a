"""What the package requires is what Inspect accepts when it runs."""

import tomllib
from pathlib import Path

import pytest
from inspect_ai.model import get_model
from packaging.requirements import Requirement
from packaging.version import Version

from tests.packages import installed

PROVIDERS = {"openai": "openai/gpt-4o", "anthropic": "anthropic/claude-sonnet-4-5"}
REPOSITORY = Path(__file__).parents[1]
# Not from the installed metadata, which an editable install keeps as they were.
OURS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]


def lowest(requirements: list[str], package: str) -> Version:
    """The lower bound that is declared for a package."""
    [dependency] = [requirement for requirement in map(Requirement, requirements) if requirement.name == package]
    [bound] = [Version(clause.version) for clause in dependency.specifier if clause.operator == ">="]
    return bound


@pytest.mark.parametrize("package", PROVIDERS)
def test_inspect_accepts_our_lowest_versions(package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, package, str(lowest(OURS, package)))
    monkeypatch.syspath_prepend(tmp_path)
    get_model(PROVIDERS[package], api_key="test", memoize=False)
    # Otherwise this would prove nothing.
    (tmp_path / "old").mkdir()
    installed(tmp_path / "old", package, "0.1.0")
    monkeypatch.syspath_prepend(tmp_path / "old")
    with pytest.raises(Exception, match=f"at least version .* of package {package}"):
        get_model(PROVIDERS[package], api_key="test", memoize=False)
