"""The scorer `hms`. It reads only the log, so that `inspect score` can re-score it."""

from collections.abc import Sequence
from math import isnan, nan
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState
from pydantic import ValidationError

from inspect_discoverybench.answer import answer_of
from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.errors import RETRY, InvalidArgument, ModelFailed, one_line
from inspect_discoverybench.hypothesis import NO_RESPONSE, NOT_ASSERTED, SCORE_NAME, Submission
from inspect_discoverybench.scorer.explanation import explain
from inspect_discoverybench.scorer.facets import SCORE_KEYS
from inspect_discoverybench.scorer.judge import DEFAULT_JUDGE, Judge
from inspect_discoverybench.scorer.metrics import hms_metrics
from inspect_discoverybench.scorer.outage import ended_by_limit, is_running, recorded_error, unanswered_request
from inspect_discoverybench.scorer.pair import HypothesisPair
from inspect_discoverybench.scorer.quotation import ReadAnswer, read_answer
from inspect_discoverybench.scorer.released import PRODUCT, RELEASED_KEYS, is_released
from inspect_discoverybench.scorer.settings import JudgeSettings
from inspect_discoverybench.scorer.verdict import compare, record
from inspect_discoverybench.text import escape, quoted_reason

MAX_SHOWN = 2_000
"""Maximum length of a text without a hypothesis in the explanation."""


@scorer(metrics=hms_metrics(), name=SCORE_NAME)
def hms(
    grader: str = DEFAULT_JUDGE,
    gate: bool = False,
    aggregation: str = PRODUCT,
    schema: bool = True,
) -> Scorer:
    """Hypothesis match score: context × variables × relationship, each decided by a judge (paper §4.3).

    A sample without a submission scores 0, and the judge is not asked. If the answer is a text, the judge first quotes
    the hypothesis from it. After three invalid replies to a question, its facet is undecided, and HMS is unscored.
    A sample whose last request the provider did not answer is an error.

    Args:
        grader: The judge. The role `grader` takes precedence.
        gate: Skip variables and relationship if the contexts do not match. Saves questions, but these facets have
            no value for the other samples.
        aggregation: `product`, or `released` to add `hms_released`, `context_recall` and `context_precision`, which
            requires more questions.
        schema: Send a reply schema to providers that support structured output.

    Raises:
        InvalidArgument: `aggregation` is unknown, or does not go with `gate`.
    """
    with_released = is_released(aggregation, gate)
    keys = (*SCORE_KEYS, *(RELEASED_KEYS if with_released else ()))
    settings = JudgeSettings(schema=schema)

    async def score(state: TaskState, target: Target) -> Score:
        if (error := recorded_error()) is not None:
            return _unscored(keys, f"the sample ended with an error. {RETRY}\n\n{one_line(Exception(error))}")
        outage = unanswered_request()
        answer = answer_of(state)
        if not isinstance(answer, Submission) and outage and (answer is None or ended_by_limit()):
            return _provider_failed(state, keys, outage)
        if answer is None:
            return _zero(keys, NO_RESPONSE, "nothing was submitted, so the judge was not asked.")
        judge = Judge.for_eval(grader, settings)
        sample_metadata = _sample_metadata(state)
        read = await read_answer(judge, sample_metadata.goal, answer)
        if read.submission is None:
            if outage:
                return _provider_failed(state, keys, outage)
            return _not_asserted(read, keys, record(judge, None, gate))
        submission = read.submission
        pair = HypothesisPair(
            goal=sample_metadata.goal,
            data_files=sample_metadata.data_files,
            gold_hypothesis=target.text,
            gold_workflow=sample_metadata.gold_workflow,
            predicted_hypothesis=submission.hypothesis,
            predicted_workflow=submission.workflow,
        )
        verdict = await compare(judge, pair, gate, with_released)
        # `Score.value` is invariant in its value type.
        value: dict[str, str | int | float | bool | None] = {**verdict.values}
        return Score(
            value=value,
            reason="grader_failed" if isnan(verdict.values["hms"]) else None,
            answer=submission.hypothesis,
            explanation=explain(pair, verdict, submission.source),
            metadata=record(judge, verdict, gate)
            | {"workflow": submission.workflow, "submission_source": submission.source},
        )

    return score


def _unscored(keys: Sequence[str], reason: str) -> Score:
    """The score of a sample whose run failed: NaN on every key, which is excluded from every metric."""
    return Score(value=dict.fromkeys(keys, nan), reason="scoring_failed", explanation=f"**Not scored**: {reason}")


def _zero(keys: Sequence[str], reason: str, explanation: str, metadata: dict[str, Any] | None = None) -> Score:
    """The score of a sample without a hypothesis: 0 on every key."""
    value: dict[str, str | int | float | bool | None] = dict.fromkeys(keys, 0.0)
    return Score(value=value, reason=reason, explanation=f"**HMS 0**: {explanation}", metadata=metadata)


def _not_asserted(read: ReadAnswer, keys: Sequence[str], judge_record: dict[str, Any]) -> Score:
    text = escape((read.text or "")[:MAX_SHOWN])
    explanation = f"the text asserts no hypothesis.{quoted_reason(read.reason)}\n\n### Text\n\n{text}"
    return _zero(keys, NOT_ASSERTED, explanation, judge_record | {"refusal": True})


def _provider_failed(state: TaskState, keys: Sequence[str], reason: str) -> Score:
    """Raise, so that the sample is an error. A sample that is scored again, outside of a run, is unscored instead.

    Raises:
        ModelFailed: Always in a run.
    """
    message = f"The agent's model {state.model} did not answer its last request: {one_line(Exception(reason))}."
    if is_running():
        raise ModelFailed(message)
    return _unscored(keys, f"{message} {RETRY}")


def _sample_metadata(state: TaskState) -> SampleMetadata:
    try:
        # `state.metadata_as` raises an untyped error if there is no metadata.
        return SampleMetadata.model_validate(state.metadata or {})
    except ValidationError as error:
        fields = ", ".join(str(detail["loc"][0]) for detail in error.errors()[:3])
        raise InvalidArgument(
            f"discoverybench/hms cannot score the sample {state.sample_id}: its metadata lacks required fields, "
            f"such as {fields}. Use this scorer only with the tasks of inspect-discoverybench."
        ) from error
