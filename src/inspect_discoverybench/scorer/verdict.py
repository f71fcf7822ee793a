"""The verdict on a pair of hypotheses: questions → facets → HMS (paper §4.3)."""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

from inspect_discoverybench.scorer.claim import CLAIM_KEY, Claim, ask_claim
from inspect_discoverybench.scorer.facets import FACET_KEYS, FACETS, FacetVerdict
from inspect_discoverybench.scorer.gather import gather
from inspect_discoverybench.scorer.hms import hypothesis_match_score
from inspect_discoverybench.scorer.hypothesis_pair import HypothesisPair
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.question import ParseFailure
from inspect_discoverybench.scorer.released_form import RELEASED, RELEASED_KEYS, ReleasedVerdict, ask_released


@dataclass(frozen=True)
class Verdict:
    """The judge's verdict on a pair of hypotheses.

    Attributes:
        facets: The verdict on each facet.
        released: The verdict on the sub-hypotheses, or the failure that leaves it undecided; None if the judge was not
            asked about them.
        claim: Whether the predicted hypothesis claims a relationship, or the failure that leaves this undecided; None
            if the judge was not asked.
    """

    facets: Mapping[str, FacetVerdict]
    released: ReleasedVerdict | ParseFailure | None = None
    claim: Claim | ParseFailure | None = None

    @property
    def decided(self) -> dict[str, float]:
        """Scores of the decided facets."""
        return {key: facet.score for key, facet in self.facets.items() if facet.score is not None}

    @property
    def values(self) -> dict[str, float]:
        """The score keys, with NaN for what is undecided."""
        facet_scores = dict.fromkeys(FACET_KEYS, nan) | self.decided
        values = {"hms": hypothesis_match_score(**facet_scores), **facet_scores}
        if isinstance(self.released, ParseFailure):
            values |= dict.fromkeys(RELEASED_KEYS, nan)
        elif self.released is not None:
            values |= self.released.values(facet_scores["variables"], facet_scores["relationship"])
        if isinstance(self.claim, ParseFailure):
            values[CLAIM_KEY] = nan
        elif self.claim is not None:
            values[CLAIM_KEY] = self.claim.score
        return values


async def ask_verdict(
    judge: Judge, pair: HypothesisPair, with_released: bool = False, with_claim: bool = False
) -> Verdict:
    """Judge a pair of hypotheses.

    The facets take five questions, two of which extract the contexts. If the contexts are identical, there are four
    questions, because whether the contexts match is not asked.

    Args:
        judge: The judge.
        pair: The hypotheses.
        with_released: Ask about sub-hypotheses as well, as the released evaluator does.
        with_claim: Ask whether the predicted hypothesis claims a relationship.
    """
    questions: dict[str, Awaitable[Any]] = {facet.key: facet.ask(judge, pair) for facet in FACETS}
    if with_released:
        questions[RELEASED] = ask_released(judge, pair)
    if with_claim:
        questions[CLAIM_KEY] = ask_claim(judge, pair)
    answers = await gather(*questions.values())
    replies = dict(zip(questions, answers, strict=True))
    return Verdict(
        facets={key: replies[key] for key in FACET_KEYS},
        released=replies.get(RELEASED),
        claim=replies.get(CLAIM_KEY),
    )
