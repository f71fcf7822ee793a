"""The form of the released evaluator (allenai/discoverybench, `eval/new_eval.py`), for comparison with publications.

The hypotheses are read as sub-hypotheses ("parts"), which are matched by context; variables and relationship are those
of the whole hypotheses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.replies import Reply
from inspect_discoverybench.scorer.contexts import NO_CONTEXT, ListOrObject, ask_extractions, ask_match
from inspect_discoverybench.scorer.hypothesis_pair import HypothesisPair
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.markdown import escape_markdown
from inspect_discoverybench.scorer.question import ParseFailure

RELEASED = "hms_released"
"""Key of HMS in the form of the released evaluator."""

RELEASED_KEYS = (RELEASED, "context_recall", "context_precision")

NO_WORKFLOWS = ("", "")
"""The gold and the predicted workflow, as the authors' scripts (branch `iclr_eval`) pass them."""

PRODUCT = "product"
"""The aggregation that gives `hms` alone."""


def is_released(aggregation: str) -> bool:
    """Whether an aggregation asks about sub-hypotheses.

    Raises:
        InvalidArgument: It is unknown.
    """
    if aggregation not in (PRODUCT, "released"):
        raise InvalidArgument(f"aggregation must be {PRODUCT} or released, got '{aggregation}'.")
    return aggregation != PRODUCT


class Part(Reply):
    """A sub-hypothesis and its context."""

    text: str
    context: str


class Parts(Reply):
    """Reply to the extraction: the sub-hypotheses; may be empty."""

    sub_hypo: ListOrObject[Part]

    def of(self, hypothesis: str) -> tuple[Part, ...]:
        """The parts of a hypothesis. If none were extracted, the whole hypothesis is the only part, with no context."""
        return self.sub_hypo or (Part(text=hypothesis, context=NO_CONTEXT),)


@dataclass(frozen=True)
class ReleasedVerdict:
    """The judge's verdict on the parts.

    Attributes:
        gold: Parts of the gold hypothesis.
        predicted: Parts of the predicted hypothesis.
        matched: The pairs of parts with matching contexts: the number of the predicted part by that of the gold part.
            Numbers begin at 1.
    """

    gold: tuple[Part, ...]
    predicted: tuple[Part, ...]
    matched: Mapping[int, int]

    def values(self, variables: float, relationship: float) -> dict[str, float]:
        """The scores by key.

        An undecided factor is NaN. It makes `hms_released` NaN, even if another factor is 0, as with HMS.

        The released evaluator adds up variables × relationship over the matched pairs, divides the sum by the number
        of predicted parts, and multiplies by recall. It asks about variables and relationship of the whole hypotheses,
        so their product is the same for each pair, and the result is recall × precision × variables × relationship.

        Args:
            variables: F1 of the variables of the whole hypotheses.
            relationship: Score of the relationship of the whole hypotheses.
        """
        recall = len(self.matched) / len(self.gold)
        precision = len(self.matched) / len(self.predicted)
        return {
            RELEASED: recall * precision * variables * relationship,
            "context_recall": recall,
            "context_precision": precision,
        }

    def record(self) -> dict[str, list[dict[str, Any]]]:
        """The parts and their matches, for the score metadata."""
        return {
            "gold": [part.model_dump() for part in self.gold],
            "predicted": [part.model_dump() for part in self.predicted],
            "matched": [{"gold": gold, "predicted": predicted} for gold, predicted in self.matched.items()],
        }

    def describe(self) -> str:
        """The parts and their matches as Markdown."""
        lines = [*_lines("gold", self.gold), *_lines("predicted", self.predicted)]
        for gold, predicted in self.matched.items():
            lines.append(f"- gold {gold} matches predicted {predicted}")
        return "\n".join(lines)


def _lines(side: str, parts: Sequence[Part]) -> list[str]:
    lines = []
    for number, part in enumerate(parts, 1):
        text = escape_markdown(part.text)
        context = escape_markdown(part.context)
        lines.append(f"- {side} {number}: {text} (context: {context})")
    return lines


async def ask_released(
    judge: Judge, pair: HypothesisPair, workflows: tuple[str, str] = NO_WORKFLOWS
) -> ReleasedVerdict | ParseFailure:
    """Extract the parts of both hypotheses, and match each predicted part with a gold part.

    A predicted part is compared with the unmatched gold parts, one after another, until one matches.

    Args:
        judge: The judge.
        pair: The hypotheses.
        workflows: The gold and the predicted workflow, which the judge sees when it extracts the parts. By default they
            are empty, because the authors' scripts pass none. `benchmarks/workflows.py` measures what they change.
    """
    gold_reply, predicted_reply = await ask_extractions(
        judge, pair, subject="parts", prompt="extract_released", workflows=workflows, reply=Parts
    )
    if isinstance(gold_reply, ParseFailure):
        return gold_reply
    if isinstance(predicted_reply, ParseFailure):
        return predicted_reply

    gold = gold_reply.of(pair.gold_hypothesis)
    predicted = predicted_reply.of(pair.predicted_hypothesis)
    matched: dict[int, int] = {}
    for predicted_number, predicted_part in enumerate(predicted, 1):
        for gold_number, gold_part in enumerate(gold, 1):
            if gold_number in matched:
                continue
            label = f" of parts {gold_number}, {predicted_number}"
            matches = await _match(judge, label, gold_part, predicted_part)
            if isinstance(matches, ParseFailure):
                return matches
            if matches:
                matched[gold_number] = predicted_number
                break
    return ReleasedVerdict(gold, predicted, matched)


async def _match(judge: Judge, label: str, gold: Part, predicted: Part) -> bool | ParseFailure:
    """Whether two contexts match.

    Identical contexts match, and "None" matches no other context. The judge is asked only about the rest.
    """
    if gold.context == predicted.context:
        return True
    if NO_CONTEXT in (gold.context, predicted.context):
        return False
    reply = await ask_match(
        judge,
        "match_released",
        label=label,
        gold_hypothesis=gold.text,
        gold_context=gold.context,
        predicted_hypothesis=predicted.text,
        predicted_context=predicted.context,
    )
    if isinstance(reply, ParseFailure):
        return reply
    return reply.match
