"""The model provider `discoverybench`: rule-based models that need no network and no API key."""

import json
from collections.abc import Callable
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.offline.request import Request

Rules = Callable[[Request], ChatMessageAssistant]
"""An offline model: a pure function from request to reply."""


class OfflineModel(ModelAPI):
    """The models `discoverybench/baseline` and `discoverybench/lexical`, which need no network and no API key.

    They are not language models. Use them to check an installation.

    Raises:
        InvalidArgument: No offline model has this name.
    """

    def __init__(self, model_name: str, **options: Any) -> None:
        super().__init__(model_name, **options)
        self._reply = _rules(model_name)

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
        reply.model, reply.source = self.model_name, "generate"
        input_tokens = sum(_tokens(message.text) for message in input)
        output_tokens = _tokens(reply.text + "".join(json.dumps(call.arguments) for call in reply.tool_calls or []))
        output = ModelOutput.from_message(reply, "tool_calls" if reply.tool_calls else "stop")
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


def _rules(model_name: str) -> Rules:
    # Every `inspect` command imports this module; the rules are imported only when they are used.
    match model_name:
        case "baseline":
            from inspect_discoverybench.offline import analyst, pool_author

            return lambda request: pool_author.reply(request) or analyst.reply(request)
        case "lexical":
            from inspect_discoverybench.offline import lexical

            return lexical.reply
    raise InvalidArgument(
        f"The model discoverybench/{model_name} does not exist. Use discoverybench/baseline or discoverybench/lexical."
    )


def _tokens(text: str) -> int:
    return max(1, len(text) // 4)
