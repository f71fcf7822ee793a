"""The question whether a hypothesis claims a relationship: when it is asked, its replies, and what depends on it."""

from collections.abc import Collection, Sequence
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.viewer import TaskSamplesView

from inspect_discoverybench import demo, real, synth
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.scorer.scorer import hms
from tests import inspect_command
from tests.scorer.judging import (
    CONTEXTS,
    FULL,
    HMS_QUESTIONS,
    ZEROS,
    InProcessJudge,
    evaluate,
    sample,
    score_of,
    scripted,
    writes,
)

YES = '{"claim": true, "explanation": "rain raises yield"}'
NO = '{"claim": false, "explanation": "no association"}'


def judge_with(*replies: str) -> InProcessJudge:
    """A judge that gives these replies about the claim, the last one repeatedly, and agrees with everything else."""
    return InProcessJudge(scripted(extract=CONTEXTS, claim=[*replies]))


FORMS = {
    "an object": (NO, 0),
    "another object": (YES, 1),
    "a fence": (f"```json\n{YES}\n```", 1),
    "a fence after a sentence": (f"My answer:\n```json\n{NO}\n```", 0),
    "a boolean in quotes": ('{"claim": "False"}', 0),
    "reasoning before": (f"<think>Is it {NO}?</think>{YES}", 1),
    "a byte-order mark": (f"\ufeff{NO}", 0),
    "LaTeX in the explanation": (r'{"claim": true, "explanation": "\alpha > 0"}', 1),
    "a list of reasons": ('{"claim": false, "explanation": ["a", "b"]}', 0),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_reply_is_accepted_in_every_form_that_other_questions_accept(form: str) -> None:
    reply, expected = FORMS[form]
    judge = judge_with(reply)
    score = score_of(evaluate(judge.model, scorer=hms(claim=True)))
    assert score.values == {**FULL, "claim": expected}
    # No question was asked again.
    assert sorted(judge.judge_requests()) == sorted([*HMS_QUESTIONS, "claim"])


INVALID = ["Yes, it is a claim.", '{"claim": "perhaps"}', '{"claim": 1}', '{"claim": null}', '{"explanation": "why"}']


@pytest.mark.parametrize("reply", INVALID)
def test_an_invalid_reply_is_sent_back(reply: str) -> None:
    judge = judge_with(reply, YES)
    score = score_of(evaluate(judge.model, scorer=hms(claim=True)))
    assert score.values["claim"] == 1
    assert score.record["replies"]["claim"] == [reply, YES]
    assert score.record["asked_again"] == 1


@pytest.mark.parametrize("reply", INVALID)
def test_after_three_invalid_replies_the_claim_is_undecided_and_hms_is_not(reply: str) -> None:
    judge = judge_with(reply)
    log = evaluate(judge.model, scorer=hms(claim=True))
    score = score_of(log)
    assert score.unscored == {"claim"}
    assert score.values.items() >= FULL.items()
    assert score.reason is None
    assert judge.judge_requests().count("claim") == 3
    assert "### Claim of a relationship: undecided" in score.explanation


def test_the_claim_is_asked_with_the_first_questions_and_explained() -> None:
    judge = judge_with(NO)
    score = score_of(evaluate(judge.model, scorer=hms(claim=True)))
    *first, last = judge.judge_requests()
    assert "claim" in first
    assert last == "match"
    assert (
        "### Claim of a relationship: 0.00\n\nNo relationship is claimed.\n\nJudge: no association" in score.explanation
    )
    # The prompt's fingerprint is not among those of the other prompts: scores can be compared even if it differs.
    assert len(score.record["claim_prompt"]) == 12
    assert "claim" not in score.record["prompts"]


def test_without_the_argument_the_claim_is_not_asked_about_and_there_is_no_key() -> None:
    judge = judge_with(YES)
    score = score_of(evaluate(judge.model))
    assert score.values == FULL
    assert sorted(judge.judge_requests()) == HMS_QUESTIONS
    assert "claim_prompt" not in score.record
    assert "Claim" not in score.explanation


def test_a_sample_without_a_submission_claims_nothing() -> None:
    judge = judge_with(YES)
    score = score_of(evaluate(judge.model, prediction="", scorer=hms(claim=True)))
    assert score.values == {**ZEROS, "claim": 0}
    assert judge.requests == []


def test_the_reply_is_cached() -> None:
    judge = judge_with(YES)
    first = score_of(evaluate(judge.model, scorer=hms(claim=True)))
    count = len(judge.requests)
    again = score_of(evaluate(judge.model, scorer=hms(claim=True)))
    assert again.values == first.values
    assert len(judge.requests) == count


def placebo_log(
    judge: InProcessJudge,
    numbers: Sequence[int] = (0,),
    surviving: Collection[int] = (),
    text: str = "Rain raises yield.",
) -> EvalLog:
    """The log of samples of a placebo with these numbers.

    The gold hypotheses of the samples in `surviving` survive the permutation.
    """
    placebos = []
    for number in numbers:
        placebo = sample(number)
        facts = {"placebo": 3, "survives_permutation": number in surviving}  # 3 is the seed of the permutation
        placebos.append(placebo.model_copy(update={"metadata": {**(placebo.metadata or {}), **facts}}))
    task = Task(placebos, solver=writes(text), scorer=hms())
    [log] = inspect_eval(task, model="mockllm/model", model_roles={"grader": judge.model})
    return log


def metrics_of(log: EvalLog) -> dict[str, float]:
    assert log.results
    return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}


def test_under_the_placebo_the_claim_is_asked_about_even_without_the_argument() -> None:
    assert score_of(placebo_log(judge_with(YES))).values == {**FULL, "claim": 1}


