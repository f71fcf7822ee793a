"""The hypotheses with known answers to the question about claims, and the accuracy of judges with constant answers."""

import json
import math
from collections import Counter

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog

from inspect_discoverybench import judge_audit
from inspect_discoverybench.judge_pairs.claim_texts import ClaimText, invented_claims
from tests.endpoint import Request
from tests.judge_pairs.test_audit import metric
from tests.scorer.judging import InProcessJudge

TEXTS = [ClaimText.model_validate((sample.metadata or {})["expected"]) for sample in invented_claims()]


def audited(*kinds: str, claim: bool | str, released: bool = False) -> EvalLog:
    """The log of the audit of a judge that always gives this answer."""

    def answer(request: Request) -> str:
        return json.dumps({"claim": claim, "explanation": "why"})

    task = judge_audit(released=released, kind=[f"claim: {kind}" for kind in kinds])
    [log] = inspect_eval(task, model=InProcessJudge(answer).model, max_connections=50)
    assert log.status == "success", log.error
    return log


def test_there_are_enough_texts_of_both_kinds_in_five_studies() -> None:
    counts = Counter(text.claim for text in TEXTS)
    # With 40 texts, one wrong answer changes the accuracy on the claims, or on the other texts, by at most 2.5 points.
    assert min(counts[True], counts[False]) >= 40
    assert counts[None] == 8  # it is open whether they claim a relationship, so they are not in any accuracy
    assert len({text.study for text in TEXTS}) == 5
    assert len({text.hypothesis for text in TEXTS}) == len(TEXTS)


@pytest.mark.parametrize("claim", [True, False])
def test_the_references_are_what_constant_judges_score(claim: bool) -> None:
    # These three kinds have equally many texts, and only those of "plain claim" claim a relationship.
    log = audited("plain claim", "no evidence", "one variable", claim=claim)
    assert metric(log, "claim", "always_true") == pytest.approx(1 / 3)
    assert metric(log, "claim", "always_false") == pytest.approx(2 / 3)
    assert metric(log, "claim", "mean") == metric(log, "claim", f"always_{claim}".lower())


def test_arguable_claims_count_nowhere() -> None:
    # The hedged texts are claims, and only these texts count.
    log = audited("arguable", "hedged", claim=True)
    assert metric(log, "claim", "mean") == 1
    assert math.isnan(metric(audited("arguable", claim=True), "claim", "mean"))
    assert math.isnan(metric(audited("arguable", claim=True), "right", "mean"))


def test_an_invalid_reply_is_a_wrong_answer() -> None:
    assert metric(audited("plain claim", "no evidence", claim="perhaps"), "claim", "mean") == 0


@pytest.mark.usefixtures("upstream")
def test_gold_hypotheses_of_the_release_are_claims_but_null_results_and_goals_are_not() -> None:
    kinds = ["released gold", "released null result", "released goal"]
    log = audited(*kinds, claim=True, released=True)
    # There are 15 different gold hypotheses, two of which are null results, and the goal of each.
    claims = Counter(str(sample.target) for sample in log.samples or [])
    assert claims == {"a claim": 13, "no claim": 17}
    # The judge says of all texts that they are claims.
    assert metric(log, "claim", "mean") == pytest.approx(13 / 30)
    for sample in log.samples or []:
        if sample.target == "no claim":
            hypothesis = (sample.metadata or {})["expected"]["hypothesis"]
            assert "no significant" in hypothesis or hypothesis.endswith("?")
