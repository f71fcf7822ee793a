"""The context facet: the judge extracts the contexts of both hypotheses, and then matches them (paper §4.3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, FailFast, StrictBool

from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import Explanation, Reply, ReplyT, normalize_case_and_spaces, parse_boolean
from inspect_discoverybench.scorer.gather import gather
from inspect_discoverybench.scorer.hypothesis_pair import HypothesisPair
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.markdown import escape_markdown
from inspect_discoverybench.scorer.prompt_values import prompt_values
from inspect_discoverybench.scorer.question import ParseFailure, Question

NO_CONTEXT = "None"

ItemT = TypeVar("ItemT")


def _as_list(value: Any) -> Any:
    """Accept one object as a list of one. Listing 1 prints one object where a list is meant."""
    return [value] if isinstance(value, Mapping) else value


ListOrObject = Annotated[tuple[ItemT, ...], FailFast(), BeforeValidator(_as_list)]
"""A list, or one object. Only the first invalid item is reported: messages for a million items would take gigabytes."""


class SubHypothesis(Reply):
    """A sub-hypothesis with its own context. Only the context is read, so the other fields may have any value."""

    text: Explanation = ""
    context: str | None
    explanation: Explanation = ""


class Contexts(Reply):
    """Reply to the extraction (paper, Listing 1): the sub-hypotheses; may be empty."""

    hypothesis: ListOrObject[SubHypothesis]

    @property
    def distinct(self) -> dict[str, str]:
        """The distinct contexts by their normal form.

        A sub-hypothesis without a context has the context "None". So has a hypothesis without sub-hypotheses.
        """
        distinct = {}
        for part in self.hypothesis:
            context = (part.context or "").strip()
            normal_form = normalize_case_and_spaces(context)
            if normal_form.strip(".") in ("", "none"):
                context = NO_CONTEXT
                normal_form = normalize_case_and_spaces(NO_CONTEXT)
            distinct[normal_form] = context
        return distinct or {normalize_case_and_spaces(NO_CONTEXT): NO_CONTEXT}

    @property
    def joined(self) -> str:
        """The distinct contexts, joined with "; "."""
        return "; ".join(self.distinct.values())

    def equals(self, other: "Contexts") -> bool:
        """Whether both have the same contexts in the same order, up to case and white space."""
        return list(self.distinct) == list(other.distinct)

    def describe(self) -> str:
        """The contexts as Markdown."""
        return escape_markdown(self.joined)


class Match(Reply):
    """Reply to the question whether the contexts match (paper, Listing 2)."""

    match: Annotated[StrictBool, BeforeValidator(parse_boolean)]

    def describe(self) -> str:
        """The decision as Markdown."""
        return f"Judge: the contexts {'match' if self.match else 'do not match'}."


@dataclass(frozen=True)
class ContextVerdict:
    """The judge's replies about the contexts.

    Attributes:
        gold: Contexts of the gold hypothesis.
        predicted: Contexts of the predicted hypothesis.
        match: Whether they match. If an extraction failed, it is None, and the judge was not asked about the match.
        identical: Whether the contexts are identical, so that the judge was not asked about the match.
    """

    gold: Contexts | ParseFailure
    predicted: Contexts | ParseFailure
    match: Match | ParseFailure | None = None
    identical: bool = False

    @property
    def score(self) -> float | None:
        """1 if the contexts match, 0 if they do not, None if this is undecided."""
        return float(self.match.match) if isinstance(self.match, Match) else None

    def describe(self) -> str:
        """Both contexts and the decision as Markdown."""
        if self.identical:
            decision = "The contexts are identical, so they match. The judge was not asked."
        elif self.match is None:
            decision = "The judge was not asked about the match, because a context is missing."
        else:
            decision = self.match.describe()
        return f"- gold: {self.gold.describe()}\n- predicted: {self.predicted.describe()}\n\n{decision}"


async def ask_context(judge: Judge, pair: HypothesisPair) -> ContextVerdict:
    """Extract both contexts, then ask about the match if they are not identical."""
    gold, predicted = await ask_extractions(
        judge, pair, subject="context", prompt="extract_context", workflows=pair.workflows, reply=Contexts
    )
    if isinstance(gold, ParseFailure) or isinstance(predicted, ParseFailure):
        return ContextVerdict(gold, predicted)
    if gold.equals(predicted):
        return ContextVerdict(gold, predicted, Match(match=True), identical=True)

    match = await ask_match(
        judge,
        "match_context",
        gold_hypothesis=pair.gold_hypothesis,
        gold_context=gold.joined,
        predicted_hypothesis=pair.predicted_hypothesis,
        predicted_context=predicted.joined,
    )
    return ContextVerdict(gold, predicted, match)


async def ask_extractions(
    judge: Judge, pair: HypothesisPair, *, subject: str, prompt: str, workflows: tuple[str, str], reply: type[ReplyT]
) -> list[ReplyT | ParseFailure]:
    """Ask the same question about the gold and about the predicted hypothesis, concurrently and independently.

    Args:
        judge: The judge.
        pair: The hypotheses.
        subject: What is extracted. The questions are named after it, such as `context of the gold hypothesis`.
        prompt: Name of the prompt.
        workflows: The gold and the predicted workflow that the prompt shows. For the context facet, they are those of
            the pair; for the released form, they are empty by default.
        reply: Type of the replies.

    Returns:
        The reply about the gold hypothesis and that about the predicted one.
    """
    gold_workflow, predicted_workflow = workflows
    about_gold = Question(
        f"{subject} of the gold hypothesis",
        pair.extraction_prompt(prompt, hypothesis=pair.gold_hypothesis, workflow=gold_workflow),
        reply,
    )
    about_predicted = Question(
        f"{subject} of the predicted hypothesis",
        pair.extraction_prompt(prompt, hypothesis=pair.predicted_hypothesis, workflow=predicted_workflow),
        reply,
    )
    return await gather(judge.ask(about_gold), judge.ask(about_predicted))


async def ask_match(judge: Judge, prompt: str, label: str = "", **values: str) -> Match | ParseFailure:
    """Ask whether two contexts match.

    Args:
        judge: The judge.
        prompt: Name of the prompt.
        label: Text that is appended to the question's name, to tell several such questions apart.
        values: Values of the prompt.
    """
    text = Prompt.load(f"judge/{prompt}").render(**prompt_values(**values))
    return await judge.ask(Question(f"match of the contexts{label}", text, Match))
