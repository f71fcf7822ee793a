"""Replies as JSON objects: their schema, how text is parsed, and how a model is asked until its reply is valid.

All parsing takes time and memory proportional to the length of the text.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from typing import Annotated, Any, TypeVar

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ModelOutput
from inspect_ai.util import JSONSchema, json_schema
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from inspect_discoverybench.chat_templates import Meaning, pattern
from inspect_discoverybench.code_fence import fenced_blocks
from inspect_discoverybench.errors.exceptions import ReplyRejected
from inspect_discoverybench.errors.invalid_values import first_reason
from inspect_discoverybench.json_text import parse_json, replace_surrogates

MAX_REPLY_LENGTH = 1_000_000
"""Maximum length of a text that is parsed, in characters. A longer text is refused. It is not cut, because the object
may stand at its end, after long reasoning. No model writes as much: the largest output limits are about 128,000 tokens,
which are about 500,000 characters."""

MAX_EMPTY_REPLIES = 3
"""Maximum number of replies without choices, which failing servers send with HTTP status 200."""

_NO_REPLY = {
    "max_tokens": "it was truncated by the token limit.",
    "model_length": "the question does not fit into the context window.",
    "content_filter": "it was stopped by a content filter.",
}
"""What is wrong with a reply, by stop reason. After one of these stop reasons, the text of the reply is not read, even
if it is a whole object. The text is not sent back either: the same question is asked again."""

_MAX_SENT_BACK = 20_000
"""Maximum length of an invalid reply that is sent back, in characters, so that it fits into the context window."""

_NO_CONTENT = "(no content)"
"""What is sent back in place of an empty reply, because some servers refuse an empty message.

Some of Inspect's providers, such as Anthropic's, put the same text in place of empty messages, and Google's in place of
replies without candidates."""

_REASONING_START = pattern(Meaning.REASONING_STARTS)
_REASONING_END = pattern(Meaning.REASONING_ENDS)
_END_OF_TURN = pattern(Meaning.TURN_ENDS)

ReplyT = TypeVar("ReplyT", bound="Reply")
ResultT = TypeVar("ResultT")


class Reply(BaseModel):
    """A reply. Unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def normalize_case_and_spaces(text: str) -> str:
    """Fold case and collapse white space, to compare texts."""
    return " ".join(text.casefold().split())


def has_words(text: str) -> bool:
    """Whether a text has a letter or a digit."""
    return any(character.isalnum() for character in text)


def _explanation_text(value: Any) -> str:
    return "" if value is None else str(value)


Explanation = Annotated[str, BeforeValidator(_explanation_text)]
"""An explanation. Null is an empty one. Any other value that is not a string, such as a list of reasons, is kept as
text."""


def parse_boolean(value: Any) -> Any:
    """Accept a boolean written as a string: "false" is false. Any other value is returned as it is."""
    text = str(value).strip().lower()
    return {"true": True, "false": False}.get(text, value)


def has_no_choices(output: ModelOutput) -> bool:
    """Whether a provider replied without choices.

    If a reply of Google has no candidates, Inspect makes a choice with a text of its own. A model that writes this text
    has output tokens.
    """
    if not output.choices:
        # Without choices, a provider's output has no completion. If it has one, an agent has set it as its answer.
        return not output.completion
    has_tokens = output.usage is not None and output.usage.output_tokens > 0
    return output.completion == _NO_CONTENT and not output.message.tool_calls and not has_tokens


async def ask_until_valid(
    messages: Sequence[ChatMessage],
    send: Callable[[list[ChatMessage]], Awaitable[ModelOutput]],
    accept: Callable[[str], Awaitable[ResultT]],
    repeat_question: Callable[[str], ChatMessage],
    attempts: int = 3,
) -> ResultT:
    """Ask a model until its reply is valid. An invalid reply is sent back with the reason.

    Args:
        messages: The conversation, which ends with the question.
        send: Sends a conversation to the model. Each call gets a new list.
        accept: Converts the text of a reply into the result, or raises `ReplyRejected`.
        repeat_question: Makes the message that follows an invalid reply, from the reason.
        attempts: Maximum number of requests.

    Raises:
        ReplyRejected: The last reply is invalid.
    """
    conversation = [*messages]
    error: ReplyRejected
    for _ in range(attempts):
        output = await send([*conversation])
        if output.stop_reason in _NO_REPLY:
            error = ReplyRejected(_NO_REPLY[output.stop_reason])
            continue

        try:
            return await accept(output.completion)
        except ReplyRejected as rejected:
            error = rejected
        invalid = replace_surrogates(output.completion[:_MAX_SENT_BACK])
        if not invalid.strip():
            invalid = _NO_CONTENT
        conversation += [ChatMessageAssistant(content=invalid), repeat_question(error.message)]
    raise error


