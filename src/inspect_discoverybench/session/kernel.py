"""The Python session inside the sandbox: a kernel that keeps variables, and a thin client that calls it.

This file is compiled in the sandbox and uses only the standard library:

    python kernel.pyc start FOLDER OWNER    starts the kernel and prints "ready HOST"
    python kernel.pyc run FOLDER OWNER SECONDS MAX_OUTPUT FIGURES
                                            runs the code on its standard input and prints a JSON reply
    python kernel.pyc stop FOLDER           ends the kernel, if it runs
    python kernel.pyc serve FOLDER READY    the kernel itself, started by `start`, or by `run` if it was lost
    python kernel.pyc guard OWNER KERNEL    ends the kernel when the process OWNER has ended

OWNER is the process id of the evaluation, or 0 if the sandbox does not see it.

The client runs once per call, so what it imports and compiles is most of what a call costs besides the sandbox's own
`exec`. Modules that take milliseconds are imported where they are used, and JSON is written by hand.

With every cell, the client passes the kernel the write end of a pipe. This also captures the output of C code and
child processes, needs no unbounded buffer, and keeps the output printed before a crash.
"""

from __future__ import annotations

import _socket  # the module `socket` takes ten milliseconds more
import os
import select
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing `typing` would cost every call some milliseconds
    from typing import Any

SIGINT, SIGKILL = 2, 9
IDLE_SECONDS = 3600
WATCH_SECONDS = 10
GRACE_SECONDS = 5
START_SECONDS = 15
ANSWER_SECONDS = 30  # a kernel that does not take or continue a message for so long is not ours
NOT_RUN = 3  # exit code of `run` if no kernel could be reached, so that the cell has not run
# A library before those that need it. Together they take more than a second; Matplotlib is rarely the first.
WARM_UP = ("numpy", "pandas", "scipy.stats", "statsmodels.api")
WARM_UP_SECONDS = 0.1  # before each of them
MIN_SHARE = 0.25  # of a core; with less, the machine is busy
MAX_FIGURES = 4
FIGURE_PIXELS = 720  # longest side; keeps four figures of noise below Inspect's 10 MB limit on exec output
# An allow-list of exact names: in a local sandbox, the caller's environment holds API keys.
ENVIRONMENT = (
    *("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "VIRTUAL_ENV", "LD_LIBRARY_PATH"),
    *("PYTHONUNBUFFERED", "PYTHONHASHSEED", "PIP_NO_INDEX", "MPLBACKEND", "MPLCONFIGDIR"),
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "NUMBA_CACHE_DIR"),
    *("PROJ_DATA", "PROJ_LIB", "GDAL_DATA"),
)


# --- client -----------------------------------------------------------------------------------------


def run(folder: str, owner: int, code: bytes, timeout: float, max_output: int, figures: bool) -> str:
    """Run one cell and return its status ("ok", "error", "interrupted", "killed" or "died"), output and figures."""
    try:
        kernel, restarted = connect(folder, owner)
    except OSError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(NOT_RUN)
    reader, writer = os.pipe()
    rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, writer.to_bytes(4, sys.byteorder))  # the descriptor as a C int
    kernel.sendmsg([b"o"], [rights])
    os.close(writer)
    kernel.sendall(b"%d %d\n%b" % (figures, len(code), code))
    output = Capture(max_output)
    status, drawn = follow(kernel, reader, output, timeout)
    lost = "true" if restarted else "false"
    images = ", ".join(map(quote, drawn))
    text = quote(output.text())
    return f'{{"status": {quote(status)}, "output": {text}, "restarted": {lost}, "figures": [{images}]}}'


def quote(text: str) -> str:
    """A text as JSON."""
    escapes = {ord(character): f"\\u{ord(character):04x}" for character in (*map(chr, range(32)), '"', "\\")}
    return f'"{text.translate(escapes)}"'


def follow(kernel: _socket.socket, reader: int, output: Capture, timeout: float) -> tuple[str, list[str]]:
    """Collect output until the kernel reports a status and figures, dies, or has to be killed."""
    deadline = time.monotonic() + timeout
    last_signal = None
    os.set_blocking(reader, False)
    sources: list[Any] = [kernel, reader]
    while True:
        ready, _, _ = select.select(sources, [], [], max(0.0, deadline - time.monotonic()))
        if reader in ready and not output.fill(reader):
            sources.remove(reader)
        if kernel in ready:
            status, *figures = read_line(kernel).split(" ")
            output.fill(reader)
            if not status:
                return "killed" if last_signal == SIGKILL else "died", []
            return "interrupted" if last_signal else status, figures
        if time.monotonic() >= deadline and last_signal != SIGKILL:
            # First like Ctrl-C, which also reaches child processes.
            last_signal = SIGKILL if last_signal else SIGINT
            os.killpg(peer(kernel), last_signal)
            deadline = time.monotonic() + GRACE_SECONDS


