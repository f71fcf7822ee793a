"""The task version: its number rises whenever a prompt, the task text, a tool, the image or the data change."""

from importlib.resources import files
from pathlib import Path

import fingerprints
import pytest
import yaml

from inspect_discoverybench.sandbox import BUILD_INPUTS, build_digest
from inspect_discoverybench.shipped import shipped
from inspect_discoverybench.tasks import VERSION


def test_what_sets_scores_changes_only_with_the_task_version() -> None:
    problem = fingerprints.problem(VERSION, fingerprints.recorded(), fingerprints.current())
    assert problem is None, problem


def test_the_register_has_the_same_task_version() -> None:
    assert (
        yaml.safe_load(files("inspect_discoverybench").joinpath("eval.yaml").read_text("utf-8"))["version"] == VERSION
    )


@pytest.mark.parametrize(
    "name", ["prompt judge/variables", "prompt solvers/react", "task text", "image Dockerfile", "tool submit"]
)
def test_a_change_without_a_new_number_is_named_with_the_remedy(name: str) -> None:
    now = fingerprints.current()
    assert name in now
    problem = fingerprints.problem("2-B", {"2": {**now, name: "before"}}, now)
    assert problem is not None
    assert f"did not (2-B): {name}. Undo" in problem
    assert 'VERSION = "3-A"' in problem
    assert "make fingerprints" in problem


def test_an_added_or_removed_prompt_is_a_change() -> None:
    now = fingerprints.current()
    for record in ({**now, "prompt judge/old": "x"}, {k: v for k, v in now.items() if k != "prompt judge/system"}):
        assert fingerprints.problem("2-A", {"2": record}, now)


def test_a_new_number_needs_fingerprints() -> None:
    assert "Run `make fingerprints`" in str(fingerprints.problem("9-A", {}, fingerprints.current()))


@pytest.mark.parametrize(("used", "status"), [(frozenset({"3"}), 1), (frozenset(), 0)])
def test_only_fingerprints_of_an_unused_number_are_replaced(
    used: frozenset[str],
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The real command on a copy of the record."""
    record = tmp_path / "fingerprints.json"
    monkeypatch.setattr(fingerprints, "RECORD", record)
    monkeypatch.setattr(fingerprints, "USED_NUMBERS", used)
    assert fingerprints.update() == 0
    content = record.read_text("utf-8")
    assert fingerprints.update() == 0
    assert "up to date" in capsys.readouterr().out
    edit = content.replace(fingerprints.current()["task text"], "before")
    record.write_text(edit, "utf-8")
    assert fingerprints.update() == status
    assert record.read_text("utf-8") == (edit if status else content)


def test_line_endings_of_a_checkout_do_not_matter(tmp_path: Path) -> None:
    for name in BUILD_INPUTS:
        content = (shipped("sandbox") / name).read_bytes()
        (tmp_path / name).write_bytes(content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    assert build_digest(tmp_path) == build_digest(shipped("sandbox"))
