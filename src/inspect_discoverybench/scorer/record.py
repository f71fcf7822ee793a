"""The record of a judgement: what two scores must share to be compared."""

from collections.abc import Iterator, Mapping
from typing import Any

from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.verdict import Aggregation, PairVerdict

PROMPTS = ("system", "extract_context", "match_context", "compare", "variables", "relationship", "reask")

COMPARED = ("judge", "settings", "aggregation", "gate", "prompts")
"""What has to be equal. The rest of a record is about one sample."""

MIXED = "mixed"
"""A setting that some questions of a sample were asked with, and others without."""


def record(judge: Judge, verdict: PairVerdict, gate: bool, aggregation: Aggregation) -> dict[str, Any]:
    """Judge, effective settings, prompts, what was asked again, the decided facets and every raw reply."""
    parts = verdict.parts
    counted = parts and {
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
        "parts": counted,
        "facets": {facet.value: value for facet, value in verdict.product.facets.items()},
        "replies": {e.question: list(e.replies) for e in sorted(judge.exchanges, key=lambda e: e.question)},
    }


def differences(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    """What two records differ in, a line for each; scores of equal records are comparable.

    Args:
        a: Metadata of a score, as `record` writes them. Logs of earlier versions hold no settings.
        b: Metadata of another score.
    """
    return [line for name in COMPARED for line in _differences(name, a.get(name), b.get(name))]


def _differences(name: str, a: Any, b: Any) -> Iterator[str]:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for key in sorted(a.keys() | b.keys()):
            yield from _differences(f"{name}.{key}", a.get(key), b.get(key))
    elif a != b:
        yield f"{name}: {_shown(a)} and {_shown(b)}"


def _shown(value: Any) -> str:
    return "recorded" if isinstance(value, Mapping) else "not recorded" if value is None else str(value)


def _settings(judge: Judge) -> dict[str, Any]:
    used = [exchange.settings for exchange in judge.exchanges]
    names = used[0] if used else {}
    return {name: names[name] if all(one[name] == names[name] for one in used) else MIXED for name in names}
