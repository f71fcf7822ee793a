"""A mirror of the released data: a loopback server with an archive of them."""

import functools
import io
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self

from inspect_discoverybench.dataset.release import COMMIT, checksums

DATA_FILE = "discoverybench/real/test/archaeology/capital.csv"
ANSWER_KEY = "eval/answer_key_real.csv"
TOP = f"discoverybench-{COMMIT}"


class Mirror:
    """A server on loopback that answers every request with `body`, and can be slow or cut the connection."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.requests = 0
        self.drops_connections = False
        self.status = 200
        self.headers: dict[str, str] = {}
        self.request_event = threading.Event()
        self.gate = threading.Event()
        self.gate.set()
        mirror = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                mirror.requests += 1
                mirror.request_event.set()
                mirror.gate.wait(60)
                self.send_response(mirror.status)
                for name, value in mirror.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(mirror.body)))
                self.end_headers()
                self.wfile.write(mirror.body[: len(mirror.body) // 2] if mirror.drops_connections else mirror.body)

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, request: object, client_address: object) -> None:
                # A client may be killed during the download.
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/archive.tar.gz"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.gate.set()
        self._server.shutdown()
        self._server.server_close()


@functools.cache
def pack(upstream: Path, files: tuple[tuple[str, bytes], ...] = (), links: tuple[tuple[str, str], ...] = ()) -> bytes:
    """The archive as the host makes it; `files` replace or join the released ones, `links` come first."""
    buffer = io.BytesIO()
    contents = {path: (upstream / path).read_bytes() for path in checksums()}
    contents |= {"README.md": b"no data file", "eval/eval.py": b"no data file", **dict(files)}
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=0) as archive:
        for path, target in links:
            link = tarfile.TarInfo(f"{TOP}/{path}")
            link.type, link.linkname = tarfile.SYMTYPE, target
            archive.addfile(link)
        for path, content in contents.items():
            member = tarfile.TarInfo(f"{TOP}/{path}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()
