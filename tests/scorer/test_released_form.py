"""`aggregation=released`: the form of the released evaluator, beside `hms`."""

import json
from collections.abc import Sequence
from itertools import permutations, product
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.scorer import Score

from inspect_discoverybench import demo
from inspect_discoverybench.dataset.metadata import DataFile
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.scorer.hypothesis_pair import HypothesisPair
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.released_form import ask_released
from inspect_discoverybench.scorer.scorer import hms
from tests.endpoint import Request, question, slots
from tests.scorer.judging import GOLD, PREDICTED, InProcessJudge, sample, score_of, scripted, writes

Part = tuple[str, str]
"""Text and context."""

GOLD_PARTS: list[Part] = [("rain helps", "towns"), ("wind harms", "coast"), ("age matters", "None")]
PREDICTED_PARTS: list[Part] = [("rain is good", "in towns"), ("gusts harm", "towns"), ("old is better", "None")]
MATCHES = {("towns", "in towns"), ("coast", "in towns"), ("coast", "towns")}
PAIR = HypothesisPair(
    goal="Why?",
    data_files=(DataFile(name="a.csv", description="A.", columns=()),),
    gold_hypothesis=GOLD,
    gold_workflow=None,
    predicted_hypothesis=PREDICTED,
    predicted_workflow="",
)
VARIABLES, RELATIONSHIP = 0.8, 0.5


def judge(gold: Sequence[Part], predicted: Sequence[Part], **replies: str) -> InProcessJudge:
    """A judge that splits the hypotheses into these parts."""
    whole = scripted(variables='{"sizeA": 2, "sizeB": 3, "intersection": 2}', relationship='{"answer": "B"}')

    def answer(request: Request) -> str:
        name, values = question(request) or "", slots(request)
        if name in replies:
            return replies[name]
        if name == "extract_released":
            parts = gold if values["hypothesis"] == GOLD else predicted
            return json.dumps({"sub_hypo": [{"text": text, "context": context} for text, context in parts]})
        if name == "match_released":
            return json.dumps({"match": (values["gold_context"], values["predicted_context"]) in MATCHES})
        return str(whole(request))

    return InProcessJudge(answer)


def reference(gold: Sequence[Part], predicted: Sequence[Part]) -> tuple[dict[str, float], list[tuple[str, str]]]:
    """The scores, and the pairs of contexts that are asked about, from the description of the released evaluator."""
    gold, predicted = gold or [(GOLD, "None")], predicted or [(PREDICTED, "None")]
    covered: set[int] = set()
    asked, total = [], 0.0
    for _, context in predicted:
        for number, (_, gold_context) in enumerate(gold):
            if number in covered:
                continue
            same = gold_context == context
            if not same and "None" not in (gold_context, context):
                asked.append((gold_context, context))
                same = (gold_context, context) in MATCHES
            if same:
                covered.add(number)
                total += VARIABLES * RELATIONSHIP
                break
    recall = len(covered) / len(gold)
    scores = {
        "hms_released": recall * total / len(predicted),
        "context_recall": recall,
        "context_precision": len(covered) / len(predicted),
    }
    return scores, asked


def orders(parts: Sequence[Part]) -> list[tuple[Part, ...]]:
    """All ways to take none to three of the parts, in every order."""
    return [order for count in range(4) for order in permutations(parts, count)]


@pytest.mark.usefixtures("sweep")
async def test_the_score_equals_the_reference_in_every_order() -> None:
    for gold, predicted in product(orders(GOLD_PARTS), orders(PREDICTED_PARTS)):
        model = judge(gold, predicted)
        verdict = await ask_released(Judge(model.model), PAIR)
        scores, asked = reference(gold, predicted)
        assert verdict.values(VARIABLES, RELATIONSHIP) == pytest.approx(scores), (gold, predicted)
        requests = [slots(request) for request in model.requests if question(request) == "match_released"]
        assert [(values["gold_context"], values["predicted_context"]) for values in requests] == asked


async def test_matching_compares_texts_without_folding() -> None:
    model = judge([("a", "Towns")], [("b", "towns")])
    tested = Judge(model.model)
    verdict = await ask_released(tested, PAIR)
    assert not verdict.matched
    assert tested.exchanges[-1].question.name.endswith(" of parts 1, 1")
    assert [question(request) for request in model.requests].count("match_released") == 1


def score(model: InProcessJudge, text: str = PREDICTED) -> Score:
    task = Task([sample()], solver=writes(text, "stop"), scorer=hms(aggregation="released"))
    return score_of(inspect_eval(task, model="mockllm/model", model_roles={"grader": model.model})[0])


def test_the_keys_stand_beside_hms_and_the_parts_in_the_explanation() -> None:
    result = score(judge(GOLD_PARTS[:2], PREDICTED_PARTS))
    assert result.value == pytest.approx(
        {
            "hms": 0.4,
            "context": 1,
            "variables": 0.8,
            "relationship": 0.5,
            "hms_released": 1 * 2 / 3 * 0.4,
            "context_recall": 1,
            "context_precision": 2 / 3,
        }
    )
    assert "### Form of the released evaluator: 0.27" in str(result.explanation)
    assert "gold 2 matches predicted 2" in str(result.explanation)
    assert (result.metadata or {})["released"] == {"gold": 2, "predicted": 3, "matched": 2}


async def test_an_empty_context_is_compared_as_it_is_and_a_missing_one_is_invalid() -> None:
    model = judge([("a", "towns")], [("b", "")])
    assert not (await ask_released(Judge(model.model), PAIR)).matched
    assert [question(request) for request in model.requests].count("match_released") == 1
    missing = '{"sub_hypo": [{"text": "a", "context": null}]}'
    assert (await ask_released(Judge(judge([], [], extract_released=missing).model), PAIR)).failure


@pytest.mark.parametrize(
    ("replies", "unscored"),
    [
        ({"extract_released": "none"}, {"hms_released", "context_recall", "context_precision"}),
        ({"match_released": '{"match": 2}'}, {"hms_released", "context_recall", "context_precision"}),
        ({"variables": '{"sizeA": 1, "sizeB": 1, "intersection": 2}'}, {"hms", "variables", "hms_released"}),
        ({"relationship": '{"answer": "Both"}'}, {"hms", "relationship", "hms_released"}),
    ],
)
def test_an_invalid_reply_leaves_what_depends_on_it_unscored(replies: dict[str, str], unscored: set[str]) -> None:
    values: Any = score(judge(GOLD_PARTS, PREDICTED_PARTS, **replies)).value
    assert {name for name, value in values.items() if value != value} == unscored


def test_an_undecided_facet_leaves_the_score_unscored_without_a_match_too() -> None:
    values: Any = score(judge(GOLD_PARTS[:1], PREDICTED_PARTS[2:], variables="?")).value
    assert values["hms_released"] != values["hms_released"]
    assert (values["context_recall"], values["context_precision"]) == (0, 0)


def test_no_submission_scores_0_on_every_key_without_a_request() -> None:
    model = judge([], [])
    result = score(model, text="")
    values: Any = result.value
    assert (len(values), set(values.values()), result.reason, model.requests) == (7, {0}, "no_response", [])


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"^aggregation must be product or released, got 'mean'\.$"):
        demo(aggregation="mean")


def test_the_task_argument_adds_the_scores() -> None:
    log = inspect_eval(demo(aggregation="released"), model="discoverybench/baseline", limit=1)[0]
    assert log.results
    keys = {"hms", "context", "variables", "relationship", "hms_released", "context_recall", "context_precision"}
    assert {score.name for score in log.results.scores} == {"HMS", *keys}
