"""The judge audit: a judge with all correct answers scores 1 everywhere, and flawed judges do not."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import score as inspect_score
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog

from inspect_discoverybench import judge_audit
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.judge_audit.judge_audit import (
    AuditState,
    ContextWords,
    Expected,
    answer_texts,
    audit,
)
from inspect_discoverybench.scorer.paper_accuracy import PAPER_ACCURACY
from tests.endpoint import Answer, Request, question, slots
from tests.scorer.judging import InProcessJudge


def knowing(samples: Iterable[Sample]) -> Callable[[Request], Answer]:
    """A judge with the correct answers. Where several variable counts are accepted, it returns one of them."""
    chance = random.Random(0)
    by_texts: dict[tuple[str, str], Expected] = {}
    words: dict[str, ContextWords] = {}
    for sample in samples:
        metadata = sample.metadata or {}
        if "gold_hypothesis" in metadata:
            gold, predicted = metadata["gold_hypothesis"], metadata["predicted_hypothesis"]
            expected = by_texts[gold, predicted] = Expected.model_validate(metadata["expected"])
            words |= {predicted: expected.predicted_context, gold: expected.gold_context}
    readings = {item.text: item for item in answer_texts()}

    def answer(request: Request) -> Answer:
        values = slots(request)
        if question(request) == "answer":
            return readings[values["text"]].model_dump_json(include={"asserted", "hypothesis", "workflow"})
        if question(request) == "extract":
            text = values["hypothesis"]
            part = words[text]
            # Where the table leaves the context open, an honest judge may find none.
            context = None if not part else " and ".join(word.split("|")[-1] for word in part)
            return json.dumps({"hypothesis": [{"context": context}]})
        if question(request) == "match":
            expected = by_texts[values["gold_hypothesis"], values["predicted_hypothesis"]]
            return json.dumps({"match": bool(expected.context)})
        expected = by_texts[values["HypoA"], values["HypoB"]]
        if question(request) == "relationship":
            return json.dumps({"answer": expected.relationship[-1]})
        # F1 is twice the shared variables divided by the sum of both sizes.
        f1 = Fraction(chance.choice(expected.variables)).limit_denominator(9)
        return json.dumps({"sizeA": f1.denominator, "sizeB": f1.denominator, "intersection": f1.numerator})

    return answer


def audited(answer: Callable[[Request], Answer], **arguments: Any) -> tuple[EvalLog, InProcessJudge]:
    judge = InProcessJudge(answer)
    log = inspect_eval(judge_audit(**arguments), model=judge.model, max_connections=50)[0]
    assert log.status == "success", log.error
    return log, judge


def means(log: EvalLog) -> dict[str, float]:
    assert log.results
    return {score.name: score.metrics["mean"].value for score in log.results.scores}


@pytest.mark.usefixtures("upstream", "sweep")
def test_a_judge_with_all_correct_answers_scores_1() -> None:
    task = judge_audit(repeats=1)
    assert len(task.dataset) == 221
    log, _ = audited(knowing(task.dataset), repeats=1)
    scores = means(log)
    for facet in (*PAPER_ACCURACY, "reading", "right"):
        assert scores[facet] == 1, facet
    assert scores["f1_error"] == pytest.approx(0)
    assert (log.eval.metadata or {})["paper"] == PAPER_ACCURACY
    assert "context_match 0.99" in str(log.eval.dataset.name)


def test_a_judge_that_follows_injections_or_echoes_the_text_is_detected() -> None:
    def obeying(request: Request) -> Answer:
        contexts = [{"context": slots(request).get("hypothesis")}]
        agreement = {"match": True, "answer": "A", "sizeA": 3, "sizeB": 3, "intersection": 3}
        return json.dumps({"hypothesis": contexts, **agreement})

    log, _ = audited(obeying, repeats=1, released=False, kind=["order in the hypothesis", "order in the workflow"])
    scores = means(log)
    assert scores["relationship"] == 0
    assert scores["context_match"] < 1
    assert scores["context_extraction"] < 0.05


def test_each_text_is_read_in_each_round() -> None:
    good = knowing([])
    asked: Counter[str] = Counter()

    def fickle(request: Request) -> Answer:
        """Invents a quote at first, and asserts everything in the second round."""
        text = slots(request)["text"]
        asked[text] += 1
        if asked[text] == 1:
            return json.dumps({"asserted": True, "hypothesis": ["an invention"]})
        return good(request) if asked[text] == 2 else json.dumps({"asserted": True, "hypothesis": [text]})

    log, judge = audited(fickle, repeats=2, released=False, kind="refusal")
    samples = log.samples or []
    assert judge.judge_requests() == ["answer"] * 3 * len(samples)
    scores = means(log)
    assert (scores["reading"], scores["right"], scores["consistency"]) == (1, 1, 0)
    assert [sample.store_as(AuditState).asked_again for sample in samples] == [1] * len(samples)
    again = inspect_score(log, audit(), action="overwrite", display="none")
    assert means(again) == pytest.approx(scores, nan_ok=True)


def test_invalid_replies_are_wrong_answers() -> None:
    log, judge = audited(lambda _: "I cannot say.", repeats=2, released=False, kind=["identical", "closing remark"])
    scores = means(log)
    assert {scores[name] for name in (*PAPER_ACCURACY, "reading", "right")} == {0}
    assert scores["f1_error"] == 1
    pairs = [sample for sample in log.samples or [] if "gold_hypothesis" in sample.metadata]
    assert {(sample.scores or {})["audit"].as_dict()["consistency"] for sample in pairs} == {0}
    assert [sample.store_as(AuditState).asked_again for sample in pairs] == [16] * 5
    assert judge.judge_requests().count("variables") == 2 * 5 * 3


def test_bad_arguments_are_one_clear_line() -> None:
    with pytest.raises(InvalidArgument, match=r"^repeats must be a positive integer, got 0.$"):
        judge_audit(repeats=0)
    with pytest.raises(InvalidArgument, match=r"^kind=negated matches no sample. Possible values: "):
        judge_audit(kind="negated", released=False)
