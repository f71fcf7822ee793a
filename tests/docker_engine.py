"""A Docker engine on loopback that answers the questions of the package, instead of a real one."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

VERSION = {"Version": "26.1.5", "ApiVersion": "1.45", "MinAPIVersion": "1.24"}


@dataclass
class DockerEngine:
    """An engine, and what it was asked.

    Attributes:
        address: As in `DOCKER_HOST`.
        has_images: Whether it has every image that it is asked for, or none.
        questions: Paths of the requests, without the version of the API.
    """

    address: str
    has_images: bool = True
    questions: list[str] = field(default_factory=list)

    def answer(self, path: str) -> tuple[int, Any]:
        """Status and contents of the answer to a request."""
        if path.endswith("/version"):
            return 200, VERSION
        _, _, question = path.removeprefix("/").partition("/")
        self.questions.append(question)
        if question.startswith("images/") and self.has_images:
            return 200, {"Id": "sha256:0"}
        return 404, {"message": f"No such object: {question}"}


@contextmanager
def docker_engine() -> Iterator[DockerEngine]:
    """Run an engine on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, contents = engine.answer(self.path)
            body = json.dumps(contents).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        engine = DockerEngine(f"tcp://127.0.0.1:{server.server_port}")
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield engine
        server.shutdown()
