"""The scorer `hms`: from the log alone, so that `inspect score` can redo it."""

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState
from pydantic import ValidationError

from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.final_message import flagged_refusal, is_plain_refusal, submission_of
from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.explanation import explain
from inspect_discoverybench.scorer.hms import NO_PARTS, NO_SUBMISSION
from inspect_discoverybench.scorer.judge import DEFAULT_JUDGE, Judge
from inspect_discoverybench.scorer.metrics import NO_RESPONSE, hms_metrics
from inspect_discoverybench.scorer.record import record
from inspect_discoverybench.scorer.settings import JudgeSettings
from inspect_discoverybench.scorer.verdict import Aggregation, compare

# In capitals in the log: the viewer takes a key for the whole score where scorer and key have the same name.
SCORE_NAME = "HMS"


@scorer(metrics=hms_metrics(), name=SCORE_NAME)
def hms(
    grader: str = DEFAULT_JUDGE,
    gate: bool = False,
    aggregation: str = Aggregation.PRODUCT,
    schema: bool = True,
) -> Scorer:
    """Hypothesis match score: context × variables × relationship, each asked from a judge (paper §4.3).

    A sample without a submission scores 0 and the judge is not asked. Where the judge gives no valid reply in three
    tries, that facet has no value. The sample is then unscored, unless another facet is 0, which makes HMS 0.

    Args:
        grader: The judge, unless the role `grader` names one.
        gate: Ask about variables and relationship only where the contexts match: fewer questions, and no values of
            these facets elsewhere.
        aggregation: `product`; or `subhypotheses`, which adds `hms_recall` and `hms_f1`, and asks more.
        schema: Send reply schemas to providers that enforce them.

    Raises:
        InvalidArgument: `aggregation` is neither.
    """
    aggregated_by = Aggregation.read(aggregation)
    settings = JudgeSettings(schema=schema)

    async def score(state: TaskState, target: Target) -> Score:
        submission = submission_of(state)
        if submission is None:
            refused = flagged_refusal(state.output)
            why = "the provider flagged the last reply as a refusal" if refused else "nothing was submitted"
            return Score(
                value=NO_SUBMISSION.values() | (NO_PARTS.values() if aggregated_by is not Aggregation.PRODUCT else {}),
                reason=NO_RESPONSE,
                explanation=f"**HMS 0**: {why}, so the judge was not asked.",
                metadata={"refusal": True} if refused else None,
            )
        judge = Judge.of_eval(grader, settings)
        sample_metadata = _sample_metadata(state)
        pair = Comparison(
            goal=sample_metadata.goal,
            data_files=sample_metadata.data_files,
            gold_hypothesis=target.text,
            gold_workflow=sample_metadata.gold_workflow,
            predicted_hypothesis=submission.hypothesis,
            predicted_workflow=submission.workflow,
        )
        verdict = await compare(judge, pair, gate, aggregated_by)
        explanation = explain(pair, verdict, submission.source)
        score_metadata = record(judge, verdict, gate, aggregated_by) | {
            "workflow": submission.workflow,
            "submission_source": submission.source,
            **({"refusal": True} if is_plain_refusal(submission.hypothesis) else {}),
        }
        values = verdict.values
        if values is None:
            return Score.unscored(
                reason="grader_failed", answer=submission.hypothesis, explanation=explanation, metadata=score_metadata
            )
        # A mapping's values may be any scalar; ours are all numbers.
        value: dict[str, str | int | float | bool | None] = {**values}
        return Score(value=value, answer=submission.hypothesis, explanation=explanation, metadata=score_metadata)

    return score


def _sample_metadata(state: TaskState) -> SampleMetadata:
    try:
        return state.metadata_as(SampleMetadata)
    except ValidationError as error:
        missing = ", ".join(str(detail["loc"][0]) for detail in error.errors()[:3])
        raise InvalidArgument(
            f"discoverybench/hms scores samples of the discovery tasks; {state.sample_id} is none of them, as its "
            f"metadata lack {missing}, ….",
        ) from error
