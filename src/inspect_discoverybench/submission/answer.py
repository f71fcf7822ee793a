"""Finds an agent's answer in a sample: a submission, or a text from which the judge must quote the hypothesis.

Code reads structure only: a call of `submit`, or one JSON object. Any other text is put to the judge
(`scorer/quotation.py`), because only a language model can tell which hypothesis its author asserts, if any.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ModelOutput
from inspect_ai.solver import TaskState

from inspect_discoverybench.chat_templates import Meaning, pattern
from inspect_discoverybench.code_fence import fenced_blocks
from inspect_discoverybench.errors.exceptions import ModelFailed, ReplyRejected
from inspect_discoverybench.json_text import parse_json, replace_surrogates
from inspect_discoverybench.replies import MAX_REPLY_LENGTH, has_no_choices, has_words, without_reasoning
from inspect_discoverybench.submission.submission import Submission, SubmissionState

HYPOTHESIS = "hypothesis"
WORKFLOW = "workflow"

SUBMIT = "submit"
PYTHON = "python"

ARGUMENTS = {SUBMIT: (HYPOTHESIS, WORKFLOW), PYTHON: ("code",)}
"""The arguments of each tool that agents have. The first argument of a tool is required, and the others are not."""

PLACEHOLDERS = ("...", "One declarative statement with its context, variables and relationship, with numbers.")
"""What our own texts have in place of a hypothesis: the example of an answer, and the description of the parameter."""

_MAX_DEPTH = 20
"""Depth to which nested arguments are read."""

_ARGUMENTS_KEY = pattern(Meaning.ARGUMENTS)
"""Matches the key under which a call that is written as JSON has its arguments, such as `parameters`."""

Answer = Submission | str
"""A submission, or what the agent wrote, without reasoning: a text that may contain an answer."""


def answer_of(sample: TaskState | EvalSample) -> Answer | None:
    """Find the answer of a sample; None if there is none.

    - If a call of `submit` was accepted, the call is the answer.
    - If none was, and the agent is one of ours, the answer is read from what the model wrote when it had to submit
      (`SubmissionState.texts`). If it wrote nothing then, there is no answer.
    - If none was, and the agent is of another package, the answer is read from the completion that the agent set, or
      from what it wrote last.

    Raises:
        ModelFailed: The provider's last reply has no choices.
    """
    state = sample.store_as(SubmissionState)
    if state.submission is not None:
        return state.submission
    if state.texts is not None:
        return _answer_in(state.texts)
    output = sample.output
    # Inspect sets time and usage on the outputs of providers, but not on those of solvers.
    is_of_provider = output.time is not None or output.usage is not None
    if is_of_provider and has_no_choices(output):
        raise ModelFailed(f"The agent's model {output.model} failed: its last reply has no choices.")
    return _other_agents_answer(sample)


def parse_submission(text: str) -> Submission | None:
    """Parse a text that is one JSON object, or that ends with a code fence around one.

    The object has the keys `hypothesis` and, optionally, `workflow`, or it is a call with such arguments.

    Returns:
        The submission. None if there is no such object, if its hypothesis is a placeholder, or if it has another key.
        Such a key may be a conclusion that takes the hypothesis back, so the judge must read the text.
    """
    if len(text) > MAX_REPLY_LENGTH:
        return None
    body = without_reasoning(text)
    blocks = fenced_blocks(body, accept_misplaced=True)
    # If the text itself is an object, its fences are in a value, such as a workflow with code.
    if blocks and not body.startswith("{"):
        last = blocks[-1]
        # A second closing fence is not text.
        text_after = body[last.end :].strip("` \t\r\n")
        if not text_after:
            body = last.contents.strip()
    return _submission_in(_mapping(body))


def is_placeholder(hypothesis: str) -> bool:
    """Whether a text is empty, or a placeholder of our own texts. The judge decides what any other text asserts."""
    return hypothesis.strip() in ("", *PLACEHOLDERS)


def arguments_as_text(arguments: Mapping[str, Any], tool: str = SUBMIT) -> dict[str, str] | None:
    """Convert the arguments of a tool to text. Arguments that the tool does not have are left out.

    Keys may be capitalised, and values may be null, lists or mappings. Some models put one object with all of the
    arguments into the required argument. The arguments are then read from this object.

    Args:
        arguments: Values by name, as the model wrote them.
        tool: Name of the tool, a key of `ARGUMENTS`.

    Returns:
        The arguments by name. None if the required one is missing, if two keys differ only in case or spaces, or if the
        code of `python` is neither a text nor a list of texts.
    """
    names = ARGUMENTS[tool]
    required = names[0]
    values = _with_plain_keys(arguments)
    has_repeated_key = len(values) < len(arguments)
    if required not in values or has_repeated_key:
        return None
    inner = _with_plain_keys(_mapping(values[required]))
    if required in inner and inner.keys() <= set(names):
        values = {**values, **inner}
    # A number or a mapping is no code. If None is returned, the arguments of the call stay as the model wrote them, so
    # Inspect rejects the call, and tells the model which type is expected.
    if tool == PYTHON and not isinstance(values[required], str | list):
        return None
    return {name: _as_text(values.get(name)) for name in names}


def _with_plain_keys(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values under keys in lower case, without spaces around them. Of equal keys, the last one stays."""
    return {str(key).strip().casefold(): value for key, value in values.items()}


def _mapping(value: Any) -> Mapping[str, Any]:
    """A value that is a mapping, or the mapping that a text has as JSON. Any other value gives an empty mapping."""
    content = value
    if isinstance(value, str):
        try:
            content = parse_json(value, latex=True)
        except ReplyRejected:
            return {}
    if isinstance(content, Mapping):
        return content
    return {}