class Capture:
    """Captured output: the first and the last `limit / 2` bytes."""

    def __init__(self, limit: int) -> None:
        self.half = limit // 2
        self.head, self.tail, self.total = b"", b"", 0

    def fill(self, reader: int) -> bool:
        """Read what the pipe holds now; return False once its last writer has closed it."""
        for _ in range(16):  # the capacity of a pipe; a child process may write forever
            try:
                chunk = os.read(reader, 65536)
            except BlockingIOError:
                return True
            if not chunk:
                return False
            self.total += len(chunk)
            room = self.half - len(self.head)
            self.head += chunk[:room]
            self.tail = (self.tail + chunk[room:])[-self.half :]
        return True

    def text(self) -> str:
        """The captured text, with a notice in place of omitted bytes."""
        omitted = self.total - len(self.head) - len(self.tail)
        head, tail = (part.decode("utf-8", "replace") for part in (self.head, self.tail))
        return f"{head}\n[... {omitted} bytes of output omitted ...]\n{tail}" if omitted else head + tail


def connect(folder: str, owner: int) -> tuple[_socket.socket, bool]:
    """Connect to the kernel, starting one if necessary; the second value is True if an earlier kernel was lost.

    Raises:
        OSError: The folder cannot be used, or the kernel does not start.
    """
    lock = locked(os.path.join(folder, "lock"))
    try:
        started = os.path.join(folder, "started")
        try:
            return dial(folder), False
        except OSError:
            restarted = os.path.exists(started)
        start(folder, owner)
        open(started, "wb").close()
        return dial(folder), restarted
    finally:
        os.close(lock)


def locked(path: str) -> int:
    """Open and lock a file, which code in the session may have replaced or locked."""
    import fcntl

    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return descriptor
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def dial(folder: str) -> _socket.socket:
    """Connect to the kernel that listens in the folder."""
    kernel = _socket.socket(_socket.AF_UNIX)
    kernel.settimeout(ANSWER_SECONDS)
    kernel.connect(os.path.join(folder, "socket"))
    return kernel


def start(folder: str, owner: int) -> None:
    """Start a kernel and wait until it listens."""
    import subprocess

    address = os.path.join(folder, "socket")
    if os.path.lexists(address):
        os.remove(address)
    reader, writer = os.pipe()
    program = os.path.join(folder, os.path.basename(__file__))
    environment = {"MPLBACKEND": "Agg"} | {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    detached: Any = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "start_new_session": True,
    }
    # Isolated mode: the agent can write to the user's site-packages.
    command = [sys.executable, "-I", program, "serve", folder, str(writer)]
    kernel = subprocess.Popen(command, env=environment, pass_fds=[writer], **detached)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], START_SECONDS)
    if not ready or os.read(reader, 1) != b"1":
        kernel.kill()
        raise OSError("the kernel did not start")
    os.close(reader)
    if owner:
        subprocess.Popen(
            [sys.executable, "-I", "-S", program, "guard", str(owner), str(kernel.pid)], env={}, **detached
        )


def guard(owner: int, kernel: int) -> None:
    """End the kernel when its evaluation has ended in any way, for example killed together with the client."""
    while runs(kernel):
        if not runs(owner):
            os.killpg(kernel, SIGKILL)
        time.sleep(1)


