"""The request that an offline model replies to."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool
from inspect_ai.tool import ToolCall, ToolInfo


@dataclass(frozen=True)
class Request:
    """One call of an offline model.

    Attributes:
        messages: The conversation.
        tools: The available tools by name.
        schema: Name of the response schema; empty if there is none.
    """

    messages: Sequence[ChatMessage]
    tools: Mapping[str, ToolInfo]
    schema: str = ""

    @property
    def roles(self) -> list[str]:
        """The roles of all turns so far, in order. Solvers record them in the metadata of messages."""
        return [str(m.metadata["role"]) for m in self.messages if m.metadata and "role" in m.metadata]

    def outputs(self, tool: str) -> list[str]:
        """The result or error message of each call of a tool."""
        results = [message for message in self.messages if isinstance(message, ChatMessageTool)]
        return [result.error.message if result.error else result.text for result in results if result.function == tool]

    def call(self, tool: str, arguments: dict[str, str]) -> ChatMessageAssistant:
        """Make a reply that calls a tool."""
        call = ToolCall(id=f"call_{len(self.messages)}", function=tool, arguments=arguments)
        return ChatMessageAssistant(content=f"I call `{tool}`.", tool_calls=[call])

    def question(self) -> tuple[str, dict[str, Any]]:
        """The first message with a JSON block: its text without the block, and the values in the block.

        Values are data, so a sentence in them is no part of the question. Later messages send an invalid reply back.
        """
        for message in self.messages:
            before, fence, after = message.text.partition("```json\n")
            if fence and message.role == "user":
                with suppress(json.JSONDecodeError):
                    values, end = json.JSONDecoder().raw_decode(after)
                    return before + after[end:], values
        return "", {}
