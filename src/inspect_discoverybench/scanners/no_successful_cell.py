"""The scanner `no_successful_cell`."""

from inspect_scout import Result, Scanner, Transcript, scanner

from inspect_discoverybench.scanners.answer import read_submission
from inspect_discoverybench.scanners.call import read_calls
from inspect_discoverybench.scanners.finding import NOT_SUBMITTED, absent, present, undecided


@scanner(messages="all", events="all")
def no_successful_cell() -> Scanner[Transcript]:
    """A submission without a call that ran code and returned without an error."""

    async def scan(transcript: Transcript) -> Result:
        if read_submission(transcript) is None:
            return undecided(NOT_SUBMITTED)
        cells = [call for call in read_calls(transcript) if call.code is not None]
        successful = sum(not cell.failed for cell in cells)
        if successful:
            return absent(f"{successful} of {len(cells)} cells returned without an error.")
        return present(
            f"The answer was submitted although all {len(cells)} cells failed."
            if cells
            else "The answer was submitted without running any code.",
            calls=cells,
        )

    return scan
