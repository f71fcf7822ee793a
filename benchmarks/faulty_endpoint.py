"""An endpoint of the judge and the agent that answers some requests with a fault."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

from endpoint import Answer, Request, completion

from tests.endpoint import Raw, question, tool_call

Role = Literal["judge", "agent"]


def digest(*parts: object) -> bytes:
    """Bytes that depend on all parts."""
    return sha256(json.dumps(parts).encode()).digest()


def healthy(request: Request) -> str | dict[str, Any]:
    """The agent's submission, or one object that answers every question of the judge, without a fault.

    Both are drawn by the first message of the user, which neither faults nor replies change.
    """
    random = digest(next(message["content"] for message in request["messages"] if message["role"] == "user"))
    if not question(request):
        place = random.hex()[:12]
        return tool_call("submit", hypothesis=f"In {place}, the first column raises the second.", workflow="a fit")
    opinion = {
        "hypothesis": [{"text": "t", "context": f"place {random[0]}", "explanation": "said so"}],
        "match": random[0] % 8 > 0,
        "sizeA": 3,
        "sizeB": 3,
        "intersection": random[0] % 3 + 1,
        "answer": "AABBC"[random[0] % 5],
        "explanation": "compared",
    }
    return json.dumps(opinion)


def truncated(request: Request) -> Answer:
    """The first half of the reply."""
    reply = healthy(request)
    if isinstance(reply, str):
        return completion(request, reply[: len(reply) // 2], "length")
    function = reply["tool_calls"][0]["function"]
    function["arguments"] = function["arguments"][: len(function["arguments"]) // 2]
    return completion(request, reply, "length")


def wrong_arguments(_: Request) -> Answer:
    """A call of a tool with arguments that it does not have."""
    return tool_call("submit", answer=42)


FAULTS: dict[str, Raw | Callable[[Request], Answer]] = {
    "500": Raw(500, json.dumps({"error": {"message": "scripted", "code": "server_error"}}).encode()),
    "reset": Raw(None),
    "stall": Raw(delay=600),
    "invalid json": Raw(body=b'{"id": "1", "object": "chat.comp'),
    "empty choices": Raw(
        body=json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": []}).encode()
    ),
    "truncated": truncated,
    "wrong arguments": wrong_arguments,
}
"""One for each way in which the agents, the judge or Inspect treat a fault."""


@dataclass
class Faulty:
    """Answers with a fault where a digest of the request and its count says so: no run differs from another.

    Attributes:
        fault: Name of the fault.
        role: Whose requests fail.
        rate: Share of requests that fail.
        counts: How often each request has arrived.
    """

    fault: str
    role: Role
    rate: float
    counts: Counter[str] = field(default_factory=Counter)

    def __call__(self, request: Request) -> Answer:
        """Answer a request."""
        if self.role != ("judge" if question(request) else "agent"):
            return healthy(request)
        # Without settings, because a repeated request may have others.
        key = digest([str(message.get("content")) for message in request["messages"]]).hex()
        self.counts[key] += 1
        if int.from_bytes(digest(self.fault, key, self.counts[key])[:4]) >= self.rate * 2**32:
            return healthy(request)
        fault = FAULTS[self.fault]
        return fault if isinstance(fault, Raw) else fault(request)
