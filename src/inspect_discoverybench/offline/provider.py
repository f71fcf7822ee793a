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
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from inspect_discoverybench.errors.exceptions import InvalidArgument


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


class OfflineModel(ModelAPI):
    """The models `discoverybench/baseline` and `discoverybench/lexical`, which need no network and no API key.

    They are not language models. Use them to check an installation.

    Raises:
        InvalidArgument: No offline model has this name.
    """

    def __init__(self, model_name: str, **options: Any) -> None:
        super().__init__(model_name, **options)
        if model_name not in ("baseline", "lexical"):
            models = "Use discoverybench/baseline or discoverybench/lexical."
            raise InvalidArgument(f"The model discoverybench/{model_name} does not exist. {models}")
        # Every `inspect` command imports this module; the rules are imported only when they are used.
        self._reply: Callable[[Request], ChatMessageAssistant] = import_module(f"{__package__}.{model_name}").reply

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - the name in Inspect's interface
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Reply by rule. `tools` has only what `tool_choice` permits."""
        schema = config.response_schema.name if config.response_schema else ""
        reply = self._reply(Request(input, {tool.name: tool for tool in tools}, schema))
        reply.model = self.model_name
        reply.source = "generate"
        output = ModelOutput.from_message(reply, "tool_calls" if reply.tool_calls else "stop")
        read = sum(_tokens(message.text) for message in input)
        written = _tokens(reply.model_dump_json(include={"content", "tool_calls"}))
        output.usage = ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)
        return output

    async def count_text_tokens(self, text: str) -> int:
        """Estimate tokens from the length, because Inspect's default downloads a tokenizer."""
        return _tokens(text)

    def max_connections(self) -> int:
        """Practically unlimited, because replies are immediate."""
        return 1000


def _tokens(text: str) -> int:
    return max(1, len(text) // 4)
