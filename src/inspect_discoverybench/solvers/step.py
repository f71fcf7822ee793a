"""One step of an agent: a generation that must call one tool or none, and the tool's result."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Literal

from inspect_ai.model import (
    ChatMessage,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    execute_tools,
    get_model,
)
from inspect_ai.tool import Tool, ToolChoice, ToolDef, ToolFunction
from inspect_ai.util import store_as, suspend_turn_limit
from pydantic_core import PydanticSerializationError

from inspect_discoverybench.errors import ReplyMissing
from inspect_discoverybench.final_message import flagged_refusal, read_submission
from inspect_discoverybench.hypothesis import SubmissionState
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.solvers.submission import with_readable_calls

MAX_TRIES = 3
"""Requests for one reply, where replies have no choices."""

Call = Literal["python", "submit", "none"]
"""The tool that a step must call."""


@dataclass(frozen=True)
class Step:
    """What one step adds to a conversation.

    Attributes:
        output: What the model gave last.
        messages: Its message, with one call at most, and the result of the call; for a repeated step all of them.
        called: Whether a tool was called.
    """

    output: ModelOutput
    messages: Sequence[ChatMessage]
    called: bool


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
    return Step(output, [message, *result.messages], called=bool(result.messages))


async def last_step(conversation: Sequence[ChatMessage], tools: Sequence[Tool], model: Model | None = None) -> Step:
    """The step that must call `submit`; it is repeated once if it brings no hypothesis, by the call or in words.

    A reply that the provider flags as a refusal is not repeated.
    """
    first = await step(conversation, tools, "submit", model)
    if _is_answer(first) or flagged_refusal(first.output):
        return first
    question = ChatMessageUser(content=Prompt.load("solvers/submit_again").render())
    second = await step([*conversation, *first.messages, question], tools, "submit", model)
    return Step(second.output, [*first.messages, question, *second.messages], second.called)


def _is_answer(last: Step) -> bool:
    if store_as(SubmissionState).submission is not None:
        return True
    return not last.called and read_submission(last.output.completion) is not None


async def generated(
    model: Model,
    conversation: Sequence[ChatMessage],
    tools: Sequence[Tool],
    choice: ToolChoice | None = None,
    config: GenerateConfig | None = None,
) -> ModelOutput:
    """What a model says, in a form that can be stored, sent again and carried out.

    Raises:
        ReplyMissing: No reply has choices.
    """
    for number in range(MAX_TRIES):
        # Asking again is no turn of the agent.
        with suspend_turn_limit() if number else nullcontext():
            output = await model.generate(
                list(conversation), tools=list(tools), tool_choice=choice, config=config or GenerateConfig()
            )
        if output.choices:
            return with_readable_calls(_storable(output))
    raise ReplyMissing(
        f"{model} returned {MAX_TRIES} replies without choices. This is a failure of the provider; run the sample "
        "again with `inspect eval-retry`."
    )


def _storable(output: ModelOutput) -> ModelOutput:
    """The output without half surrogate pairs, which models write now and then."""
    try:
        output.model_dump_json()
    except PydanticSerializationError:
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
