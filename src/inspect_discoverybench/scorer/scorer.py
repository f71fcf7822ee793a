"""The scorer `hms`. It reads only the log, so that `inspect score` can re-score it."""

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState
from pydantic import ValidationError

from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.final_message import flagged_refusal, is_plain_refusal, submission_of
from inspect_discoverybench.hypothesis import NO_RESPONSE, SCORE_NAME
from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.explanation import explain
from inspect_discoverybench.scorer.hms import NO_PARTS, NO_SUBMISSION
from inspect_discoverybench.scorer.judge import DEFAULT_JUDGE, Judge
from inspect_discoverybench.scorer.metrics import hms_metrics
from inspect_discoverybench.scorer.record import record
from inspect_discoverybench.scorer.settings import JudgeSettings
from inspect_discoverybench.scorer.verdict import Aggregation, compare


@scorer(metrics=hms_metrics(), name=SCORE_NAME)
def hms(
    grader: str = DEFAULT_JUDGE,
    gate: bool = False,
    aggregation: str = Aggregation.PRODUCT,
    schema: bool = True,
) -> Scorer:
    """Hypothesis match score: context × variables × relationship, each decided by a judge (paper §4.3).

    A sample without a submission scores 0, and the judge is not asked. After three invalid replies to a question, its
    facet is undecided. The sample is then marked unscored, unless another facet is 0, which makes HMS 0.

    Args:
        grader: The judge. The role `grader` takes precedence.
        gate: Skip variables and relationship if the contexts do not match. Saves questions, but these facets have
            no value for the other samples.
        aggregation: `product`, or `subhypotheses` to add `hms_recall` and `hms_f1`, which requires more questions.
        schema: Send a reply schema to providers that support structured output.

    Raises:
        InvalidArgument: `aggregation` is unknown.
    """
    parsed_aggregation = Aggregation.parse(aggregation)
    settings = JudgeSettings(schema=schema)

    async def score(state: TaskState, target: Target) -> Score:
        submission = submission_of(state)
        if submission is None:
            return _no_submission(flagged_refusal(state.output), parsed_aggregation)
        judge = Judge.for_eval(grader, settings)
        sample_metadata = _sample_metadata(state)
        comparison = Comparison(
            goal=sample_metadata.goal,
            data_files=sample_metadata.data_files,
            gold_hypothesis=target.text,
            gold_workflow=sample_metadata.gold_workflow,
            predicted_hypothesis=submission.hypothesis,
            predicted_workflow=submission.workflow,
        )
        verdict = await compare(judge, comparison, gate, parsed_aggregation)
        explanation = explain(comparison, verdict, submission.source)
        score_metadata = record(judge, verdict, gate, parsed_aggregation) | {
            "workflow": submission.workflow,
            "submission_source": submission.source,
            **({"refusal": True} if is_plain_refusal(submission.hypothesis) else {}),
        }
        values = verdict.values
        if values is None:
            return Score.unscored(
                reason="grader_failed", answer=submission.hypothesis, explanation=explanation, metadata=score_metadata
            )
        # `Score.value` is invariant in its value type.
        value: dict[str, str | int | float | bool | None] = {**values}
        return Score(value=value, answer=submission.hypothesis, explanation=explanation, metadata=score_metadata)

    return score


def _no_submission(is_refusal: bool, aggregation: Aggregation) -> Score:
    """The score of a sample without a submission: 0 on every key."""
    value: dict[str, str | int | float | bool | None] = {**NO_SUBMISSION.values()}
    if aggregation is Aggregation.SUBHYPOTHESES:
        value |= NO_PARTS.values()
    reason = "the provider flagged the last reply as a refusal" if is_refusal else "nothing was submitted"
    return Score(
        value=value,
        reason=NO_RESPONSE,
        explanation=f"**HMS 0**: {reason}, so the judge was not asked.",
        metadata={"refusal": True} if is_refusal else None,
    )


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
