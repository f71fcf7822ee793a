"""The scanner `names_published_study`."""

from inspect_scout import Result, Scanner, Transcript, scanner

from inspect_discoverybench.scanners.answer import given_text, read_submission
from inspect_discoverybench.scanners.call import read_calls
from inspect_discoverybench.scanners.citation import citations
from inspect_discoverybench.scanners.finding import NOT_SUBMITTED, absent, present, quote, undecided
from inspect_discoverybench.scanners.question import decide


@scanner(messages="all", events="all")
def names_published_study() -> Scanner[Transcript]:
    """An answer that names the published study: a sign that the model recalled it instead of analysing the data.

    Rules find citations. The model decides about mentions of a study and names that the agent was not told.
    """

    async def scan(transcript: Transcript) -> Result:
        submission = read_submission(transcript)
        if submission is None:
            return undecided(NOT_SUBMITTED)
        given = given_text(transcript)
        context = "\n".join([given, *(f"{call.code or ''}\n{call.output}" for call in read_calls(transcript))])
        cited = citations(f"{submission.hypothesis}\n{submission.workflow}", context)
        if cited.certain:
            return present(f"The answer cites {', '.join(cited.certain)}.", cited.certain)
        if not cited.possible:
            return absent("The answer mentions no study and no name that the agent was not told.")
        values = {"task": given, "hypothesis": submission.hypothesis, "workflow": submission.workflow}
        return await decide("published_study", values, f"The answer mentions {quote(', '.join(cited.possible))}.")

    return scan
