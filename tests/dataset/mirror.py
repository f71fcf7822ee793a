"""A mirror of the released data: a loopback server with an archive of them."""

import functools
import io
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

from inspect_discoverybench.dataset.release import COMMIT, checksums

DATA_FILE = "discoverybench/real/test/archaeology/capital.csv"
ANSWER_KEY = "eval/answer_key_real.csv"
TOP = f"discoverybench-{COMMIT}"

Files = tuple[tuple[str, bytes], ...]
Links = tuple[tuple[str, str], ...]


class QuietServer(ThreadingHTTPServer):
    """A server that does not report that a client was killed during the download."""

    def handle_error(self, *_: object) -> None:
        pass


class Mirror:
    """A server on loopback that answers every request with `body`, and can be slow or cut the connection."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.status = 200
        self.headers: dict[str, str] = {}
        self.drops_connections = False
        self.requests = 0
        self.request_event = threading.Event()
        self.gate = threading.Event()
        self.gate.set()
        mirror = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                mirror.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = QuietServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/archive.tar.gz"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer a request when the gate is open."""
        self.requests += 1
        self.request_event.set()
        self.gate.wait(60)
        handler.send_response(self.status)
        handler.send_header("Content-Length", str(len(self.body)))
        for name, value in self.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        body = self.body
        if self.drops_connections:
            body = body[: len(body) // 2]
        handler.wfile.write(body)

    def __enter__(self) -> Self:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.gate.set()
        self._server.shutdown()
        self._server.server_close()


@functools.cache
def pack(upstream: Path, files: Files = (), links: Links = ()) -> bytes:
    """The archive as the host makes it, without compression, which would take time.

    Args:
        upstream: The released data.
        files: Files that replace released ones, or are added to them.
        links: Paths and targets of symbolic links. They come first, so that files are extracted after them.
    """
    contents = {path: (upstream / path).read_bytes() for path in checksums()}
    contents |= {"README.md": b"no data file", "eval/eval.py": b"no data file", **dict(files)}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=0) as archive:
        for path, target in links:
            link = tarfile.TarInfo(f"{TOP}/{path}")
            link.type = tarfile.SYMTYPE
            link.linkname = target
            archive.addfile(link)
        for path, content in contents.items():
            member = tarfile.TarInfo(f"{TOP}/{path}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()
