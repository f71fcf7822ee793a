"""One step of an agent: a generation and the tool call it must make, if any."""

import json
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
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
from inspect_ai.tool import Tool, ToolCall, ToolChoice, ToolDef, ToolFunction
from inspect_ai.util import store_as, suspend_turn_limit

from inspect_discoverybench.errors.exceptions import ReplyMissing
from inspect_discoverybench.errors.provider_failures import model_errors
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import replace_surrogates
from inspect_discoverybench.session.session import PythonSession
from inspect_discoverybench.submission.answer import SUBMIT, arguments_as_text, is_submit
from inspect_discoverybench.submission.submission import SubmissionState

MAX_TRIES = 3
"""Maximum number of requests for one reply if the provider returns replies without choices."""


async def step(
    conversation: Sequence[ChatMessage],
    tools: Sequence[Tool],
    required_tool: Literal["python", "submit", "none"],
    model: Model | None = None,
) -> tuple[ModelOutput, list[ChatMessage]]:
    """Generate once, and execute the first call of the required tool. The model may still answer in text.

    Args:
        conversation: The messages so far. They are not modified.
        tools: All tools of the agent. Some providers require them if the conversation contains tool calls.
        required_tool: The tool that the model must call; `none` forbids calls.
        model: The model to call; defaults to the evaluated model.

    Returns:
        The model's output, and the messages to append: the model's, with at most one call, and the result of the call.

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
    return output, [message, *result.messages]


async def submit_step(
    conversation: Sequence[ChatMessage], tools: Sequence[Tool], model: Model | None = None
) -> tuple[ModelOutput, list[ChatMessage]]:
    """Run a step that must call `submit`, and repeat it once if the call was refused or the model wrote text.

    Texts are stored if there is still no submission. The scorer reads the answer from them.
    """
    output, messages = await step(conversation, tools, "submit", model)
    state = store_as(SubmissionState)
    if state.submission is not None:
        return output, messages
    reminder = ChatMessageUser(content=Prompt.load("solvers/submit_again").render())
    with suspend_turn_limit():
        second, answer = await step([*conversation, *messages, reminder], tools, "submit", model)
    if state.submission is None:
        state.texts = [
            reply.completion
            for reply, written in ((output, messages), (second, answer))
            # At a full context window, Inspect puts the provider's message into the completion.
            if len(written) == 1 and reply.stop_reason != "model_length" and reply.completion.strip()
        ]
    return second, [*messages, reminder, *answer]


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
        with model_errors(owner, model), suspend_turn_limit() if attempt else nullcontext():
            output = await model.generate(
                list(conversation), tools=list(tools), tool_choice=choice, config=config or GenerateConfig()
            )
        if output.choices:
            return _repaired(output)
    raise ReplyMissing(f"{owner} failed: {MAX_TRIES} replies without choices.")


def _repaired(output: ModelOutput) -> ModelOutput:
    """A copy without lone surrogates, which could not be logged, and with `submit` calls that match the tool's schema.

    Inspect rejects a call whose arguments violate the schema before the tool is called, and a more permissive schema
    would also change what the model sees. The conversation and the tool's event get the copy; the event of the model
    call keeps the original.
    """
    text = json.dumps(output.model_dump(mode="json", fallback=str), ensure_ascii=False)
    encodable = replace_surrogates(text)
    copy = output.model_copy(deep=True) if encodable == text else ModelOutput.model_validate_json(encodable)
    if copy.message.tool_calls:
        copy.message.tool_calls = [_normalized(call) if is_submit(call) else call for call in copy.message.tool_calls]
    return copy


def _normalized(call: ToolCall) -> ToolCall:
    """A call of `submit` with texts as arguments. Without a hypothesis, it keeps its arguments."""
    arguments = arguments_as_text(call.arguments)
    changes: dict[str, Any] = {} if arguments is None else {"arguments": arguments, "parse_error": None}
    return replace(call, function=SUBMIT, **changes)
