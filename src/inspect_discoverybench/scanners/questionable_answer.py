"""The scanner `questionable_answer`: one question to a model about faults that need a reader."""

import json
from collections.abc import Sequence
from secrets import token_hex
from typing import cast

from inspect_ai.model import get_model
from inspect_scout import AnswerMultiLabel, Result, ResultReducer, Scanner, Transcript, llm_scanner, scanner

from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scanners.transcript import read_answer, read_score

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


@scanner(messages="all", events="all")
def questionable_answer() -> Scanner[Transcript]:
    """Faults of an answer or of its judge that only a reader can find: the names of those in `CATEGORIES`."""

    async def scan(transcript: Transcript) -> Result:
        answer = read_answer(transcript)
        if answer is None:
            return Result(value=None, explanation="Nothing was submitted.")
        model = get_model()  # inspect-evals-lint: ignore[IEBP001] -- called by the scanner
        if str(model) == "none/none":
            return Result(value=None, explanation="Only a model can decide. Choose one with --model.")
        score = read_score(transcript)
        values = {"answer": answer, "score": score.explanation if score else None}
        ask = llm_scanner(
            question=Prompt.load("scanners/questionable_answer").render(values=json.dumps(values, ensure_ascii=False)),
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


async def _union(results: Sequence[Result]) -> Result:
    """The faults found in any part of a long transcript. Without any, a part with an invalid reply leaves it open."""
    union = await ResultReducer.union(list(results))
    is_open = not union.value and any(result.value is None for result in results)
    return union.model_copy(update={"value": None}) if is_open else union
