"""An OpenAI-compatible endpoint of known latency, in a process of its own. By default, it is the judge of the tests."""

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))  # the judge of the tests

from tests.endpoint import truthful

Request = dict[str, Any]

Message = dict[str, Any]
"""A message of the assistant in OpenAI's format."""

Answer = Callable[[Request], str | Message]
"""A text or a whole message for a request."""


def serve(parent: Connection, latency: float, answer: Answer) -> None:
    """Serve the OpenAI chat API until the parent process ends.

    Send it the port, then the number of requests whenever it asks.

    One thread and one write for each reply: neither a lock nor the network's small-packet delay adds to the latency.
    """
    requests = 0

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal requests
        clock = asyncio.get_running_loop().time
        try:
            while True:
                body = await _read_body(reader)
                due = clock() + latency
                requests += 1
                response = _response(body, answer)
                await asyncio.sleep(due - clock())
                writer.write(response)
        # The client may close the connection while a reply is being prepared, and the end of the server cancels this;
        # asyncio would print a traceback for each client.
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        parent.send(server.sockets[0].getsockname()[1])
        disconnect = asyncio.Event()

        def report() -> None:
            try:
                parent.recv()
                parent.send(requests)
            except (EOFError, OSError):
                disconnect.set()

        asyncio.get_running_loop().add_reader(parent.fileno(), report)
        await disconnect.wait()

    asyncio.run(run())


async def _read_body(reader: asyncio.StreamReader) -> bytes:
    """The body of the next request."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    _, _, after = head.partition(b"content-length:")
    length, _, _ = after.partition(b"\r\n")
    return await reader.readexactly(int(length))


def _response(request_body: bytes, answer: Answer) -> bytes:
    """The chat completion with the answer. Four characters count as a token."""
    request = json.loads(request_body)
    reply = answer(request)
    message = {"role": "assistant", "content": reply} if isinstance(reply, str) else reply
    read = len(json.dumps([request["messages"], request.get("tools", [])], ensure_ascii=False)) // 4
    written = len(json.dumps(message, ensure_ascii=False)) // 4
    completion = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "gpt-4o-2024-08-06",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
    }
    body = json.dumps(completion).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


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


@contextmanager
def endpoint(latency: float, answer: Answer = truthful) -> Iterator[Endpoint]:
    """An endpoint whose every reply comes `latency` seconds after its request."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, latency, answer), daemon=True)
    process.start()
    theirs.close()
    try:
        yield Endpoint(ours)
    finally:
        ours.close()
        process.join(5)
        process.kill()
