"""The context facet: extract both contexts, then ask whether they match (paper, Listings 1 and 2)."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator, StrictBool

from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scorer.exchange import ParseFailure, Question
from inspect_discoverybench.scorer.judge import Judge, gather
from inspect_discoverybench.scorer.pair import HypothesisPair, to_json
from inspect_discoverybench.structured_reply import Explanation, Reply, parse_boolean
from inspect_discoverybench.text import escape, fold

NO_CONTEXT = "None"


class SubHypothesis(Reply):
    """A sub-hypothesis with its own context."""

    text: str = ""
    context: str | None
    explanation: Explanation = ""


class Contexts(Reply):
    """Reply to the extraction: the sub-hypotheses; may be empty."""

    hypothesis: tuple[SubHypothesis, ...]

    @property
    def joined(self) -> str:
        """The distinct contexts, joined with "; "; "None" if there are none."""
        distinct = {fold(part.context): part.context.strip() for part in self.hypothesis if part.context}
        return "; ".join(text for key, text in distinct.items() if key.strip(".") not in ("", "none")) or NO_CONTEXT


class Match(Reply):
    """Reply to the question whether the contexts match."""

    match: Annotated[StrictBool, BeforeValidator(parse_boolean)]


@dataclass(frozen=True)
class ContextVerdict:
    """The judge's replies about the contexts.

    Attributes:
        gold: Contexts of the gold hypothesis.
        predicted: Contexts of the predicted hypothesis.
        match: Whether they match; None if an extraction failed.
    """

    gold: Contexts | ParseFailure
    predicted: Contexts | ParseFailure
    match: Match | ParseFailure | None

    @property
    def score(self) -> float | None:
        """1 if the contexts match, 0 if they do not, None if this is undecided."""
        return float(self.match.match) if isinstance(self.match, Match) else None

    @property
    def identical(self) -> bool:
        """Whether the contexts are identical, so that the judge was not asked about the match."""
        if isinstance(self.gold, ParseFailure) or isinstance(self.predicted, ParseFailure):
            return False
        return identical(self.gold.joined, self.predicted.joined)

    def describe(self) -> str:
        """Both contexts and the decision as Markdown."""
        lines = [
            f"- {side}: {escape(reply.joined) if isinstance(reply, Contexts) else reply.describe()}"
            for side, reply in (("gold", self.gold), ("predicted", self.predicted))
        ]
        return "\n".join([*lines, "", self._decision()])

    def _decision(self) -> str:
        if self.match is None:
            return "The judge was not asked about the match, because a context is missing."
        if isinstance(self.match, ParseFailure):
            return self.match.describe()
        if self.identical:
            return "The contexts are identical, so they match. The judge was not asked."
        return f"Judge: the contexts {'match' if self.match.match else 'do not match'}."


async def ask(judge: Judge, pair: HypothesisPair) -> ContextVerdict:
    """Extract both contexts concurrently and independently, then ask about the match if they are not identical."""
    gold_workflow, predicted_workflow = pair.workflows
    gold, predicted = await gather(
        judge.ask(extraction_question("gold", pair.datasets, pair.gold_hypothesis, gold_workflow)),
        judge.ask(extraction_question("predicted", pair.datasets, pair.predicted_hypothesis, predicted_workflow)),
    )
    if isinstance(gold, ParseFailure) or isinstance(predicted, ParseFailure):
        return ContextVerdict(gold, predicted, None)
    if identical(gold.joined, predicted.joined):
        return ContextVerdict(gold, predicted, Match(match=True))
    question = match_question(pair, gold_context=gold.joined, predicted_context=predicted.joined)
    return ContextVerdict(gold, predicted, await judge.ask(question))


def extraction_question(side: str, datasets: str, hypothesis: str, workflow: str) -> Question[Contexts]:
    """Build the extraction question for one hypothesis.

    The prompt is the same for both hypotheses; `side` ("gold" or "predicted") appears only in the question's name.
    """
    text = Prompt.load("judge/extract_context").render(
        datasets=datasets, hypothesis=to_json(hypothesis), workflow=to_json(workflow)
    )
    return Question(f"context of the {side} hypothesis", text, Contexts)


def match_question(pair: HypothesisPair, *, gold_context: str, predicted_context: str) -> Question[Match]:
    """Build the question whether two contexts match."""
    text = Prompt.load("judge/match_context").render(
        gold_hypothesis=to_json(pair.gold_hypothesis),
        gold_context=to_json(gold_context),
        predicted_hypothesis=to_json(pair.predicted_hypothesis),
        predicted_context=to_json(predicted_context),
    )
    return Question("match of the contexts", text, Match)


def identical(gold_context: str, predicted_context: str) -> bool:
    """Whether two contexts are equal up to case and whitespace. "None" is identical to "None"."""
    return fold(gold_context) == fold(predicted_context)
