"""Checks, each with its own time limit, and their findings."""

import contextvars
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from enum import StrEnum

from inspect_discoverybench.doctor.secret import redact
from inspect_discoverybench.errors import CheckFailed, inspect_errors


class Status(StrEnum):
    """Result of a check."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Finding:
    """What a check found.

    Attributes:
        status: The result.
        message: What was found, in one line.
        remedy: What to do about it; empty if there is nothing to do.
    """

    status: Status
    message: str
    remedy: str = ""


@dataclass(frozen=True)
class Check:
    """One check.

    Attributes:
        name: Name of the check.
        run: Returns the finding. Any exception counts as a failure.
        remedy: What to do if the check raises an exception or exceeds its time limit.
        seconds: Time limit.
        requires: Names of earlier checks that must be ok.
    """

    name: str
    run: Callable[[], Finding]
    remedy: str
    seconds: float
    requires: tuple[str, ...] = ()


@dataclass(frozen=True)
class CheckResult:
    """The finding of a check.

    Attributes:
        name: Name of the check.
        finding: The finding, without secrets.
        seconds: How long it took.
    """

    name: str
    finding: Finding
    seconds: float


def run_checks(checks: Iterable[Check]) -> Iterator[CheckResult]:
    """Run checks in order. A check is skipped if one that it requires is not ok.

    Args:
        checks: The checks; each comes after those that it requires.
    """
    statuses: dict[str, Status] = {}
    for check in checks:
        started = time.monotonic()
        missing = [name for name in check.requires if statuses[name] is not Status.OK]
        finding = Finding(Status.SKIPPED, f"needs {', '.join(missing)}") if missing else _run(check)
        statuses[check.name] = finding.status
        clean = Finding(finding.status, redact(finding.message), redact(finding.remedy))
        yield CheckResult(check.name, clean, time.monotonic() - started)


def _run(check: Check) -> Finding:
    """Run a check in a thread that is abandoned after the time limit: clients of engines and providers may hang."""
    findings: list[Finding] = []

    def run() -> None:
        try:
            with inspect_errors(CheckFailed, check.name):
                findings.append(check.run())
        except CheckFailed as error:
            message = error.message.removeprefix(f"{check.name}: ").rstrip(".")
            findings.append(Finding(Status.FAILURE, message, check.remedy))

    thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True)
    # Standard output is for findings only. Inspect and the clients of engines may print to it.
    with redirect_stdout(sys.stderr):
        thread.start()
        thread.join(check.seconds)
    if findings:
        return findings[0]
    reason = f"did not finish within {check.seconds:g} s" if thread.is_alive() else "ended without a result"
    return Finding(Status.FAILURE, reason, check.remedy)
