"""The Python session inside the sandbox: a kernel that keeps variables, and the thin client that calls it.

This file is copied into the sandbox and runs there on the standard library alone:

    python kernel.py run FOLDER      reads {"code", "timeout", "max_output"} from stdin, prints one JSON reply
    python kernel.py stop FOLDER     ends the kernel, if there is one
    python kernel.py serve FOLDER    the kernel itself, started by `run` when none answers

The client hands the kernel the write end of a pipe with every cell. So output of C code and of child
processes is caught too, nobody buffers without bound, and what was printed before a crash is kept.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import struct
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` itself would cost every call some milliseconds
    from typing import Any

IDLE_SECONDS = 3600
WATCH_SECONDS = 10
GRACE_SECONDS = 5
START_SECONDS = 60
# The kernel's environment is a list of what it needs, not a copy: in a local sandbox the caller's
# environment holds API keys.
ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "VIRTUAL_ENV", "LD_LIBRARY_PATH")
ENVIRONMENT_PREFIXES = ("PYTHON", "MPL", "OMP_", "OPENBLAS_", "MKL_", "NUMBA_", "PROJ_", "GDAL_")


# --- client -----------------------------------------------------------------------------------------


def run(folder: str, request: dict[str, Any]) -> dict[str, Any]:
    """Run one cell: {"status": "ok" | "error" | "interrupted" | "killed" | "died", "output", "restarted"}."""
    kernel, restarted = connect(folder)
    reader, writer = os.pipe()
    socket.send_fds(kernel, [b"o"], [writer])
    os.close(writer)
    kernel.sendall(json.dumps({"code": request["code"]}).encode() + b"\n")
    output = Capture(request["max_output"])
    status = follow(kernel, reader, output, request["timeout"])
    return {"status": status, "output": output.text(), "restarted": restarted}


def follow(kernel: socket.socket, reader: int, output: Capture, timeout: float) -> str:
    """Collect output until the kernel reports, dies, or has to be killed."""
    deadline, strikes = time.monotonic() + timeout, [signal.SIGKILL, signal.SIGINT]
    os.set_blocking(reader, False)
    open_ends: list[Any] = [kernel, reader]
    while True:
        ready, _, _ = select.select(open_ends, [], [], max(0.0, deadline - time.monotonic()))
        if reader in ready and not output.fill(reader):
            open_ends.remove(reader)
        if kernel in ready:
            status = read_line(kernel)
            output.fill(reader)
            if not status:
                return "died" if strikes else "killed"
            return status if len(strikes) == 2 else "interrupted"
        if time.monotonic() >= deadline and strikes:
            # First as a person would (Ctrl-C reaches child processes too); then without asking.
            os.killpg(peer(kernel), strikes.pop())
            deadline = time.monotonic() + GRACE_SECONDS


class Capture:
    """The first and the last half of `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self.half = limit // 2
        self.head, self.tail, self.total = b"", b"", 0

    def fill(self, reader: int) -> bool:
        """Take what the pipe holds now; False once its last writer has closed it."""
        for _ in range(16):  # a pipe's capacity, and no more: a child process may write for ever
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
        """What was kept, with a notice of what was not."""
        left_out = self.total - len(self.head) - len(self.tail)
        head, tail = (part.decode("utf-8", "replace") for part in (self.head, self.tail))
        return f"{head}\n[... {left_out} bytes of output left out ...]\n{tail}" if left_out else head + tail


def connect(folder: str) -> tuple[socket.socket, bool]:
    """Reach the kernel, starting one if none answers; the second value tells that one was lost."""
    import fcntl

    with open(os.path.join(folder, "lock"), "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        address, started = os.path.join(folder, "socket"), os.path.join(folder, "started")
        kernel = socket.socket(socket.AF_UNIX)
        try:
            kernel.connect(address)
            return kernel, False
        except OSError:
            restarted = os.path.exists(started)
        start(folder, address)
        open(started, "wb").close()
        kernel = socket.socket(socket.AF_UNIX)
        kernel.connect(address)
        return kernel, restarted


def start(folder: str, address: str) -> None:
    """Start a kernel, and wait until it listens."""
    import subprocess

    if os.path.exists(address):
        os.remove(address)
    reader, writer = os.pipe()
    subprocess.Popen(
        [sys.executable, os.path.join(folder, "kernel.py"), "serve", folder, str(writer)],
        env={k: v for k, v in os.environ.items() if k in ENVIRONMENT or k.startswith(ENVIRONMENT_PREFIXES)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[writer],
        start_new_session=True,
    )
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], START_SECONDS)
    if not ready or os.read(reader, 1) != b"1":
        sys.exit("the kernel did not start")
    os.close(reader)


def stop(folder: str) -> None:
    """End the kernel and forget that there was one."""
    kernel = socket.socket(socket.AF_UNIX)
    try:
        kernel.connect(os.path.join(folder, "socket"))
        os.killpg(peer(kernel), signal.SIGKILL)
    except OSError:
        pass  # nothing to end
    for name in ("socket", "started"):
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))


def peer(kernel: socket.socket) -> int:
    """Process id of the kernel, as the operating system knows it: also of one that is busy."""
    if sys.platform == "darwin":
        return int(struct.unpack("i", kernel.getsockopt(0, 2, 4))[0])  # SOL_LOCAL, LOCAL_PEERPID
    return int(struct.unpack("3i", kernel.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0])


def read_line(connection: socket.socket) -> str:
    """One line, or "" when the other side is gone."""
    line = b""
    while not line.endswith(b"\n"):
        try:
            chunk = connection.recv(65536)
        except ConnectionError:
            return ""
        if not chunk:
            return ""
        line += chunk
    return line.decode().strip()


# --- kernel -----------------------------------------------------------------------------------------


def serve(folder: str, ready: int) -> None:
    """Run cells, one client after the other, until nobody has come for long or the folder is gone."""
    import types

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    address = os.path.abspath(os.path.join(folder, "socket"))
    server = socket.socket(socket.AF_UNIX)
    server.bind(os.path.join(folder, "socket"))  # relative: an absolute path may be too long for a socket
    server.listen()
    mine = os.stat(address).st_ino
    os.write(ready, b"1")
    os.close(ready)
    # Cells run in a module of their own that answers to `__main__`, so that pickling what they define works.
    sys.path[0] = ""
    sys.argv = [""]
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    # By the line, so that a crash takes nothing along that a cell had printed.
    sys.stdout, sys.stderr = (
        open(n, "w", 1, "utf-8", "replace", closefd=False)  # noqa: SIM115 - they stay open
        for n in (1, 2)
    )
    server.settimeout(WATCH_SECONDS)
    number, last_used = 0, time.monotonic()
    while True:
        try:
            client, _ = server.accept()
        except TimeoutError:
            # A local sandbox removes its folder and kills nobody.
            if time.monotonic() - last_used > IDLE_SECONDS or not owns(address, mine):
                return
            continue
        number += 1
        try:
            _, descriptors, _, _ = socket.recv_fds(client, 1, 1)
            request = json.loads(read_line(client))
            status = run_cell(request["code"], main.__dict__, number, descriptors[0])
            client.sendall(status.encode() + b"\n")
        except (OSError, ValueError, IndexError):
            pass  # the client went away; the session stays
        finally:
            client.close()
            last_used = time.monotonic()


def owns(address: str, inode: int) -> bool:
    """Whether the socket at this address is still the kernel's own."""
    try:
        return os.stat(address).st_ino == inode
    except OSError:
        return False


def run_cell(code: str, namespace: dict[str, Any], number: int, output: int) -> str:
    """Run one cell with file descriptors 1 and 2 on `output`."""
    import ctypes

    for standard in (1, 2):
        os.dup2(output, standard)
    os.close(output)
    kernel = os.getpid()
    try:
        return execute(code, namespace, f"<cell {number}>")
    except KeyboardInterrupt:
        return "interrupted"
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.stdout.flush()
        ctypes.CDLL(None).fflush(None)
        if os.getpid() != kernel:
            os._exit(0)  # a child that the cell forked must not serve on
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for standard in (1, 2):
            os.dup2(nowhere, standard)
        os.close(nowhere)


def execute(code: str, namespace: dict[str, Any], name: str) -> str:
    """Run `code`, echo its last expression, print the traceback of what it raises."""
    import ast
    import linecache
    import traceback

    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        tree = ast.parse(code, name)
    except (SyntaxError, ValueError) as error:
        traceback.print_exception(type(error), error, None)
        return "error"
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    try:
        exec(compile(tree, name, "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
            if value is not None:
                namespace["_"] = value
                print(repr(value))
    except KeyboardInterrupt:
        raise
    except SystemExit as request:
        print(f"SystemExit: {request.code} (the session goes on)")
    except BaseException as error:  # noqa: BLE001 - whatever agents' code raises is shown to the agent
        trace = error.__traceback__
        while trace and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next  # the kernel's own frames would only distract
        sys.stdout.flush()
        traceback.print_exception(type(error), error, trace)
        return "error"
    return "ok"


def main() -> None:
    """One of the three commands."""
    command, folder = sys.argv[1:3]
    if command == "serve":
        serve(folder, int(sys.argv[3]))
    elif command == "stop":
        stop(folder)
    else:
        print(json.dumps(run(folder, json.load(sys.stdin))))


if __name__ == "__main__":
    main()
