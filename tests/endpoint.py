"""A loopback server that speaks the chat APIs of OpenAI and Anthropic, so that tests drive the real providers."""

import json
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Request = dict[str, Any]


@dataclass(frozen=True)
class Cut:
    """A text that the token limit cuts off, and the reported number of output tokens."""

    text: str
    tokens: int = 5


@dataclass(frozen=True)
class Refused:
    """A request that the provider refuses with a message, which may name a parameter as OpenAI does."""

    message: str
    param: str | None = None
    status: int = 400


class NoChoices:
    """A reply that has no choices."""


@dataclass(frozen=True)
class Raw:
    """A response that is sent as it is, after a delay in seconds; without a status, the connection is reset."""

    status: int | None = 200
    body: bytes = b""
    content_type: str = "application/json"
    delay: float = 0.0


CONNECTION_RESET = Raw(status=None)

Answer = str | dict[str, Any] | int | Cut | Refused | NoChoices | Raw
"""A text; or a whole assistant message (tool calls); or an HTTP status to fail with; or one of the above."""

QUESTIONS = {
    "answer": "Find the hypothesis that the author of the text finally asserts",
    "extract": "extract the context present in the hypothesis",
    "extract_released": "State three dimensions that define the hypothesis",
    "match_released": "Decide whether the predicted context has the same meaning",
    "match": "determine if the predicted context semantically matches",
    "variables": "what are the different variables found in the hypotheses?",
    "claim": "Decide whether its author claims that the data show a relationship",
    "relationship": "Does HypoB exhibit the same relation as HypoA?",
}
"""The judge's questions, and a sentence that only the prompt of each has."""

AGREEMENT = {
    "extract": '{"hypothesis": [{"text": "t", "context": "towns", "explanation": "said so"}]}',
    "match": '{"match": true}',
    "variables": '{"sizeA": 2, "sizeB": 2, "intersection": 2, "explanation": "rain, yield"}',
    "relationship": '{"answer": "A", "explanation": "same"}',
}
"""Replies of a judge that finds two hypotheses equal."""


class Endpoint:
    """The requests that the server received, and how it answers."""

    def __init__(self, url: str, answer: Callable[[Request], Answer]) -> None:
        self.url = url
        self.answer = answer
        self.requests: list[Request] = []
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()

    def judge_requests(self) -> list[str]:
        """Which of the judge's questions were asked, in order."""
        return [name for request in self.requests if (name := question(request))]

    def agent_requests(self) -> list[Request]:
        return [request for request in self.requests if not question(request)]


def question(request: Request) -> str | None:
    """Which of the judge's questions a request asks, if any."""
    texts = [str(message.get("content")) for message in request["messages"]]
    for name, sentence in QUESTIONS.items():
        if any(sentence in text for text in texts):
            return name
    return None


def slots(request: Request) -> dict[str, Any]:
    """The JSON object that the judge's prompt carries."""
    content = next(message["content"] for message in request["messages"] if message["role"] == "user")
    if isinstance(content, list):
        content = content[0]["text"]
    _, _, block = content.partition("```json")
    values: dict[str, Any]
    values, _ = json.JSONDecoder().raw_decode(block.lstrip())
    return values


def truthful(request: Request) -> str:
    """A judge that compares texts: equal texts match, others do not."""
    values = slots(request)
    name = question(request)
    reply: dict[str, Any]
    if name == "answer":
        reply = {"asserted": True, "hypothesis": [values["text"]], "workflow": []}
    elif name == "extract":
        reply = {"hypothesis": [{"text": values["hypothesis"], "context": values["hypothesis"]}]}
    elif name == "claim":
        reply = {"claim": True}
    elif name == "match":
        reply = {"match": values["gold_context"] == values["predicted_context"]}
    else:
        is_equal = values["HypoA"] == values["HypoB"]
        reply = {
            "sizeA": 2,
            "sizeB": 2,
            "intersection": 2 if is_equal else 0,
            "answer": "A" if is_equal else "C",
        }
    return json.dumps(reply)


def tool_call(name: str, content: str = "", **arguments: Any) -> dict[str, Any]:
    """An assistant message with one tool call."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": content,
        "tool_calls": [{"id": f"call_{time.monotonic_ns()}", "type": "function", "function": function}],
    }


def _openai(request: Request, answer: str | dict[str, Any] | Cut | NoChoices) -> dict[str, Any]:
    tokens = 5
    reason = "stop"
    message: dict[str, Any]
    match answer:
        case str():
            message = {"role": "assistant", "content": answer}
        case Cut():
            tokens = answer.tokens
            reason = "length"
            message = {"role": "assistant", "content": answer.text}
        case NoChoices():
            message = {}
        case dict():
            message = answer
            if "tool_calls" in message:
                reason = "tool_calls"
    choices = [{"index": 0, "message": message, "finish_reason": reason}]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": request["model"],
        "choices": choices if message else [],
        "usage": {"prompt_tokens": 10, "completion_tokens": tokens, "total_tokens": 10 + tokens},
    }


def _anthropic(request: Request, answer: Any) -> dict[str, Any]:
    tokens = 5
    reason = "end_turn"
    if isinstance(answer, Cut):
        tokens = answer.tokens
        reason = "max_tokens"
        answer = answer.text
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": [{"type": "text", "text": answer}],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": tokens},
    }


def reset(connection: socket.socket) -> None:
    """Let the connection end with a reset instead of an orderly end, once it is closed."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _response(answer: Answer, request: Request, *, anthropic: bool) -> Raw:
    """The response of a provider with this answer."""
    status = 200
    body: dict[str, Any]
    match answer:
        case Raw():
            return answer
        case int():
            status = answer
            body = {"error": {"message": f"scripted failure {answer}", "code": str(answer)}}
        case Refused():
            status = answer.status
            error: dict[str, str | None] = {"message": answer.message, "type": "invalid_request_error"}
            if not anthropic:
                error |= {"param": answer.param, "code": "unsupported_value"}
            body = {"type": "error", "error": error}
        case _ if anthropic:
            body = _anthropic(request, answer)
        case _:
            body = _openai(request, answer)
    return Raw(status, json.dumps(body).encode())


@contextmanager
def serve(answer: Callable[[Request], Answer]) -> Iterator[Endpoint]:
    """Serve on a free loopback port until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body are sent separately. Otherwise, the body would wait 0.04 s until the client confirms the head.
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with endpoint.lock:
                endpoint.requests.append(request)
                endpoint.headers.append({name.lower(): value for name, value in self.headers.items()})
            reply = _response(endpoint.answer(request), request, anthropic=self.path.endswith("/messages"))
            stopped.wait(reply.delay)
            if reply.status is None:
                reset(self.connection)
                os.close(self.connection.detach())
                return
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.content_type)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *_: Any) -> None:
            """Keep the test output readable."""

    class Server(ThreadingHTTPServer):
        def process_request(self, request: Any, client_address: Any) -> None:
            connections.append(request)
            super().process_request(request, client_address)

        def handle_error(self, *_: Any) -> None:
            """A client that is cancelled closes its connection."""

    connections: list[socket.socket] = []
    stopped = threading.Event()
    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint = Endpoint(f"http://127.0.0.1:{server.server_port}/v1", answer)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield endpoint
    finally:
        stopped.set()
        server.shutdown()
        server.server_close()
        # Clients keep connections open, and each one keeps a thread of the server alive.
        for connection in connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
