"""An endpoint of the judge and the agent that answers some requests with a fault."""

import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

from endpoint import Answer, Request, completion

from tests.endpoint import Raw, question

Role = Literal["judge", "agent", "both"]
STALL = 600.0
MEGABYTES = 2 * 10**6


def digest(*parts: object) -> bytes:
    """Bytes that depend on all parts."""
    return sha256(json.dumps(parts).encode()).digest()


def task_text(request: Request) -> str:
    """The first message of the user, which neither faults nor replies change."""
    content = next(message["content"] for message in request["messages"] if message["role"] == "user")
    return str(content if isinstance(content, str) else "".join(block["text"] for block in content))


def opinion(request: Request, question: str) -> str:
    """A reply of a judge whose verdicts vary, but are the same for the same question."""
    random = digest(task_text(request))
    match question:
        case "extract":
            context = f"place {random[0]}"
            return json.dumps({"hypothesis": [{"text": "t", "context": context, "explanation": "said so"}]})
        case "match":
            return json.dumps({"match": random[0] % 8 > 0})
        case "variables":
            return json.dumps({"sizeA": 3, "sizeB": 3, "intersection": random[0] % 3 + 1, "explanation": "counted"})
        case _:
            return json.dumps({"answer": "AABBC"[random[0] % 5], "explanation": "compared"})


def calls(*functions: tuple[str, str]) -> dict[str, Any]:
    """An assistant message that calls tools, each given by its name and its arguments as JSON."""
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for number, (name, arguments) in enumerate(functions)
        ],
    }


def submission(request: Request) -> str:
    """The arguments with which the agent submits at its first step."""
    name = digest(task_text(request)).hex()[:12]
    return json.dumps({"hypothesis": f"Where it is {name}, the first column raises the second.", "workflow": "a fit"})


def healthy(request: Request) -> Answer:
    """The judge's or the agent's reply without a fault."""
    name = question(request)
    return opinion(request, name) if name else calls(("submit", submission(request)))


def error(status: int, code: str, *headers: tuple[str, str]) -> Raw:
    """An error of the provider in its own format."""
    return Raw(status, json.dumps({"error": {"message": f"scripted {code}", "code": code}}).encode(), headers=headers)


def reply_with(choices: Any) -> Raw:
    """A reply with other choices than a list of one."""
    return Raw(
        body=json.dumps(
            {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": choices}
        ).encode()
    )


def truncated(request: Request) -> Answer:
    """The first half of the reply."""
    reply = healthy(request)
    if isinstance(reply, str):
        return completion(request, reply[: len(reply) // 2], "length")
    arguments = submission(request)
    return completion(request, calls(("submit", arguments[: len(arguments) // 2])), "length")


def large(request: Request) -> Answer:
    """A reply of 2 MB that is valid otherwise."""
    reply = healthy(request)
    content = json.loads(reply if isinstance(reply, str) else submission(request))
    if "hypothesis" in content and isinstance(reply, str):
        content["hypothesis"][0]["explanation"] = "x" * MEGABYTES
    elif isinstance(reply, str):
        content["explanation"] = "x" * MEGABYTES
    else:
        content["workflow"] = "x" * MEGABYTES
        return calls(("submit", json.dumps(content)))
    return json.dumps(content)


def refusal(request: Request) -> Answer:
    """The model refuses."""
    return {"role": "assistant", "content": None, "refusal": "I can't help with that."}


def parallel(request: Request) -> Answer:
    """Two submissions at once, the second of them another one."""
    return calls(("submit", submission(request)), ("submit", json.dumps({"hypothesis": "Another.", "workflow": ""})))


INFRASTRUCTURE: dict[str, Answer] = {
    "429": error(429, "rate_limit_exceeded"),
    "429 retry-after": error(429, "rate_limit_exceeded", ("retry-after", "1")),
    "500": error(500, "server_error"),
    "502": Raw(502, b"<html><body>Bad gateway</body></html>", "text/html"),
    "reset": Raw(None),
    "stall": Raw(delay=STALL),
    "invalid json": Raw(body=b'{"id": "1", "object": "chat.comp'),
    "html": Raw(body=b"<html><body>Maintenance</body></html>", content_type="text/html"),
    "null choices": reply_with(None),
    "empty choices": reply_with([]),
}
"""Faults of the network and the provider."""

OWN = {
    "truncated": truncated,
    "refusal": refusal,
    "content filter": lambda request: completion(request, "", "content_filter"),
    "wrong arguments": lambda _: calls(("submit", '{"answer": 42}')),
    "unknown tool": lambda _: calls(("search", '{"query": "rain"}')),
    "parallel calls": parallel,
    "2 MB": large,
}
"""Replies that the model itself gives. They may change what the agent submits."""

FAULTS = (*INFRASTRUCTURE, *OWN)


_reference_requests: set[bytes] = set()
"""Questions of the run without faults, in the endpoint's process."""


def identity(request: Request) -> bytes:
    """What identifies a request. Without settings, because a repeated request may have others."""
    return digest([str(message.get("content")) for message in request["messages"]])


def reference(request: Request) -> Answer:
    """Reply without a fault, and remember the request."""
    _reference_requests.add(identity(request))
    return healthy(request)


@dataclass
class Faulty:
    """Answers with a fault where a digest of the request and its count says so: no run differs from another.

    Of the questions of the run without faults, only those whose first request fails reach the endpoint; the other
    replies are in the cache (`warm_cache`).

    Attributes:
        fault: Name of the fault.
        role: Whose requests fail.
        rate: Share of requests that fail.
        counts: How often each request has arrived.
    """

    fault: str
    role: Role
    rate: float
    counts: dict[bytes, int] = field(default_factory=dict)

    def __call__(self, request: Request) -> Answer:
        """Answer a request."""
        if self.role not in ("both", "judge" if question(request) else "agent"):
            return healthy(request)
        key = identity(request)
        self.counts[key] = self.counts.get(key, 0) + 1
        is_chosen = bool(question(request)) and key in _reference_requests and self.counts[key] == 1
        if not is_chosen and not self.fails(key.hex(), self.counts[key]):
            return healthy(request)
        return INFRASTRUCTURE[self.fault] if self.fault in INFRASTRUCTURE else OWN[self.fault](request)

    def fails(self, *parts: object) -> bool:
        """Whether a request fails."""
        return int.from_bytes(digest(self.fault, *parts)[:4]) < self.rate * 2**32
