"""The judge audit: the evaluated model judges pairs of hypotheses with known correct answers."""

import math
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import Model, ModelOutput, get_model
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
from inspect_discoverybench.scorer.context import NO_CONTEXT, Contexts, ContextVerdict, Match
from inspect_discoverybench.scorer.explanation import explain
from inspect_discoverybench.scorer.facets import FACET_KEYS
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.pair import HypothesisPair
from inspect_discoverybench.scorer.relationship import Relationship
from inspect_discoverybench.scorer.settings import JudgeSettings
from inspect_discoverybench.scorer.variables import Variables
from inspect_discoverybench.scorer.verdict import Verdict, compare, record
from inspect_discoverybench.text import fold
from inspect_discoverybench.validation.answer_texts import AnswerText, Reading, read_text
from inspect_discoverybench.validation.pairs import AuditPair, ContextWords, Expected

PAPER_ACCURACY = {"context_extraction": 0.97, "context_match": 0.99, "variables": 0.94, "relationship": 0.99}
"""Accuracy of the paper's judge on 200 examples, annotated by two of the authors (§4.3)."""

READING = "reading"
"""Accuracy on texts of agents: the hypothesis that the judge quotes. The paper's judge reads no such texts."""

ACCURACIES = (READING, *PAPER_ACCURACY)

F1_TOLERANCE = 0.005
"""Largest difference from an expected F1 that counts as correct."""

PAIR_FIELDS = (
    *("kind", "expected", "goal", "data_files"),
    *("gold_hypothesis", "gold_workflow", "predicted_hypothesis", "predicted_workflow"),
)
"""Metadata of a pair that its verdict depends on."""

CONTEXT_LABELS = {True: "match", False: "differ", None: "open"}


class JudgeAnswers(BaseModel):
    """The judge's answers in one round; None for a question without a valid reply."""

    model_config = ConfigDict(frozen=True)

    gold_context: str | None = None
    predicted_context: str | None = None
    match: bool | None = None
    variables: float | None = None
    relationship: str | None = None

    @classmethod
    def from_verdict(cls, verdict: Verdict) -> "JudgeAnswers":
        """Extract the answers from a verdict."""
        context, variables, relationship = (verdict.facets[key] for key in FACET_KEYS)
        assert isinstance(context, ContextVerdict)
        return cls(
            gold_context=context.gold.joined if isinstance(context.gold, Contexts) else None,
            predicted_context=context.predicted.joined if isinstance(context.predicted, Contexts) else None,
            match=context.match.match if isinstance(context.match, Match) else None,
            variables=variables.score if isinstance(variables, Variables) else None,
            relationship=relationship.answer.value if isinstance(relationship, Relationship) else None,
        )


class AuditState(StoreModel):
    """The judge's answers for one pair, as stored in the log."""

    rounds: list[JudgeAnswers] = Field(default_factory=list)
    """One set of answers per round."""

    readings: list[Reading] = Field(default_factory=list)
    """For a text of an agent: how the judge read it in each round."""

    asked_again: int = 0
    """Number of invalid replies that were sent back."""

    record: dict[str, Any] = Field(default_factory=dict)
    """How the pair was judged in the first round."""


def sample(pair: AuditPair) -> Sample:
    """Build the Inspect sample of a pair."""
    comparison = pair.comparison
    return Sample(
        id=pair.name,
        input=Prompt.load("judge/audit").render(
            goal=comparison.goal, gold=comparison.gold_hypothesis, predicted=comparison.predicted_hypothesis
        ),
        target=(
            f"contexts: {CONTEXT_LABELS[pair.expected.context]}; "
            f"variables: F1 {' or '.join(f'{f1:.2f}' for f1 in pair.expected.variables)}; "
            f"relationship {' or '.join(pair.expected.relationship)}: {pair.expected.why}"
        ),
        metadata={
            "kind": pair.kind,
            "study": pair.study,
            "expected": pair.expected.model_dump(),
            "goal": comparison.goal,
            "data_files": [file.model_dump() for file in comparison.data_files],
            "gold_hypothesis": comparison.gold_hypothesis,
            "gold_workflow": comparison.gold_workflow,
            "predicted_hypothesis": comparison.predicted_hypothesis,
            "predicted_workflow": comparison.predicted_workflow,
        },
    )


@solver
def judge_pair(repeats: int) -> Solver:
    """Let the evaluated model judge the pair, without a cache.

    Args:
        repeats: Number of rounds. The first round counts for accuracy, the others for consistency.
    """
    settings = JudgeSettings()

    @cache
    def judge_model(model: Model) -> Model:
        # A separate model, as in scoring. Inspect adds settings to the requests of the evaluated model that a solver
        # cannot read, so they could neither take precedence over ours nor be recorded.
        return Model(model.api, model.config, model.model_args)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata: dict[str, Any] = state.metadata
        audit_state = store_as(AuditState)
        if "data_files" not in metadata:
            for _ in range(repeats):
                judge = Judge(judge_model(get_model()), settings, cached=False)
                reading = await read_text(judge, metadata["expected"])
                audit_state.readings = [*audit_state.readings, reading]
                audit_state.asked_again += sum(len(exchange.replies) - 1 for exchange in judge.exchanges)
                if len(audit_state.readings) == 1:
                    audit_state.record = record(judge, None, gate=False)
                    text = reading.hypothesis or "No hypothesis is asserted."
                    state.output = ModelOutput.from_content(str(judge.model), text)
                    state.messages.append(state.output.message)
            return state
        comparison = HypothesisPair(
            goal=metadata["goal"],
            data_files=tuple(DataFile.model_validate(file) for file in metadata["data_files"]),
            gold_hypothesis=metadata["gold_hypothesis"],
            gold_workflow=metadata["gold_workflow"],
            predicted_hypothesis=metadata["predicted_hypothesis"],
            predicted_workflow=metadata["predicted_workflow"],
        )
        for _ in range(repeats):
            judge = Judge(judge_model(get_model()), settings, cached=False)
            verdict = await compare(judge, comparison)
            audit_state.rounds = [*audit_state.rounds, JudgeAnswers.from_verdict(verdict)]
            audit_state.asked_again += sum(len(exchange.replies) - 1 for exchange in judge.exchanges)
            if len(audit_state.rounds) == 1:
                audit_state.record = record(judge, verdict, gate=False)
                state.output = ModelOutput.from_content(str(judge.model), explain(comparison, verdict, "call"))
                state.messages.append(state.output.message)
        return state

    return solve