def test_the_claim_is_not_asked_about_if_the_gold_hypothesis_survives_the_permutation() -> None:
    judge = judge_with(YES)
    score = score_of(placebo_log(judge, surviving=[0]))
    assert score.values == FULL
    assert sorted(judge.judge_requests()) == HMS_QUESTIONS
    assert "### Claim of a relationship: left out" in score.explanation


@pytest.mark.parametrize(("number", "is_asked"), [(8, False), (3, True)])
def test_in_an_earlier_log_of_db_real_surviving_gold_hypotheses_are_recognized(number: int, is_asked: bool) -> None:
    """The claim is not asked about if the gold hypothesis survives, which earlier logs do not record.

    In this study, the gold hypothesis of metadata file 8 survives.
    """
    judge = judge_with(YES)
    facts = {"placebo": 3, "split": "test", "dataset": "meta_regression", "metadata_number": number, "query_id": 0}
    earlier = sample(0)
    metadata = {**(earlier.metadata or {}), **facts}
    metadata.pop("survives_permutation", None)
    task = Task([earlier.model_copy(update={"metadata": metadata})], solver=writes("Rain raises yield."), scorer=hms())
    [log] = inspect_eval(task, model="mockllm/model", model_roles={"grader": judge.model})
    score = score_of(log)
    is_left_out = "left out" in score.explanation
    assert ("claim" in score.values) is is_asked
    assert is_left_out is (not is_asked)


def test_the_false_claim_rate_leaves_out_and_counts_samples_whose_gold_hypothesis_survives() -> None:
    # One reply for each of the samples 1, 2 and 4.
    judge = InProcessJudge(scripted(extract=CONTEXTS, claim=[NO, YES, NO]))
    metrics = metrics_of(placebo_log(judge, numbers=[0, 1, 2, 3, 4], surviving=[0, 3]))
    assert metrics["false_claim_rate"] == pytest.approx(1 / 3)
    assert 0 <= metrics["false_claim_rate_ci_lower"] < 1 / 3 < metrics["false_claim_rate_ci_upper"] <= 1
    assert metrics["false_claim_rate_judged"] == 3
    assert metrics["false_claim_rate_left_out"] == 2
    assert metrics["mean"] == 1
    assert metrics["judged"] == 5
    assert "claim_rate" not in metrics


def test_without_a_placebo_there_is_a_claim_rate_and_undecided_claims_widen_its_interval() -> None:
    # The third sample that asks gets three invalid replies, so its claim is undecided.
    claims = [YES, YES, "invalid", "invalid", "invalid"]
    judge = InProcessJudge(scripted(extract=CONTEXTS, claim=claims))
    metrics = metrics_of(evaluate(judge.model, numbers=[0, 1, 2], scorer=hms(claim=True)))
    assert metrics["claim_rate"] == 1
    assert metrics["claim_rate_judged"] == 2
    assert metrics["claim_rate_unscored"] == 1
    assert metrics["claim_rate_left_out"] == 0
    all_decided = metrics_of(evaluate(judge_with(YES).model, numbers=[0, 1], scorer=hms(claim=True)))
    # The hypothesis with the undecided claim may claim nothing.
    assert metrics["claim_rate_ci_lower"] < all_decided["claim_rate_ci_lower"]


def test_a_placebo_without_submissions_has_no_false_claims() -> None:
    metrics = metrics_of(placebo_log(judge_with(YES), numbers=[0, 1], text=""))
    assert metrics["false_claim_rate"] == 0
    assert metrics["false_claim_rate_judged"] == 0
    assert metrics["no_submission"] == 2


def test_scoring_an_old_log_of_a_placebo_again_adds_the_claim() -> None:
    log = placebo_log(judge_with(YES))
    assert log.samples
    assert log.samples[0].scores
    log.samples[0].scores["HMS"].value = {**FULL}  # without the key `claim`, as in old logs
    write_eval_log(log)
    command = ["score", log.location, "--model-role", "grader=discoverybench/lexical"]
    result = inspect_command.invoke(*command, "--action", "overwrite", "--overwrite")
    assert result.exit_code == 0, result.output
    score = score_of(read_eval_log(log.location))
    assert score.values.keys() == {*FULL, "claim"}


def test_the_demo_asks_about_claims_with_the_argument() -> None:
    [log] = inspect_eval(demo(claim=True), model="discoverybench/baseline", limit=2)
    for scored in log.samples or []:
        assert scored.scores
        assert scored.scores["HMS"].as_dict()["claim"] == 1
        # The offline judge counts columns.
        assert "does not read the hypothesis, but counts the columns" in (scored.scores["HMS"].explanation or "")
    assert log.results
    assert log.results.scores[0].metrics["claim_rate"].value == 1


def claim_column(task: Task) -> str | None:
    """The heading of the column for claims in Inspect's viewer; None if there is no column."""
    assert task.viewer
    view = task.viewer.task_samples_view
    assert isinstance(view, TaskSamplesView)
    return (view.score_labels or {}).get("claim")


def test_the_viewer_has_a_column_for_claims_where_they_are_asked_about() -> None:
    assert claim_column(demo()) is None
    assert claim_column(demo(claim=True)) == "Claim"
    assert claim_column(demo(placebo=1)) == "False claim"


@pytest.mark.usefixtures("upstream")
@pytest.mark.parametrize(("task", "split"), [(real, "train"), (synth, "dev")])
def test_the_released_tasks_ask_about_claims_with_the_arguments(task: Any, split: str) -> None:
    assert claim_column(task(split=split, claim=True)) == "Claim"
    assert claim_column(task(split=split, placebo=1)) == "False claim"


def test_the_argument_claim_is_a_boolean() -> None:
    with pytest.raises(InvalidArgument, match=r"^claim must be true or false, got 2"):
        demo(claim=2)  # type: ignore[arg-type]
