"""The scanner `judge_contradiction`."""

from inspect_scout import Result, Scanner, Transcript, scanner

from inspect_discoverybench.scanners.answer import hms_scores
from inspect_discoverybench.scanners.finding import present, quote, undecided
from inspect_discoverybench.scanners.judge_statement import statements
from inspect_discoverybench.scanners.question import decide


@scanner(messages="all", events="all")
def judge_contradiction() -> Scanner[Transcript]:
    """A judge whose explanation contradicts its verdict.

    Rules find explanations that state another option, count or match. The model decides about the others.
    """

    async def scan(transcript: Transcript) -> Result:
        score = next(hms_scores(transcript), None)
        explained = list(statements(score)) if score is not None else []
        if not explained:
            return undecided("The judge gave no explained verdict.")
        contradictions = [statement for statement in explained if statement.contradiction]
        if contradictions:
            return present(
                "\n".join(
                    f"{s.question}: the verdict is {s.verdict!r}, but the explanation says "
                    f"{quote(s.contradiction or '')!r}."
                    for s in contradictions
                ),
                [statement.question for statement in contradictions],
            )
        values = {
            "statements": [
                {"question": s.question, "verdict": s.verdict, "explanation": s.explanation} for s in explained
            ]
        }
        return await decide("judge_contradiction", values, f"The rules found nothing in {len(explained)} explanations.")

    return scan
