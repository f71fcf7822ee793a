"""The judge audit as an eval: what it says about judges whose right and wrong answers are known."""

import json
import math
from collections.abc import Callable

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import score as inspect_score
from inspect_ai.log import EvalLog

from inspect_discoverybench import judge_audit
from inspect_discoverybench.judge_pairs.answer_texts import answer_texts
from inspect_discoverybench.judge_pairs.audit import audit, effect
from tests.endpoint import Answer, Request, slots
from tests.scorer.judging import InProcessJudge


def always(letter: str) -> Callable[[Request], Answer]:
    """A judge that gives this letter for each relationship, and finds equal contexts and variables."""

    def answer(request: Request) -> Answer:
        context = {"context": slots(request).get("hypothesis")}
        reply = {
            "hypothesis": [context],
            "match": True,
            "sizeA": 3,
            "sizeB": 3,
            "intersection": 3,
            "answer": letter,
        }
        return json.dumps(reply)

    return answer


def quoting(request: Request) -> Answer:
    """A judge that quotes the expected hypothesis, but finds none in texts of an odd length."""
    text = slots(request)["text"]
    if len(text) % 2:
        refusal = {"asserted": False, "hypothesis": [], "workflow": []}
        return json.dumps(refusal)
    [expected] = [known for known in answer_texts() if known.text == text]
    return expected.model_dump_json()


def audited(answer: Callable[[Request], Answer], *kinds: str) -> EvalLog:
    """The log of the audit of a judge, with pairs and texts of these kinds."""
    judge = InProcessJudge(answer)
    task = judge_audit(released=False, kind=[*kinds])
    [log] = inspect_eval(task, model=judge.model, max_connections=50)
    assert log.status == "success", log.error
    return log


def metric(log: EvalLog, key: str, name: str) -> float:
    """A metric of a key of the score, by the name that Inspect prints."""
    assert log.results
    [score] = [score for score in log.results.scores if score.name == key]
    [value] = [metric.value for metric in score.metrics.values() if metric.name == name]
    return value


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("letter", "ABC")
def test_the_references_are_what_constant_judges_score(letter: str) -> None:
    log = audited(
        always(letter),
        "identical",
        "context swapped",
        "relation generalised",
        "relation negated",
    )
    reference = metric(log, "relationship", f"always_{letter}")
    assert metric(log, "relationship", "mean") == reference
    # In three of the four kinds, the contexts match.
    assert metric(log, "context_match", "always_true") == 0.75
    assert metric(log, "context_match", "mean") == 0.75


def test_the_result_says_what_the_errors_of_the_judge_do_to_means() -> None:
    # The metrics are what the judge makes of a true mean of 20, and of a true difference of 5.
    # On identical hypotheses, A is always right.
    perfect = audited(always("A"), "identical")
    assert metric(perfect, "judge_audit", "mean_of_20") == pytest.approx(20)
    assert metric(perfect, "judge_audit", "difference_of_5") == pytest.approx(5)
    # On identical hypotheses, C is always wrong. The metrics assume that a wrong letter is the neighbour of the right
    # one (`error_effect.py`): B instead of A. So a solved task scores 0.5 instead of 1. The metrics also assume
    # that the hypothesis of a failed task has a wrong context. This judge is always right about contexts, so a failed
    # task still scores 0. The difference between a solved and a failed task is 0.5 instead of 1.
    flawed = audited(always("C"), "identical")
    assert metric(flawed, "judge_audit", "difference_of_5") == pytest.approx(2.5)
    # Inspect asks for the metrics of no samples, too.
    assert effect()([]) == {}


def test_arguable_relationships_count_nowhere() -> None:
    log = audited(
        always("C"),
        "hedged",
        "variable dropped",
        "coefficient changed",
    )
    assert math.isnan(metric(log, "relationship", "mean"))


def test_the_audit_of_reading_can_be_scored_again() -> None:
    log = audited(quoting, "closing remark")
    again = inspect_score(log, audit(), action="overwrite")
    # Two of the four texts have an odd length, and the judge reads these wrongly.
    assert metric(again, "reading", "mean") == 0.5


def test_invalid_replies_are_wrong_answers() -> None:
    log = audited(lambda _: "I cannot say.", "identical", "closing remark")
    for key in ("reading", "context_match", "variables", "relationship", "right"):
        assert metric(log, key, "mean") == 0
