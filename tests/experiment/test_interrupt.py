"""Ctrl-C and SIGTERM in a terminal, in which Inspect's displays draw."""

import fcntl
import json
import os
import pty
import signal
import struct
import sys
import termios
import time
from pathlib import Path
from threading import Event

import pytest
from inspect_ai.log import EvalLog, EvalSample

from inspect_discoverybench.results.frame import read_results
from tests import inspect_command
from tests.command_line import completed, lab
from tests.endpoint import Answer, Request
from tests.experiment.experiments import logs

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
CODEGEN = """
name: codegen
tasks: [discoverybench/demo]
solvers: [{name: discoverybench/codegen, args: {actions: text}}]
models: [MODEL]
log_dir: logs
limits: {samples: 3}
options: {max_samples: 1}
"""
PROGRAM = "```python\nprint(6 * 7)\n```"
ANSWER = json.dumps({"hypothesis": "y rises with x.", "workflow": "1. load"})
SECONDS = 200


@pytest.mark.usefixtures("command_line")
@pytest.mark.parametrize("display", ["full", "rich", "plain"])
def test_the_last_line_says_how_to_continue(display: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("waiting.py").write_text(SOLVER, "utf-8")
    Path("waiting.yaml").write_text(EXPERIMENT, "utf-8")
    monkeypatch.setenv("INSPECT_DISPLAY", display)
    output, exit_code = _interrupted("waiting.yaml", monkeypatch)
    assert output.startswith("Preparing waiting.yaml: loading ")
    assert output.splitlines()[-1] == "Interrupted. Finished samples are kept. Repeat the command to continue."
    assert exit_code == 130


@pytest.mark.usefixtures("command_line")
def test_the_last_line_says_how_to_continue_after_sigterm_in_the_full_screen_display(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """SIGTERM raises `CancelledError` in this display, and `KeyboardInterrupt` in the others, as Ctrl-C does in all.

    So only this display is tried here: the test above shows how a run ends after `KeyboardInterrupt`.
    """
    Path("waiting.py").write_text(SOLVER, "utf-8")
    Path("waiting.yaml").write_text(EXPERIMENT, "utf-8")
    monkeypatch.setenv("INSPECT_DISPLAY", "full")
    output, exit_code = _interrupted("waiting.yaml", monkeypatch, is_terminated=True)
    assert output.splitlines()[-1] == "Interrupted. Finished samples are kept. Repeat the command to continue."
    assert exit_code == 1  # as after an incomplete run; only Ctrl-C has the exit code 130


@pytest.mark.usefixtures("command_line")
def test_after_ctrl_c_a_retry_by_inspect_runs_the_same_agent_and_the_experiment_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    is_interrupted = Event()
    requests = iter(range(99))

    def answer(request: Request) -> Answer:
        if next(requests) == 2:  # the first one of the second sample
            Path("started").touch()
            is_interrupted.wait(SECONDS)
        has_program = any(message["role"] == "assistant" for message in request["messages"])
        return ANSWER if has_program else PROGRAM

    with lab(answer) as (model, _):
        Path("codegen.yaml").write_text(CODEGEN.replace("MODEL", model), "utf-8")
        _, exit_code = _interrupted("codegen.yaml", monkeypatch)
        is_interrupted.set()
        assert exit_code == 130
        [log] = logs("logs")
        assert len(finished_samples(log)) == 1

        retry = inspect_command.invoke("eval-retry", log.location, "--log-dir", "logs")
        assert retry.exit_code == 0, retry.output
        assert "1 of 1 runs are complete." in completed("run codegen.yaml")
    rows = read_results(["logs"]).rows
    assert len(rows) == 3
    assert {(row.sample.agent, row.sample.agent_arguments) for row in rows} == {("codegen", ("actions=text",))}


def finished_samples(log: EvalLog) -> list[EvalSample]:
    return [sample for sample in log.samples or [] if sample.scores]


def _interrupted(file: str, monkeypatch: pytest.MonkeyPatch, *, is_terminated: bool = False) -> tuple[str, int]:
    """Run an experiment in a terminal, and press Ctrl-C or send SIGTERM when a sample has started.

    Returns:
        The output and the exit code.
    """
    monkeypatch.setenv("TERM", "xterm-256color")
    program = str(Path(sys.executable).with_name("discoverybench"))
    process, terminal = pty.fork()
    if process == 0:
        os.execv(program, [program, "run", file])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    output = _interrupt(process, terminal, is_terminated=is_terminated)
    _, status = os.waitpid(process, 0)
    return output, os.waitstatus_to_exitcode(status)


def _interrupt(process: int, terminal: int, *, is_terminated: bool) -> str:
    """Press Ctrl-C or send SIGTERM when a sample has started. Returns all that was printed."""
    os.set_blocking(terminal, False)
    deadline = time.monotonic() + SECONDS
    was_interrupted = False
    output = b""
    while time.monotonic() < deadline:
        if not was_interrupted and Path("started").exists():
            if is_terminated:
                os.kill(process, signal.SIGTERM)
            else:
                os.write(terminal, b"\x03")  # Ctrl-C
            was_interrupted = True
        try:
            output += os.read(terminal, 65_536)
        except BlockingIOError:
            time.sleep(0.1)
        except OSError:  # the program has ended
            return output.decode()
    raise AssertionError(output.decode()[-2_000:])