def _as_text(value: Any, depth: int = _MAX_DEPTH) -> str:
    """An argument as text: lists and mappings have a line for each part.

    The text is empty for null, and for lists and mappings that are nested deeper than `depth`.
    """
    parts: list[str] = []
    match value:
        case str():
            return value
        case bool() | int() | float():
            return str(value)
        case Mapping() if depth:
            for key, part in value.items():
                in_one_line = _as_text(part, depth - 1).replace("\n", ", ")
                parts.append(f"{key}: {in_one_line}")
        case list() | tuple() if depth:
            parts = [_as_text(part, depth - 1) for part in value]
    return "\n".join(part for part in parts if part)


def _submission_in(content: Mapping[str, Any]) -> Submission | None:
    """Read a submission from the keys of an object or, if the object is a call, from the arguments of the call.

    None if there is no hypothesis, if it is a placeholder, or if there is a key other than `hypothesis` and `workflow`.
    The value of such a key may take the hypothesis back, so the judge must read the whole object.
    """
    candidates = [content]
    for key, value in content.items():
        if _ARGUMENTS_KEY.fullmatch(str(key)):
            candidates.append(_mapping(value))

    for values in candidates:
        texts = arguments_as_text(values)
        if texts is None:
            continue
        hypothesis = texts[HYPOTHESIS]
        workflow = texts[WORKFLOW]
        other_names = _with_plain_keys(values).keys() - texts.keys()
        if other_names or is_placeholder(hypothesis):
            return None
        return Submission.truncated(hypothesis, workflow, "object")
    return None


def _answer_in(texts: Sequence[str]) -> Answer | None:
    """The submission in the last text or, if it has none, all texts together; None if they have no words."""
    if not texts:
        return None
    submission = parse_submission(texts[-1])
    if submission is not None:
        return submission

    joined = "\n\n".join(texts)
    text = replace_surrogates(without_reasoning(joined))
    if not has_words(text):
        return None
    return text


def _other_agents_answer(sample: TaskState | EvalSample) -> Answer | None:
    """Find what an agent of another package left as its answer, without an accepted call of our tool `submit`.

    If the agent set a completion that is in none of its messages, the answer is the completion. Otherwise, it is the
    submission in a call of its last message, or what it wrote last.
    """
    conversation = [message for message in sample.messages if message.source != "input"]
    conversation_texts = [message.text.strip() for message in conversation if isinstance(message, ChatMessageAssistant)]
    completion = sample.output.completion.strip()
    if completion and completion not in conversation_texts:
        return _completion_answer(sample.output)

    conversation = _with_output(conversation, sample.output)
    agent_messages = [message for message in conversation if isinstance(message, ChatMessageAssistant)]
    if not agent_messages:
        return None

    for call in reversed(agent_messages[-1].tool_calls or []):
        submission = _submission_in(call.arguments)
        if submission is not None:
            return submission

    last_texts = _last_texts(conversation)
    if not last_texts:
        # Nothing was written after the last tool result, so the answer may be in an earlier text.
        nonempty_texts = [text for text in conversation_texts if text]
        last_texts = nonempty_texts[-1:]
    return _answer_in(last_texts)


def _with_output(conversation: list[ChatMessage], output: ModelOutput) -> list[ChatMessage]:
    """Append the output's message to a conversation, if the message has calls that the conversation lacks.

    Some agents set their last message only as the output. `_other_agents_answer` calls this function only if the text
    of this message is empty or is already in the conversation. So only the calls of the message are compared.
    """
    written = [message for message in conversation if isinstance(message, ChatMessageAssistant)]
    if not output.choices or output.message.id in [message.id for message in written]:
        return conversation
    # An agent may have put a copy of the message into the conversation, which has another id. Whole calls are compared,
    # because the ids of some providers are unique only within a message.
    known_calls = [call for message in written for call in message.tool_calls or []]
    if all(call in known_calls for call in output.message.tool_calls or []):
        return conversation
    return [*conversation, output.message]


def _completion_answer(output: ModelOutput) -> Answer | None:
    """Read a completion that is in none of the agent's messages, and the calls of the output's message.

    Inspect's agents put what a submit tool returned into the completion. Some tools return the answer. Others return
    only a receipt, and the answer is in the arguments of the call.
    """
    completion = output.completion.strip()
    call_texts = _call_texts(output.message) if output.choices else []
    texts_of_calls_only = [text for text in call_texts if text not in completion]
    return _answer_in([*texts_of_calls_only, completion])


def _last_texts(messages: Sequence[ChatMessage]) -> list[str]:
    """The calls in the last message before the last tool result, and all calls and texts after this result.

    The agent may have a submit tool of its own. Its answer is then in a call, and the last tool result is the tool's
    reply. Without any tool result, this is everything that the agent wrote.
    """
    # The number of messages up to the last tool result, including it.
    end_of_results = 0
    for number, message in enumerate(messages, 1):
        if isinstance(message, ChatMessageTool):
            end_of_results = number
    written_before = [message for message in messages[:end_of_results] if isinstance(message, ChatMessageAssistant)]
    written_after = [message for message in messages[end_of_results:] if isinstance(message, ChatMessageAssistant)]

    texts = _call_texts(written_before[-1]) if written_before else []
    for message in written_after:
        texts += [*_call_texts(message), message.text]
    return [text for text in texts if text.strip()]


def _call_texts(message: ChatMessageAssistant) -> list[str]:
    """The arguments of each call in a message as one text. Calls that run code are left out."""
    calls = [call for call in message.tool_calls or [] if call.function != PYTHON]
    return [_as_text([*call.arguments.values()]) for call in calls]
