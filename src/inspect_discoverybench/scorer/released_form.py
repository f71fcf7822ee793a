"""The form of the released evaluator (allenai/discoverybench, `eval/new_eval.py`), for comparison with publications.

Sub-hypotheses ("parts") are matched by context; variables and relationship are those of the whole hypotheses.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan, prod

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.replies import Reply
from inspect_discoverybench.scorer.facets import NO_CONTEXT, HypothesisPair, ask_extractions, ask_match
from inspect_discoverybench.scorer.judge import Judge, ParseFailure
from inspect_discoverybench.submission.text import escape

RELEASED_KEYS = ("hms_released", "context_recall", "context_precision")

RELEASED_PROMPTS = EXTRACT, MATCH = "extract_released", "match_released"

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
    context: str


class Parts(Reply):
    """Reply to the extraction: the sub-hypotheses; may be empty."""

    sub_hypo: tuple[Part, ...]

    def of(self, hypothesis: str) -> tuple[Part, ...]:
        """The parts of a hypothesis. An empty extraction counts as one part, the whole text without a context."""
        return self.sub_hypo or (Part(text=hypothesis, context=NO_CONTEXT),)


@dataclass(frozen=True)
class ReleasedVerdict:
    """The judge's verdict on the parts.

    Attributes:
        gold: Parts of the gold hypothesis.
        predicted: Parts of the predicted hypothesis.
        matched: Index of the predicted part by index of the gold part whose context it matches.
        failure: The question without a valid reply that leaves the match undecided.
    """

    gold: tuple[Part, ...] = ()
    predicted: tuple[Part, ...] = ()
    matched: Mapping[int, int] = field(default_factory=dict)
    failure: ParseFailure | None = None

    def values(self, whole: Mapping[str, float]) -> dict[str, float]:
        """The score keys; NaN if a reply that they depend on is invalid, as for HMS even where another factor is 0.

        Each matched pair repeats the questions about the whole hypotheses, so that the released sum over pairs is
        recall × precision × variables × relationship.

        Args:
            whole: Scores of the facets of the whole hypotheses.
        """
        if self.failure:
            return dict.fromkeys(RELEASED_KEYS, nan)
        shares = len(self.matched) / len(self.gold), len(self.matched) / len(self.predicted)
        facets = [score for key, score in whole.items() if key not in ("hms", "context")]
        score = prod((*shares, *facets))
        return dict(zip(RELEASED_KEYS, (score, *shares), strict=True))

    def record(self) -> dict[str, int]:
        """Numbers of parts, for the score metadata."""
        return {"gold": len(self.gold), "predicted": len(self.predicted), "matched": len(self.matched)}

    def describe(self) -> str:
        """The parts and their matches as Markdown."""
        if self.failure:
            return self.failure.describe()
        lines = [
            f"- {side} {number}: {escape(part.text)} (context: {escape(part.context)})"
            for side, parts in (("gold", self.gold), ("predicted", self.predicted))
            for number, part in enumerate(parts, 1)
        ]
        lines += [f"- gold {g + 1} matches predicted {p + 1}" for g, p in self.matched.items()]
        return "\n".join(lines)


async def ask_released(judge: Judge, pair: HypothesisPair) -> ReleasedVerdict:
    """Extract the parts of both hypotheses, and match each predicted one with the first free gold one that fits.

    Matches are asked one after another, and the search for a part stops at the first.
    """
    gold_reply, predicted_reply = await ask_extractions(judge, pair, EXTRACT, "parts", Parts)
    if isinstance(gold_reply, ParseFailure):
        return ReleasedVerdict(failure=gold_reply)
    if isinstance(predicted_reply, ParseFailure):
        return ReleasedVerdict(failure=predicted_reply)
    gold, predicted = gold_reply.of(pair.gold_hypothesis), predicted_reply.of(pair.predicted_hypothesis)
    matched: dict[int, int] = {}
    for p, predicted_part in enumerate(predicted):
        for g in [g for g in range(len(gold)) if g not in matched]:
            matches = await _match(judge, f" of parts {g + 1}, {p + 1}", gold[g], predicted_part)
            if isinstance(matches, ParseFailure):
                return ReleasedVerdict(gold, predicted, failure=matches)
            if matches:
                matched[g] = p
                break
    return ReleasedVerdict(gold, predicted, matched)


async def _match(judge: Judge, label: str, gold: Part, predicted: Part) -> bool | ParseFailure:
    """Whether two contexts match. Identical texts do, and "None" matches no other, without a question."""
    if gold.context == predicted.context:
        return True
    if NO_CONTEXT in (gold.context, predicted.context):
        return False
    reply = await ask_match(
        judge,
        MATCH,
        label,
        gold_hypothesis=gold.text,
        gold_context=gold.context,
        predicted_hypothesis=predicted.text,
        predicted_context=predicted.context,
    )
    return reply if isinstance(reply, ParseFailure) else reply.match
