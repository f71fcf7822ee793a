"""`discoverybench doctor` on a working installation and on broken ones."""

from pathlib import Path

import pytest

from inspect_discoverybench.dataset.release import checksums
from inspect_discoverybench.sandbox.image import image
from tests.command_line import discoverybench, lab
from tests.endpoint import Answer, NoChoices, Refused, tool_call
from tests.packages import installed

SECRET = "sesame-open-7731"


def doctor(options: str = "", *, exit_code: int) -> dict[str, str]:
    """The status and the message of each check, such as `ok     Docker 26.1.5 has …`, by the name of the check."""
    result = discoverybench(f"doctor {options}")
    assert result.exit_code == exit_code, result.output
    findings = {}
    for line in result.stdout.splitlines():
        status = line[:7]
        check, _, message = line[7:].partition(": ")
        findings[check] = status + message
    return findings


@pytest.mark.usefixtures("engine")
def test_a_sound_installation(upstream: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCOVERYBENCH_DATA_DIR", str(upstream))
    findings = doctor("--model discoverybench/baseline", exit_code=0)
    assert list(findings) == ["versions", "data", "docker", "discoverybench/baseline"]

    for finding in findings.values():
        assert finding.startswith("ok ")
    assert "the released data are complete and unchanged" in findings["data"]
    assert findings["docker"].endswith(f" has the image {image()}")


@pytest.mark.usefixtures("docker_command")
def test_a_machine_without_an_engine_data_and_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed check does not end the others. Data that are not downloaded are no failure."""
    monkeypatch.delenv("DISCOVERYBENCH_DATA_DIR", raising=False)
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    findings = doctor("--model openai/gpt-4o", exit_code=1)
    assert findings["data"].startswith("ok     the released data are not downloaded")
    assert findings["docker"].startswith("failed Docker does not respond")
    assert "Install and start it" in findings["docker"]
    assert findings["openai/gpt-4o"].startswith("failed ")
    assert "OPENAI_API_KEY" in findings["openai/gpt-4o"]


def test_an_old_package_and_a_wrong_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DISCOVERYBENCH_DATA_DIR", "/nowhere/data")
    installed(tmp_path, "pooch", "0.1.0")
    monkeypatch.syspath_prepend(tmp_path)

    findings = doctor(exit_code=1)
    problem = "pooch 0.1.0 is installed, but >=1.8.2 is required. Run: pip install --upgrade inspect-discoverybench"
    assert findings["versions"] == f"failed {problem}"
    assert findings["data"].startswith("failed ")
    assert "/nowhere/data is not a folder" in findings["data"]


def test_incomplete_data_fail_with_the_remedy(upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder has only DB-REAL."""
    folder = tmp_path / "data" / "discoverybench"
    folder.mkdir(parents=True)
    (folder / "real").symlink_to(upstream / "discoverybench" / "real")
    monkeypatch.setenv("DISCOVERYBENCH_DATA_DIR", str(folder.parent))
    finding = doctor(exit_code=1)["data"]
    assert finding.startswith("failed ")
    others = [path for path in checksums() if not path.startswith("discoverybench/real/")]
    assert f"is missing (and {len(others) - 1} more)" in finding
    assert "Use a clone of allenai/discoverybench" in finding


def check_over_http(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> str:
    """Check a model that gives this answer. Returns the last line, without the name of the model.

    No line may have the key, which an answer may quote.
    """
    with lab(lambda _: answer) as (model, _):
        monkeypatch.setenv("LAB_API_KEY", SECRET)
        result = discoverybench(f"doctor --model {model}")
    assert SECRET not in result.output
    *_, last = result.output.splitlines()
    return last.replace(f"{model}: ", "")


def test_a_package_that_is_not_installed_does_not_end_the_other_checks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DISCOVERYBENCH_DATA_DIR", "/nowhere/data")
    installed(tmp_path, "inspect_discoverybench", "0.1.0", requires="absent-package")
    monkeypatch.syspath_prepend(tmp_path)
    findings = doctor(exit_code=1)
    assert findings["versions"].startswith("failed No package metadata was found for absent-package. Run: pip install")
    assert findings["data"].startswith("failed ")


@pytest.mark.parametrize(
    ("answer", "finding"),
    [
        pytest.param(tool_call("python", code="6 * 7"), "ok     acts by tool calls", id="call"),
        pytest.param(
            "Let me see.\n```Python3\r\nprint(6 * 7)\r\n```\r\n", "ok     acts in text", id="block of code in text"
        ),
        pytest.param('<tool_call>\n{"name": "python"}', "ok     acts in text", id="beginning of a call in text"),
    ],
)
def test_a_model_acts_by_a_tool_call_or_in_text(answer: Answer, finding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    message = check_over_http(answer, monkeypatch)
    assert message.startswith(finding)
    assert "run: discoverybench try --model" in message


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("It is 42.", "neither calls a tool nor writes a block of code. Choose another model for agents."),
        (Refused("The model does not support tools."), "If its server refuses tools, run: discoverybench try --model"),
        (NoChoices(), "neither calls a tool nor writes a block of code"),
        (Refused(f"Incorrect API key provided: {SECRET}.", status=401), "Check its key, its name and its base URL."),
    ],
)
def test_a_model_that_does_not_act_fails(answer: Answer, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    finding = check_over_http(answer, monkeypatch)
    assert finding.startswith("failed ")
    assert message in finding
