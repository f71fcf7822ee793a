"""The scorer `hms`. It reads only what the log of a sample records, so that `inspect score` can score the log again."""

from collections.abc import Sequence
from math import isnan, nan
from typing import Any

from inspect_ai.log import transcript
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState
from inspect_ai.util import sample_limits

from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.errors.exceptions import RETRY, ModelFailed
from inspect_discoverybench.errors.invalid_values import require_boolean
from inspect_discoverybench.errors.provider_failures import one_line
from inspect_discoverybench.scorer.claim import CLAIM_KEY, has_surviving_gold, is_claim_asked
from inspect_discoverybench.scorer.explanation import explain
from inspect_discoverybench.scorer.facets import SCORE_KEYS
from inspect_discoverybench.scorer.hypothesis_pair import HypothesisPair
from inspect_discoverybench.scorer.judge import DEFAULT_JUDGE, Judge
from inspect_discoverybench.scorer.judge_record import judge_record
from inspect_discoverybench.scorer.markdown import escape_markdown, judge_paragraph
from inspect_discoverybench.scorer.metrics import hms_summary
from inspect_discoverybench.scorer.outage import missing_answer, reached_limit, recorded_error
from inspect_discoverybench.scorer.quotation import NotAsserted, read_answer
from inspect_discoverybench.scorer.released_form import PRODUCT, RELEASED_KEYS, is_released
from inspect_discoverybench.scorer.sample_outcome import LIMIT_KEY
from inspect_discoverybench.scorer.verdict import ask_verdict
from inspect_discoverybench.session.tool import CALLS_AS_TEXT_KEY, wrote_calls_as_text
from inspect_discoverybench.submission.answer import Answer, answer_of
from inspect_discoverybench.submission.submission import NO_RESPONSE, NOT_ASSERTED, SCORE_NAME, Submission

MAX_SHOWN = 2_000
"""Maximum number of characters that the explanation of a score shows of a text that asserts no hypothesis."""


@scorer(metrics=[hms_summary()], name=SCORE_NAME)
def hms(grader: str = DEFAULT_JUDGE, aggregation: str = PRODUCT, claim: bool = False) -> Scorer:
    """Hypothesis match score: context × variables × relationship, each decided by a judge (paper §4.3).

    A sample without a submission scores 0, and the judge is not asked. If the answer is a text, the judge first quotes
    the hypothesis from it. After three invalid replies to a question, its facet is undecided, and HMS is unscored.
    If the provider did not answer the agent's last request, the sample is an error, unless the agent has already given
    an answer that can be scored.

    Args:
        grader: The judge. The role `grader` takes precedence.
        aggregation: `product`, or `released` to add `hms_released`, `context_recall` and `context_precision`, which
            requires more questions.
        claim: Add the key `claim`: 1 if the hypothesis claims a relationship. A sample without a hypothesis claims
            none. Samples of a placebo always have this key, unless their gold hypothesis survives the permutation.

    Raises:
        InvalidArgument: `aggregation` is unknown, or `claim` is no boolean.
    """
    with_released = is_released(aggregation)
    require_boolean("claim", claim)

    async def score(state: TaskState, target: Target) -> Score:
        result = await score_answer(state, target)
        result.explanation = f"{result.explanation}{_claim_note(state)}{_limit_note(state)}"
        result.metadata = (result.metadata or {}) | _transcript_metadata()
        return result

    async def score_answer(state: TaskState, target: Target) -> Score:
        with_claim = is_claim_asked(state.metadata or {}, claim)
        keys = _score_keys(with_released, with_claim)
        error = recorded_error()
        if error is not None:
            return _unscored(keys, f"the sample ended with an error. {RETRY}\n\n{one_line(error)}")

        answer = answer_of(state)
        outage = _outage(state)
        if outage and not _may_count_despite_outage(answer):
            return _after_outage(state, keys, outage)
        if answer is None:
            return _zero(keys, NO_RESPONSE, "nothing was submitted, so the judge was not asked.")

        judge = Judge.for_eval(grader)
        sample = SampleMetadata.of(state, "discoverybench/hms")
        submission = await read_answer(judge, sample.goal, answer)
        if isinstance(submission, NotAsserted):
            if outage:  # the missing reply could have stated a hypothesis, so the score is not 0
                return _after_outage(state, keys, outage)
            return _not_asserted(keys, submission, judge_record(judge, verdict=None, with_claim=with_claim))

        pair = HypothesisPair(
            goal=sample.goal,
            data_files=sample.data_files,
            gold_hypothesis=target.text,
            gold_workflow=sample.gold_workflow,
            predicted_hypothesis=submission.hypothesis,
            predicted_workflow=submission.workflow,
        )
        verdict = await ask_verdict(judge, pair, with_released=with_released, with_claim=with_claim)
        submitted = {"workflow": submission.workflow, "submission_source": submission.source}
        return Score(
            value={**verdict.values},
            reason="grader_failed" if isnan(verdict.values["hms"]) else None,
            answer=submission.hypothesis,
            explanation=explain(pair, verdict, submission.source),
            metadata=judge_record(judge, verdict, with_claim) | submitted,
        )

    return score


