"""What the scanners read in a transcript: the task text, the answer, the score's explanation, and the tool calls."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from inspect_ai.event import ModelEvent, ScoreEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ChatMessageUser, ModelOutput
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolCall
from inspect_ai.util import store_from_events
from inspect_scout import Transcript

from inspect_discoverybench.answer import FreeText, answer_of
from inspect_discoverybench.hypothesis import SCORE_NAME

CODE_ARGUMENTS = ("code", "cmd", "command", "script")
"""Names of the arguments in which tools take code: Inspect's and those of common agents."""

ANSWER_ARGUMENTS = ("hypothesis", "answer")
"""Names of the arguments in which tools take the answer, so that their results are no outputs of code."""

_FAILURE = re.compile(
    r"Traceback \(most recent call last\)"
    r'|^ *File ".*", line \d+\n(?:.*\n){1,3}\w*Error:'  # a syntax error has no traceback
    r"|^\[(?:Interrupted|Killed) after the time limit|^\[The session (?:died|gave no)",  # session/tool.py
    re.MULTILINE,
)


@dataclass(frozen=True)
class Call:
    """A tool call and its result.

    Attributes:
        message: Id of the message with the result.
        code: The code that it ran; None if it ran none.
        output: Text of the result.
        failed: Whether it ended with an error, a time limit or the loss of its session.
    """

    message: str
    code: str | None
    output: str
    failed: bool


def task_text(transcript: Transcript) -> str:
    """What the agent was told: the goal and the descriptions of the data files."""
    return next((message.text for message in transcript.messages if isinstance(message, ChatMessageUser)), "")


def read_score(transcript: Transcript) -> Score | None:
    """The last score of the scorer `hms`, which has a number in its name if it was appended later."""
    events = [event for event in transcript.events if isinstance(event, ScoreEvent)]
    scores = [event.score for event in events if (event.scorer or SCORE_NAME).startswith(SCORE_NAME)]
    return scores[-1] if scores else None


def read_answer(transcript: Transcript) -> str | None:
    """The hypothesis that was scored, or else the one that would be; None if nothing was submitted.

    Raises:
        ReplyMissing: The transcript has no score, and the provider's last reply has no choices.
    """
    score = read_score(transcript)
    if score is not None:
        return score.answer or None
    outputs = [event.output for event in transcript.events if isinstance(event, ModelEvent)]
    sample = EvalSample(
        id=transcript.transcript_id,
        epoch=1,
        input="",
        target="",
        messages=transcript.messages,
        output=outputs[-1] if outputs else ModelOutput(),
        store=dict(store_from_events(transcript.events).items()),
    )
    answer = answer_of(sample)
    if isinstance(answer, FreeText):
        return answer.text
    return answer.hypothesis if answer else None


def read_calls(transcript: Transcript) -> list[Call]:
    """The tool calls in order, except those that submit an answer."""
    calls: dict[str, ToolCall] = {}
    results: dict[str, Call] = {}
    for message in _conversation(transcript):
        if isinstance(message, ChatMessageAssistant):
            calls.update({call.id: call for call in message.tool_calls or []})
        elif isinstance(message, ChatMessageTool) and message.tool_call_id in calls:
            key = message.id or message.tool_call_id
            arguments = calls[message.tool_call_id].arguments
            if key not in results and not any(name in arguments for name in ANSWER_ARGUMENTS):
                code = next((str(arguments[name]) for name in CODE_ARGUMENTS if arguments.get(name)), None)
                failed = message.error is not None or _FAILURE.search(message.text) is not None
                results[key] = Call(key, code, message.text, failed)
    return list(results.values())


def _conversation(transcript: Transcript) -> Iterator[ChatMessage]:
    """Every message in order, more than once. Some are only in model calls, because the agent removed them later."""
    for event in transcript.events:
        if isinstance(event, ModelEvent):
            yield from event.input
            yield from (choice.message for choice in event.output.choices)
    yield from transcript.messages
