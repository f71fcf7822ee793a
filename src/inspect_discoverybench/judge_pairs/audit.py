"""The judge audit: the evaluated model judges pairs of hypotheses, reads texts and finds claims with known answers."""

import math
from collections.abc import Mapping
from functools import cache, partial
from statistics import fmean
from typing import Any

from inspect_ai.model import Model, ModelOutput, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, grouped, mean, metric, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import StoreModel
from pydantic import Field

from inspect_discoverybench.judge_pairs.answer_texts import AnswerText
from inspect_discoverybench.judge_pairs.claim_texts import CLAIM, ClaimText, is_claim_text
from inspect_discoverybench.judge_pairs.error_effect import Accuracy, judged_mean
from inspect_discoverybench.judge_pairs.pairs import PAIR, Expected
from inspect_discoverybench.scorer.claim import Claim, ask_claim
from inspect_discoverybench.scorer.explanation import explain
from inspect_discoverybench.scorer.facets import FACETS, RELATIONSHIP_SCORES
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.judge_record import judge_record
from inspect_discoverybench.scorer.quotation import NotAsserted, read_answer
from inspect_discoverybench.scorer.verdict import ask_verdict
from inspect_discoverybench.statistics.partial_scores import PartialScores
from inspect_discoverybench.submission.submission import Submission

READING = "reading"
"""Key of the accuracy on texts of agents: whether the judge quotes the expected hypothesis.

The paper has no accuracy to compare it with, because its judge does not read such texts."""

ACCURACIES = (READING, *(facet.question for facet in FACETS), CLAIM)
"""Keys of the score besides `right`."""


class AuditState(StoreModel):
    """How the judge answered about one pair or text, as stored in the log."""

    record: dict[str, Any] = Field(default_factory=dict)
    """The judge's record (`judge_record`), as in the metadata of a score. It includes the scores of the facets.

    Empty if a limit ended the sample before the judge had answered."""

    submission: Submission | None = None
    """The submission that was read in a text; None if no hypothesis is asserted."""

    claim: bool | None = None
    """Whether a relationship is claimed, according to the judge.

    None if the judge's reply was invalid, or if this was not asked."""


@solver
def judge_pair() -> Solver:  # inspect-evals-lint: ignore[custom_solver_tests] -- judge_audit() runs it
    """Let the evaluated model judge the pair, read the text or find the claim."""

    @cache
    def shared_copy(model: Model) -> Model:
        """The judge of all samples: a copy of the evaluated model.

        The judge is a copy because Inspect adds the settings of the task, such as a temperature, to the requests of the
        evaluated model. A solver cannot read these settings, so the judge's record would lack them. To the requests of
        a copy, Inspect adds only the task's retries, time limits and the like.

        All samples share one copy because `acceptance_of` (`scorer/acceptance.py`) has one object for each model, in
        which `Judge` notes whether the model accepts our default settings. If each sample had its own copy, `Judge`
        would have to find out in each sample whether the copy accepts them.
        """
        return Model(model.api, model.config, model.model_args)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        # Unlike the judge of a scorer, this one has no cache of replies, so that every audit asks the model anew.
        judge = Judge(shared_copy(get_model()))
        # Each call stores the judge's answer in `AuditState` for the scorer, and returns a text for readers of the log.
        if is_claim_text(state.metadata):
            output = await _find_claim(judge, state)
        elif is_pair(state.metadata):
            output = await _judge_pair(judge, state)
        else:
            output = await _read_answer_text(judge, state)
        state.output = ModelOutput.from_content(str(judge.model), output)
        state.messages.append(state.output.message)
        return state

    return solve


def is_pair(metadata: Mapping[str, Any]) -> bool:
    """Whether a sample of the audit is a pair of hypotheses, and not a text."""
    return "gold_hypothesis" in metadata


async def _judge_pair(judge: Judge, state: TaskState) -> str:
    """Let the judge compare a pair of hypotheses. Returns its verdict as readers of the log see it."""
    pair = PAIR.validate_python(state.metadata)
    verdict = await ask_verdict(judge, pair)
    state.store_as(AuditState).record = judge_record(judge, verdict)
    return explain(pair, verdict)


async def _read_answer_text(judge: Judge, state: TaskState) -> str:
    """Let the judge quote the hypothesis of a text. Returns its answer as readers of the log see it."""
    text = AnswerText.model_validate(state.metadata["expected"])
    submission = await read_answer(judge, text.goal, text.text)
    audit_state = state.store_as(AuditState)
    audit_state.record = judge_record(judge, verdict=None)
    if isinstance(submission, NotAsserted):
        return "No hypothesis is asserted."
    audit_state.submission = submission
    return submission.hypothesis


async def _find_claim(judge: Judge, state: TaskState) -> str:
    """Ask the judge whether a hypothesis claims a relationship. Returns its answer as readers of the log see it."""
    text = ClaimText.model_validate(state.metadata["expected"])
    reply = await ask_claim(judge, text.pair)
    audit_state = state.store_as(AuditState)
    audit_state.record = judge_record(judge, verdict=None, with_claim=True)
    if isinstance(reply, Claim):
        audit_state.claim = reply.claim
    return reply.describe()