def parse_reply(text: str, reply_type: type[ReplyT], max_length: int = MAX_REPLY_LENGTH) -> ReplyT:
    """Parse a reply: one JSON object, optionally in a code fence with a sentence before or after it.

    A byte-order mark, reasoning in tags before the object, end-of-turn tokens after it, and raw newlines and lone
    backslashes in JSON strings are accepted.

    Args:
        text: The text.
        reply_type: What the object must validate as.
        max_length: Maximum length of the text in characters.

    Raises:
        ReplyRejected: The text is too long, is not JSON, or does not validate as `reply_type`.
    """
    if len(text) > max_length:
        raise ReplyRejected(f"it has {len(text):,} characters; the maximum is {max_length:,}.")
    content = parse_json(_object_text(text))
    try:
        return reply_type.model_validate(content)
    except ValidationError as error:
        raise ReplyRejected(first_reason(error)) from error


def _object_text(text: str) -> str:
    """Cut a reply down to what should be its JSON object.

    After its reasoning, a reply should begin with a brace, or have the object as its only block. Any other reply is
    not cut down further, and `parse_reply` refuses it, because it is no JSON object.
    """
    body = text.strip("\ufeff \t\r\n")
    # If the reply begins with the object or its fence, no reasoning precedes it, and tags within the object are data.
    if not body.startswith(("{", "```")):
        body = without_reasoning(body)
    if body.startswith("{"):
        return _without_turn_ends(body)

    blocks = fenced_blocks(body, accept_misplaced=True)
    if len(blocks) == 1:
        return blocks[0].contents.strip()
    return body


def _without_turn_ends(text: str) -> str:
    """Remove end-of-turn tokens after the last brace of a text."""
    end = text.rfind("}") + 1
    return text[:end] + _END_OF_TURN.sub("", text[end:])


def without_reasoning(text: str, is_complete: bool = True) -> str:
    """Remove reasoning in tags, end-of-turn tokens and byte-order marks from a text.

    A closing tag without an opening tag ends reasoning that starts with the text, because some chat templates put the
    opening tag into the prompt.

    Args:
        text: The text.
        is_complete: False if the text was cut off. This decides about the text after an opening tag that is never
            closed. In a complete text, it is kept, because some models write their answer there. In a text that was
            cut off, it is unfinished reasoning, and is removed.
    """
    *parts, answer = _REASONING_END.split(text)
    before_answer: list[str] = []
    for part in parts:  # A closing tag follows each part, so a part ends with reasoning.
        opening = _REASONING_START.search(part)
        if opening is None:
            # The opening tag is in the prompt, so all of the text up to here is reasoning.
            before_answer.clear()
        else:
            before_answer.append(part[: opening.start()])

    opening = _REASONING_START.search(answer)
    if opening is not None and not is_complete:
        answer = answer[: opening.start()]
    outside_tags = "".join([*before_answer, answer])
    return _END_OF_TURN.sub("", outside_tags).strip("\ufeff \t\r\n")


@cache
def reply_schema(reply_type: type[Reply]) -> JSONSchema:
    """Make the JSON schema of a reply to send to providers.

    All fields are required, so that the model leaves none out. Defaults are for replies that do not follow the schema.
    The schema has no descriptions, because they would be our docstrings, which are for readers of the code.
    """
    schema = json_schema(reply_type)
    pending = [schema]
    while pending:
        part = pending.pop()
        part.description = None
        if part.properties:
            part.required = list(part.properties)
            pending += part.properties.values()
        if part.items:
            pending.append(part.items)
        pending += part.anyOf or []
    return schema
