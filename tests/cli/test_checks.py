"""Checks are independent of each other: errors, hangs and requirements."""

import sys
import threading

import pytest

from inspect_discoverybench.doctor.doctor import Check, Problem, run_checks
from inspect_discoverybench.errors.redaction import redact


def fine() -> str:
    sys.stdout.write("pulling layers\n")
    return "fine"


def broken() -> str:
    raise ValueError("broken\nbadly")


def doubtful() -> str:
    raise Problem("doubtful", "Look.", warning=True)


def hanging() -> str:
    threading.Event().wait()
    return "fine"


def test_checks_that_fail_or_hang_have_a_remedy_and_only_those_that_need_them_are_skipped(
    capsys: pytest.CaptureFixture[str],
) -> None:
    checks = [
        Check("broken", broken, "Mend it."),
        Check("doubtful", doubtful),
        Check("hanging", hanging, "Restart it.", seconds=0.2),
        Check("needs a warning", fine, requires=["doubtful"]),
        Check("needs a skipped one", fine, requires=["needs a warning"]),
        Check("last", fine),
    ]
    results = [(found.name, found.status, found.message, found.remedy) for found in run_checks(checks)]
    assert results == [
        ("broken", "failure", "broken badly", "Mend it."),
        ("doubtful", "warning", "doubtful", "Look."),
        ("hanging", "failure", "did not finish within 0.2 s", "Restart it."),
        ("needs a warning", "skipped", "needs doubtful", None),
        ("needs a skipped one", "skipped", "needs needs a warning", None),
        ("last", "ok", "fine", None),
    ]
    # What a check prints is not mixed with the findings.
    assert capsys.readouterr() == ("", "pulling layers\n")


@pytest.mark.parametrize("name", ["SOME_API_KEY", "AWS_ACCESS_KEY_ID", "PGPASSWORD", "GITHUB_PAT", "api_key"])
def test_values_of_keys_are_never_part_of_a_finding(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "abc-very-secret")

    def leak() -> str:
        raise Problem("abc-very-secret", "use abc-very-secret")

    [found] = run_checks([Check("leak", leak)])
    assert (found.message, found.remedy) == (f"[{name}]", f"use [{name}]")
    assert redact("Incorrect key sk-proj-****abcd; Bearer xyz") == "Incorrect key [key]; [key]"
    text = "task-12 has a key-value store, max_tokens and basic statistics of pk_id"
    assert redact(text) == text
