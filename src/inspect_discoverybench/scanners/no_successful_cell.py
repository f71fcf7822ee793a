"""The scanner `no_successful_cell`."""

from inspect_scout import Reference, Result, Scanner, Transcript, scanner

from inspect_discoverybench.scanners.transcript import read_answer, read_calls


@scanner(messages="all", events="all")
def no_successful_cell() -> Scanner[Transcript]:
    """An answer without a call that ran code and returned without an error."""

    async def scan(transcript: Transcript) -> Result:
        if read_answer(transcript) is None:
            return Result(value=None, explanation="Nothing was submitted.")
        cells = [call for call in read_calls(transcript) if call.code is not None]
        successful = sum(not cell.failed for cell in cells)
        if successful:
            return Result(value=False, explanation=f"{successful} of {len(cells)} cells returned without an error.")
        references = [
            Reference(type="message", id=cell.message, cite=f"[cell {number}]") for number, cell in enumerate(cells, 1)
        ]
        failed = f"All cells failed: {', '.join(str(reference.cite) for reference in references)}."
        explanation = failed if cells else "The answer was submitted without running code."
        return Result(value=True, explanation=explanation, references=references)

    return scan
