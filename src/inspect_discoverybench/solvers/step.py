"""One step of an agent: a generation and the tool call it must make, if any."""

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

from inspect_discoverybench.errors import ReplyMissing, model_errors
from inspect_discoverybench.hypothesis import SubmissionState
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.session.session import PythonSession
from inspect_discoverybench.solvers.submission import normalize_submit_calls
from inspect_discoverybench.text import replace_surrogates

MAX_TRIES = 3
"""Maximum number of requests for one reply if the provider returns replies without choices."""

RequiredTool = Literal["python", "submit", "none"]
"""The tool that the model must call in a step; `none` forbids tool calls."""


@dataclass(frozen=True)
class StepResult:
    """The result of one step.

    Attributes:
        output: The model's last output.
        messages: Messages to append to the conversation: the model's message with at most one tool call, and the
            result of the call. A repeated step has the messages of both attempts.
        tool_called: Whether the model called a tool.
    """

    output: ModelOutput
    messages: Sequence[ChatMessage]
    tool_called: bool


async def step(
    conversation: Sequence[ChatMessage],
    tools: Sequence[Tool],
    required_tool: RequiredTool,
    model: Model | None = None,
) -> StepResult:
    """Generate once, and execute the first call of the required tool.

    The model may still answer in text, for example because it cannot call tools or refuses. Its text is then the
    result of the step.

    Args:
        conversation: The messages so far. They are not modified.
        tools: All tools of the agent. Some providers require them if the conversation contains tool calls.
        required_tool: The tool to call.
        model: The model to call; defaults to the evaluated model.

    Raises:
        ModelFailed: The provider failed, or returned no choices.
    """
    choice: ToolChoice = "none" if required_tool == "none" else ToolFunction(name=required_tool)
    model = model or get_model()  # inspect-evals-lint: ignore[IEBP001] -- called by the solvers
    output = await generate_reply(model, conversation, tools, choice)
    calls = [] if required_tool == "none" else output.message.tool_calls or []
    # A call of another tool is executed with the required tool only, so that the model sees that the tool is unknown.
    matching = [call for call in calls if call.function == required_tool]
    message = output.message.model_copy(update={"tool_calls": (matching or calls)[:1] or None})
    executable = [tool for tool in tools if ToolDef(tool).name == required_tool]
    result = await execute_tools([*conversation, message], executable)
    return StepResult(output, [message, *result.messages], tool_called=bool(result.messages))


async def submit_step(
    conversation: Sequence[ChatMessage], tools: Sequence[Tool], model: Model | None = None
) -> StepResult:
    """Run a step that must call `submit`, and repeat it once if the call was refused or the model wrote text.

    Texts are stored if there is still no submission. The scorer reads the answer from them.
    """
    first = await step(conversation, tools, "submit", model)
    state = store_as(SubmissionState)
    if state.submission is not None:
        return first
    reminder = ChatMessageUser(content=Prompt.load("solvers/submit_again").render())
    with suspend_turn_limit():
        second = await step([*conversation, *first.messages, reminder], tools, "submit", model)
    if state.submission is None:
        # At a full context window, Inspect puts the provider's message into the completion.
        replies = [result.output for result in (first, second) if not result.tool_called]
        texts = [output.completion for output in replies if output.stop_reason != "model_length"]
        state.texts = [text for text in texts if text.strip()]
    return StepResult(second.output, [*first.messages, reminder, *second.messages], second.tool_called)


def start_agent() -> None:
    """Start the session early, and record that this agent answers by `submit` only: no other text is its answer."""
    PythonSession().start_early()
    store_as(SubmissionState).texts = []


async def generate_reply(
    model: Model,
    conversation: Sequence[ChatMessage],
    tools: Sequence[Tool],
    choice: ToolChoice | None = None,
    config: GenerateConfig | None = None,
) -> ModelOutput:
    """Generate a reply that can be logged and sent again, and whose `submit` calls match the tool's schema.

    Raises:
        ModelFailed: The provider failed.
        ReplyMissing: The provider returned no choices, `MAX_TRIES` times.
    """
    owner = f"The agent's model {model}" + (f" (role {model.role})" if model.role else "")
    for attempt in range(MAX_TRIES):
        # A repeated request does not count as another turn of the agent.
        with model_errors(owner), suspend_turn_limit() if attempt else nullcontext():
            output = await model.generate(
                list(conversation), tools=list(tools), tool_choice=choice, config=config or GenerateConfig()
            )
        if output.choices:
            return normalize_submit_calls(_encodable(output))
    raise ReplyMissing(f"{owner} failed: {MAX_TRIES} replies without choices.")


def _encodable(output: ModelOutput) -> ModelOutput:
    """Replace lone surrogates in the output, which could not be logged."""
    try:
        output.model_dump_json()
    except ValueError:  # pydantic's PydanticSerializationError
        return ModelOutput.model_validate(_replace_nested_surrogates(output.model_dump()))
    return output


def _replace_nested_surrogates(value: Any) -> Any:
    match value:
        case list():
            return [_replace_nested_surrogates(item) for item in value]
        case dict():
            return {_replace_nested_surrogates(key): _replace_nested_surrogates(item) for key, item in value.items()}
    return replace_surrogates(value) if isinstance(value, str) else value
