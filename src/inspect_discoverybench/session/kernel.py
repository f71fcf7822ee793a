"""The kernel of a Python session, run in the sandbox: it keeps the variables and runs one cell after the other.

`client.py` starts it as `python kernel.pyc FOLDER READY`, where READY is a file descriptor on which it reports that it
listens. It uses only the standard library, and the libraries that cells import.
"""

from __future__ import annotations

import ast
import ctypes
import importlib
import io
import linecache
import os
import re
import select
import signal
import socket
import sys
import traceback
import types
from contextlib import suppress
from typing import Any

# Together, the imports take more than a second. Each library stands before those that import it, so the time is divided
# among several imports, and the kernel looks for a client before each of them.
WARM_UP = ("numpy", "pandas", "scipy.stats", "statsmodels.api")

WARM_UP_SECONDS = 0.3
"""Pause before the first import of the warm-up. If a cell comes within it, nothing is imported in advance."""

COMMAND = re.compile(r"(?P<indentation>[ \t]*)[%!](?:\\\n|[^\n])*")
"""A notebook command and its indentation. A backslash continues it on the next line."""

TOKEN = re.compile(
    r"""
      ("{3}|'{3}) (?: \\. | [^\\] )*? (?: \1 | \Z )         # a string on several lines, perhaps without an end
    | (["']) (?: \\. | [^\\\n] )*? (?: \2 | (?=\n) | \Z )  # another string
    | \# [^\n]*                                            # a comment
    | \\ \n                                                # the statement continues on the next line
    | .
    """,
    re.DOTALL | re.VERBOSE,
)
"""What has to be told apart to see where a statement of Python begins."""


def serve(folder: str, ready: int) -> None:
    """Run cells for one client at a time."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(os.path.join(folder, "socket"))
    server.listen()
    runner = CellRunner(open_output(folder))
    signal.signal(signal.SIGINT, runner.on_interrupt)
    os.write(ready, b"1")
    os.close(ready)
    warm_up(server)

    # As in an interactive Python, cells can import the files of the working folder, and there are no arguments.
    sys.path.insert(0, "")
    sys.argv = [""]
    # Cells run in a separate module called `__main__`, so that the functions they define can be pickled.
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    # A forked child that outlives the kernel must not keep the socket open, or the kernel's death would go unnoticed.
    os.register_at_fork(after_in_child=server.close)
    os.register_at_fork(after_in_child=runner.close_connection)

    while True:
        runner.client, _ = server.accept()
        try:
            # The client's time limit for the cell begins with this line. Until now, the kernel may have been busy, for
            # example with an import.
            runner.client.sendall(b"ready\n")
            code = read_request(runner.client)
        except (OSError, ValueError):
            continue  # the client disconnected before it sent a request
        status = runner.run(code, main.__dict__)
        with suppress(OSError):  # the client disconnected; the session continues
            runner.client.sendall(f"{status}\n".encode())
            # Wait until the client has read the output of this cell and disconnects. The client sends nothing more, so
            # `recv` returns only then. If the next cell began earlier, this client could read the output of that cell.
            runner.client.recv(1)
        runner.client.close()


def open_output(folder: str) -> int:
    """Create the pipe to which all cells write, and open it. It is never closed."""
    path = os.path.join(folder, "output")
    os.mkfifo(path)
    # The reader is the client. Between two cells there is none, and processes that outlive their cell, such as the
    # workers of a pool, would fail as soon as they print. So the kernel keeps the pipe open for reading, too.
    os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    return os.open(path, os.O_WRONLY)


def read_request(client: socket.socket) -> str:
    """Read the code of a cell: a line with the number of its bytes, and the bytes.

    Raises:
        OSError: The client does not continue.
        ValueError: The client disconnected before the end of the request.
    """
    with client.makefile("rb") as request:
        length = int(request.readline())
        code = request.read(length)
    if len(code) < length:
        raise ValueError("the request is incomplete")
    # Lone surrogates are kept: Python then names them in its error message.
    return code.decode("utf-8", "surrogatepass")


def warm_up(server: socket.socket) -> None:
    """Import the libraries that most cells use, one after the other, until the first client calls.

    There is usually time for them, because a model thinks for seconds about its first step. A client that calls within
    the first pause does not wait for any of these imports: its cell imports only what it uses.
    """
    pause = WARM_UP_SECONDS
    for name in WARM_UP:
        clients, _, _ = select.select([server], [], [], pause)
        if clients:
            return
        pause = 0
        try:
            importlib.import_module(name)
        except Exception:  # noqa: BLE001 - a sandbox may lack the library or have a broken one; a cell then reports it
            return


class TimeLimit(KeyboardInterrupt):
    """Ends a cell that the client interrupts at its time limit. A cell's own KeyboardInterrupt is an ordinary error."""