def runs(process: int) -> bool:
    """Whether a process exists."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def stop(folder: str) -> None:
    """End the kernel and remove its traces."""
    try:  # noqa: SIM105 - importing contextlib would slow down every call
        os.killpg(peer(dial(folder)), SIGKILL)
    except OSError:
        pass  # no kernel is running
    for name in ("socket", "started"):
        if os.path.lexists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))


def peer(kernel: _socket.socket) -> int:
    """Process id of the kernel according to the operating system, which also works while the kernel is busy."""
    import struct

    if sys.platform == "darwin":
        return int(struct.unpack("i", kernel.getsockopt(0, 2, 4))[0])  # SOL_LOCAL, LOCAL_PEERPID
    return int(struct.unpack("3i", kernel.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12))[0])


def read_line(connection: _socket.socket) -> str:
    """Read one line; return "" if the connection is closed or does not continue."""
    line = bytearray()
    while not line.endswith(b"\n"):
        try:
            chunk = connection.recv(65536)
        except (ConnectionError, TimeoutError):
            return ""
        if not chunk:
            return ""
        line += chunk
    return line.decode().strip()


# --- kernel -----------------------------------------------------------------------------------------


def serve(folder: str, ready: int) -> None:
    """Run cells for one client at a time, until the kernel is idle for too long or its folder is removed."""
    import signal
    import socket
    import types

    # Before the agent's folder comes first on the module path: it may contain a file called ast.py.
    preload_modules()
    address = os.path.abspath(os.path.join(folder, "socket"))
    server = socket.socket(socket.AF_UNIX)
    server.bind(os.path.join(folder, "socket"))  # relative, because socket paths are limited to about 100 characters
    server.listen()
    inode = os.stat(address).st_ino
    os.write(ready, b"1")
    os.close(ready)
    warm_up(server)
    # Cells run in a separate module called `__main__`, so that the functions they define can be pickled.
    sys.path.insert(0, "")
    sys.argv = [""]
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    cell = Cell()
    # A forked child that outlives the kernel must not keep the socket open, or the kernel's death would go unnoticed.
    os.register_at_fork(after_in_child=server.close)
    os.register_at_fork(after_in_child=cell.leave)
    signal.signal(signal.SIGINT, cell.on_interrupt)
    server.settimeout(WATCH_SECONDS)
    last_used = time.monotonic()
    while True:
        try:
            cell.client, _ = server.accept()
        except TimeoutError:
            # A local sandbox removes its folder but does not kill processes.
            if time.monotonic() - last_used > IDLE_SECONDS or not owns(address, inode):
                return
            continue
        try:
            _, descriptors, _, _ = socket.recv_fds(cell.client, 1, 1)
            code, figures = read_request(cell.client)
        except (OSError, ValueError):
            continue  # the client disconnected before it sent a request
        report = cell.run(code, main.__dict__, descriptors[0], figures)
        try:  # noqa: SIM105 - importing contextlib would slow down every call
            cell.client.sendall(" ".join(report).encode() + b"\n")
        except OSError:
            pass  # the client disconnected; the session continues
        cell.client.close()
        last_used = time.monotonic()


def read_request(client: _socket.socket) -> tuple[str, bool]:
    """Read the code of a cell, and whether to return its figures.

    Raises:
        OSError: The client does not continue.
        ValueError: The client disconnected before the end of the request.
    """
    request = bytearray()
    while b"\n" not in request and (chunk := client.recv(65536)):
        request += chunk
    header, _, code = bytes(request).partition(b"\n")
    figures, length = map(int, header.split(b" "))
    parts = [code]
    missing = length - len(code)
    while missing:
        parts.append(client.recv(min(missing, 65536)))
        missing -= len(parts[-1])
        if not parts[-1]:
            raise ValueError("the request is incomplete")
    # Lone surrogates stay what they are, so that Python names them in its error message.
    return b"".join(parts).decode("utf-8", "surrogatepass"), bool(figures)


def warm_up(server: _socket.socket) -> None:
    """Import the libraries that most cells use, one after the other, until the first client calls.

    A model thinks for seconds about its first step. A client that calls at once waits for nothing: the cell then
    imports only what it uses. On a busy machine the processor is left to others.
    """
    import importlib

    for name in WARM_UP:
        if select.select([server], [], [], WARM_UP_SECONDS)[0]:
            return
        started, used = time.monotonic(), time.process_time()
        try:
            importlib.import_module(name)
        except Exception:  # noqa: BLE001 - a sandbox may lack the library or have a broken one; a cell then reports it
            return
        if time.process_time() - used < MIN_SHARE * (time.monotonic() - started):
            return


def owns(address: str, inode: int) -> bool:
    """Whether the socket at this address still belongs to this kernel."""
    try:
        return os.stat(address).st_ino == inode
    except OSError:
        return False


def preload_modules() -> None:
    """Import the modules that running a cell needs."""
    import ast  # noqa: F401
    import ctypes  # noqa: F401
    import linecache  # noqa: F401
    import traceback  # noqa: F401


class TimeLimit(KeyboardInterrupt):
    """The client's interrupt, as opposed to a KeyboardInterrupt raised by the cell."""


class Cell:
    """The current cell, if any."""

    def __init__(self) -> None:
        self.client: _socket.socket | None = None
        self.number = 0
        self.running = False

    def leave(self) -> None:
        """Close the client's connection in a forked child."""
        if self.client is not None:
            self.client.close()

    def on_interrupt(self, number: int, frame: Any) -> None:
        """Interrupt the cell's code, never the kernel's own."""
        if self.running:
            raise TimeLimit

    def run(self, code: str, namespace: dict[str, Any], output: int, figures: bool) -> list[str]:
        """Run one cell with file descriptors 1 and 2 on `output`; return its status and, if requested, its figures."""
        kernel = os.getpid()
        self.number += 1
        redirect(output)
        status, drawn = "error", []
        try:
            self.running = True
            status = execute(code, namespace, f"<cell {self.number}>")
            if figures and status != "interrupted" and os.getpid() == kernel:
                drawn = open_figures()
            self.running = False
        except BaseException:  # noqa: BLE001 - for example an interrupt while a traceback is printed or figures are drawn
            self.running = False
        flush()
        if os.getpid() != kernel:
            os._exit(0)  # a child forked by the cell must not become a second kernel
        redirect(os.open(os.devnull, os.O_WRONLY))
        return [status, *drawn]


