"""The calls of an agent: every tool call that ran code or read a file, whatever the tool is called."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.event import Event, ModelEvent, SandboxEvent, SpanBeginEvent, ToolEvent
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ContentImage, ContentText
from inspect_ai.tool import ToolCall
from inspect_scout import Transcript

from inspect_discoverybench.scorer.judge import ROLE as JUDGE_ROLE

CODE_ARGUMENTS = ("code", "cmd", "command", "commands", "script", "program", "source")
"""Names of the arguments in which tools take code: Inspect's and those of the agents that it supports."""

FILE_ARGUMENTS = ("path", "file_path", "filename", "file", "pattern")
"""Names of the arguments in which tools take a file to read."""

_SUBMITTED = ("hypothesis", "answer")
_STATUS = re.compile(r'\{"status": "(\w+)"')
# For calls whose outcome the sandbox does not report, such as those of an agent that runs inside the sandbox.
_FAILURE = re.compile(
    r"Traceback \(most recent call last\)|^\[(?:Interrupted|Killed) after the time limit"
    r"|^\[The session (?:died|gave no)"
    r'|^\s*File "[^"]*", line \d+\n(?:.*\n){1,3}\w*Error:|^(?:bash|sh|/bin/sh): .*(?:not found|No such file)',
    re.MULTILINE,
)


@dataclass(frozen=True)
class Call:
    """A tool call and its result.

    Attributes:
        function: Name of the tool.
        code: The code that it ran; None if it read a file.
        output: Text of the result.
        failed: Whether the code ended with an error, a time limit or the loss of its session.
        images: Number of images in the result.
        event: Id of its event; None for calls that are only in the conversation.
    """

    function: str
    code: str | None
    output: str
    failed: bool
    images: int = 0
    event: str | None = None


def read_calls(transcript: Transcript) -> list[Call]:
    """The calls of a transcript in order: those with an event, then those that are only in the conversation."""
    calls: dict[str, Call] = {}
    for event, status in _tool_events(transcript.events):
        failed = True if event.error is not None else status
        if call := _call(event.function, event.arguments, event.result, failed, event.uuid):
            calls[event.id] = call
    made: dict[str, ToolCall] = {}
    seen = {event.id for event in transcript.events if isinstance(event, ToolEvent)}
    for message in _conversation(transcript):
        if isinstance(message, ChatMessageAssistant):
            made.update({call.id: call for call in message.tool_calls or []})
        elif isinstance(message, ChatMessageTool) and message.tool_call_id in made and message.tool_call_id not in seen:
            seen.add(message.tool_call_id)
            tool_call = made[message.tool_call_id]
            failed = True if message.error is not None else None
            if call := _call(tool_call.function, tool_call.arguments, message.content, failed, None):
                calls[tool_call.id] = call
    return list(calls.values())


def _tool_events(events: Sequence[Event]) -> Iterator[tuple[ToolEvent, bool | None]]:
    """Tool events, and whether the code of each failed according to the sandbox; None if it does not report this."""
    in_span: dict[str | None, list[SandboxEvent]] = {}
    for event in events:
        if isinstance(event, SandboxEvent) and event.action == "exec":
            in_span.setdefault(event.span_id, []).append(event)
    for before, event in zip([None, *events], events, strict=False):
        if isinstance(event, ToolEvent):
            own_span = before.id if isinstance(before, SpanBeginEvent) and before.type == "tool" else event.span_id
            commands = in_span.get(own_span, []) if own_span != event.span_id else []
            yield event, _failed(commands[-1]) if commands else None


def _failed(command: SandboxEvent) -> bool | None:
    """Whether the last command of a call failed. Our own session reports a status, any other command an exit code."""
    status = _STATUS.match(command.output or "")
    if status is not None:
        return status[1] != "ok"
    return None if command.result in (None, 0) else True


def _call(
    function: str, arguments: Mapping[str, Any], result: object, failed: bool | None, event: str | None
) -> Call | None:
    """The call; None unless it ran code or read a file."""
    if any(name in arguments for name in _SUBMITTED):
        return None
    code = next((_text(arguments[name]) for name in CODE_ARGUMENTS if arguments.get(name)), None)
    if code is None and not any(arguments.get(name) for name in FILE_ARGUMENTS):
        return None
    parts = result if isinstance(result, list) else [result]
    output = "\n".join(part.text if isinstance(part, ContentText) else str(part) for part in _texts(parts))
    images = sum(isinstance(part, ContentImage) for part in parts)
    return Call(
        function, code, output, _FAILURE.search(output) is not None if failed is None else failed, images, event
    )


def _text(argument: object) -> str:
    if isinstance(argument, list):
        return " ".join(map(str, argument))
    return argument if isinstance(argument, str) else json.dumps(argument, default=str)


def _texts(parts: Iterable[object]) -> Iterator[object]:
    return (part for part in parts if isinstance(part, ContentText | str | int | float))


def _conversation(transcript: Transcript) -> Iterator[ChatMessage]:
    """The messages of the transcript, and those that are only in a model call because they were removed later."""
    yield from transcript.messages
    seen = {message.id for message in transcript.messages if message.id}
    for event in transcript.events:
        if isinstance(event, ModelEvent) and event.role != JUDGE_ROLE:
            for message in [*event.input, *(choice.message for choice in event.output.choices)]:
                if message.id not in seen or message.id is None:
                    seen.add(message.id or "")
                    yield message