def _score_keys(with_released: bool, with_claim: bool) -> list[str]:
    keys = [*SCORE_KEYS]
    if with_released:
        keys += RELEASED_KEYS
    if with_claim:
        keys.append(CLAIM_KEY)
    return keys


def _transcript_metadata() -> dict[str, Any]:
    """What the transcript of the sample tells about the run, for metrics and notices."""
    metadata: dict[str, Any] = {}
    limit = reached_limit()
    if limit:
        metadata[LIMIT_KEY] = one_line(limit)
    if wrote_calls_as_text(transcript().events):
        metadata[CALLS_AS_TEXT_KEY] = True
    return metadata


def _is_window_full(state: TaskState) -> bool:
    """Whether the agent's last conversation did not fit into the context window."""
    return bool(state.output.choices) and state.output.stop_reason == "model_length"


def _outage(state: TaskState) -> str | None:
    """Why the provider did not answer the agent; None if no answer is missing.

    Some servers answer with an error if a conversation does not fit into the context window. That is no outage.
    """
    if _is_window_full(state) and not reached_limit():
        # No limit ended the agent, so its last output belongs to its last request. The output says that the context
        # window is full, so an error of the last request is no outage. If a limit ended the agent, the agent may
        # have sent another request after that output, and the provider may have failed to answer this request.
        return None
    return missing_answer()


def _may_count_despite_outage(answer: Answer | None) -> bool:
    """Whether an answer may be scored although the provider did not answer the agent's last request.

    A submission may be scored. A text may be scored if no limit ended the sample: the agent then went on without the
    missing reply and ended by itself, so the text is its answer. The judge looks for a hypothesis in the text, and only
    a text with one is scored.
    """
    if isinstance(answer, Submission):
        return True
    return answer is not None and not reached_limit()


def _claim_note(state: TaskState) -> str:
    """Why the judge was not asked about claims on this placebo, as Markdown; empty for other samples."""
    if not has_surviving_gold(state.metadata or {}):
        return ""
    return (
        "\n\n### Claim of a relationship: left out\n\nThe gold hypothesis of this goal survives the permutation of the "
        "columns, so a claim may be true."
    )


def _limit_note(state: TaskState) -> str:
    """Which limit ended the sample, as Markdown; empty if none did."""
    limit = reached_limit()
    if limit is None and _is_window_full(state):
        # The completion shows what the provider did. Most providers refuse the request, and Inspect makes their error
        # message the completion. Other providers cut the reply off, and the completion is the beginning of the reply.
        limit = f"the conversation does not fit into the context window. {state.output.completion}"
    if limit is None:
        return ""
    return f"\n\nA limit ended the sample: {one_line(limit)}."


def _unscored(keys: Sequence[str], reason: str) -> Score:
    """The score of a sample whose run failed: NaN on every key. NaN is left out of every metric."""
    return Score(value=dict.fromkeys(keys, nan), reason="scoring_failed", explanation=f"**Not scored**: {reason}")


def _zero(keys: Sequence[str], reason: str, explanation: str) -> Score:
    """The score of a sample without a hypothesis: 0 on every key."""
    return Score(value=dict.fromkeys(keys, 0.0), reason=reason, explanation=f"**HMS 0**: {explanation}")


def _not_asserted(keys: Sequence[str], answer: NotAsserted, metadata: dict[str, Any]) -> Score:
    text = escape_markdown(answer.text[:MAX_SHOWN])
    explanation = f"the text asserts no hypothesis.{judge_paragraph(answer.reason)}\n\n### Text\n\n{text}"
    score = _zero(keys, NOT_ASSERTED, explanation)
    score.metadata = metadata
    return score


def _after_outage(state: TaskState, keys: Sequence[str], reason: str) -> Score:
    """The score of a sample in which the provider did not answer the agent's last request.

    A sample that is scored again is unscored. A sample that is running ends with an error instead.

    Raises:
        ModelFailed: The sample is running.
    """
    message = f"The agent's model {state.model} did not answer its last request: {one_line(reason)}."
    if _is_running():
        raise ModelFailed(message)
    return _unscored(keys, f"{message} {RETRY}")


def _is_running() -> bool:
    """Whether the sample is running, and not scored again. Only a sample that is running has limits."""
    try:
        sample_limits()
    except RuntimeError:
        return False
    return True
