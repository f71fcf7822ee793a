"""The context facet: extract both contexts, then ask whether they match (paper, Listings 1 and 2)."""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, StrictBool

from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scorer.comparison import Comparison, quoted
from inspect_discoverybench.scorer.judge import Judge, Question, Undecided, at_once
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
        match: Whether they match; None if an extraction is undecided, so that nobody could be asked.
        identical: The match was decided without the judge.
    """

    gold: Contexts | Undecided
    predicted: Contexts | Undecided
    match: Match | Undecided | None
    identical: bool


async def verdict(judge: Judge, pair: Comparison) -> ContextVerdict:
    """Extract both contexts at once and independently, then ask about the match, unless they are identical."""
    gold_workflow, predicted_workflow = pair.workflows
    gold, predicted = await at_once(
        judge.ask(extraction("gold", pair.datasets, pair.gold_hypothesis, gold_workflow)),
        judge.ask(extraction("predicted", pair.datasets, pair.predicted_hypothesis, predicted_workflow)),
    )
    if isinstance(gold, Undecided) or isinstance(predicted, Undecided):
        return ContextVerdict(gold, predicted, None, identical=False)
    if identical(gold.joined, predicted.joined):
        return ContextVerdict(gold, predicted, Match(match=True), identical=True)
    match = await judge.ask(matching(pair, gold_context=gold.joined, predicted_context=predicted.joined))
    return ContextVerdict(gold, predicted, match, identical=False)


def extraction(whose: str, datasets: str, hypothesis: str, workflow: str) -> Question[Contexts]:
    """The question is the same for gold and predicted; only its name in the log tells whose it is."""
    text = Prompt.load("judge/extract_context").render(
        datasets=datasets, hypothesis=quoted(hypothesis), workflow=quoted(workflow)
    )
    return Question(f"context of the {whose} hypothesis", text, Contexts)


def matching(pair: Comparison, *, gold_context: str, predicted_context: str) -> Question[Match]:
    """Ask whether the contexts match."""
    text = Prompt.load("judge/match_context").render(
        gold_hypothesis=quoted(pair.gold_hypothesis),
        gold_context=quoted(gold_context),
        predicted_hypothesis=quoted(pair.predicted_hypothesis),
        predicted_context=quoted(predicted_context),
    )
    return Question("match of the contexts", text, Match)


def identical(gold_context: str, predicted_context: str) -> bool:
    """Whether no judge is needed: the same text after folding case and white space, "None" included."""
    return folded(gold_context) == folded(predicted_context)


def folded(text: str | None) -> str:
    """Text without differences of case and white space."""
    return " ".join((text or "").casefold().split())
