"""The scanners: two rules, and one question to a model about faults that need a reader; and what they read."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from secrets import token_hex
from typing import cast

import yaml
from inspect_ai.event import ModelEvent, ScoreEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ChatMessageUser, ModelOutput, get_model
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolCall
from inspect_ai.util import store_from_events
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

from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.sandbox.shipped_files import shipped
from inspect_discoverybench.scanners.quantity import claims, evidence, printed, without_support, years
from inspect_discoverybench.submission.answer import FreeText, answer_of
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
        arguments: The text of its arguments.
        is_cell: Whether it ran code.
        output: Text of the result.
        failed: Whether it ended with an error, a time limit or the loss of its session.
    """

    message: str
    arguments: str
    is_cell: bool
    output: str
    failed: bool


@scanjob
def scan() -> ScanJob:
    """All scanners of this package."""
    config = yaml.safe_load(shipped("evals/scan.yaml").read_text("utf-8"))
    return ScanJob.from_config(ScanJobConfig.model_validate(config))


@scanner(messages="all", events="all")
def unsupported_number() -> Scanner[Transcript]:
    """A number in the answer that no output contains and that follows from none by simple arithmetic.

    Numbers of the task text do not count. Numbers in code are no evidence, also if the code prints them.
    """

    async def scan(transcript: Transcript) -> Result:
        answer = _read_answer(transcript)
        if answer is None:
            return Result(value=None, explanation="Nothing was submitted.")
        task = next((message.text for message in transcript.messages if isinstance(message, ChatMessageUser)), "")
        calls = _read_calls(transcript)
        span = years("\n".join([task, *(text for call in calls for text in (call.arguments, call.output))]))
        checked = [c for c in claims(answer) if not (c.is_in(printed(task)) or (c.text.isdigit() and c.value in span))]
        missing = without_support(checked, evidence([(call.arguments, call.output) for call in calls]))
        if not missing:
            return Result(value=False, explanation=f"The outputs support each number of the answer ({len(checked)}).")
        in_code = {
            f"[call {number}]": call.message
            for number, call in enumerate(calls, 1)
            if any(claim.is_in(printed(call.arguments)) for claim in missing)
        }
        numbers = ", ".join(claim.text for claim in missing)
        explanation = f"{len(missing)} of {len(checked)} numbers do not follow from {len(calls)} outputs: {numbers}."
        if in_code:
            explanation += f" They are in the code of {', '.join(in_code)}, which is no evidence."
        references = [Reference(type="message", id=message, cite=cite) for cite, message in in_code.items()]
        return Result(value=True, answer=numbers, explanation=explanation, references=references)

    return scan


@scanner(messages="all", events="all")
def no_successful_cell() -> Scanner[Transcript]:
    """An answer without a call that ran code and returned without an error."""

    async def scan(transcript: Transcript) -> Result:
        if _read_answer(transcript) is None:
            return Result(value=None, explanation="Nothing was submitted.")
        cells = [call for call in _read_calls(transcript) if call.is_cell]
        if successful := sum(not cell.failed for cell in cells):
            return Result(value=False, explanation=f"{successful} of {len(cells)} cells returned without an error.")
        cites = {f"[cell {number}]": cell.message for number, cell in enumerate(cells, 1)}
        references = [Reference(type="message", id=message, cite=cite) for cite, message in cites.items()]
        explanation = f"All cells failed: {', '.join(cites)}." if cells else "The answer was submitted without code."
        return Result(value=True, explanation=explanation, references=references)

    return scan


@scanner(messages="all", events="all")
def questionable_answer() -> Scanner[Transcript]:
    """Faults of an answer or of its judge that only a reader can find: the names of those in `CATEGORIES`."""

    async def scan(transcript: Transcript) -> Result:
        answer = _read_answer(transcript)
        if answer is None:
            return Result(value=None, explanation="Nothing was submitted.")
        model = get_model()  # inspect-evals-lint: ignore[IEBP001] -- called by the scanner
        if str(model) == "none/none":
            return Result(value=None, explanation="Only a model can decide. Choose one with --model.")
        score = _read_score(transcript)
        values = json.dumps({"answer": answer, "score": score.explanation if score else None}, ensure_ascii=False)
        ask = llm_scanner(
            question=Prompt.load("scanners/questionable_answer").render(values=values),
            answer=AnswerMultiLabel([f"{name}: {text}" for name, text in CATEGORIES.items()], allow_none=True),
            reducer=_union,
            nonce=token_hex(4),
        )
        # Without events, so that the model reads the conversation once and not every call.
        result = cast(Result, await ask(transcript.model_copy(update={"events": []})))
        if not isinstance(result.value, list):
            return result
        names = [str(label).partition(":")[0] for label in result.value]
        return result.model_copy(update={"value": names, "answer": ", ".join(names) or None})

    return scan


def _read_score(transcript: Transcript) -> Score | None:
    """The last score of the scorer `hms`, which has a number in its name if it was appended later."""
    events = [event for event in transcript.events if isinstance(event, ScoreEvent)]
    scores = [event.score for event in events if (event.scorer or SCORE_NAME).startswith(SCORE_NAME)]
    return scores[-1] if scores else None


def _read_answer(transcript: Transcript) -> str | None:
    """The hypothesis that was scored, or else the one that would be; None if nothing was submitted.

    Raises:
        ReplyMissing: The transcript has no score, and the provider's last reply has no choices.
    """
    score = _read_score(transcript)
    if score is not None:
        return score.answer or None
    output = [ModelOutput(), *(event.output for event in transcript.events if isinstance(event, ModelEvent))][-1]
    messages, store = transcript.messages, dict(store_from_events(transcript.events).items())
    sample = EvalSample(id="", epoch=1, input="", target="", messages=messages, output=output, store=store)
    answer = answer_of(sample)
    if isinstance(answer, FreeText):
        return answer.text
    return answer.hypothesis if answer else None


def _read_calls(transcript: Transcript) -> list[Call]:
    """The tool calls in order, except those that submit an answer."""
    # Some messages are only in model calls, because the agent removed them later. Others are in several.
    model_calls = [event for event in transcript.events if isinstance(event, ModelEvent)]
    turns = ((*event.input, *(choice.message for choice in event.output.choices)) for event in model_calls)
    calls: dict[str, ToolCall] = {}
    results: dict[str, Call] = {}
    for message in chain(*turns, transcript.messages):
        if isinstance(message, ChatMessageAssistant):
            calls.update({call.id: call for call in message.tool_calls or []})
        elif isinstance(message, ChatMessageTool) and message.tool_call_id in calls:
            key = message.id or message.tool_call_id
            arguments = calls[message.tool_call_id].arguments
            if key not in results and not any(name in arguments for name in ANSWER_ARGUMENTS):
                text, is_cell = "\n".join(map(str, arguments.values())), any(map(arguments.get, CODE_ARGUMENTS))
                failed = message.error is not None or _FAILURE.search(message.text) is not None
                results[key] = Call(key, text, is_cell, message.text, failed)
    return list(results.values())


async def _union(results: Sequence[Result]) -> Result:
    """The faults found in any part of a long transcript. Without any, a part with an invalid reply leaves it open."""
    union = await ResultReducer.union(list(results))
    is_open = not union.value and any(result.value is None for result in results)
    return union.model_copy(update={"value": None}) if is_open else union
