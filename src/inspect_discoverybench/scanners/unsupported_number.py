"""The scanner `unsupported_number`."""

from inspect_scout import Result, Scanner, Transcript, scanner

from inspect_discoverybench.scanners.answer import given_text, read_submission
from inspect_discoverybench.scanners.call import read_calls
from inspect_discoverybench.scanners.citation import without_references
from inspect_discoverybench.scanners.finding import NOT_SUBMITTED, absent, present, undecided
from inspect_discoverybench.scanners.quantity import claimed, printed


@scanner(messages="all", events="all")
def unsupported_number(accept_code: bool = False) -> Scanner[Transcript]:
    """A number in the submitted hypothesis that appears in no output of the session.

    Rounded and truncated values, percentages of shares, scientific notation, thousands separators and spelled numbers
    are matched. Numbers from the task text and the data descriptions do not count.

    Args:
        accept_code: Also accept numbers that appear in the agent's code, such as the threshold of a filter.
    """

    async def scan(transcript: Transcript) -> Result:
        submission = read_submission(transcript)
        if submission is None:
            return undecided(NOT_SUBMITTED)
        given = printed(given_text(transcript))
        claims = [
            quantity
            for quantity in claimed(without_references(submission.hypothesis))
            if not quantity.supported_by(given)
        ]
        if not claims:
            return absent("The hypothesis contains no number that is not in the task text.")
        calls = read_calls(transcript)
        in_code = printed("\n".join(call.code or "" for call in calls))
        values = printed("\n".join(call.output for call in calls))
        missing = [quantity for quantity in claims if not quantity.supported_by(values)]
        if accept_code:
            missing = [quantity for quantity in missing if not quantity.supported_by(in_code)]
        images = sum(call.images for call in calls)
        note = f" The session also returned {images} figures, which were not read." if images else ""
        if not missing:
            return absent(f"Each number of the hypothesis ({len(claims)}) appears in an output of the session.{note}")
        listed = [f"{q.text} (only in code)" if q.supported_by(in_code) else q.text for q in missing]
        return present(
            f"Numbers of the hypothesis that appear in no output of the session ({len(missing)} of {len(claims)}, "
            f"outputs: {len(calls)}): {', '.join(listed)}.{note}",
            [quantity.text for quantity in missing],
        )

    return scan
