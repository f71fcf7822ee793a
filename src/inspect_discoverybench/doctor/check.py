"""Checks of an installation, each with a time limit, and what they find."""

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from threading import Thread

from inspect_discoverybench.errors import one_line

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_KEY_LIKE = re.compile(r"\b(?:sk|pk|rk|key|hf|gsk|xai|AIza)[-_][\w*•.-]{6,}|Bearer\s+\S+", re.IGNORECASE)
"""Matches keys by their format, including keys with masked characters."""

MIN_SECRET = 6  # shorter values also occur in ordinary words


class Problem(Exception):
    """Raised by a check that is not ok: what is wrong, and what to do if it is not the remedy of the check."""

    def __init__(self, message: str, remedy: str = "", warning: bool = False) -> None:
        """A failure or a warning."""
        super().__init__(message)
        self.remedy, self.status = remedy, "warning" if warning else "failure"


@dataclass(frozen=True)
class Check:
    """One check with the names of earlier checks that must be ok, and a time limit which allows for a busy machine.

    `run` returns what was found, in one line. Any exception is a failure, except for a warning.
    """

    name: str
    run: Callable[[], str]
    remedy: str = ""
    requires: Sequence[str] = ()
    seconds: float = 300


@dataclass(frozen=True)
class Finding:
    """What a check found: its status (`ok`, `warning`, `failure` or `skipped`), a message and a remedy, in one line."""

    name: str
    status: str
    message: str
    remedy: str | None
    seconds: float


def run_checks(checks: Sequence[Check]) -> Iterator[Finding]:
    """Run checks in order. A check is skipped if one that it requires is not ok."""
    passed = set()
    for check in checks:
        started = time.monotonic()
        if missing := [name for name in check.requires if name not in passed]:
            status, message, remedy = "skipped", f"needs {', '.join(missing)}", ""
        else:
            status, message, remedy = _run(check)
        if status == "ok":
            passed.add(check.name)
        yield Finding(check.name, status, redact(message), redact(remedy) or None, time.monotonic() - started)


def _run(check: Check) -> tuple[str, str, str]:
    """The status, message and remedy of a check."""
    results: list[tuple[str, str, str]] = []

    def run() -> None:
        try:
            results.append(("ok", check.run(), ""))
        except Exception as error:  # noqa: BLE001 - the other checks run, whatever happens in this one
            problem = error if isinstance(error, Problem) else Problem(str(error))
            results.append((problem.status, one_line(error), problem.remedy or check.remedy))

    # The thread is abandoned after the time limit: clients of engines and providers may hang.
    thread = Thread(target=run, daemon=True)
    # Standard output is for findings only. Inspect and the clients of engines may print to it.
    with redirect_stdout(sys.stderr):
        thread.start()
        thread.join(check.seconds)
    reason = f"did not finish within {check.seconds:g} s" if thread.is_alive() else "ended without a result"
    return results[0] if results else ("failure", reason, check.remedy)


def redact(text: str) -> str:
    """Replace secrets in environment variables and anything like a key, which providers may repeat in their errors."""
    for name, value in sorted(os.environ.items(), key=lambda item: -len(item[1])):
        if _SECRET_NAME.search(name) and len(value) >= MIN_SECRET:
            text = text.replace(value, f"[{name}]")
    return _KEY_LIKE.sub("[key]", text)
