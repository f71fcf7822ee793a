"""The kernel and its client as the sandbox runs them: a program on the standard library."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.session.kernel_client import Session


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    started = Session(tmp_path)
    yield started
    started.stop()


def ok(output: str) -> dict[str, Any]:
    return {"status": "ok", "output": output, "restarted": False}


def test_variables_are_kept_and_the_last_expression_is_shown(session: Session) -> None:
    assert session.run("x = 41") == ok("")
    assert session.run("print('one')\nx + 1") == ok("one\n42\n")
    assert session.run("_ * 2") == ok("84\n")


def test_tracebacks_show_only_lines_of_the_cell(session: Session) -> None:
    reply = session.run("def f():\n    return 1 / 0\n\nf()")
    assert reply["status"] == "error"
    assert "return 1 / 0" in reply["output"]
    assert "ZeroDivisionError" in reply["output"]
    assert "kernel" not in reply["output"]


@pytest.mark.parametrize("code", ["x = ('", "%time\nx = ('"])
def test_a_syntax_error_is_shown_once(session: Session, code: str) -> None:
    # The kernel parses a cell again without its notebook commands. If that fails, too, only one of the errors is shown.
    assert session.run(code)["output"].count("SyntaxError") == 1


def test_output_of_child_processes_is_captured_in_order(session: Session) -> None:
    code = "import os, sys\nprint('a')\nos.system('echo b; echo c >&2')\nprint('d', file=sys.stderr)"
    assert session.run(code) == ok("a\nb\nc\nd\n")


def test_a_process_of_an_earlier_cell_can_print(session: Session) -> None:
    session.run("import multiprocessing, os\npool = multiprocessing.get_context('fork').Pool(1)")
    session.run("between = pool.apply_async(os.system, ['sleep 0.5; echo between; touch done'])")
    while not (session.folder / "done").exists():
        time.sleep(0.1)
    # What it printed between two cells is not part of any output.
    assert session.run("pool.apply(print, ['later'])\nbetween.get()") == ok("later\n0\n")


def test_the_middle_of_long_output_is_omitted(session: Session) -> None:
    # Half of the 200 bytes is for the beginning, and half for the end, which includes the line break of `print`.
    code = "print('A' * 100 + 'B' * 1_000_000 + 'C' * 99)"
    omission = "\n[... 1000000 bytes of output omitted ...]\n"
    assert session.run(code, max_output=200)["output"] == f"{'A' * 100}{omission}{'C' * 99}\n"


def test_output_is_complete_after_a_cell_that_has_made_it_non_blocking(session: Session) -> None:
    session.run("import os; os.set_blocking(1, False)")
    assert "[... 999801 bytes of output omitted ...]" in session.run("print('A' * 1_000_000)", max_output=200)["output"]


def test_a_character_in_the_middle_of_output_is_kept(session: Session) -> None:
    # Its two bytes are the last one of the first half of the maximum output, and the first one of the second half.
    assert session.run("print('A' * 99 + 'é')", max_output=200) == ok(f"{'A' * 99}é\n")


def test_exit_and_input_do_not_end_the_session(session: Session) -> None:
    session.run("x = 1")
    assert "SystemExit: 3" in session.run("import sys; sys.exit(3)")["output"]
    assert session.run("input()")["status"] == "error"
    # A child process ends with its cell, and does not become a second session.
    assert session.run("import os\nif os.fork() == 0: print('child')\nelse: os.wait()")["output"] == "child\n"
    assert session.run("x") == ok("1\n")


def test_api_keys_of_the_host_are_not_visible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    session = Session(tmp_path)
    assert session.run("import os\nos.environ.get('OPENAI_API_KEY'), bool(os.environ['PATH'])") == ok("(None, True)\n")
    session.stop()


DISTURBANCES = {
    "output closed": "import sys; sys.stdout.close()",
    "print removed": "import builtins; builtins.print = None; 1",
    "interrupts ignored": "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)",
    "another working folder": "import os; os.makedirs('away'); os.chdir('away')",
    "endless recursion": "def f(): f()\nf()",
    "an interrupt": "raise KeyboardInterrupt",
    "an exit with a reason that cannot be shown": (
        "class C:\n    def __str__(self): raise ValueError\nimport sys\nsys.exit(C())"
    ),
    "a value that cannot be encoded": "'\\ud83d'",
    "an alarm that is not cancelled": (
        "import signal\nsignal.signal(signal.SIGALRM, lambda *_: 1 / 0)\nsignal.setitimer(signal.ITIMER_REAL, 0.01)"
    ),
    "too many open files": (
        "import os, resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\nwhile True: os.open('.', 0)"
    ),
}


@pytest.mark.parametrize("name", DISTURBANCES)
@pytest.mark.usefixtures("slow")
def test_what_a_cell_does_to_the_interpreter_does_not_affect_later_cells(session: Session, name: str) -> None:
    session.run("x = 1")
    assert session.run(DISTURBANCES[name])["status"] in ("ok", "error")
    assert session.run("import sys\nsys.stdout.write('seen\\n')\nx") == ok("seen\n1\n")


def test_surviving_child_processes_do_not_delay_the_session(session: Session) -> None:
    # Children that last longer than the limit below: of a cell that ends, and of a kernel that dies.
    session.run("import os, time\nif os.fork() == 0: time.sleep(30)")
    started = time.monotonic()
    assert session.run("if os.fork() == 0: time.sleep(30)\nos._exit(1)")["status"] == "died"
    assert session.run("1")["restarted"] is True
    assert time.monotonic() - started < 10


@pytest.mark.usefixtures("slow")
def test_a_cell_whose_client_was_killed_ends_when_the_next_client_empties_the_pipe(session: Session) -> None:
    client = session.begin("import time; time.sleep(1); print('A' * 1_000_000); x = 1")
    time.sleep(0.5)  # the cell is running
    client.kill()
    client.communicate()
    time.sleep(1)  # now nobody reads what the cell prints, so it waits at the full pipe
    assert session.run("x") == ok("1\n")


@pytest.mark.usefixtures("slow")
def test_a_client_without_a_caller_does_not_take_the_output_of_the_next_cell(session: Session) -> None:
    # A cancelled call leaves its client behind. The kernel must not run the next cell before this client has
    # disconnected: otherwise, this client could read the output of the next cell. To show such a fault, the test stops
    # both clients until a kernel with the fault has run the next cell. The test then lets the client that was left
    # behind continue first.
    session.run("import time")
    left_behind = session.begin("time.sleep(1)")
    time.sleep(0.5)  # the first cell is running
    left_behind.send_signal(signal.SIGSTOP)

    next_client = session.begin("time.sleep(1); print('mine')")
    time.sleep(1)  # with the fault, the next cell is running now
    next_client.send_signal(signal.SIGSTOP)
    time.sleep(1)  # with the fault, the next cell has ended, and its output is in the pipe

    left_behind.send_signal(signal.SIGCONT)
    left_behind.wait(10)
    next_client.send_signal(signal.SIGCONT)
    output, _ = next_client.communicate(timeout=20)
    assert json.loads(output) == ok("mine\n")


def test_a_file_of_the_agent_does_not_shadow_modules_of_the_kernel(session: Session) -> None:
    (session.folder / "ast.py").write_text("raise SystemExit\n", "utf-8")
    # The kernel imports `ast` when it starts. So it is ended, and the next cell starts another one beside the file.
    assert session.run("import os; os._exit(1)")["status"] == "died"
    assert session.run("1")["output"] == "1\n"


def notice(*lines: int) -> str:
    """What an agent reads if these lines of its cell are left out."""
    numbers = ", ".join(f"line {line}" for line in lines)
    return f"[Left out: {numbers}. Notebook commands, which begin with % or !, are not available.]\n"


@pytest.mark.parametrize(
    ("code", "output"),
    [
        pytest.param("%matplotlib inline\n6 * 7", f"{notice(1)}42\n", id="magic"),
        pytest.param("%%time\nfrom __future__ import annotations\n6 * 7", f"{notice(1)}42\n", id="cell magic"),
        pytest.param("print(1)\n!pip install 'it\\'s (not\n  %cd a\nprint(2)", f"{notice(2, 3)}1\n2\n", id="shell"),
        pytest.param("!pip install one \\\n  two\nprint(1)\n%ls", f"{notice(1, 4)}1\n", id="on two lines"),
        pytest.param("if 1:\n    %time x\n    !ls\nelse:\n    !ls \\\n/\n6 * 7", f"{notice(2, 3, 5)}42\n", id="blocks"),
        pytest.param("for _ in '12':\n    !ls\n    print(3)", f"{notice(2)}3\n3\n", id="in a block"),
        pytest.param("%cd data\r\n!ls \\\r\n/\r\n6 * 7\r\n", f"{notice(1, 2)}42\n", id="windows"),
    ],
)
def test_notebook_commands_are_left_out_with_a_notice(session: Session, code: str, output: str) -> None:
    assert session.run(code) == ok(output)


@pytest.mark.parametrize(
    ("code", "output"),
    [
        pytest.param("7 \\\n% 4", "3\n", id="backslash"),
        pytest.param("(7\n% 4,\n'%s (' # ]\n% 1)", "(3, '1 (')\n", id="brackets"),
        pytest.param("'''\n%matplotlib inline\\'''\n!ls'''", "\"\\n%matplotlib inline'''\\n!ls\"\n", id="string"),
        pytest.param("'a\\\n%b\"'", "'a%b\"'\n", id="string with backslash"),
    ],
)
def test_lines_of_python_may_begin_with_a_percent_sign(session: Session, code: str, output: str) -> None:
    assert session.run(code) == ok(output)
    # With a notebook command, the cell is no Python. The command is left out, and the lines of Python that begin with a
    # percent sign stay.
    lines = len(code.splitlines())
    assert session.run(f"!ls\n{code}") == ok(notice(1) + output)
    # `_` is the last value that was shown: that of the cell before.
    assert session.run(f"{code}\n%ls\n_") == ok(notice(lines + 1) + output)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("x = !ls", id="a command in an assignment is not left out"),
        pytest.param("x?", id="a question mark is no command"),
        pytest.param("(7\n% 4 5)", id="a percent sign in brackets is no command"),
        pytest.param("'''\n%ls", id="a percent sign in a string is no command"),
        pytest.param("1 +\n%ls", id="an error before a command"),
        pytest.param("%ls\n1 +", id="an error after a command"),
    ],
)
def test_code_that_is_no_python_after_commands_were_left_out_is_a_syntax_error(session: Session, code: str) -> None:
    reply = session.run(code)
    assert reply["status"] == "error"
    assert reply["output"].count("SyntaxError") == 1
    assert "kernel" not in reply["output"]  # the traceback has no line of `kernel.py`


def test_an_error_names_the_line_that_the_agent_wrote(session: Session) -> None:
    output = session.run("%ls\n!ls \\\n/\n1 / 0")["output"]
    assert "line 4" in output
    assert "    1 / 0" in output


@pytest.mark.parametrize("character", ["\x0c", "\x85", "\u2028"])
def test_an_error_shows_the_line_that_python_counts(session: Session, character: str) -> None:
    # `str.splitlines` ends a line at these characters, and Python does not.
    output = session.run(f"text = '{character}'\n1 / 0")["output"]
    assert "line 2, in <module>\n    1 / 0\n" in output


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("part", ["\\'", "'a\"", "% ", "!ls \\\n", "(\n%"])
def test_a_long_cell_that_is_no_python_takes_linear_time(session: Session, part: str) -> None:
    session.run("import time\nstarted = time.process_time()")  # of the kernel, so other processes do not count
    assert session.run(f"x = 'a{part * 50_000}")["status"] == "error"
    assert session.run("time.process_time() - started < 10") == ok("True\n")
