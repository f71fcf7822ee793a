"""The judge audit: the evaluated model judges pairs of hypotheses and reads texts with known correct answers."""

import math
from collections.abc import Mapping
from functools import cache, partial
from statistics import fmean
from typing import Any

from inspect_ai.model import Model, ModelOutput, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, grouped, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import StoreModel
from pydantic import Field

from inspect_discoverybench.judge_audit.error_effect import Accuracy, judged_mean
from inspect_discoverybench.judge_audit.pairs import PAIR, Expected, PairAnswers
from inspect_discoverybench.judge_audit.texts import AnswerText
from inspect_discoverybench.scorer.contexts import Contexts, ContextVerdict
from inspect_discoverybench.scorer.explanation import explain
from inspect_discoverybench.scorer.facets import SCORES
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.judge_record import judge_record
from inspect_discoverybench.scorer.named_metric import named_metric
from inspect_discoverybench.scorer.paper_accuracy import PAPER_ACCURACY
from inspect_discoverybench.scorer.quotation import NotAsserted, read_answer
from inspect_discoverybench.scorer.settings import JudgeSettings
from inspect_discoverybench.scorer.verdict import compare
from inspect_discoverybench.submission.answer import FreeText
from inspect_discoverybench.submission.submission import Submission

READING = "reading"
"""Accuracy on texts of agents: the hypothesis that the judge quotes. The paper's judge reads no such texts."""


class AuditState(StoreModel):
    """How the judge answered about one pair or text, as stored in the log."""

    is_judged: bool = False

    pair: PairAnswers | None = None
    """The answers about a pair."""

    submission: Submission | None = None
    """The submission that was read in a text; None if no hypothesis is asserted."""

    record: dict[str, Any] = Field(default_factory=dict)
    """The record of the judge, as in scores."""


@solver
def judge_pair() -> Solver:  # inspect-evals-lint: ignore[custom_solver_tests] -- judge_audit() runs it
    """Let the evaluated model judge the pair or read the text, without a cache."""
    settings = JudgeSettings()

    @cache
    def judge_model(model: Model) -> Model:
        # A separate model, as in scoring. Inspect adds settings to the requests of the evaluated model that a solver
        # cannot read, so they could neither take precedence over ours nor be recorded.
        return Model(model.api, model.config, model.model_args)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        judge = Judge(judge_model(get_model()), settings)
        audit_state = state.store_as(AuditState)
        ask = _judge if is_pair(state.metadata) else _read
        output = await ask(judge, state.metadata, audit_state)
        audit_state.is_judged = True
        state.output = ModelOutput.from_content(str(judge.model), output)
        state.messages.append(state.output.message)
        return state

    return solve


def is_pair(metadata: Mapping[str, Any]) -> bool:
    """Whether a sample of the audit is a pair of hypotheses, and not a text."""
    return "gold_hypothesis" in metadata


async def _judge(judge: Judge, metadata: Mapping[str, Any], audit_state: AuditState) -> str:
    pair = PAIR.validate_python(metadata)
    verdict = await compare(judge, pair)
    context = verdict.facets["context"]
    assert isinstance(context, ContextVerdict)
    audit_state.pair = PairAnswers(
        gold_context=context.gold.joined if isinstance(context.gold, Contexts) else None,
        predicted_context=context.predicted.joined if isinstance(context.predicted, Contexts) else None,
        context=context.score,
        variables=verdict.facets["variables"].score,
        relationship=verdict.facets["relationship"].score,
    )
    audit_state.record = judge_record(judge, verdict)
    return explain(pair, verdict, "call")


async def _read(judge: Judge, metadata: Mapping[str, Any], audit_state: AuditState) -> str:
    text = AnswerText.model_validate(metadata["expected"])
    submission = await read_answer(judge, text.goal, FreeText(text.text))
    audit_state.record = judge_record(judge, None)
    if isinstance(submission, NotAsserted):
        return "No hypothesis is asserted."
    audit_state.submission = submission
    return submission.hypothesis


def _metrics() -> list[Metric | dict[str, list[Metric]]]:
    """Accuracies, beside them those of judges that always give the same verdict, and what such errors do to scores."""
    accuracy: list[Metric] = [mean(), stderr(cluster="study")]
    always_letters = [named_metric(f"always_{letter}", partial(always, "relationship", letter)) for letter in SCORES]
    keys = dict.fromkeys((READING, *PAPER_ACCURACY), accuracy)
    keys["context_match"] = [*accuracy, named_metric("always_true", partial(always, "context", True))]
    keys["relationship"] = [*accuracy, *always_letters]
    keys["right"] = [*accuracy, grouped(mean(), "kind", all=False)]
    return [named_metric("effect", effect), keys]


def always(field: str, verdict: object, scores: list[SampleScore]) -> Value:
    """Accuracy of a judge that always gives this verdict, on the pairs whose right verdict is not open."""
    right = []
    for score in scores:
        if not math.isnan(score.score.as_float()):
            expected = (score.sample_metadata or {})["expected"]
            right.append(expected[field] == verdict)
    return fmean(right) if right else math.nan


def effect(scores: list[SampleScore]) -> Value:
    """What a mean HMS of 20 and a difference of 5 become with the error rates of this audit; empty without pairs."""
    pairs = [score.score.as_dict() for score in scores if is_pair(score.sample_metadata or {})]

    def mean_accuracy(name: str) -> float:
        values = [value for pair in pairs if isinstance(value := pair[name], float) and not math.isnan(value)]
        return fmean(values) if values else math.nan

    accuracy = Accuracy(mean_accuracy("context_match"), mean_accuracy("variables"), mean_accuracy("relationship"))
    lower, higher = judged_mean(0.2, accuracy), judged_mean(0.25, accuracy)
    if math.isnan(lower):
        return {}
    return {"mean_of_20": 100 * lower, "difference_of_5": 100 * (higher - lower)}


@scorer(metrics=_metrics())
def audit() -> Scorer:
    """Accuracy on each question, and the mean accuracy (`right`).

    A question without a valid reply counts as a wrong answer, because the judge is what is evaluated.
    """

    async def score(state: TaskState, target: Target) -> Score:
        audit_state = state.store_as(AuditState)
        if not audit_state.is_judged:
            return Score.unscored(reason="no_response", explanation="A limit ended the sample before it was judged.")
        if audit_state.pair:
            expected = Expected.model_validate(state.metadata["expected"])
            accuracy = expected.rate(audit_state.pair)
        else:
            text = AnswerText.model_validate(state.metadata["expected"])
            accuracy = {READING: float(text.is_right(audit_state.submission))}
        values = dict.fromkeys((READING, *PAPER_ACCURACY), math.nan) | accuracy
        return Score(
            value={**values, "right": fmean(accuracy.values())},
            answer=str(audit_state.pair or audit_state.submission or "no hypothesis is asserted"),
            explanation=f"Expected: {target.text}\n\n{state.output.completion}",
            metadata=audit_state.record,
        )

    return score