class CellRunner:
    """Runs the cells of a kernel, one after the other.

    Attributes:
        output: Descriptor of the pipe that cells print to.
        no_output: Descriptor of `/dev/null`, which replaces the pipe between two cells.
        client: Connection to the latest client; None before the first one.
        number: Number of cells that were started.
        running: Whether the code of a cell is running. An interrupt at any other time is ignored.
    """

    def __init__(self, output: int) -> None:
        self.output = output
        # Opened in advance, because a cell may use up all file descriptors.
        self.no_output = os.open(os.devnull, os.O_WRONLY)
        self.client: socket.socket | None = None
        self.number = 0
        self.running = False

    def close_connection(self) -> None:
        """Close the client's connection. A forked child must do this, too, or it would keep the connection open."""
        if self.client is not None:
            self.client.close()

    def on_interrupt(self, number: int, frame: Any) -> None:
        """Interrupt the cell's code, never the kernel's own."""
        if self.running:
            raise TimeLimit

    def run(self, code: str, namespace: dict[str, Any]) -> str:
        """Run one cell with file descriptors 1 and 2 on the pipe; return its status."""
        kernel = os.getpid()
        self.number += 1
        redirect(self.output)
        status = "error"
        try:
            self.running = True
            status = execute(code, namespace, f"<cell {self.number}>")
            # An alarm of the cell would raise its exception between two cells, and end the kernel.
            signal.setitimer(signal.ITIMER_REAL, 0)
            # Not in a `finally`: an interrupt that comes before this line has run must be caught below, or it would end
            # the kernel.
            self.running = False
        except BaseException:  # noqa: BLE001 - for example an interrupt while a traceback is printed
            self.running = False
        ctypes.CDLL(None).fflush(None)  # the buffers of C code; Python's streams are not buffered
        if os.getpid() != kernel:
            os._exit(0)  # a child forked by the cell must not become a second kernel
        # What threads of the cell print between two cells is discarded. The pipe would fill up.
        redirect(self.no_output)
        return status


def redirect(output: int) -> None:
    """Point file descriptors 1 and 2 at `output`, with new streams, as a cell may have closed the old ones."""
    os.set_blocking(output, True)  # a cell, or a program that it ran, may have changed this for all writers of the pipe
    for standard, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(output, standard)
        # Unbuffered, so that nothing printed before a crash is lost.
        raw = open(standard, "wb", buffering=0, closefd=False)  # noqa: SIM115 - stays open
        stream = io.TextIOWrapper(raw, "utf-8", "replace", write_through=True)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def execute(code: str, namespace: dict[str, Any], name: str) -> str:
    """Run `code`, echo its last expression, and print the traceback of any exception. Returns the cell's status."""
    # Tracebacks read the lines of the cell here. An entry has the size, the time of modification, the lines and the
    # file name. Without a time, it is kept although there is no such file.
    # Not `splitlines`, which also ends a line where Python does not, for example at a form feed.
    lines = io.StringIO(code, newline=None).readlines()
    linecache.cache[name] = (len(code), None, lines, name)
    try:
        evaluate(parse(code, name), namespace, name)
    except TimeLimit:
        return "interrupted"
    except SystemExit as request:
        sys.stdout.write(f"SystemExit: {request.code} (ignored; the session continues)\n")
    except BaseException as error:  # noqa: BLE001 - any exception is shown to the agent
        print_traceback(error)
        return "error"
    return "ok"


