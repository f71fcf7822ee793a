"""Checks are independent of each other: errors, hangs and requirements."""

import sys
import threading

import pytest

from inspect_discoverybench.doctor.check import Check, Problem, redact, run_checks


def fine() -> str:
    return "fine"


def broken() -> str:
    raise ValueError("broken\nbadly")


def doubtful() -> str:
    raise Problem("doubtful", "Look.", warning=True)


def hanging() -> str:
    threading.Event().wait()
    return "fine"


def exiting() -> str:
    sys.exit(3)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_checks_that_fail_hang_or_exit_have_a_remedy_and_only_those_that_need_them_are_skipped() -> None:
    checks = [
        Check("broken", broken, "Mend it."),
        Check("doubtful", doubtful),
        Check("hanging", hanging, "Restart it.", seconds=0.2),
        Check("exiting", exiting, "Start it."),
        Check("needs a warning", fine, requires=["doubtful"]),
        Check("needs a skipped one", fine, requires=["needs a warning"]),
        Check("last", fine),
    ]
    results = [(found.name, found.status, found.message, found.remedy) for found in run_checks(checks)]
    assert results == [
        ("broken", "failure", "broken badly", "Mend it."),
        ("doubtful", "warning", "doubtful", "Look."),
        ("hanging", "failure", "did not finish within 0.2 s", "Restart it."),
        ("exiting", "failure", "ended without a result", "Start it."),
        ("needs a warning", "skipped", "needs doubtful", None),
        ("needs a skipped one", "skipped", "needs needs a warning", None),
        ("last", "ok", "fine", None),
    ]


def test_values_of_keys_are_never_part_of_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "abc-very-secret")

    def leak() -> str:
        raise Problem("abc-very-secret", "use abc-very-secret")

    [found] = run_checks([Check("leak", leak)])
    assert (found.message, found.remedy) == ("[SOME_API_KEY]", "use [SOME_API_KEY]")
    assert redact("Incorrect key sk-proj-****abcd; Bearer xyz") == "Incorrect key [key]; [key]"
    assert redact("task-12 has a key-value store") == "task-12 has a key-value store"


def test_what_a_check_prints_is_not_mixed_with_the_findings(capsys: pytest.CaptureFixture[str]) -> None:
    def printing() -> str:
        sys.stdout.write("pulling layers\n")
        return "fine"

    assert [found.message for found in run_checks([Check("printing", printing)])] == ["fine"]
    assert capsys.readouterr() == ("", "pulling layers\n")
