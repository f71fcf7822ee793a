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

sys.path.append(str(Path(__file__).resolve().parents[1]))  # the truthful judge of the tests answers here too


Request = dict[str, Any]
Answer = str | dict[str, Any]
"""A text, or a whole assistant message (tool calls)."""


def judge(request: Request) -> Answer:
    """Answer the judge's questions truthfully."""
    from tests.endpoint import truthful

    return truthful(request)


def serve(parent: Connection, latency: float, answer: Callable[[Request], Answer]) -> None:
    """Speak the OpenAI chat API until the parent is gone; tell it the port, then the number of requests when asked.

    One thread and one write for each reply: neither a lock nor the network's small-packet delay adds to the latency.
    """
    requests = 0

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal requests
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
                body = await reader.readexactly(length)
                arrived = asyncio.get_running_loop().time()
                requests += 1
                request = json.loads(body)
                reply = _completion(request, answer(request))
                await asyncio.sleep(arrived + latency - asyncio.get_running_loop().time())
                writer.write(reply)
        # Cancelled when the server ends; asyncio would print a traceback for each client.
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            writer.close()

    async def run() -> None:
        gone = asyncio.Event()
        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        parent.send(server.sockets[0].getsockname()[1])

        def asked() -> None:
            try:
                parent.recv()
                parent.send(requests)
            except (EOFError, OSError):
                gone.set()

        asyncio.get_running_loop().add_reader(parent.fileno(), asked)
        await gone.wait()

    asyncio.run(run())


def _completion(request: Request, answer: Answer) -> bytes:
    message = {"role": "assistant", "content": answer} if isinstance(answer, str) else answer
    read, written = _tokens({"messages": request["messages"], "tools": request.get("tools", [])}), _tokens(message)
    body = json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": "gpt-4o-2024-08-06",
            "choices": [
                {"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}
            ],
            "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
        }
    ).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


def _tokens(value: object) -> int:
    """Four characters a token, as a rule of thumb for English and code."""
    return len(json.dumps(value, ensure_ascii=False)) // 4


class Endpoint:
    """The parent's end of it."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self.url = f"http://127.0.0.1:{pipe.recv()}/v1"

    @property
    def requests(self) -> int:
        """Requests so far."""
        self._pipe.send(None)
        return int(self._pipe.recv())


@contextmanager
def endpoint(latency: float, answer: Callable[[Request], Answer] = judge) -> Iterator[Endpoint]:
    """An endpoint for the duration of the block; every reply comes `latency` seconds after its request."""
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
