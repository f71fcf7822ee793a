"""The kernel and its client as the sandbox runs them: a program on the standard library."""

import subprocess
import sys
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
    started.client("stop")


def alive(process: int) -> bool:
    """Whether a process runs; one that has ended may remain as a zombie."""
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text("utf-8").split()[2]
    except OSError:
        return False


def ends(process: int) -> bool:
    """Whether a process ends within ten seconds; a killed one closes its connections first."""
    deadline = time.monotonic() + 10
    while alive(process) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not alive(process)


def ok(output: str) -> dict[str, Any]:
    return {"status": "ok", "output": output, "restarted": False}


def test_variables_are_kept_and_the_last_expression_is_shown(session: Session) -> None:
    assert session.run("x = 41") == ok("")
    assert session.run("print('one')\nx + 1") == ok("one\n42\n")
    assert session.run("_ * 2") == ok("84\n")
    assert session.run("x;") == ok("41\n")


def test_tracebacks_show_only_lines_of_the_cell(session: Session) -> None:
    reply = session.run("def f():\n    return 1 / 0\n\nf()")
    assert reply["status"] == "error"
    assert "return 1 / 0" in reply["output"]
    assert "ZeroDivisionError" in reply["output"]
    assert "kernel" not in reply["output"]
    assert session.run("x = ('")["output"].count("SyntaxError") == 1


def test_output_of_child_processes_is_captured_in_order(session: Session) -> None:
    code = (
        "import os, sys\nprint('a'); sys.stdout.flush()\nos.system('echo b; echo c >&2')\nprint('d', file=sys.stderr)"
    )
    assert session.run(code) == ok("a\nb\nc\nd\n")


def test_endless_output_is_interrupted(session: Session) -> None:
    reply = session.run("while True: print('x' * 1000)", timeout=1, max_output=100)
    assert reply["status"] == "interrupted"
    assert len(reply["output"]) < 200


def test_a_child_process_is_interrupted_at_the_time_limit_and_variables_are_kept(session: Session) -> None:
    session.run("x = 1")
    started = time.monotonic()
    assert session.run("import os\nos.system('sleep 60')", timeout=1)["status"] == "interrupted"
    assert time.monotonic() - started < 10
    assert session.run("x") == ok("1\n")


@pytest.mark.parametrize("death", ["import os; os._exit(1)", "import os; os.kill(os.getpid(), 9)"])
def test_output_is_kept_when_the_kernel_dies(session: Session, death: str) -> None:
    assert session.run(f"print('last words', end='')\n{death}") == {
        "status": "died",
        "output": "last words",
        "restarted": False,
    }
    assert session.run("1")["restarted"] is True


def test_exit_and_input_do_not_end_the_session(session: Session) -> None:
    session.run("x = 1")
    assert "SystemExit: 3" in session.run("import sys; sys.exit(3)")["output"]
    assert session.run("input()")["status"] == "error"
    assert session.run("import os\nif os.fork() == 0: print('child')\nelse: os.wait()")["output"] == "child\n"
    assert session.run("x") == ok("1\n")


def test_functions_of_a_cell_can_be_sent_to_processes(session: Session) -> None:
    code = "import multiprocessing\ndef square(n): return n * n\n"
    code += "with multiprocessing.get_context('fork').Pool(2) as pool: print(pool.map(square, [1, 2, 3]))"
    assert session.run(code) == ok("[1, 4, 9]\n")


def test_unicode_and_invalid_bytes_are_printed(session: Session) -> None:
    assert session.run("'é漢'") == ok("'é漢'\n")
    assert "�" in session.run("import os\n_ = os.write(1, b'\\xff\\n')")["output"]


def test_api_keys_of_the_host_are_not_visible(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert session.run("import os\nos.environ.get('OPENAI_API_KEY')") == ok("")
    assert session.run("os.environ['PATH'] != ''") == ok("True\n")


def test_stop_ends_a_busy_kernel(session: Session) -> None:
    pid = int(session.run("import os\nos.getpid()")["output"])
    busy = session.start("while True: pass")
    time.sleep(0.5)
    session.client("stop")
    assert busy.wait(10) == 0
    assert ends(pid)
    assert session.run("1") == ok("1\n")


@pytest.mark.parametrize(
    "code",
    [
        "import sys; sys.stdout.close()",
        "import sys; sys.stdout = None",
        "import os; os.close(1); os.close(2)",
        "import io, sys; sys.stdout = io.StringIO(); 1 / 0",
        "import builtins; builtins.print = None; 1",
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)",
        "import os; os.makedirs('away'); os.chdir('away')",
        "def f(): f()\nf()",
        "raise KeyboardInterrupt",
        "raise BaseException('no Exception')",
        "class C:\n    def __str__(self): raise ValueError\nimport sys\nsys.exit(C())",
        "y = " + "1 + " * 20_000 + "1",
        "'\\ud83d'",
    ],
)
@pytest.mark.usefixtures("sweep")
def test_changes_to_the_interpreter_do_not_affect_later_cells(session: Session, code: str) -> None:
    session.run("x = 1")
    assert session.run(code)["status"] in ("ok", "error")
    assert session.run("import sys\nsys.stdout.write('seen\\n')\nx") == ok("seen\n1\n")


def test_surviving_child_processes_do_not_delay_the_session(session: Session) -> None:
    session.run("import os, time\nif os.fork() == 0: time.sleep(30)")
    started = time.monotonic()
    assert session.run("if os.fork() == 0: time.sleep(30)\nos._exit(1)")["status"] == "died"
    assert session.run("1")["restarted"] is True
    assert time.monotonic() - started < 10


def test_cells_do_not_inherit_future_annotations(session: Session) -> None:
    assert session.run("def f(x: int): pass\nf.__annotations__") == ok("{'x': <class 'int'>}\n")


def test_a_file_of_the_agent_does_not_shadow_modules_of_the_kernel(session: Session) -> None:
    (session.folder / "ast.py").write_text("raise SystemExit\n", "utf-8")
    assert session.run("1") == ok("1\n")


def test_a_kernel_ends_with_its_evaluation_even_if_both_it_and_the_client_are_busy(tmp_path: Path) -> None:
    session = Session(tmp_path)
    evaluation = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        assert session.client("start", owner=evaluation.pid).stdout.startswith(b"ready ")
        pid = int(session.run("import os\nos.getpid()")["output"])
        busy = session.start("while True: pass")
        time.sleep(0.5)
        busy.kill()
        busy.wait()
        assert alive(pid)
    finally:
        evaluation.kill()
        evaluation.wait()
    assert ends(pid)


def test_a_limit_that_ends_during_the_warm_up_does_not_end_the_kernel(session: Session) -> None:
    """The limit of a cell counts from its start."""
    session.client("start")
    time.sleep(0.5)
    assert session.run("x = 1", timeout=0.3)["status"] in ("ok", "interrupted")
    assert session.run("'x' in globals() or 'y'")["restarted"] is False
