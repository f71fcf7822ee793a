"""The record of how a sample was judged, kept in the score metadata. `judge_record` compares two of them."""

from typing import Any

from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.verdict import Aggregation, PairVerdict

PROMPTS = ("system", "answer", "extract_context", "match_context", "compare", "variables", "relationship", "reask")

MIXED = "mixed"
"""Recorded for a setting that differed between the questions of one sample."""


def record(judge: Judge, verdict: PairVerdict | None, gate: bool, aggregation: Aggregation) -> dict[str, Any]:
    """Build the record: judge, effective settings, prompts, re-asks, decided facets and all raw replies.

    The verdict is None if the answer asserts no hypothesis, so that the facets were not asked about.
    """
    parts = verdict.parts if verdict else None
    part_counts = parts and {
        "gold": len(parts.gold),
        "predicted": len(parts.predicted),
        "matched": len(parts.matched),
    }
    return {
        "judge": str(judge.model),
        "settings": _settings(judge),
        "aggregation": aggregation.value,
        "gate": gate,
        "asked_again": sum(len(exchange.replies) - 1 for exchange in judge.exchanges),
        "prompts": {name: Prompt.load(f"judge/{name}").fingerprint for name in PROMPTS},
        "parts": part_counts,
        "facets": {facet.value: value for facet, value in (verdict.product.facets.items() if verdict else ())},
        "replies": {e.question: list(e.replies) for e in sorted(judge.exchanges, key=lambda e: e.question)},
    }


def _settings(judge: Judge) -> dict[str, Any]:
    used = [exchange.settings for exchange in judge.exchanges]
    first = used[0] if used else {}
    return {name: first[name] if all(settings[name] == first[name] for settings in used) else MIXED for name in first}
