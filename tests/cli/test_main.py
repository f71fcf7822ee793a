"""`discoverybench` itself: its help, its version and its commands, which are imported when they are called."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspect_discoverybench.cli.main import COMMANDS
from tests.command_line import completed, failed
from tests.packages import installed

CALL = """
import sys
from inspect_discoverybench.cli.main import main
try:
    main(sys.argv[1:], prog_name="discoverybench")
finally:
    print(*sorted(name for name in ("inspect_ai", "pandas", "pydantic") if name in sys.modules), file=sys.stderr)
"""
"""Runs the command, and prints which of the packages that take long to import it has imported."""


@pytest.mark.parametrize("option", ["--version", "--help", "-h"])
def test_help_and_version_do_not_wait_for_inspect(option: str) -> None:
    process = subprocess.run([sys.executable, "-c", CALL, option], capture_output=True, text=True, check=True)
    assert process.stderr.strip() == ""
    assert "discoverybench" in process.stdout


def test_the_help_has_the_first_sentence_of_each_command() -> None:
    for source in COMMANDS.values():
        assert source.load().get_short_help_str(limit=1000) == source.summary
    words = completed("--help").split()
    for name, source in COMMANDS.items():
        summary = " ".join([name, *source.summary.split()])
        assert summary in " ".join(words)


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])  # the latter is the default in the locale C
def test_characters_that_the_encoding_of_the_output_lacks_are_escaped(errors: str) -> None:
    process = subprocess.run(
        [sys.executable, "-c", CALL, "report", "--help"],
        env={**os.environ, "PYTHONIOENCODING": f"latin-1:{errors}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "report [OPTIONS] LOG_DIR\\u2026\n" in process.stdout


def test_a_misspelled_command_is_named_with_the_nearest_one() -> None:
    assert "Error: No such command 'reports'. Did you mean report?\n" in failed("reports", exit_code=2)
    assert "Error: No such command 'zzz'.\n" in failed("zzz", exit_code=2)
    assert "No such option" in failed("--reports", exit_code=2)


@pytest.mark.parametrize("command", ["doctor", "report logs", "try"])
def test_a_package_that_is_too_old_to_be_imported_is_named_with_the_remedy(tmp_path: Path, command: str) -> None:
    installed(tmp_path, "inspect_ai", "0.3.100")
    (tmp_path / "inspect_ai").mkdir()
    (tmp_path / "inspect_ai" / "__init__.py").write_text("", "utf-8")
    process = subprocess.run(
        [sys.executable, "-c", CALL, *command.split()],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2
    [error, _imported] = process.stderr.splitlines()
    assert error.startswith("Error: inspect-ai 0.3.100 is installed, but ")
    assert error.endswith(" is required. Run: pip install --upgrade inspect-discoverybench")
