"""What `run` and `status` say while they prepare an experiment."""

import os
import pty
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import completed, discoverybench

EXPERIMENT = """
name: one
tasks: discoverybench/demo
solvers: discoverybench/gold
models: discoverybench/baseline
log_dir: logs
limits: {samples: 1}
"""
PREPARING = "Preparing one.yaml: loading Inspect's plugins, the data and the models …"


@pytest.fixture(autouse=True)
def experiment() -> None:
    Path("one.yaml").write_text(EXPERIMENT, "utf-8")


def with_errors_in_a_terminal(line: str) -> tuple[str, list[str]]:
    """The output of a command, and the lines that it prints to the error stream, which is a terminal."""
    program = Path(sys.executable).with_name("discoverybench")
    terminal, errors = pty.openpty()
    result = subprocess.run([program, *shlex.split(line)], stdout=subprocess.PIPE, stderr=errors, check=False)
    os.close(errors)
    lines = os.read(terminal, 65_536).decode().splitlines()
    os.close(terminal)
    return result.stdout.decode(), lines


@pytest.mark.usefixtures("command_line")
@pytest.mark.parametrize("command", ["run one.yaml --dry-run", "status one.yaml"])
def test_in_a_terminal_it_says_what_it_waits_for(command: str) -> None:
    output, [first, *times] = with_errors_in_a_terminal(command)
    assert first == PREPARING
    assert [line for line in times if not line.endswith(" s …")] == []
    assert output.splitlines()[0].strip() == "one: logs in logs"
    assert "…" not in output


def test_elsewhere_it_says_nothing_before_the_result() -> None:
    assert completed("run one.yaml --dry-run").splitlines()[0].strip() == "one: logs in logs"
    assert discoverybench("status one.yaml").stderr == ""
