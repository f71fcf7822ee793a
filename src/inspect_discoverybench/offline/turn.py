"""One turn of an offline model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolInfo


@dataclass(frozen=True)
class Turn:
    """What an offline model says next: text, and at most one tool call.

    Attributes:
        text: The text of the message.
        tool: Name of the tool to call; empty for none.
        arguments: Arguments of that call.
    """

    text: str
    tool: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)


class Rules(Protocol):
    """An offline model: it decides from the messages alone, so equal messages give equal turns."""

    def reply(self, messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> Turn:
        """Say what comes next, with the tools that are offered."""
        ...