def _metrics() -> list[Metric | dict[str, list[Metric]]]:
    """The effect of the judge's errors on scores, and the metrics of each key of the score.

    Some keys also have the accuracy that a judge would have if it always gave the same verdict, for comparison.
    """
    accuracy: list[Metric] = [mean(), stderr(cluster="study")]
    always_letter = [_named_judge(f"always_{letter}", "relationship", letter) for letter in RELATIONSHIP_SCORES]
    always_match = _named_judge("always_true", "context", True)
    always_claim = _named_judge("always_true", CLAIM, True)
    never_claim = _named_judge("always_false", CLAIM, False)

    # The right verdict on the contexts has the key `context` in the metadata, and its accuracy has the key
    # `context_match` in the score.
    metrics = dict.fromkeys(ACCURACIES, accuracy)
    metrics["context_match"] = [*accuracy, always_match]
    metrics["relationship"] = [*accuracy, *always_letter]
    metrics[CLAIM] = [*accuracy, always_claim, never_claim]
    metrics["right"] = [*accuracy, grouped(mean(), "kind", all=False)]
    return [effect(), metrics]


def _named_judge(name: str, facet: str, verdict: bool | str) -> Metric:
    """`constant_judge` under a short name.

    Inspect prints a metric with the package of its function, as `package/name`. This would be too wide for Inspect's
    table of metrics in a terminal of 80 characters. A `partial` does not belong to a package, so the name is printed
    alone. A new name must also be added to `CONSTANT_JUDGES` in `_registry.py`: `inspect score` finds the metrics of a
    log by their names.
    """
    create = metric(name)(partial(constant_judge))
    return create(facet, verdict)


def constant_judge(facet: str, verdict: bool | str) -> Metric:
    """Accuracy of a judge that always gives this verdict, on the pairs or texts whose right verdict is known.

    It is NaN if the right verdict is known for none.

    Args:
        facet: Key of the right verdict in the metadata.
        verdict: The verdict.
    """

    def accuracy(scores: list[SampleScore]) -> Value:
        # Inspect leaves out scores that are NaN: those of samples without a known right verdict.
        is_right = []
        for score in scores:
            expected = (score.sample_metadata or {})["expected"]
            is_right.append(expected[facet] == verdict)
        return fmean(is_right) if is_right else math.nan

    return accuracy


@metric
def effect() -> Metric:
    """What this judge's errors do to a mean HMS of 20 %, and to the difference between 20 % and 25 %.

    These are examples: the best system of the paper has 25 % (abstract). Both values need the judge's accuracy on every
    facet. If no pair shows the accuracy on one of them, the metric is empty.
    """

    def means(scores: list[SampleScore]) -> Value:
        judge = Accuracy(
            context=_mean(scores, "context_match"),
            variables=_mean(scores, "variables"),
            relationship=_mean(scores, "relationship"),
        )
        mean_of_20 = 100 * judged_mean(0.2, judge)
        mean_of_25 = 100 * judged_mean(0.25, judge)
        if math.isnan(mean_of_20):  # the accuracy on a facet is NaN
            return {}
        return {"mean_of_20": mean_of_20, "difference_of_5": mean_of_25 - mean_of_20}

    return means


def _mean(scores: list[SampleScore], key: str) -> float:
    """Mean accuracy on the question with this key; NaN if no sample has a known answer to it.

    The accuracy in a sample without a known answer is NaN, which `PartialScores` leaves out.
    """
    values: list[Any] = [score.score.as_dict()[key] for score in scores]
    return PartialScores(values).mean


@scorer(metrics=_metrics(), name="judge_audit")
def audit() -> Scorer:
    """Accuracy on each question, and the mean accuracy (`right`).

    A question without a valid reply counts as a wrong answer, because the judge is what is evaluated.
    """

    async def score(state: TaskState, target: Target) -> Score:
        audit_state = state.store_as(AuditState)
        if not audit_state.record:
            return Score.unscored(reason="no_response", explanation="A limit ended the sample before it was judged.")
        accuracies = _accuracies(state, audit_state)
        right = fmean(accuracies.values()) if accuracies else math.nan
        # Every score must have all keys that have metrics. Inspect leaves NaN out of the metrics.
        unknown = dict.fromkeys(ACCURACIES, math.nan)
        return Score(
            value={**unknown, **accuracies, "right": right},
            explanation=f"Expected: {target.text}\n\n{state.output.completion}",
            metadata=audit_state.record,
        )

    return score


def _accuracies(state: TaskState, audit_state: AuditState) -> dict[str, float]:
    """The judge's accuracy on each question of a sample: 1 for a right answer, and 0 for a wrong one.

    Questions without a known answer are left out.
    """
    expected = state.metadata["expected"]
    if is_claim_text(state.metadata):
        claim = ClaimText.model_validate(expected).claim
        if claim is None:
            return {}
        return {CLAIM: float(audit_state.claim is claim)}

    if is_pair(state.metadata):
        return Expected.model_validate(expected).rate(audit_state.record["facets"])

    is_right = AnswerText.model_validate(expected).is_right(audit_state.submission)
    return {READING: float(is_right)}