def redirect(output: int) -> None:
    """Point file descriptors 1 and 2 at `output`, with new streams, as a cell may have closed the old ones."""
    import io

    for standard in (1, 2):
        if output != standard:
            os.dup2(output, standard)
    if output > 2:
        os.close(output)
    # Unbuffered, so that nothing printed before a crash is lost.
    for standard, name in ((1, "stdout"), (2, "stderr")):
        raw = open(standard, "wb", buffering=0, closefd=False)  # noqa: SIM115 - stays open
        stream = io.TextIOWrapper(raw, "utf-8", "replace", write_through=True)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def flush() -> None:
    """Flush the buffers of C code; Python's streams are not buffered."""
    import ctypes

    ctypes.CDLL(None).fflush(None)


def execute(code: str, namespace: dict[str, Any], name: str) -> str:
    """Run `code`, echo its last expression, and print the traceback of any exception."""
    import ast
    import errno
    import linecache
    import traceback

    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    try:
        tree = ast.parse(code, name)
        last = tree.body[-1] if tree.body else None
        if isinstance(last, ast.Expr):
            tree.body.pop()
        exec(compile(tree, name, "exec", dont_inherit=True), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval", dont_inherit=True), namespace)
            if value is not None:
                namespace["_"] = value
                sys.stdout.write(f"{value!r}\n")
    except TimeLimit:
        return "interrupted"
    except SystemExit as request:
        sys.stdout.write(f"SystemExit: {request.code} (ignored; the session continues)\n")
    except BaseException as error:  # noqa: BLE001 - any exception is shown to the agent
        trace = error.__traceback__
        while trace and trace.tb_frame.f_code.co_filename in (execute.__code__.co_filename, ast.__file__):
            trace = trace.tb_next  # skip the kernel's own frames
        traceback.print_exception(type(error), error, trace, file=sys.__stderr__)
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            sys.stdout.write(full_folders())
        return "error"
    return "ok"


def full_folders() -> str:
    """Which writable folders are full, and what they hold at most."""
    notes = []
    for folder in (os.getcwd(), "/tmp", "/var/tmp", os.path.expanduser("~"), "/dev/shm"):
        try:
            space = os.statvfs(folder)
        except OSError:
            continue
        if space.f_bavail * space.f_frsize < 65536 or (space.f_files and not space.f_favail):
            size = space.f_blocks * space.f_frsize >> 20
            notes.append(
                f"[{folder} is full. It holds at most {size} MiB in {space.f_files} files. Delete some files.]\n"
            )
    return "".join(notes)


def open_figures() -> list[str]:
    """Return the open matplotlib figures as base64-encoded PNG, and close them."""
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return []
    numbers = pyplot.get_fignums()
    try:
        # A tight bounding box could produce an image of any size.
        with pyplot.rc_context({"savefig.bbox": None}):
            drawn = [image for number in numbers[:MAX_FIGURES] if (image := png(pyplot.figure(number)))]
    finally:
        pyplot.close("all")
    if len(numbers) > MAX_FIGURES:
        sys.stdout.write(f"Only the first {MAX_FIGURES} of {len(numbers)} figures are shown.\n")
    return drawn


def png(figure: Any) -> str:
    """Draw one figure; return "" if it cannot be drawn."""
    import base64
    import io

    image = io.BytesIO()
    try:
        figure.savefig(image, format="png", dpi=min(100, FIGURE_PIXELS / max(figure.get_size_inches())))
    except Exception as error:  # noqa: BLE001 - a figure can contain any code of the agent
        sys.stdout.write(f"Figure {figure.number} could not be drawn: {type(error).__name__}: {error}\n")
        return ""
    return base64.b64encode(image.getvalue()).decode()


def main() -> None:
    """One of the five commands."""
    command, folder, *more = sys.argv[1:]
    number = int(more[0]) if more else 0
    if command == "serve":
        serve(folder, number)
    elif command == "guard":
        guard(int(folder), number)
    elif command == "stop":
        stop(folder)
    elif command == "start":
        connect(folder, number)
        print("ready", os.uname().nodename)
    else:
        seconds, max_output, figures = more[1:]
        reply = run(folder, number, sys.stdin.buffer.read(), float(seconds), int(max_output), figures == "1")
        sys.stdout.buffer.write(reply.encode())


if __name__ == "__main__":
    main()