def _metrics() -> dict[str, list[Metric]]:
    metrics: list[Metric] = [mean(), stderr(cluster="study")]
    names = (*ACCURACIES, "f1_error", "consistency")
    return {**dict.fromkeys(names, metrics), "right": [*metrics, grouped(mean(), "kind", all=False)]}


@scorer(metrics=_metrics())
def audit() -> Scorer:
    """Accuracy on each question, error of the variables' F1, consistency, and the mean accuracy (`right`).

    A question without a valid reply counts as a wrong answer, because the judge is what is evaluated.
    """

    async def score(state: TaskState, target: Target) -> Score:
        audit_state = state.store_as(AuditState)
        if audit_state.readings:
            return _reading_score(state, target, audit_state)
        expected = Expected.model_validate(state.metadata["expected"])
        rounds = audit_state.rounds
        if not rounds:
            return Score.unscored(reason="no_response", explanation="A limit ended the sample before it was judged.")
        first = rounds[0]
        error = 1.0 if first.variables is None else min(abs(first.variables - f1) for f1 in expected.variables)
        value: dict[str, str | int | float | bool | None] = {
            READING: math.nan,
            "context_extraction": _extraction_accuracy(first, expected),
            "context_match": math.nan if expected.context is None else float(first.match == expected.context),
            "variables": float(first.variables is not None and error <= F1_TOLERANCE),
            "relationship": float(first.relationship is not None and first.relationship in expected.relationship),
            "f1_error": error,
            "consistency": _consistency(rounds),
        }
        accuracies = [accuracy for name in PAPER_ACCURACY if not math.isnan(accuracy := float(str(value[name])))]
        value["right"] = sum(accuracies) / len(accuracies)
        return Score(
            value=value,
            answer=_summary(first),
            explanation=f"{target.text}\n\n{state.output.completion}",
            metadata=audit_state.record,
        )

    return score


def _reading_score(state: TaskState, target: Target, audit_state: AuditState) -> Score:
    first, *later = audit_state.readings
    accuracy = float(first.is_correct(AnswerText.model_validate(state.metadata["expected"])))
    value: dict[str, str | int | float | bool | None] = {
        **dict.fromkeys((*PAPER_ACCURACY, "f1_error"), math.nan),
        READING: accuracy,
        "consistency": sum(reading == first for reading in later) / len(later) if later else math.nan,
        "right": accuracy,
    }
    return Score(
        value=value,
        answer=state.output.completion,
        explanation=f"Expected: {target.text}\n\nJudge: {state.output.completion}",
        metadata=audit_state.record,
    )


def _extraction_accuracy(answers: JudgeAnswers, expected: Expected) -> float:
    """Share of correct contexts, gold and predicted; NaN if the texts leave both open."""
    correct = [
        _is_correct(context, words, expected.finding)
        for context, words in (
            (answers.gold_context, expected.gold_context),
            (answers.predicted_context, expected.predicted_context),
        )
        if words is not None
    ]
    return sum(correct) / len(correct) if correct else math.nan


def _is_correct(context: str | None, words: ContextWords, finding: tuple[str, ...]) -> bool:
    """Whether an extracted context contains every required word and no word of the finding."""
    if context is None or not words:
        return context == NO_CONTEXT
    text = fold(context)
    return all(_contains(text, word) for word in words) and not any(_contains(text, word) for word in finding)


def _contains(text: str, word: str) -> bool:
    """Whether a text contains a word that starts with one of the spellings in `word`, separated by "|"."""
    return re.search(rf"\b({'|'.join(map(re.escape, word.split('|')))})", text) is not None


def _consistency(rounds: Sequence[JudgeAnswers]) -> float:
    """Share of answers about match, variables and relationship that later rounds repeat; NaN for a single round.

    A missing answer never counts as repeated.
    """
    if len(rounds) == 1:
        return math.nan
    first, *later = ((answers.match, answers.variables, answers.relationship) for answers in rounds)
    repeated = [a is not None and a == b for answers in later for a, b in zip(first, answers, strict=True)]
    return sum(repeated) / len(repeated)


def _summary(answers: JudgeAnswers) -> str:
    match = {True: "contexts match", False: "contexts differ", None: "no valid reply about the contexts"}[answers.match]
    f1 = "no valid reply" if answers.variables is None else f"F1 {answers.variables:.2f}"
    return f"{match}; variables: {f1}; relationship: {answers.relationship or 'no valid reply'}"
