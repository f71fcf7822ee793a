"""Ctrl-C in a terminal, where Inspect has its full-screen display."""

import fcntl
import os
import pty
import struct
import sys
import termios
import time
from pathlib import Path

import pytest

SOLVER = """
import asyncio
from pathlib import Path

from inspect_ai.solver import solver


@solver
def waiting():
    async def solve(state, generate):
        Path("started").touch()
        await asyncio.sleep(120)
        return state

    return solve
"""
EXPERIMENT = """
name: waiting
tasks: [discoverybench/demo]
solvers: [waiting.py]
models: [discoverybench/baseline]
log_dir: logs
limits: {samples: 1}
"""
SECONDS = 200


@pytest.mark.usefixtures("command_line")
@pytest.mark.parametrize("display", ["full", "rich", "plain"])
def test_the_last_line_says_how_to_continue(display: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("waiting.py").write_text(SOLVER, "utf-8")
    Path("waiting.yaml").write_text(EXPERIMENT, "utf-8")
    monkeypatch.setenv("INSPECT_DISPLAY", display)
    monkeypatch.setenv("TERM", "xterm-256color")
    program = str(Path(sys.executable).with_name("discoverybench"))

    process, terminal = pty.fork()
    if process == 0:
        os.execv(program, [program, "run", "waiting.yaml"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    output = _press_ctrl_c(terminal)
    _, status = os.waitpid(process, 0)

    assert output.startswith("Preparing waiting.yaml: loading ")
    assert output.splitlines()[-1] == "Interrupted. Finished samples are kept. Repeat the command to continue."
    assert os.waitstatus_to_exitcode(status) == 130


def _press_ctrl_c(terminal: int) -> str:
    """Press Ctrl-C when a sample has started. Returns all that was printed."""
    os.set_blocking(terminal, False)
    deadline = time.monotonic() + SECONDS
    was_pressed = False
    output = b""
    while time.monotonic() < deadline:
        if not was_pressed and Path("started").exists():
            os.write(terminal, b"\x03")
            was_pressed = True
        try:
            output += os.read(terminal, 65_536)
        except BlockingIOError:
            time.sleep(0.1)
        except OSError:  # the program has ended
            return output.decode()
    raise AssertionError(output.decode()[-2_000:])
