"""What an offline model is asked, in the terms that its rules need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool
from inspect_ai.tool import ToolCall, ToolInfo


@dataclass(frozen=True)
class Request:
    """One call of an offline model.

    Attributes:
        messages: The conversation.
        tools: The tools that may be called now, by name.
        schema: Name of the schema that the reply must follow; empty if there is none.
    """

    messages: Sequence[ChatMessage]
    tools: Mapping[str, ToolInfo]
    schema: str = ""

    @property
    def roles(self) -> list[str]:
        """The roles whose turns the messages announce, in order; solvers put them into the metadata."""
        metadata = [message.metadata or {} for message in self.messages]
        return [str(fields["role"]) for fields in metadata if "role" in fields]

    def outputs(self, tool: str) -> list[str]:
        """What each call of a tool returned, or why it failed."""
        results = [message for message in self.messages if isinstance(message, ChatMessageTool)]
        return [result.error.message if result.error else result.text for result in results if result.function == tool]

    def call(self, tool: str, arguments: dict[str, str]) -> ChatMessageAssistant:
        """The reply that calls a tool."""
        call = ToolCall(id=f"call_{len(self.messages)}", function=tool, arguments=arguments)
        return ChatMessageAssistant(content=f"I call `{tool}`.", tool_calls=[call])
