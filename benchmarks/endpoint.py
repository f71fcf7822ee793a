"""An OpenAI-compatible endpoint of known latency, in a process of its own."""

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))  # the endpoint of the tests

from tests.endpoint import Raw, reset, truthful

Request = dict[str, Any]
Answer = str | dict[str, Any] | Raw
"""A text, a whole assistant message (tool calls), or a whole response."""

judge = truthful


def serve(parent: Connection, latency: float, answer: Callable[[Request], Answer]) -> None:
    """Serve the OpenAI chat API until the parent process ends.

    Tell it the port, then the number of requests when it sends None. Anything else that it sends replaces `answer`.

    One thread and one write for each reply: neither a lock nor the network's small-packet delay adds to the latency.
    """
    requests = 0

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal requests
        # The client may close the connection, for example at a timeout, while a reply is being prepared.
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
                body = await reader.readexactly(length)
                arrived = asyncio.get_running_loop().time()
                requests += 1
                request = json.loads(body)
                reply = answer(request)
                if not isinstance(reply, Raw):
                    reply = completion(request, reply)
                await asyncio.sleep(arrived + latency + reply.delay - asyncio.get_running_loop().time())
                if reply.status is None:
                    reset(writer.get_extra_info("socket"))
                    writer.transport.abort()
                    return
                writer.write(_response(reply))
        # Cancelled when the server ends; asyncio would print a traceback for each client.
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            writer.close()

    async def run() -> None:
        disconnect = asyncio.Event()
        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        parent.send(server.sockets[0].getsockname()[1])

        def stop() -> None:
            nonlocal answer
            try:
                message = parent.recv()
                answer = answer if message is None else message
                parent.send(requests)
            except (EOFError, OSError):
                disconnect.set()

        asyncio.get_running_loop().add_reader(parent.fileno(), stop)
        await disconnect.wait()

    asyncio.run(run())


def completion(request: Request, answer: str | dict[str, Any], finish_reason: str | None = None) -> Raw:
    """A chat completion of a text or a whole assistant message."""
    message = {"role": "assistant", "content": answer} if isinstance(answer, str) else answer
    read, written = _tokens([request["messages"], request.get("tools", [])]), _tokens(message)
    finish_reason = finish_reason or ("tool_calls" if "tool_calls" in message else "stop")
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "gpt-4o-2024-08-06",
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
    }
    return Raw(body=json.dumps(body).encode())


def _response(raw: Raw) -> bytes:
    # OpenAI's client understands any reason phrase.
    head = f"Content-Type: {raw.content_type}\r\nContent-Length: {len(raw.body)}\r\n"
    return f"HTTP/1.1 {raw.status} Reply\r\n{head}\r\n".encode() + raw.body


def _tokens(value: object) -> int:
    """Four characters a token, as a rule of thumb for English and code."""
    return len(json.dumps(value, ensure_ascii=False)) // 4


class Endpoint:
    """The parent's side of the connection."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self.url = f"http://127.0.0.1:{pipe.recv()}/v1"

    @property
    def requests(self) -> int:
        """Requests so far."""
        self._pipe.send(None)
        return int(self._pipe.recv())

    def answer_with(self, answer: Callable[[Request], Answer]) -> None:
        """Replace what answers the requests."""
        self._pipe.send(answer)
        self._pipe.recv()


@contextmanager
def endpoint(latency: float, answer: Callable[[Request], Answer] = judge) -> Iterator[Endpoint]:
    """An endpoint whose every reply comes `latency` seconds after its request."""
    ours, theirs = get_context("spawn").Pipe()
    process = get_context("spawn").Process(target=serve, args=(theirs, latency, answer), daemon=True)
    process.start()
    theirs.close()
    try:
        yield Endpoint(ours)
    finally:
        ours.close()
        process.join(5)
        process.kill()