def parse(code: str, name: str) -> ast.Module:
    """Parse a cell.

    If it is not Python, its notebook commands (`%matplotlib inline`, `!pip install …`) are left out, and the agent is
    told which lines they were on.

    Raises:
        SyntaxError: The cell is not Python, even without its notebook commands.
    """
    try:
        return ast.parse(code, name)
    except SyntaxError:
        code = code.replace("\r\n", "\n")  # the only end of a line that `COMMAND` and `TOKEN` know
        commands = find_commands(code)
        if not commands:
            raise

    numbers = [code.count("\n", 0, command.start()) + 1 for command in commands]
    lines = ", ".join(f"line {number}" for number in numbers)
    sys.stdout.write(f"[Left out: {lines}. Notebook commands, which begin with % or !, are not available.]\n")
    # If possible, the commands are replaced by nothing. A statement in the place of a command could precede an import
    # from `__future__`, which must come first. Or it could follow the last expression, which would then not be echoed.
    with suppress(SyntaxError):
        return ast.parse(replace_commands(code, commands, statement=""), name)
    # A block that consists of commands alone needs a statement.
    return ast.parse(replace_commands(code, commands, statement="pass"), name)


def find_commands(code: str) -> list[re.Match[str]]:
    """The notebook commands: what begins with `%` or `!` where a statement would begin.

    In strings, in brackets and after a backslash, lines of Python may begin with `%`, too. The module `tokenize` is of
    no use, because what follows a `!` may have any quotes and brackets.
    """
    commands = []
    position = 0
    open_brackets = 0
    begins_statement = True
    while position < len(code):
        command = COMMAND.match(code, position) if begins_statement else None
        if command:
            commands.append(command)
            position = command.end()
            continue

        token = TOKEN.match(code, position)
        assert token is not None  # its last alternative is any character
        if token[0] in ("(", "[", "{"):
            open_brackets += 1
        elif token[0] in (")", "]", "}"):
            open_brackets = max(0, open_brackets - 1)
        begins_statement = token[0] == "\n" and not open_brackets
        position = token.end()
    return commands


def replace_commands(code: str, commands: list[re.Match[str]], statement: str) -> str:
    """Put a statement in the place of each notebook command. All other lines keep their numbers."""
    parts = []
    position = 0
    for command in commands:
        continuation_lines = "\n" * command[0].count("\n")
        parts += [code[position : command.start()], command["indentation"], statement, continuation_lines]
        position = command.end()
    return "".join([*parts, code[position:]])


def evaluate(tree: ast.Module, namespace: dict[str, Any], name: str) -> None:
    """Run a program, and print the value of its last statement if that is an expression."""
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    exec(compile(tree, name, "exec", dont_inherit=True), namespace)
    if not isinstance(last, ast.Expr):
        return

    value = eval(compile(ast.Expression(last.value), name, "eval", dont_inherit=True), namespace)
    if value is not None:
        namespace["_"] = value
        sys.stdout.write(f"{value!r}\n")


def print_traceback(error: BaseException) -> None:
    """Print a traceback without the kernel's own frames."""
    trace = error.__traceback__
    # The kernel's frames are the first ones. If the cell is no valid Python, that of `ast.parse` follows them.
    # Frames have the name of the source, `kernel.py`. This module's `__file__` is `kernel.pyc`, so it is not used.
    while trace and trace.tb_frame.f_code.co_filename in (execute.__code__.co_filename, ast.__file__):
        trace = trace.tb_next
    # Not `sys.stderr`, which the cell may have replaced.
    traceback.print_exception(type(error), error, trace, file=sys.__stderr__)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
