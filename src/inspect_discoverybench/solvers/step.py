"""One step of an agent: a generation that must call one tool or none, and what the tool said."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    Model,
    ModelOutput,
    execute_tools,
    get_model,
)
from inspect_ai.tool import Tool, ToolChoice, ToolDef, ToolFunction
from pydantic_core import PydanticSerializationError

Call = Literal["python", "submit", "none"]
"""The tool that a step must call."""


@dataclass(frozen=True)
class Step:
    """What one step adds to a conversation.

    Attributes:
        output: What the model gave.
        message: Its message, with one call at most.
        results: What came of the call.
    """

    output: ModelOutput
    message: ChatMessageAssistant
    results: Sequence[ChatMessage]

    @property
    def messages(self) -> Sequence[ChatMessage]:
        """All of it."""
        return [self.message, *self.results]


async def step(
    conversation: Sequence[ChatMessage], tools: Sequence[Tool], call: Call, model: Model | None = None
) -> Step:
    """Generate once; the model must call this tool, and its first call of it is executed.

    A model may answer in words nevertheless: it cannot call tools, it refuses, it says nothing. That is its answer.

    Args:
        conversation: Messages so far; they are not changed.
        tools: All tools of the agent. Some providers want them whenever the conversation holds a call.
        call: Name of the tool, or `none`.
        model: The model; the evaluated one by default.
    """
    choice: ToolChoice = "none" if call == "none" else ToolFunction(name=call)
    speaking = model or get_model()  # inspect-evals-lint: ignore[IEBP001] -- called by the solvers
    output = await generated(speaking, conversation, tools, choice)
    calls = output.message.tool_calls or []
    # A model that overlooks what it must do may call another tool; it is told that there is none.
    chosen = [made for made in calls if made.function == call] or calls
    message = output.message.model_copy(update={"tool_calls": None if call == "none" else chosen[:1] or None})
    named = [tool for tool in tools if ToolDef(tool).name == call]
    result = await execute_tools([*conversation, message], named)
    return Step(output, message, result.messages)


async def generated(
    model: Model,
    conversation: Sequence[ChatMessage],
    tools: Sequence[Tool],
    choice: ToolChoice | None = None,
    config: GenerateConfig | None = None,
) -> ModelOutput:
    """What a model says, in a form that can be stored and sent again; a reply without a message is an empty one."""
    output = await model.generate(
        list(conversation), tools=list(tools), tool_choice=choice, config=config or GenerateConfig()
    )
    if not output.choices:
        return ModelOutput.from_content(output.model or str(model), "")
    try:
        output.model_dump_json()
    except PydanticSerializationError:  # models write half of a surrogate pair now and then
        return ModelOutput.model_validate(_sound(output.model_dump()))
    return output


def _sound(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case list():
            return [_sound(item) for item in value]
        case dict():
            return {_sound(key): _sound(item) for key, item in value.items()}
    return value
