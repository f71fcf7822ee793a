"""Inspect's log viewer."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def answering(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


@contextmanager
def serving(logs: Path) -> Iterator[str]:
    """Inspect's viewer on these logs; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    view = [sys.executable, "-m", "inspect_ai", "view", "start", "--port", str(port), "--log-dir", str(logs)]
    server = subprocess.Popen(view, cwd=logs.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not answering(port):
            assert server.poll() is None, "the viewer ended"
            assert time.monotonic() < deadline, "the viewer does not answer"
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(10)
