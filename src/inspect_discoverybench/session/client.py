"""The client of a Python session, run in the sandbox once per call.

This file and `kernel.py` are compiled in the sandbox and use only the standard library:

    python client.pyc start FOLDER OWNER    starts the kernel and prints "ready HOST FOLDER"
    python client.pyc run FOLDER OWNER SECONDS MAX_OUTPUT
                                            runs the code on its standard input and prints a JSON reply;
                                            starts a new kernel if that of `start` was lost
    python client.pyc stop FOLDER           ends the kernel, if it runs
    python client.pyc guard FOLDER OWNER KERNEL
                                            ends the kernel and removes FOLDER when the process OWNER has ended, or
                                            when one of the two folders has been removed

FOLDER holds the session's files. The current folder is the working folder of the cells. OWNER is the process id of the
evaluation, or 0 if the sandbox does not see it. With 0, there is no guard.

What this file imports and compiles is most of what a call costs besides the sandbox's own `exec`. Modules that take
milliseconds are imported where they are used, and JSON is written by hand.

All cells of a kernel print to one named pipe in FOLDER, which the client reads. This also captures the output of C code
and child processes, needs no unbounded buffer, and keeps the output printed before a crash.
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

START_SECONDS = 15
"""A kernel that takes longer to start has failed. On an idle machine it takes 0.1 s."""

GRACE_SECONDS = 5
"""Time between the interrupt of a cell and the end of its kernel."""

ANSWER_SECONDS = 30
"""Time limit for the kernel to take or continue a message. Our kernel does so at once; what takes longer is another
program that listens in its place."""

PIPE_READS = 16
"""Number of reads of 64 KiB that empty a full pipe. `fill` stops after as many, because a child process may write
forever."""

NOT_RUN = 3
"""Exit code of `run` if no kernel could be reached, so that the cell has not run."""

# An allow-list of exact names: in a local sandbox, the caller's environment holds API keys.
ENVIRONMENT = [
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "TZ",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
    "PYTHONUNBUFFERED",
    "PYTHONHASHSEED",
    "PIP_NO_INDEX",
    "MPLBACKEND",
    "MPLCONFIGDIR",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NUMBA_CACHE_DIR",
    "PROJ_DATA",
    "PROJ_LIB",
    "GDAL_DATA",
]


def run(folder: str, owner: int, code: bytes, seconds: float, max_output: int) -> str:
    """Run one cell.

    Returns:
        A JSON object with the cell's `status` ("ok", "error", "interrupted", "killed" or "died"), its `output`, and
        whether another kernel was `restarted` for it.
    """
    try:
        kernel, restarted = connect(folder, owner)
        reader = os.open(os.path.join(folder, "output"), os.O_RDONLY | os.O_NONBLOCK)
        wait_until_ready(kernel, reader, discarded=Capture(max_output))
    except OSError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(NOT_RUN)

    kernel.sendall(b"%d\n%b" % (len(code), code))

    output = Capture(max_output)
    status = follow(kernel, reader, output, seconds)
    was_restarted = "true" if restarted else "false"
    return f'{{"status": {json_string(status)}, "output": {json_string(output.text())}, "restarted": {was_restarted}}}'


def json_string(text: str) -> str:
    """A text as a JSON string."""
    special = [*range(32), ord('"'), ord("\\")]
    escapes = {number: f"\\u{number:04x}" for number in special}
    escaped = text.translate(escapes)
    return f'"{escaped}"'


def follow(kernel: _socket.socket, reader: int, output: Capture, seconds: float) -> str:
    """Capture the cell's output until the kernel reports a status or dies. Returns the cell's status.

    At its time limit, the cell is interrupted, as by Ctrl-C. If it goes on for `GRACE_SECONDS`, the kernel is killed.
    """
    deadline = time.monotonic() + seconds
    last_signal: int | None = None
    sources: list[Any] = [kernel, reader]
    while True:
        remaining = max(0.0, deadline - time.monotonic())
        ready, _, _ = select.select(sources, [], [], remaining)
        if reader in ready:
            is_open = output.fill(reader)
            if not is_open:
                sources.remove(reader)  # a closed pipe is always ready, so `select` would no longer wait

        if kernel in ready:
            status = read_line(kernel)
            output.fill(reader)  # what was printed last may still be in the pipe
            if not status:
                return "killed" if last_signal == SIGKILL else "died"
            return "interrupted" if last_signal else status

        if time.monotonic() >= deadline and last_signal != SIGKILL:
            last_signal = SIGKILL if last_signal else SIGINT
            os.killpg(process_of(kernel), last_signal)  # child processes of the cell get the signal, too
            deadline = time.monotonic() + GRACE_SECONDS


class Capture:
    """Captured output: the first and the last `limit / 2` bytes."""

    def __init__(self, limit: int) -> None:
        self.half = limit // 2
        self.head = b""
        self.tail = b""
        self.total = 0

    def fill(self, reader: int) -> bool:
        """Read what the pipe holds now. Returns whether it is still open: False once its last writer has closed it."""
        for _ in range(PIPE_READS):
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
        if not omitted:
            # As a whole: a character may begin in one part and end in the other.
            return (self.head + self.tail).decode("utf-8", "replace")
        head = self.head.decode("utf-8", "replace")
        tail = self.tail.decode("utf-8", "replace")
        return f"{head}\n[... {omitted} bytes of output omitted ...]\n{tail}"


def connect(folder: str, owner: int) -> tuple[_socket.socket, bool]:
    """Connect to the kernel. If it was lost, another one is started.

    Returns:
        The connection, and whether another kernel was started.

    Raises:
        OSError: The folder cannot be used, or the kernel does not start.
    """
    try:
        return dial(folder), False
    except OSError:
        start(folder, owner)
        return dial(folder), True


def wait_until_ready(kernel: _socket.socket, reader: int, discarded: Capture) -> None:
    """Wait until the kernel takes the connection, and discard what is printed until then.

    The kernel may still be busy, for example with an import. This wait does not count towards the time limit of the
    cell, which starts in `follow`.

    Raises:
        OSError: The kernel is lost, or busy for too long.
    """
    deadline = time.monotonic() + START_SECONDS
    sources: list[Any] = [kernel, reader]
    ready: list[Any] = []
    while kernel not in ready and time.monotonic() < deadline:
        remaining = max(0.0, deadline - time.monotonic())
        ready, _, _ = select.select(sources, [], [], remaining)
        # The output is of processes of earlier cells, or of a cell whose client was killed. Such a cell would wait
        # forever when the pipe is full.
        discarded.fill(reader)

    if kernel not in ready or read_line(kernel) != "ready":
        raise OSError("the kernel does not take the connection")


def dial(folder: str) -> _socket.socket:
    """Connect to the kernel that listens in the folder."""
    kernel = _socket.socket(_socket.AF_UNIX)
    kernel.settimeout(ANSWER_SECONDS)
    kernel.connect(os.path.join(folder, "socket"))
    return kernel


def start(folder: str, owner: int) -> None:
    """Start a kernel and wait until it listens.

    Raises:
        OSError: The folder cannot be used, or the kernel does not start.
    """
    import subprocess

    for name in ("socket", "output"):
        path = os.path.join(folder, name)
        if os.path.lexists(path):
            os.remove(path)

    reader, writer = os.pipe()
    # `kernel.pyc` if this file is compiled as well, otherwise `kernel.py`
    program = os.path.join(folder, "kernel" + os.path.splitext(__file__)[1])
    environment = {"MPLBACKEND": "Agg"}
    for name in ENVIRONMENT:
        if name in os.environ:
            environment[name] = os.environ[name]
    detached: Any = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "start_new_session": True,
    }
    # In isolated mode (`-I`), Python does not import from the user's site-packages, to which the agent can write.
    command = [sys.executable, "-I", program, folder, str(writer)]
    kernel = subprocess.Popen(command, env=environment, pass_fds=[writer], **detached)
    os.close(writer)

    ready, _, _ = select.select([reader], [], [], START_SECONDS)
    if not ready or os.read(reader, 1) != b"1":
        kernel.kill()
        raise OSError("the kernel did not start")
    os.close(reader)

    if owner:
        command = [sys.executable, "-I", "-S", __file__, "guard", folder, str(owner), str(kernel.pid)]
        subprocess.Popen(command, env={}, **detached)


def guard(folder: str, owner: int, kernel: int) -> None:
    """End the kernel when its evaluation has ended, even if the evaluation was killed and could not end the kernel.

    The kernel is also ended when one of its folders is gone, because Inspect removes the working folder of a local
    sandbox when the sample ends.
    """
    import shutil  # only this command needs it, and importing it takes milliseconds

    working_folder = os.getcwd()
    while process_exists(kernel):
        has_folders = os.path.isdir(folder) and os.path.isdir(working_folder)
        if not process_exists(owner) or not has_folders:
            os.killpg(kernel, SIGKILL)
            shutil.rmtree(folder, ignore_errors=True)
        time.sleep(1)


def process_exists(process: int) -> bool:
    """Whether this process of the same user still exists."""
    try:
        os.kill(process, 0)
    except OSError:  # there is none, or another user's process has the id now
        return False
    return True


def stop(folder: str) -> None:
    """End the kernel."""
    try:  # noqa: SIM105 - importing contextlib would slow down every call
        os.killpg(process_of(dial(folder)), SIGKILL)
    except OSError:
        pass  # no kernel is running


def process_of(kernel: _socket.socket) -> int:
    """Process id of the kernel. The operating system is asked and not the kernel, which may be busy."""
    import struct

    if sys.platform == "darwin":
        peer = kernel.getsockopt(0, 2, 4)  # SOL_LOCAL, LOCAL_PEERPID, the size of the result
        (process,) = struct.unpack("i", peer)
    else:
        peer = kernel.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
        process, _user, _group = struct.unpack("3i", peer)
    return int(process)


def read_line(connection: _socket.socket) -> str:
    """Read one line, without its end. Returns "" if the connection is closed or does not continue."""
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


def main() -> None:
    """Run one of the four commands."""
    command, folder, *arguments = sys.argv[1:]
    if command == "stop":
        stop(folder)
        return

    owner = int(arguments[0])
    if command == "guard":
        guard(folder, owner, kernel=int(arguments[1]))
    elif command == "start":
        # The kernel imports libraries in advance until the first connection, so this command makes none.
        start(folder, owner)
        print("ready", os.uname().nodename, folder)
    else:
        seconds, max_output = arguments[1:]
        code = sys.stdin.buffer.read()
        reply = run(folder, owner, code, float(seconds), int(max_output))
        # In UTF-8. The text stream may have another encoding.
        sys.stdout.buffer.write(reply.encode())


if __name__ == "__main__":
    main()
