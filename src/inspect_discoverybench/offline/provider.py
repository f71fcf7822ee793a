"""The model provider `discoverybench`: rule-based models that need no network and no API key."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    StopReason,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from inspect_discoverybench.errors.exceptions import InvalidArgument


@dataclass(frozen=True)
class Request:
    """One call of an offline model.

    Attributes:
        messages: The conversation.
        tools: The available tools by name.
        schema: Name of the response schema, if there is one.
    """

    messages: Sequence[ChatMessage]
    tools: Mapping[str, ToolInfo]
    schema: str | None = None

    @property
    def role(self) -> str | None:
        """The role whose turn it is; None for agents without roles.

        Agents with roles record the role in the metadata of the message that begins its turn.
        """
        role: str | None = None
        for message in self.messages:
            metadata = message.metadata or {}
            role = metadata.get("role", role)
        return role

    def outputs(self, tool: str) -> list[str]:
        """The result or error message of each call of a tool."""
        outputs = []
        for message in self.messages:
            if isinstance(message, ChatMessageTool) and message.function == tool:
                error = message.error
                outputs.append(error.message if error else message.text)
        return outputs

    def call(self, tool: str, arguments: dict[str, str]) -> ChatMessageAssistant:
        """Make a reply that calls a tool."""
        call = ToolCall(id=f"call_{len(self.messages)}", function=tool, arguments=arguments)
        return ChatMessageAssistant(content="", tool_calls=[call])

    def question(self) -> tuple[str, dict[str, Any]]:
        """The user's first message with a JSON block: its text without the block, and the values in the block.

        The text is without the values, so that a sentence in the data is not taken for a question. Later messages
        answer an invalid reply, and do not count. If no message of the user has a JSON block, the text and the values
        are empty.
        """
        decoder = json.JSONDecoder()
        for message in self.messages:
            before, fence, after = message.text.partition("```json\n")
            if fence and message.role == "user":
                with suppress(json.JSONDecodeError):
                    values, end = decoder.raw_decode(after)
                    return before + after[end:], values
        return "", {}


class OfflineModel(ModelAPI):
    """The models `discoverybench/baseline` and `discoverybench/lexical`, which need no network and no API key.

    They are not language models. Use them to check an installation.

    Raises:
        InvalidArgument: No offline model has this name.
    """

    def __init__(self, model_name: str, **options: Any) -> None:
        super().__init__(model_name, **options)
        if model_name not in ("baseline", "lexical"):
            raise InvalidArgument(
                f"The model discoverybench/{model_name} does not exist. Use discoverybench/baseline or "
                "discoverybench/lexical."
            )
        # Every `inspect` command imports this module; the rules are imported only when they are used.
        rules = import_module(f"{__package__}.{model_name}")
        self._reply: Callable[[Request], ChatMessageAssistant] = rules.reply

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - the name in Inspect's interface
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Reply by rule. Inspect passes only the tools that `tool_choice` permits, so `tool_choice` is not read."""
        schema = config.response_schema.name if config.response_schema else None
        tools_by_name = {tool.name: tool for tool in tools}
        reply = self._reply(Request(input, tools_by_name, schema))
        reply.model = self.model_name
        reply.source = "generate"

        stop_reason: StopReason = "tool_calls" if reply.tool_calls else "stop"
        output = ModelOutput.from_message(reply, stop_reason)
        input_tokens = sum(_tokens(message.text) for message in input)
        reply_text = reply.model_dump_json(include={"content", "tool_calls"})
        output_tokens = _tokens(reply_text)
        output.usage = ModelUsage(
            input_tokens=input_tokens, output_tokens=output_tokens, total_tokens=input_tokens + output_tokens
        )
        return output

    async def count_text_tokens(self, text: str) -> int:
        """Estimate tokens from the length, because Inspect's default downloads a tokenizer."""
        return _tokens(text)

    def max_connections(self) -> int:
        """Practically unlimited, because replies are immediate."""
        return 1000


def _tokens(text: str) -> int:
    """Estimate tokens: English text has about four characters in each."""
    return max(1, len(text) // 4)
