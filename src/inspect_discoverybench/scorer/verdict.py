"""The verdict on a pair of hypotheses: questions → facets → HMS (paper §4.3), and what the score says about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan, nan, prod
from typing import Any

from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.scorer.facets import FACET_KEYS, FACETS, FacetVerdict, HypothesisPair
from inspect_discoverybench.scorer.judge import Judge, gather
from inspect_discoverybench.scorer.released_form import RELEASED_PROMPTS, ReleasedVerdict, ask_released
from inspect_discoverybench.submission.text import escape

MIXED = "mixed"
"""Recorded for a setting that differed between the questions of one sample."""

_SOURCES = {
    "object": " (from a JSON object in the final message)",
    "labels": " (from the labels of the final message)",
    "quoted": " (quoted by the judge from the final message)",
    "whole": " (the whole final message, because the judge's quotes were invalid)",
}


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
    facets: dict[str, FacetVerdict] = {}
    if gate:
        context = facets["context"] = await FACETS[0].ask(judge, pair)
        if context.score == 0:
            return Verdict(facets)
    others = FACETS[len(facets) :]
    parts = [ask_released(judge, pair)] if with_released else []
    replies: list[Any] = [*await gather(*(facet.ask(judge, pair) for facet in others), *parts)]
    facets |= {facet.key: reply for facet, reply in zip(others, replies, strict=False)}
    return Verdict(facets, replies[-1] if with_released else None)


def record(judge: Judge, verdict: Verdict | None, gate: bool) -> dict[str, Any]:
    """How a sample was judged, for the score metadata: judge, effective settings, prompts, decided facets, raw replies.

    The verdict is None if the answer asserts no hypothesis, so that the facets were not asked about. `judge_record`
    compares two records.
    """
    names = ("system", "answer", *(name for facet in FACETS for name in facet.prompts), *RELEASED_PROMPTS, "reask")
    parts = verdict.released if verdict else None
    return {
        "judge": str(judge.model),
        "settings": _settings(judge),
        "gate": gate,
        "asked_again": sum(len(exchange.replies) - 1 for exchange in judge.exchanges),
        "prompts": {name: Prompt.load(f"judge/{name}").fingerprint for name in dict.fromkeys(names)},
        "facets": verdict.decided if verdict else {},
        **({"released": parts.record()} if parts else {}),
        "replies": {e.question.name: e.replies for e in sorted(judge.exchanges, key=lambda e: e.question.name)},
    }


def _settings(judge: Judge) -> dict[str, Any]:
    used = [exchange.settings.effective for exchange in judge.exchanges]
    first = used[0] if used else {}
    return {name: first[name] if all(settings[name] == first[name] for settings in used) else MIXED for name in first}


def explain(pair: HypothesisPair, verdict: Verdict, source: str) -> str:
    """Render both hypotheses, the verdict on each facet with the judge's reason, and the resulting score.

    Args:
        pair: The hypotheses.
        verdict: The judge's verdict on them.
        source: How the answer was read: `call`, `object`, `labels`, `quoted` or `whole`.
    """
    sections = [
        _headline(verdict),
        f"### Gold hypothesis\n\n{escape(pair.gold_hypothesis)}",
        f"### Predicted hypothesis{_SOURCES.get(source, '')}\n\n{escape(pair.predicted_hypothesis)}",
    ]
    for facet in FACETS:
        reply = verdict.facets.get(facet.key)
        if reply is None:
            sections.append(f"### {facet.label}: not asked\n\nNot asked, because the contexts do not match.")
        else:
            score = "undecided" if reply.score is None else f"{reply.score:.2f}"
            sections.append(f"### {facet.label}: {score}\n\n{reply.describe()}")
    if verdict.released is not None:
        value = verdict.values["hms_released"]
        score = "undecided" if isnan(value) else f"{value:.2f}"
        sections.append(f"### Form of the released evaluator: {score}\n\n{verdict.released.describe()}")
    return "\n\n".join(sections)


def _headline(verdict: Verdict) -> str:
    values = verdict.values
    if verdict.is_gated:
        return "**HMS 0.00**: the contexts do not match. The judge was not asked about the other facets (`gate`)."
    if isnan(values["hms"]):
        undecided = ", ".join(key for key in FACET_KEYS if isnan(values[key]))
        return f"**Not scored**: the judge's replies were invalid for: {undecided}. HMS needs all facets."
    product = " × ".join(f"{key} {values[key]:.2f}" for key in FACET_KEYS)
    return f"**HMS {values['hms']:.2f}** = {product}"
