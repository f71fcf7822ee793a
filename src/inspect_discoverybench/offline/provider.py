"""The model provider `discoverybench/…`: two rule-based models for runs without a network or a key."""

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolFunction, ToolInfo

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.offline.turn import Rules

_DEFAULTS = GenerateConfig()


@modelapi(name="discoverybench")
class OfflineModel(ModelAPI):
    """`discoverybench/baseline` and `discoverybench/lexical`: rules, no language model, no network, no key.

    Raises:
        InvalidArgument: Any other model name.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = _DEFAULTS,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        self._rules = _rules(model_name)

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - the name in Inspect's interface
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Let the rules say what comes next."""
        turn = self._rules.reply(input, _allowed(tools, tool_choice))
        calls = (
            [ToolCall(id=f"call_{len(input)}", function=turn.tool, arguments=dict(turn.arguments))]
            if turn.tool
            else None
        )
        message = ChatMessageAssistant(content=turn.text, tool_calls=calls, model=self.model_name, source="generate")
        return ModelOutput(
            model=self.model_name,
            choices=[ChatCompletionChoice(message=message, stop_reason="tool_calls" if calls else "stop")],
            usage=_usage(input, turn.text + "".join(turn.arguments.values())),
        )

    async def count_text_tokens(self, text: str) -> int:
        """Estimate by length: Inspect's own way would download a tokenizer."""
        return _tokens(text)

    def max_connections(self) -> int:
        """Nothing is waited for, so nothing need be held back."""
        return 1000


def _rules(model_name: str) -> Rules:
    # Imported here: every `inspect` command imports this module, few use these models.
    if model_name == "baseline":
        from inspect_discoverybench.offline.baseline import Baseline

        return Baseline()
    if model_name == "lexical":
        from inspect_discoverybench.offline.lexical import Lexical

        return Lexical()
    raise InvalidArgument(
        f"model 'discoverybench/{model_name}' does not exist: expected discoverybench/baseline or "
        "discoverybench/lexical"
    )


def _allowed(tools: list[ToolInfo], choice: ToolChoice) -> list[ToolInfo]:
    """The tools that a choice leaves open."""
    if choice == "none":
        return []
    if isinstance(choice, ToolFunction):
        return [tool for tool in tools if tool.name == choice.name]
    return tools


def _usage(messages: list[ChatMessage], said: str) -> ModelUsage:
    read, written = sum(_tokens(message.text) for message in messages), _tokens(said)
    return ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)


def _tokens(text: str) -> int:
    return max(1, len(text) // 4)
