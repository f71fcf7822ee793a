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
        missing = _unsupported(checked, [printed(call.output) for call in calls])
        if not missing:
            return Result(value=False, explanation=f"The outputs support each number of the answer ({len(checked)}).")
        literals = {
            call: f"[call {number}]"
            for number, call in enumerate(calls, 1)
            if any(claim.is_in(printed(call.code or "")) for claim in missing)
        }
        in_code = f" Numbers in code are no evidence: {', '.join(literals.values())}." if literals else ""
        return Result(
            value=True,
            answer=", ".join(claim.text for claim in missing),
            explanation=f"The outputs of {len(calls)} calls do not support {len(missing)} of {len(checked)} numbers of "
            f"the answer: {', '.join(claim.text for claim in missing)}.{in_code}",
            references=[Reference(type="message", id=call.message, cite=cite) for call, cite in literals.items()],
        )

    return scan


def _unsupported(checked: Sequence[Claim], outputs: Sequence[list[float]]) -> list[Claim]:
    """The claims that no output contains, and that arithmetic on one output or on all of them does not yield."""
    everything = sorted(number for output in outputs for number in output)
    missing = [claim for claim in checked if not claim.is_in(everything)]
    results = [derived(numbers) for numbers in (everything, *outputs)] if missing else []
    return [claim for claim in missing if not any(map(claim.follows_from, results))]
