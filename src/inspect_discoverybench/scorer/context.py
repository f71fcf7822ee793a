"""The context facet: extract both contexts, then ask whether they match (paper, Listings 1 and 2)."""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, StrictBool

from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scorer.comparison import Comparison, to_json
from inspect_discoverybench.scorer.judge import Judge, ParseFailure, Question, at_once
from inspect_discoverybench.scorer.reply import Explanation, Reply

NONE = "None"


class SubHypothesis(Reply):
    """One part of a hypothesis that has a context of its own."""

    text: str = ""
    context: str | None
    explanation: Explanation = ""


class Contexts(Reply):
    """Contract of the extraction: sub-hypotheses, possibly none."""

    hypothesis: tuple[SubHypothesis, ...]

    @property
    def joined(self) -> str:
        """The distinct contexts, joined with "; "; "None" where there is none."""
        distinct = {folded(part.context): part.context.strip() for part in self.hypothesis if part.context}
        return "; ".join(text for key, text in distinct.items() if key.strip(".") not in ("", "none")) or NONE


def _read_boolean(value: Any) -> Any:
    """Some judges write the boolean as a string: "false" means false."""
    return {"true": True, "false": False}.get(value.strip().lower(), value) if isinstance(value, str) else value


class Match(Reply):
    """Contract of the match."""

    match: Annotated[StrictBool, BeforeValidator(_read_boolean)]


@dataclass(frozen=True)
class ContextVerdict:
    """What the judge decided about the contexts.

    Attributes:
        gold: Contexts of the gold hypothesis.
        predicted: Contexts of the predicted hypothesis.
        match: Whether they match; None if an extraction failed, so that there was nothing to match.
    """

    gold: Contexts | ParseFailure
    predicted: Contexts | ParseFailure
    match: Match | ParseFailure | None

    @property
    def score(self) -> float | None:
        """1 if the contexts match, 0 if they do not; None if that is undecided."""
        return float(self.match.match) if isinstance(self.match, Match) else None

    @property
    def identical(self) -> bool:
        """Whether the match was decided without the judge."""
        if isinstance(self.gold, ParseFailure) or isinstance(self.predicted, ParseFailure):
            return False
        return identical(self.gold.joined, self.predicted.joined)


async def ask(judge: Judge, comparison: Comparison) -> ContextVerdict:
    """Extract both contexts concurrently and independently, then ask about the match."""
    gold_workflow, predicted_workflow = comparison.workflows
    gold, predicted = await at_once(
        judge.ask(extraction("gold", comparison.datasets, comparison.gold_hypothesis, gold_workflow)),
        judge.ask(extraction("predicted", comparison.datasets, comparison.predicted_hypothesis, predicted_workflow)),
    )
    if isinstance(gold, ParseFailure) or isinstance(predicted, ParseFailure):
        return ContextVerdict(gold, predicted, None)
    return ContextVerdict(gold, predicted, await ask_match(judge, comparison, gold.joined, predicted.joined))


async def ask_match(
    judge: Judge, comparison: Comparison, gold_context: str, predicted_context: str, parts: str = ""
) -> Match | ParseFailure:
    """Ask whether two contexts match, unless they are identical."""
    if identical(gold_context, predicted_context):
        return Match(match=True)
    return await judge.ask(
        matching(comparison, gold_context=gold_context, predicted_context=predicted_context, parts=parts)
    )


def extraction(whose: str, datasets: str, hypothesis: str, workflow: str) -> Question[Contexts]:
    """The question is the same for gold and predicted; only its name in the log tells whose it is."""
    text = Prompt.load("judge/extract_context").render(
        datasets=datasets, hypothesis=to_json(hypothesis), workflow=to_json(workflow)
    )
    return Question(f"context of the {whose} hypothesis", text, Contexts)


def matching(comparison: Comparison, *, gold_context: str, predicted_context: str, parts: str = "") -> Question[Match]:
    """The question whether two contexts match.

    Args:
        comparison: The hypotheses.
        gold_context: Context of the gold one.
        predicted_context: Context of the predicted one.
        parts: Which sub-hypotheses these are, for the log.
    """
    text = Prompt.load("judge/match_context").render(
        gold_hypothesis=to_json(comparison.gold_hypothesis),
        gold_context=to_json(gold_context),
        predicted_hypothesis=to_json(comparison.predicted_hypothesis),
        predicted_context=to_json(predicted_context),
    )
    return Question(f"match of the contexts{parts}", text, Match)


def identical(gold_context: str, predicted_context: str) -> bool:
    """Whether no judge is needed: the same text after folding case and white space, "None" included."""
    return folded(gold_context) == folded(predicted_context)


def folded(text: str | None) -> str:
    """Text without differences of case and white space."""
    return " ".join((text or "").casefold().split())
