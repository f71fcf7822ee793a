"""The context facet: extract both contexts, then ask whether they match (paper, Listings 1 and 2)."""

from typing import Annotated, Any

from pydantic import BeforeValidator, StrictBool

from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scorer.judge import Explanation, Question, Reply, quoted

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


def extraction(*, whose: str, datasets: str, hypothesis: str, workflow: str) -> Question[Contexts]:
    """Ask for the context of one hypothesis.

    Args:
        whose: `gold` or `predicted`; names the question in the log and is not shown to the judge.
        datasets: Data files as JSON.
        hypothesis: The hypothesis.
        workflow: How it was reached.
    """
    text = Prompt.load("judge/extract_context").render(
        datasets=datasets, hypothesis=quoted(hypothesis), workflow=quoted(workflow)
    )
    return Question(f"context of the {whose} hypothesis", text, Contexts)


def matching(
    *, gold_hypothesis: str, gold_context: str, predicted_hypothesis: str, predicted_context: str
) -> Question[Match]:
    """Ask whether two contexts match."""
    text = Prompt.load("judge/match_context").render(
        gold_hypothesis=quoted(gold_hypothesis),
        gold_context=quoted(gold_context),
        predicted_hypothesis=quoted(predicted_hypothesis),
        predicted_context=quoted(predicted_context),
    )
    return Question("match of the contexts", text, Match)


def identical(gold_context: str, predicted_context: str) -> bool:
    """Whether no judge is needed: the same text after folding case and white space, "None" included."""
    return folded(gold_context) == folded(predicted_context)


def folded(text: str | None) -> str:
    """Text without differences of case and white space."""
    return " ".join((text or "").casefold().split())
