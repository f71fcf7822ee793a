"""The scanner `unsupported_number`."""

from collections.abc import Sequence

from inspect_scout import Reference, Result, Scanner, Transcript, scanner

from inspect_discoverybench.scanners.quantity import Claim, claims, derived, printed
from inspect_discoverybench.scanners.transcript import read_answer, read_calls, task_text


@scanner(messages="all", events="all")
def unsupported_number() -> Scanner[Transcript]:
    """A number in the answer that no output contains and that follows from none by simple arithmetic.

    Numbers of the task text do not count, and numbers in code are no evidence.
    """

    async def scan(transcript: Transcript) -> Result:
        answer = read_answer(transcript)
        if answer is None:
            return Result(value=None, explanation="Nothing was submitted.")
        given = printed(task_text(transcript))
        checked = [claim for claim in claims(answer) if not claim.is_in(given)]
        calls = read_calls(transcript)
        missing = without_support(checked, [printed(call.output) for call in calls])
        if not missing:
            return Result(value=False, explanation=f"The outputs support each number of the answer ({len(checked)}).")
        in_code = [
            Reference(type="message", id=call.message, cite=f"[call {number}]")
            for number, call in enumerate(calls, 1)
            if any(claim.is_in(printed(call.code or "")) for claim in missing)
        ]
        numbers = ", ".join(claim.text for claim in missing)
        explanation = f"{len(missing)} of {len(checked)} numbers do not follow from {len(calls)} outputs: {numbers}."
        if in_code:
            cites = ", ".join(str(reference.cite) for reference in in_code)
            explanation += f" They are in the code of {cites}, which is no evidence."
        return Result(value=True, answer=numbers, explanation=explanation, references=in_code)

    return scan


def without_support(checked: Sequence[Claim], outputs: Sequence[list[float]]) -> list[Claim]:
    """The claims that no output contains, and that arithmetic on one output or on all of them does not yield."""
    everything = sorted(number for output in outputs for number in output)
    missing = [claim for claim in checked if not claim.is_in(everything)]
    results = [derived(numbers) for numbers in (everything, *outputs)] if missing else []
    return [claim for claim in missing if not any(map(claim.follows_from, results))]
