"""One reply of a model, in the form that the agents of this package need."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakSet

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    get_model,
)
from inspect_ai.tool import Tool, ToolCall, ToolChoice
from inspect_ai.util import suspend_turn_limit

from inspect_discoverybench.errors.exceptions import ModelFailed, ReplyRejected
from inspect_discoverybench.errors.provider_failures import causes, is_bad_request, model_errors
from inspect_discoverybench.json_text import parse_json, replace_surrogates
from inspect_discoverybench.replies import has_no_choices, without_reasoning
from inspect_discoverybench.session.tool import PASS_ACTIONS_TEXT
from inspect_discoverybench.submission.answer import ARGUMENTS, SUBMIT, arguments_as_text

CUT_OFF = ("max_tokens", "model_length", "content_filter")
"""Stop reasons of replies that may end in the middle."""

ACT_IN_TEXT = (
    "The server refuses tools or a forced call, so a retry would fail again. Let the model act in text: "
    f"{PASS_ACTIONS_TEXT}."
)
"""The remedy for a server without native calls."""

_TOOL_PARAMETER = re.compile(r"\btools?\b|\btool_")

_INVALID_ARGUMENTS = re.compile(
    r"Error parsing the following tool call arguments:\n\n(?P<arguments>.*)\n\nError details: ", re.DOTALL
)
"""Matches Inspect's message about arguments that are no JSON. Only this message has them as the model wrote them:
https://github.com/UKGovernmentBEIS/inspect_ai/blob/main/src/inspect_ai/model/_call_tools.py (`parse_tool_call`)."""

_refuse_none: WeakSet[ModelAPI] = WeakSet()
"""The APIs of models that have refused a request with the choice `none`, and answered it with `auto`. Inspect copies a
model for each role, but the copies share the API."""

MAX_REPETITIONS = 2
"""Maximum number of times that a request is repeated because the reply was empty."""


async def generate_reply(
    model: Model | None,
    conversation: Sequence[ChatMessage],
    tools: Sequence[Tool] = (),
    choice: ToolChoice | None = None,
) -> ModelOutput:
    """Generate a reply that can be logged and sent again, and whose calls match the schemas of the tools.

    An empty reply is requested again, and the last one is returned if all are empty. If the conversation does not fit
    into the context window, the reply has the stop reason `model_length`.

    Args:
        model: The model; defaults to the evaluated model.
        conversation: The messages so far.
        tools: The tools that are offered.
        choice: Whether the model must, may or must not call a tool.

    Raises:
        ModelFailed: The provider failed, or its last reply has no choices.
    """
    model = model or get_model()  # inspect-evals-lint: ignore[IEBP001] -- called by the solvers
    output = await _request(model, conversation, tools, choice)
    for _ in range(MAX_REPETITIONS):
        if not _is_empty(output):
            break
        # A repeated request does not count as another turn of the agent. Inspect's cache is not used, because it would
        # answer with the empty reply.
        with suspend_turn_limit():
            output = await _request(model, conversation, tools, choice, GenerateConfig(cache=False))
    if has_no_choices(output):
        raise ModelFailed(f"{_subject(model)} failed: replies without choices.")
    return _normalized(output)


async def _request(
    model: Model,
    conversation: Sequence[ChatMessage],
    tools: Sequence[Tool],
    choice: ToolChoice | None,
    config: GenerateConfig | None = None,
) -> ModelOutput:
    """Send one request. If the choice `none` is refused, repeat it once with the choice `auto`.

    If the conversation does not fit into the context window of a local server, the error is returned as a reply with
    the stop reason `model_length`, as Inspect does for other providers.
    """
    # The choice `none` is not sent again to a model that has refused it. If a limit cancelled the repetition of a
    # refused request, the scorer would take the refusal for an outage (`scorer/outage.py`).
    if choice == "none" and model.api in _refuse_none:
        choice = "auto"
    try:
        with model_errors(_subject(model), model):
            return await model.generate(
                _merged_messages(conversation), tools=list(tools), tool_choice=choice, config=config or GenerateConfig()
            )
    except ModelFailed as error:
        if _is_context_overflow(error):
            return ModelOutput.from_content(model.name, error.failure, stop_reason="model_length")
        if choice == "none" and is_bad_request(error):
            # With `none`, Inspect sends the tools only to Anthropic. Without tools, Amazon Bedrock refuses a
            # conversation with calls.
            output = await _request(model, conversation, tools, "auto", config)
            _refuse_none.add(model.api)
            return output
        if tools and _refuses_tools(error, model):
            raise ModelFailed(error.failure, ACT_IN_TEXT) from error
        raise


