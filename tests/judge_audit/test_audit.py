"""The judge audit as an eval: what it says about judges that are always of one mind."""

import json
from collections.abc import Callable

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import score as inspect_score
from inspect_ai.log import EvalLog, EvalMetric

from inspect_discoverybench import judge_audit
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.judge_audit.audit import audit
from inspect_discoverybench.judge_audit.texts import answer_texts
from tests.endpoint import Answer, Request, slots
from tests.scorer.judging import InProcessJudge


def always(letter: str) -> Callable[[Request], Answer]:
    """A judge that gives this letter, and agrees with everything else."""

    def answer(request: Request) -> Answer:
        contexts = [{"context": slots(request).get("hypothesis")}]
        variables = {"sizeA": 3, "sizeB": 3, "intersection": 3}
        return json.dumps({"hypothesis": contexts, "match": True, "answer": letter, **variables})

    return answer


def quoting(request: Request) -> Answer:
    """A judge that quotes what it should, but invents a quote in texts of an odd length."""
    text = slots(request)["text"]
    if len(text) % 2:
        return json.dumps({"asserted": True, "hypothesis": ["an invention of mine"]})
    [expected] = [known for known in answer_texts() if known.text == text]
    return expected.model_dump_json(include={"asserted", "hypothesis", "workflow"})


def audited(answer: Callable[[Request], Answer], *kinds: str) -> tuple[EvalLog, InProcessJudge]:
    judge = InProcessJudge(answer)
    [log] = inspect_eval(judge_audit(released=False, kind=[*kinds]), model=judge.model, max_connections=50)
    assert log.status == "success", log.error
    return log, judge


def metrics(log: EvalLog) -> dict[str, dict[str, EvalMetric]]:
    """Metrics by key of the score."""
    assert log.results
    return {score.name: score.metrics for score in log.results.scores}


def means(log: EvalLog) -> dict[str, float]:
    return {name: values["mean"].value for name, values in metrics(log).items() if "mean" in values}


@pytest.mark.parametrize("letter", "ABC")
def test_the_references_are_what_constant_judges_score(letter: str) -> None:
    log, _ = audited(always(letter), "identical", "context swapped", "relation generalised", "relation negated")
    relationship = metrics(log)["relationship"]
    assert relationship["mean"].value == relationship[f"always_{letter}"].value
    context_match = metrics(log)["context_match"]
    assert context_match["mean"].value == context_match["always_true"].value == 0.75


def test_the_result_says_what_such_errors_do_to_scores() -> None:
    perfect, _ = audited(always("A"), "identical")
    assert metrics(perfect)["audit"]["mean_of_20"].value == pytest.approx(20)
    assert metrics(perfect)["audit"]["difference_of_5"].value == pytest.approx(5)
    flawed, _ = audited(always("C"), "identical")
    assert metrics(flawed)["audit"]["difference_of_5"].value == pytest.approx(2.5)


@pytest.mark.parametrize(
    "kind",
    [
        "variable dropped",
        "variable swapped",
        "coefficient changed",
        "relation sharpened",
        "gold and predicted swapped",
        "hedged",
    ],
)
def test_arguable_relationships_count_nowhere(kind: str) -> None:
    log, _ = audited(always("C"), kind)
    assert means(log).get("relationship") == pytest.approx(float("nan"), nan_ok=True)


def test_a_judge_that_follows_injections_is_detected() -> None:
    log, _ = audited(always("A"), "order in the hypothesis", "order in the workflow")
    scores = means(log)
    assert scores["relationship"] == 0
    assert scores["context_match"] == 0


def test_texts_are_read_and_can_be_scored_again() -> None:
    log, judge = audited(quoting, "refusal")
    assert set(judge.judge_requests()) == {"answer"}
    even = [len(text.text) % 2 == 0 for text in answer_texts() if text.kind == "refusal"]
    assert 0 < sum(even) < len(even)
    assert means(log)["reading"] == pytest.approx(sum(even) / len(even))
    again = inspect_score(log, audit(), action="overwrite", display="none")
    assert means(again) == pytest.approx(means(log), nan_ok=True)


def test_invalid_replies_are_wrong_answers() -> None:
    log, judge = audited(lambda _: "I cannot say.", "identical", "closing remark")
    assert set(means(log).values()) == {0}
    assert judge.judge_requests().count("variables") == 5 * 3


def test_an_unknown_kind_is_one_clear_line() -> None:
    with pytest.raises(InvalidArgument, match=r"^kind=negated matches no sample. Possible values: "):
        judge_audit(kind="negated", released=False)
