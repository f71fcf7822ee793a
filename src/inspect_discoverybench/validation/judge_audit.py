"""The audit of a judge: the evaluated model judges pairs whose right answers are known."""

import math
import re
from collections.abc import Sequence
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import (
    Metric,
    Score,
    Scorer,
    Target,
    grouped,
    mean,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import StoreModel, store_as
from pydantic import BaseModel, ConfigDict, Field

from inspect_discoverybench.dataset.metadata import DataFile
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.context import NONE, Contexts, Match, folded
from inspect_discoverybench.scorer.explanation import explain
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.product import ProductVerdict, judge_product
from inspect_discoverybench.scorer.relationship import Relationship
from inspect_discoverybench.scorer.settings import JudgeSettings
from inspect_discoverybench.scorer.variables import Variables
from inspect_discoverybench.scorer.verdict import PairVerdict
from inspect_discoverybench.validation.pairs import AuditPair, Expected, Words

PAPER = {"context_extraction": 0.97, "context_match": 0.99, "variables": 0.94, "relationship": 0.99}
"""Accuracy of the paper's judge, as two of its authors found on 200 examples (§4.3)."""

NEAR = 0.005
"""How far an F1 may be from an expected one."""


CONTEXTS = {True: "match", False: "differ", None: "open"}


class Judged(BaseModel):
    """What the judge answered in one round; None for a question without a usable reply."""

    model_config = ConfigDict(frozen=True)

    gold_context: str | None = None
    predicted_context: str | None = None
    match: bool | None = None
    variables: float | None = None
    relationship: str | None = None

    @classmethod
    def of(cls, verdict: ProductVerdict) -> "Judged":
        """The answers of a verdict."""
        context, shared, relation = verdict.context, verdict.variables, verdict.relationship
        return cls(
            gold_context=context.gold.joined if isinstance(context.gold, Contexts) else None,
            predicted_context=context.predicted.joined if isinstance(context.predicted, Contexts) else None,
            match=context.match.match if isinstance(context.match, Match) else None,
            variables=shared.score if isinstance(shared, Variables) else None,
            relationship=relation.answer.value if isinstance(relation, Relationship) else None,
        )


class AuditState(StoreModel):
    """What the log keeps of a pair."""

    rounds: list[Judged] = Field(default_factory=list)
    """The answers, one for each time that the pair was judged."""

    asked_again: int = 0
    """Replies outside their contract."""


def sample(pair: AuditPair) -> Sample:
    """The Inspect sample of a pair."""
    compared = pair.comparison
    return Sample(
        id=pair.name,
        input=Prompt.load("judge/audit").render(
            goal=compared.goal, gold=compared.gold_hypothesis, predicted=compared.predicted_hypothesis
        ),
        target=(
            f"contexts: {CONTEXTS[pair.expected.context]}; "
            f"variables: F1 {' or '.join(f'{f1:.2f}' for f1 in pair.expected.variables)}; "
            f"relationship {' or '.join(pair.expected.relationship)}: {pair.expected.why}"
        ),
        metadata={
            "kind": pair.kind,
            "study": pair.study,
            "expected": pair.expected.model_dump(),
            "goal": compared.goal,
            "data_files": [file.model_dump() for file in compared.data_files],
            "gold_hypothesis": compared.gold_hypothesis,
            "gold_workflow": compared.gold_workflow,
            "predicted_hypothesis": compared.predicted_hypothesis,
            "predicted_workflow": compared.predicted_workflow,
        },
    )


@solver
def judge_pair(repeats: int) -> Solver:
    """Let the evaluated model judge the pair, each time anew.

    Args:
        repeats: How often; the first time counts for accuracy, the others for consistency.
    """
    settings = JudgeSettings()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata: dict[str, Any] = state.metadata
        pair = Comparison(
            goal=metadata["goal"],
            data_files=tuple(DataFile.model_validate(file) for file in metadata["data_files"]),
            gold_hypothesis=metadata["gold_hypothesis"],
            gold_workflow=metadata["gold_workflow"],
            predicted_hypothesis=metadata["predicted_hypothesis"],
            predicted_workflow=metadata["predicted_workflow"],
        )
        record = store_as(AuditState)
        for _ in range(repeats):
            judge = Judge(get_model(), settings, cached=False)
            verdict = await judge_product(judge, pair)
            record.rounds = [*record.rounds, Judged.of(verdict)]
            record.asked_again += sum(len(exchange.replies) - 1 for exchange in judge.exchanges)
            if len(record.rounds) == 1:
                state.output = ModelOutput.from_content(str(judge.model), explain(pair, PairVerdict(verdict), "submit"))
                state.messages.append(state.output.message)
        return state

    return solve


def _metrics() -> dict[str, list[Metric]]:
    each: list[Metric] = [mean(), stderr(cluster="study")]
    names = (*PAPER, "f1_error", "consistency")
    return {**dict.fromkeys(names, each), "right": [*each, grouped(mean(), "kind", all=False)]}


@scorer(metrics=_metrics())
def audit() -> Scorer:
    """Accuracy of each facet, error of the variables' F1, consistency, and the share of the facets that is right.

    A reply that stays outside its contract is a wrong answer here: the judge is what is evaluated.
    """

    async def score(state: TaskState, target: Target) -> Score:
        expected = Expected.model_validate(state.metadata["expected"])
        rounds = state.store_as(AuditState).rounds
        if not rounds:
            return Score.unscored(reason="no_response", explanation="A limit ended the sample before it was judged.")
        first = rounds[0]
        error = 1.0 if first.variables is None else min(abs(first.variables - f1) for f1 in expected.variables)
        value: dict[str, str | int | float | bool | None] = {
            "context_extraction": _extracted(first, expected),
            "context_match": math.nan if expected.context is None else float(first.match == expected.context),
            "variables": float(first.variables is not None and error <= NEAR),
            "relationship": float(first.relationship is not None and first.relationship in expected.relationship),
            "f1_error": error,
            "consistency": _consistency(rounds),
        }
        facets = [facet for name in PAPER if (facet := float(str(value[name]))) == facet]
        value["right"] = sum(facets) / len(facets)
        return Score(value=value, answer=_summary(first), explanation=f"{target.text}\n\n{state.output.completion}")

    return score


def _extracted(judged: Judged, expected: Expected) -> float:
    """Share of the contexts, gold and predicted, that name what they must; NaN where both are left open."""
    named = [
        _names(context, words, expected.finding)
        for context, words in (
            (judged.gold_context, expected.gold_context),
            (judged.predicted_context, expected.predicted_context),
        )
        if words is not None
    ]
    return sum(named) / len(named) if named else math.nan


def _names(context: str | None, words: Words, finding: tuple[str, ...]) -> bool:
    if context is None or not words:
        return context == NONE
    text = folded(context)
    return all(_holds(text, word) for word in words) and not any(_holds(text, word) for word in finding)


def _holds(text: str, word: str) -> bool:
    """Whether a word stands in a text, in one of the ways to write it, at the beginning of a word."""
    return re.search(rf"\b({'|'.join(map(re.escape, word.split('|')))})", text) is not None


def _consistency(rounds: Sequence[Judged]) -> float:
    """Share of the answers about match, variables and relationship that later rounds repeat; NaN for one round.

    No answer is nothing that could be repeated.
    """
    if len(rounds) == 1:
        return math.nan
    first, *later = ((judged.match, judged.variables, judged.relationship) for judged in rounds)
    same = [one is not None and one == other for answers in later for one, other in zip(first, answers, strict=True)]
    return sum(same) / len(same)


def _summary(judged: Judged) -> str:
    match = {True: "contexts match", False: "contexts differ", None: "no usable reply about the contexts"}[judged.match]
    f1 = "no usable reply" if judged.variables is None else f"F1 {judged.variables:.2f}"
    return f"{match}; variables: {f1}; relationship: {judged.relationship or 'no usable reply'}"
