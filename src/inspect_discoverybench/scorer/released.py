"""The form of the released evaluator (allenai/discoverybench, `eval/new_eval.py`), for comparison with publications.

Sub-hypotheses ("parts") are matched by context; variables and relationship are those of the whole hypotheses.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan, prod
from typing import Any

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scorer.context import NO_CONTEXT, Match
from inspect_discoverybench.scorer.exchange import ParseFailure, Question
from inspect_discoverybench.scorer.judge import Judge, gather
from inspect_discoverybench.scorer.pair import HypothesisPair, to_json
from inspect_discoverybench.structured_reply import Reply
from inspect_discoverybench.text import escape

RELEASED_KEYS = ("hms_released", "context_recall", "context_precision")

PRODUCT, RELEASED = "product", "released"
"""Aggregations: `hms` alone, or `RELEASED_KEYS` as well."""


def is_released(aggregation: str, gate: bool = False) -> bool:
    """Whether an aggregation asks about sub-hypotheses.

    Raises:
        InvalidArgument: It is unknown, or `gate` would skip questions that it needs.
    """
    if aggregation not in (PRODUCT, RELEASED):
        raise InvalidArgument(f"aggregation must be {PRODUCT} or {RELEASED}, got '{aggregation}'.")
    if gate and aggregation == RELEASED:
        raise InvalidArgument("aggregation=released needs all questions. Omit gate.")
    return aggregation == RELEASED


class Part(Reply):
    """A sub-hypothesis and its context."""

    text: str
    context: str | None = None


class Parts(Reply):
    """Reply to the extraction: the sub-hypotheses; may be empty."""

    sub_hypo: tuple[Part, ...]


@dataclass(frozen=True)
class ReleasedVerdict:
    """The judge's verdict on the parts.

    Attributes:
        gold: Parts of the gold hypothesis.
        predicted: Parts of the predicted hypothesis.
        matched: Indices of the gold and predicted parts whose contexts match, one to one.
        failure: The question without a valid reply that leaves the match undecided.
    """

    gold: tuple[Part, ...] = ()
    predicted: tuple[Part, ...] = ()
    matched: tuple[tuple[int, int], ...] = ()
    failure: ParseFailure | None = None

    def values(self, whole: Mapping[str, float]) -> dict[str, float]:
        """The score keys; NaN if a reply that they depend on is invalid.

        Each matched pair repeats the questions about the whole hypotheses, so that the released sum over pairs is
        recall × precision × variables × relationship.

        Args:
            whole: Scores of the facets of the whole hypotheses.
        """
        if self.failure:
            return dict.fromkeys(RELEASED_KEYS, nan)
        shares = len(self.matched) / len(self.gold), len(self.matched) / len(self.predicted)
        facets = [score for key, score in whole.items() if key not in ("hms", "context")]
        score = prod((*shares, *facets)) if self.matched else 0.0
        return dict(zip(RELEASED_KEYS, (score, *shares), strict=True))

    def record(self) -> dict[str, Any]:
        """How the parts were judged, for the score metadata."""
        prompts = {name: Prompt.load(f"judge/{name}").fingerprint for name in ("extract_released", "match_released")}
        return {
            "prompts": prompts,
            "gold": len(self.gold),
            "predicted": len(self.predicted),
            "matched": len(self.matched),
        }

    def describe(self) -> str:
        """The parts and their matches as Markdown."""
        if self.failure:
            return self.failure.describe()
        lines = [
            f"- {side} {number}: {escape(part.text)} (context: {escape(str(part.context))})"
            for side, parts in (("gold", self.gold), ("predicted", self.predicted))
            for number, part in enumerate(parts, 1)
        ]
        lines += [f"- gold {g + 1} matches predicted {p + 1}" for g, p in self.matched]
        return "\n".join(lines)


async def ask(judge: Judge, pair: HypothesisPair) -> ReleasedVerdict:
    """Extract the parts of both hypotheses, and match each predicted one with the first free gold one that fits.

    Matches are asked one after another, and the search for a part stops at the first.
    """
    gold_workflow, predicted_workflow = pair.workflows
    gold, predicted = await gather(
        _extract(judge, "gold", pair, pair.gold_hypothesis, gold_workflow),
        _extract(judge, "predicted", pair, pair.predicted_hypothesis, predicted_workflow),
    )
    if isinstance(gold, ParseFailure):
        return ReleasedVerdict(failure=gold)
    if isinstance(predicted, ParseFailure):
        return ReleasedVerdict(failure=predicted)
    matched: list[tuple[int, int]] = []
    for p, predicted_part in enumerate(predicted):
        for g, gold_part in enumerate(gold):
            if g in dict(matched):
                continue
            matches = await _match(judge, f" of parts {g + 1}, {p + 1}", gold_part, predicted_part)
            if isinstance(matches, ParseFailure):
                return ReleasedVerdict(gold, predicted, failure=matches)
            if matches:
                matched.append((g, p))
                break
    return ReleasedVerdict(gold, predicted, tuple(matched))


async def _extract(
    judge: Judge, side: str, pair: HypothesisPair, hypothesis: str, workflow: str
) -> tuple[Part, ...] | ParseFailure:
    """The parts of a hypothesis. An empty extraction counts as one part, the whole text without a context."""
    reply = await judge.ask(split_question(side, pair.datasets, hypothesis, workflow))
    if isinstance(reply, ParseFailure):
        return reply
    parts = reply.sub_hypo or (Part(text=hypothesis),)
    return tuple(part.model_copy(update={"context": part.context or NO_CONTEXT}) for part in parts)


async def _match(judge: Judge, label: str, gold: Part, predicted: Part) -> bool | ParseFailure:
    """Whether two contexts match. Identical texts do, and "None" matches no other, without a question."""
    if gold.context == predicted.context:
        return True
    if NO_CONTEXT in (gold.context, predicted.context):
        return False
    reply = await judge.ask(part_question(label, gold, predicted))
    return reply if isinstance(reply, ParseFailure) else reply.match


def split_question(side: str, datasets: str, hypothesis: str, workflow: str) -> Question[Parts]:
    """Build the question that splits a hypothesis. `side` ("gold" or "predicted") appears only in its name."""
    text = Prompt.load("judge/extract_released").render(
        datasets=datasets, hypothesis=to_json(hypothesis), workflow=to_json(workflow)
    )
    return Question(f"parts of the {side} hypothesis", text, Parts)


def part_question(label: str, gold: Part, predicted: Part) -> Question[Match]:
    """Build the question whether the contexts of two parts match. `label` appears only in its name."""
    text = Prompt.load("judge/match_released").render(
        gold_hypothesis=to_json(gold.text),
        gold_context=to_json(gold.context),
        predicted_hypothesis=to_json(predicted.text),
        predicted_context=to_json(predicted.context),
    )
    return Question(f"match of the contexts{label}", text, Match)
