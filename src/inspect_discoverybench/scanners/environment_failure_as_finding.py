"""The scanner `environment_failure_as_finding`."""

from inspect_scout import Result, Scanner, Transcript, scanner

from inspect_discoverybench.scanners.answer import given_text, read_submission
from inspect_discoverybench.scanners.call import read_calls
from inspect_discoverybench.scanners.failure import environment_failure
from inspect_discoverybench.scanners.finding import NOT_SUBMITTED, absent, quote, undecided
from inspect_discoverybench.scanners.question import decide

MAX_FAILURES = 8
"""Maximum number of failures in the question; the last ones are kept."""


@scanner(messages="all", events="all")
def environment_failure_as_finding() -> Scanner[Transcript]:
    """An environment failure that the agent mistook for a finding, such as a missing file for missing data.

    A rule finds the failures. If there are any, the model decides.
    """

    async def scan(transcript: Transcript) -> Result:
        submission = read_submission(transcript)
        if submission is None:
            return undecided(NOT_SUBMITTED)
        calls = read_calls(transcript)
        failures = [(call, line) for call in calls if (line := environment_failure(call))]
        if not failures:
            return absent(f"None of {len(calls)} outputs reports a failure of the environment.")
        values = {
            "task": given_text(transcript),
            "hypothesis": submission.hypothesis,
            "workflow": submission.workflow,
            "failures": [
                {"code": quote(call.code or call.function), "output": line[:1000]}
                for call, line in failures[-MAX_FAILURES:]
            ],
            "successful_calls_after_the_last_failure": len(calls) - 1 - calls.index(failures[-1][0]),
        }
        candidates = f"{len(failures)} of {len(calls)} outputs report a failure: {quote(failures[-1][1])}"
        return await decide("environment_failure", values, candidates)

    return scan
