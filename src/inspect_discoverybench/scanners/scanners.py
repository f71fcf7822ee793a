"""The two scanners, and how they read a score and the cells in a transcript.

`no_successful_cell` is a rule. `questionable_answer` asks a model about faults that only a reader can find.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from secrets import token_hex
from typing import cast

import yaml
from inspect_ai.event import ModelEvent, ScoreEvent
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, get_model
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolCall
from inspect_scout import (
    AnswerMultiLabel,
    Reference,
    Result,
    ResultReducer,
    ScanJob,
    ScanJobConfig,
    Scanner,
    Transcript,
    llm_scanner,
    scanjob,
    scanner,
)

from inspect_discoverybench.chat_templates import Meaning, pattern
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.sandbox.shipped_files import shipped
from inspect_discoverybench.submission.submission import SCORE_NAME

CATEGORIES = {
    "environment_failure_as_finding": "The answer states as a finding what only a failure of the environment suggests, "
    "such as no data because a file, a package, memory or time was missing.",
    "published_result": "The answer names or cites a published study, a handbook or a known result, so that it was "
    "looked up or recalled instead of found in the data.",
    "plan_instead_of_result": "The answer is a plan, a sketch or a question instead of a result.",
    "unsupported_words": "The answer states a quantity in words, a comparison or a test that no output in the "
    "transcript shows.",
    "judge_contradiction": "A reason of the judge argues for another verdict, or counts variables otherwise, than the "
    "judge's own verdict.",
}
"""The faults that the model chooses from, and their descriptions."""

_NO_ANSWER = Result(value=None, explanation="No answer was scored.")
_NO_MODEL = Result(value=None, explanation="Only a model can decide. Choose one with --model.")

_FAILURE = re.compile(
    r"Traceback \(most recent call last\)"
    r'|^ *File ".*", line \d+\n(?:.*\n){1,3}\w*Error:'  # a syntax error has no traceback
    # What session/tool.py writes.
    r"|^\[(?:Interrupted|Killed) after the time limit|^\[The session (?:died|gave no)|^\[The code failed",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Cell:
    """Code that a model ran.

    Attributes:
        message: Id of the message with the result.
        failed: Whether it ended with an error, a time limit or the loss of its session.
    """

    message: str
    failed: bool


@scanjob
def scan() -> ScanJob:
    """Run the scanners of this package with the settings of `evals/scan.yaml`."""
    config = yaml.safe_load(shipped("evals/scan.yaml").read_text("utf-8"))
    return ScanJob.from_config(ScanJobConfig.model_validate(config))


@scanner(messages="all", events="all")
def no_successful_cell() -> Scanner[Transcript]:
    """Whether an answer was submitted although no code ran successfully. The value is None if no answer was scored."""

    async def scan(transcript: Transcript) -> Result:
        score = _read_score(transcript)
        if score is None or not score.answer:
            return _NO_ANSWER
        cells = _read_cells(transcript)
        if not cells:
            return Result(value=True, explanation="The answer was submitted without code.")
        successful = sum(not cell.failed for cell in cells)
        if successful:
            return Result(value=False, explanation=f"{successful} of {len(cells)} cells returned without an error.")

        cites = []
        references = []
        for number, cell in enumerate(cells, 1):
            cite = f"[cell {number}]"
            cites.append(cite)
            references.append(Reference(type="message", id=cell.message, cite=cite))
        listed = ", ".join(cites)
        return Result(value=True, explanation=f"All cells failed: {listed}.", references=references)

    return scan


@scanner(messages="all", events="all")
def questionable_answer() -> Scanner[Transcript]:
    """Faults of an answer or of its judge that only a reader can find.

    The value is a list of names from `CATEGORIES`. It is None if no answer was scored, if no model is chosen, or if the
    model's reply is invalid.
    """

    async def scan(transcript: Transcript) -> Result:
        score = _read_score(transcript)
        if score is None or not score.answer:
            return _NO_ANSWER
        model = get_model()  # inspect-evals-lint: ignore[IEBP001] -- called by the scanner
        if str(model) == "none/none":
            return _NO_MODEL

        values = {"answer": score.answer, "score": score.explanation}
        question = Prompt.load("scanners/questionable_answer").render(values=json.dumps(values, ensure_ascii=False))
        labels = [f"{name}: {text}" for name, text in CATEGORIES.items()]
        ask = llm_scanner(
            question=question,
            answer=AnswerMultiLabel(labels, allow_none=True),
            reducer=_union,
            nonce=token_hex(4),  # so that a message cannot imitate the markers of the transcript
        )
        # Without events, so that the model reads the conversation once and not every call.
        conversation = transcript.model_copy(update={"events": []})
        result = cast(Result, await ask(conversation))
        if not isinstance(result.value, list):  # the model's reply is invalid
            return result
        # A label is the name of a category and its description.
        names = [str(label).partition(":")[0] for label in result.value]
        return result.model_copy(update={"value": names, "answer": ", ".join(names) or None})

    return scan


def _read_score(transcript: Transcript) -> Score | None:
    """The last score of the scorer `hms`; None if there is none.

    Its name in the event is `HMS`, followed by a number if the score was appended to a log. In Inspect's events, the
    name is optional. An event without it counts, too.
    """
    score = None
    for event in transcript.events:
        if isinstance(event, ScoreEvent) and (event.scorer or SCORE_NAME).startswith(SCORE_NAME):
            score = event.score
    return score


def _read_cells(transcript: Transcript) -> list[Cell]:
    """The cells in the order of their results.

    Most messages occur more than once, so cells are collected by the id of the message with the result.
    """
    calls: dict[str | None, ToolCall] = {}
    cells: dict[str | None, Cell] = {}
    for message in _all_messages(transcript):
        if isinstance(message, ChatMessageAssistant):
            calls |= {call.id: call for call in message.tool_calls or []}
        if _is_result_of_code(message, calls):
            has_error = isinstance(message, ChatMessageTool) and message.error is not None
            failed = has_error or _FAILURE.search(message.text) is not None
            cells[message.id] = Cell(str(message.id), failed)
    return list(cells.values())


def _is_result_of_code(message: ChatMessage, calls: Mapping[str | None, ToolCall]) -> bool:
    """Whether a message is the result of code, which the model wrote in a call or in its text."""
    if isinstance(message, ChatMessageTool):
        call = calls.get(message.tool_call_id)
        # A tool runs code if the name of one of its parameters says so, as in `code` or `cmd`.
        return call is not None and any(map(pattern(Meaning.CODE).fullmatch, call.arguments))
    # `solvers/step.py` marks the output of code that a model wrote in its text.
    return (message.metadata or {}).get("function") == "python"


def _all_messages(transcript: Transcript) -> Iterator[ChatMessage]:
    """Yield the messages of all model calls and of the conversation. Most occur more than once.

    Some messages are only in model calls, because the agent removed them later.
    """
    for event in transcript.events:
        if isinstance(event, ModelEvent):
            yield from event.input
            yield from (choice.message for choice in event.output.choices)
    yield from transcript.messages


async def _union(results: Sequence[Result]) -> Result:
    """The faults that were found in any of the parts in which a long transcript is read.

    If no fault was found, but the reply about a part is invalid, it is not known whether there is one. The value is
    then None.
    """
    union = await ResultReducer.union(list(results))
    if not union.value and any(result.value is None for result in results):
        return union.model_copy(update={"value": None})
    return union
