"""The judge audit: the evaluated model judges pairs of hypotheses and reads texts with known correct answers."""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from inspect_ai.model import Model, ModelOutput, get_model
from inspect_ai.scorer import Metric, Score, Scorer, Target, grouped, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import StoreModel, store_as
from pydantic import Field

from inspect_discoverybench.answer import FreeText
from inspect_discoverybench.scorer.context import Contexts, ContextVerdict
from inspect_discoverybench.scorer.explanation import explain
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.quotation import read_answer
from inspect_discoverybench.scorer.settings import JudgeSettings
from inspect_discoverybench.scorer.verdict import Verdict, compare, record
from inspect_discoverybench.validation.answer_texts import AnswerText
from inspect_discoverybench.validation.pairs import PAIR, Expected

PAPER_ACCURACY = {"context_extraction": 0.97, "context_match": 0.99, "variables": 0.94, "relationship": 0.99}
"""Accuracy of the paper's judge on 200 examples, annotated by two of the authors (§4.3)."""

READING = "reading"
"""Accuracy on texts of agents: the hypothesis that the judge quotes. The paper's judge reads no such texts."""

ACCURACIES = (READING, *PAPER_ACCURACY)


class AuditState(StoreModel):
    """The judge's answers for one pair or text, as stored in the log."""

    rounds: list[dict[str, Any]] = Field(default_factory=list)
    """One set of answers by question per round. A text has one answer: the submission, empty if none is asserted. A
    pair has both contexts and the score of each facet; None without a valid reply."""

    asked_again: int = 0
    """Number of invalid replies that were sent back."""

    record: dict[str, Any] = Field(default_factory=dict)
    """How the pair or text was judged in the first round."""


@solver
def judge_pair(repeats: int) -> Solver:  # inspect-evals-lint: ignore[custom_solver_tests] -- judge_audit() runs it
    """Let the evaluated model judge the pair or read the text, without a cache.

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
        audit_state = store_as(AuditState)
        ask = _judge if is_pair(state.metadata) else _read
        for _ in range(repeats):
            judge = Judge(judge_model(get_model()), settings, cached=False)
            answers, output, verdict = await ask(judge, state.metadata)
            if not audit_state.rounds:
                audit_state.record = record(judge, verdict, gate=False)
                state.output = ModelOutput.from_content(str(judge.model), output)
                state.messages.append(state.output.message)
            audit_state.rounds = [*audit_state.rounds, answers]
            audit_state.asked_again += sum(len(exchange.replies) - 1 for exchange in judge.exchanges)
        return state

    return solve


def is_pair(metadata: Mapping[str, Any]) -> bool:
    """Whether a sample of the audit is a pair of hypotheses, and not a text."""
    return "gold_hypothesis" in metadata


async def _judge(judge: Judge, metadata: Mapping[str, Any]) -> tuple[dict[str, Any], str, Verdict | None]:
    pair = PAIR.validate_python(metadata)
    verdict = await compare(judge, pair)
    context = verdict.facets["context"]
    assert isinstance(context, ContextVerdict)
    contexts = [reply.joined if isinstance(reply, Contexts) else "" for reply in (context.gold, context.predicted)]
    scores = [verdict.facets[key].score for key in ("context", "variables", "relationship")]
    answers = dict(zip(PAPER_ACCURACY, (contexts, *scores), strict=True))
    return answers, explain(pair, verdict, "call"), verdict


async def _read(judge: Judge, metadata: Mapping[str, Any]) -> tuple[dict[str, Any], str, Verdict | None]:
    item = AnswerText.model_validate(metadata["expected"])
    submission = (await read_answer(judge, item.goal, FreeText(item.text))).submission
    if submission is None:
        return {READING: {}}, "No hypothesis is asserted.", None
    return {READING: submission.model_dump()}, submission.hypothesis, None


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
        if not audit_state.rounds:
            return Score.unscored(reason="no_response", explanation="A limit ended the sample before it was judged.")
        first, *later = audit_state.rounds
        expected = state.metadata["expected"]
        if is_pair(state.metadata):
            rated = Expected.model_validate(expected).rate(first)
        else:
            rated = {READING: float(AnswerText.model_validate(expected).is_met(first[READING]))}
        values = dict.fromkeys((*ACCURACIES, "f1_error"), math.nan) | rated
        accuracies = [values[name] for name in ACCURACIES if not math.isnan(values[name])]
        texts = ["no valid reply" if answer is None else str(answer) for answer in first.values()]
        return Score(
            value={**values, "consistency": _consistency(first, later), "right": sum(accuracies) / len(accuracies)},
            answer="; ".join(f"{name}: {text}" for name, text in zip(first, texts, strict=True)),
            explanation=f"Expected: {target.text}\n\n{state.output.completion}",
            metadata=audit_state.record,
        )

    return score


def _consistency(first: dict[str, Any], later: Sequence[dict[str, Any]]) -> float:
    """Share of facets, or of readings, that later rounds repeat; NaN for a single round.

    A facet without a valid reply never counts as repeated.
    """
    repeated = [
        answer is not None and other[name] == answer
        for other in later
        for name, answer in first.items()
        if name != "context_extraction"
    ]
    return sum(repeated) / len(repeated) if repeated else math.nan