def _merged_messages(conversation: Sequence[ChatMessage]) -> list[ChatMessage]:
    """A conversation that the chat templates of all open models accept.

    Some templates refuse an empty message of the assistant, and two messages of the user in a row. An empty message is
    left out, and messages of the user in a row are merged.
    """
    messages: list[ChatMessage] = []
    for message in conversation:
        if isinstance(message, ChatMessageAssistant) and not message.text and not message.tool_calls:
            continue

        last = messages[-1] if messages else None
        if isinstance(last, ChatMessageUser) and isinstance(message, ChatMessageUser):
            both_texts = f"{last.text}\n\n{message.text}"
            messages[-1] = last.model_copy(update={"content": both_texts})
        else:
            messages.append(message)
    return messages


def _subject(model: Model) -> str:
    """The beginning of error messages about a model."""
    role = f" (role {model.role})" if model.role else ""
    return f"The agent's model {model}{role}"


def _is_context_overflow(error: ModelFailed) -> bool:
    """Whether a conversation did not fit into the context window of a local server.

    Inspect recognizes the errors of other providers. The error of llama.cpp is recognized by its type, and that of vLLM
    by the parameter that it names. Those of TGI, SGLang and others are recognized by their message: TGI's is about the
    parameter `inputs`, and the others contain "context length". The message counts only if the HTTP status is one for
    requests that are refused because of their contents.
    """
    for cause in causes(error):
        if getattr(cause, "type", None) == "exceed_context_size_error":
            return True
        if getattr(cause, "param", None) == "input_tokens":
            return True
    has_overflow_message = "context length" in error.failure or "Input validation error: `inputs`" in error.failure
    return has_overflow_message and is_bad_request(error)


def _refuses_tools(error: ModelFailed, model: Model) -> bool:
    """Whether the server refuses tools or a forced call: its message names the parameter `tools` or `tool_choice`.

    The HTTP status is not compared, because it differs: OpenRouter answers 404, Ollama and vLLM 400, and llama.cpp 500.
    """
    # The names of the model and of its role may contain "tool", too. The message begins with them, and the server may
    # repeat the model's name.
    reason = error.failure.removeprefix(_subject(model)).replace(model.name, "")
    # With this code, Groq refuses an invalid call that the model wrote. Groq accepts tools, and the model's next call
    # may be valid.
    if "tool_use_failed" in reason:
        return False
    return _TOOL_PARAMETER.search(reason) is not None


def _is_empty(output: ModelOutput) -> bool:
    """Whether a reply is empty: it has no choices, or neither text nor calls.

    A reply that was ended by a limit or a filter does not count as empty.
    """
    if has_no_choices(output):
        return True
    if output.stop_reason in CUT_OFF:
        return False
    answer_text = without_reasoning(output.message.text)
    return not answer_text and not output.message.tool_calls


def _normalized(output: ModelOutput) -> ModelOutput:
    """A copy that can be logged, with calls that match the schemas of our tools.

    Lone surrogates are replaced, because they could not be logged. The arguments of calls are converted, because
    Inspect rejects a call whose arguments violate the schema before the tool is called. The schema is not made more
    permissive instead, because the model sees it. The conversation and the tool's event get the copy; the event of the
    model call keeps the original.
    """
    # `model_dump_json` would fail on lone surrogates.
    text = json.dumps(output.model_dump(mode="json", fallback=str), ensure_ascii=False)
    copy = ModelOutput.model_validate_json(replace_surrogates(text))
    if copy.message.tool_calls:
        copy.message.tool_calls = [_normalized_call(call) for call in copy.message.tool_calls]
    return copy


def _normalized_call(call: ToolCall) -> ToolCall:
    """A call of one of our tools, with the tool's own name and with texts as arguments.

    The arguments stay as they are if they cannot be read as those of the tool, for example because the required one is
    missing. A call of another tool is returned unchanged.
    """
    # Models also write `Submit` or `functions.submit`.
    _, _, written_name = call.function.rpartition(".")
    name = written_name.casefold()
    if name not in ARGUMENTS:
        return call
    arguments = arguments_as_text(_written_arguments(call, latex=name == SUBMIT), name)
    if arguments is None:
        return replace(call, function=name)
    return replace(call, function=name, arguments=arguments, parse_error=None)


def _written_arguments(call: ToolCall, *, latex: bool) -> Mapping[str, Any]:
    r"""The arguments of a call as the model wrote them.

    Inspect cannot read JSON with raw line ends or with lone backslashes, as in LaTeX. It leaves the arguments empty and
    puts the text into `parse_error`. The text is read here, and a lone backslash is kept as a backslash.

    If this fails, too, the arguments stay empty. So `_normalized_call` does not find the required one and keeps
    `parse_error`, which Inspect shows to the model.

    Args:
        call: The call.
        latex: Whether an escape such as `\b` may begin a LaTeX command. In code, it does not.
    """
    invalid = _INVALID_ARGUMENTS.match(call.parse_error or "")
    if invalid is None:
        return call.arguments
    try:
        content = parse_json(invalid["arguments"], latex=latex)
    except ReplyRejected:
        return call.arguments
    return content if isinstance(content, Mapping) else call.arguments
