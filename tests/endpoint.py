"""A loopback server that speaks the OpenAI chat API, so that tests drive the real provider."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Request = dict[str, Any]
Answer = str | dict[str, Any] | int
"""A text; or a whole assistant message (tool calls); or an HTTP status to fail with."""

QUESTIONS = {
    "extract": "extract the context present in the hypothesis",
    "match": "determine if the predicted context semantically matches",
    "variables": "what are the different variables found in the hypotheses?",
    "relationship": "Does HypoB exhibit the same relation as HypoA?",
}


class Endpoint:
    """What the server was asked, and how it answers."""

    def __init__(self, url: str, answer: Callable[[Request], Answer], latency: float) -> None:
        self.url = url
        self.answer = answer
        self.latency = latency
        self.requests: list[Request] = []
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
    text = next(m["content"] for m in request["messages"] if m["role"] == "user")
    start = text.index("{", text.index("```json"))
    found: dict[str, Any] = json.JSONDecoder().raw_decode(text[start:])[0]
    return found


def truthful(request: Request) -> str:
    """A judge that answers truthfully wherever equality of texts decides."""
    given = slots(request)
    match question(request):
        case "extract":
            return json.dumps(
                {"hypothesis": [{"text": given["hypothesis"], "context": given["hypothesis"], "explanation": "all"}]}
            )
        case "match":
            return json.dumps({"match": given["gold_context"] == given["predicted_context"]})
        case "variables":
            same = given["HypoA"] == given["HypoB"]
            return json.dumps({"sizeA": 2, "sizeB": 2, "intersection": 2 if same else 0, "explanation": "counted"})
        case _:
            same = given["HypoA"] == given["HypoB"]
            return json.dumps({"answer": "A" if same else "C", "explanation": "compared"})


def tool_call(name: str, content: str = "", **arguments: Any) -> dict[str, Any]:
    """An assistant message with one tool call."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": content,
        "tool_calls": [{"id": f"call_{time.monotonic_ns()}", "type": "function", "function": function}],
    }


@contextmanager
def serve(answer: Callable[[Request], Answer], latency: float = 0.0) -> Iterator[Endpoint]:
    """Serve on a free loopback port until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with endpoint.lock:
                endpoint.requests.append(request)
            time.sleep(endpoint.latency)
            reply = endpoint.answer(request)
            if isinstance(reply, int):
                self._send(reply, {"error": {"message": f"scripted failure {reply}", "code": str(reply)}})
                return
            message = {"role": "assistant", "content": reply} if isinstance(reply, str) else reply
            self._send(
                200,
                {
                    "id": "chatcmpl-1",
                    "object": "chat.completion",
                    "created": 0,
                    "model": request["model"],
                    "choices": [
                        {
                            "index": 0,
                            "message": message,
                            "finish_reason": "tool_calls" if "tool_calls" in message else "stop",
                        }
                    ],
                    "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
                },
            )

        def _send(self, status: int, body: dict[str, Any]) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Keep the test output readable."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint = Endpoint(f"http://127.0.0.1:{server.server_port}/v1", answer, latency)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
