"""The verdict on a pair of hypotheses: questions → facets → HMS (paper §4.3), and the record of how it was reached."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan, prod
from typing import Any

from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scorer import released
from inspect_discoverybench.scorer.facets import FACET_KEYS, FACETS, FacetVerdict
from inspect_discoverybench.scorer.judge import Judge, gather
from inspect_discoverybench.scorer.pair import HypothesisPair
from inspect_discoverybench.scorer.released import ReleasedVerdict

MIXED = "mixed"
"""Recorded for a setting that differed between the questions of one sample."""


@dataclass(frozen=True)
class Verdict:
    """The judge's verdict on a pair of hypotheses.

    Attributes:
        facets: The verdict on each facet that was asked about.
        released: The verdict on the sub-hypotheses; None if they were not asked about.
    """

    facets: Mapping[str, FacetVerdict]
    released: ReleasedVerdict | None = None

    @property
    def decided(self) -> dict[str, float]:
        """Scores of the decided facets."""
        return {key: facet.score for key, facet in self.facets.items() if facet.score is not None}

    @property
    def is_gated(self) -> bool:
        """Whether `gate` ended the questions, because the contexts do not match."""
        return len(self.facets) < len(FACETS)

    @property
    def values(self) -> dict[str, float]:
        """The score keys, with NaN for a facet that was not asked about or is undecided.

        HMS is undecided if any facet is. Counting it as 0 because another facet is 0 would only remove samples that
        could have scored, and bias the mean.
        """
        scores = dict.fromkeys(FACET_KEYS, nan) | self.decided
        whole = {"hms": 0.0 if self.is_gated else prod(scores.values()), **scores}
        return whole | (self.released.values(whole) if self.released else {})


async def compare(judge: Judge, pair: HypothesisPair, gate: bool = False, with_released: bool = False) -> Verdict:
    """Judge a pair of hypotheses: five questions; four if the contexts are identical.

    Args:
        judge: The judge.
        pair: The hypotheses.
        gate: Ask about the context first, and skip the other facets if the contexts do not match.
        with_released: Ask about sub-hypotheses as well, as the released evaluator does.
    """
    context, *others = FACETS
    if gate:
        first = await context.ask(judge, pair)
        if first.score == 0:
            return Verdict({context.key: first})
        replies = [first, *await gather(*(facet.ask(judge, pair) for facet in others))]
    else:
        replies = [*await gather(*(facet.ask(judge, pair) for facet in FACETS))]
    facets = dict(zip(FACET_KEYS, replies, strict=True))
    return Verdict(facets, await released.ask(judge, pair) if with_released else None)


def record(judge: Judge, verdict: Verdict | None, gate: bool) -> dict[str, Any]:
    """How a sample was judged, for the score metadata: judge, effective settings, prompts, decided facets, raw replies.

    The verdict is None if the answer asserts no hypothesis, so that the facets were not asked about. `judge_record`
    compares two records.
    """
    prompts = dict.fromkeys(("system", "answer", *(name for facet in FACETS for name in facet.prompts), "reask"))
    parts = verdict.released if verdict else None
    return {
        "judge": str(judge.model),
        "settings": _settings(judge),
        "gate": gate,
        "asked_again": sum(len(exchange.replies) - 1 for exchange in judge.exchanges),
        "prompts": {name: Prompt.load(f"judge/{name}").fingerprint for name in prompts},
        "facets": verdict.decided if verdict else {},
        **({"released": parts.record()} if parts else {}),
        "replies": {e.question.name: e.replies for e in sorted(judge.exchanges, key=lambda e: e.question.name)},
    }


def _settings(judge: Judge) -> dict[str, Any]:
    used = [exchange.settings.effective for exchange in judge.exchanges]
    first = used[0] if used else {}
    return {name: first[name] if all(settings[name] == first[name] for settings in used) else MIXED for name in first}
