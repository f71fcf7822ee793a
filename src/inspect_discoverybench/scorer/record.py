"""The record of a judgement: what two scores must share to be compared."""

from typing import Any

from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.verdict import Aggregation, Verdict

PROMPTS = ("system", "extract_context", "match_context", "compare", "variables", "relationship", "reask")


def record(judge: Judge, verdict: Verdict, gate: bool, aggregation: Aggregation) -> dict[str, Any]:
    """Judge, settings, prompts, what was asked again, the decided facets and every raw reply."""
    parts = verdict.parts
    counted = parts and {
        "gold": len(parts.gold),
        "predicted": len(parts.predicted),
        "matched": len(parts.matched),
    }
    return {
        "judge": str(judge.model),
        "aggregation": aggregation.value,
        "gate": gate,
        "asked_again": sum(len(exchange.replies) - 1 for exchange in judge.exchanges),
        "prompts": {name: Prompt.load(f"judge/{name}").fingerprint for name in PROMPTS},
        "parts": counted,
        "facets": {facet.value: value for facet, value in verdict.facets.items()},
        "replies": {e.question: list(e.replies) for e in sorted(judge.exchanges, key=lambda e: e.question)},
    }
