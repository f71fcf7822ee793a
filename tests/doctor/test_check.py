"""Checks are independent of each other: errors, hangs and requirements."""

import sys
import threading

import pytest

from inspect_discoverybench.doctor.check import Check, Finding, Status, run_checks
from inspect_discoverybench.doctor.secret import redact


def fine() -> Finding:
    return Finding(Status.OK, "fine")


def broken() -> Finding:
    raise ValueError("broken\nbadly")


def hanging() -> Finding:
    threading.Event().wait()
    return fine()


def exiting() -> Finding:
    sys.exit(3)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_check_that_fails_hangs_or_exits_is_a_failure_with_its_remedy_and_the_others_run() -> None:
    checks = [
        Check("broken", broken, "Mend it.", 30),
        Check("hanging", hanging, "Restart it.", 0.2),
        Check("exiting", exiting, "Start it.", 30),
        Check("last", fine, "", 30),
    ]
    results = [(result.name, result.finding) for result in run_checks(checks)]
    assert results == [
        ("broken", Finding(Status.FAILURE, "broken badly", "Mend it.")),
        ("hanging", Finding(Status.FAILURE, "did not finish within 0.2 s", "Restart it.")),
        ("exiting", Finding(Status.FAILURE, "ended without a result", "Start it.")),
        ("last", Finding(Status.OK, "fine")),
    ]


@pytest.mark.parametrize("status", [Status.WARNING, Status.FAILURE])
def test_a_check_that_needs_one_that_is_not_ok_is_skipped(status: Status) -> None:
    checks = [
        Check("first", lambda: Finding(status, "bad"), "", 30),
        Check("second", fine, "", 30, requires=("first",)),
        Check("third", fine, "", 30, requires=("second",)),
    ]
    assert [result.finding for result in run_checks(checks)][1:] == [
        Finding(Status.SKIPPED, "needs first"),
        Finding(Status.SKIPPED, "needs second"),
    ]


def test_values_of_keys_are_never_part_of_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "abc-very-secret")
    leak = Check("leak", lambda: Finding(Status.OK, "abc-very-secret", "use abc-very-secret"), "", 30)
    [result] = run_checks([leak])
    assert result.finding == Finding(Status.OK, "[SOME_API_KEY]", "use [SOME_API_KEY]")
    assert redact("Incorrect key sk-proj-****abcd; Bearer xyz") == "Incorrect key [key]; [key]"
    assert redact("task-12 has a key-value store") == "task-12 has a key-value store"


def test_what_a_check_prints_is_not_mixed_with_the_findings(capsys: pytest.CaptureFixture[str]) -> None:
    def printing() -> Finding:
        sys.stdout.write("pulling layers\n")
        return fine()

    [result] = run_checks([Check("printing", printing, "", 30)])
    assert result.finding == fine()
    assert capsys.readouterr() == ("", "pulling layers\n")
