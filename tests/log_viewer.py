"""Inspect's log viewer."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def wait_for_server(port: int) -> None:
    """Wait up to a minute until a server accepts connections."""
    for _ in range(600):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError("the viewer does not answer")


@contextmanager
def serving(logs: Path) -> Iterator[str]:
    """Inspect's viewer on these logs; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    view = [sys.executable, "-m", "inspect_ai", "view", "start", "--port", str(port), "--log-dir", str(logs)]
    server = subprocess.Popen(view, cwd=logs.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_server(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(10)
