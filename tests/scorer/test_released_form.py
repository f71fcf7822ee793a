"""`aggregation=released`: the form of the released evaluator, beside `hms`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from inspect_ai import eval as inspect_eval

from inspect_discoverybench import demo
from inspect_discoverybench.dataset.metadata import DataFile
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.scorer.hypothesis_pair import HypothesisPair
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.released_form import ReleasedVerdict, ask_released
from inspect_discoverybench.scorer.scorer import hms
from tests.endpoint import Request, question, slots
from tests.scorer.judging import GOLD, PREDICTED, InProcessJudge, Result, evaluate, score_of, scripted

Part = tuple[str, str]
"""Text and context."""

GOLD_PARTS: list[Part] = [("rain helps", "towns"), ("wind harms", "coast"), ("age matters", "None")]
PREDICTED_PARTS: list[Part] = [("rain is good", "in towns"), ("gusts harm", "towns"), ("old is better", "None")]
MATCHES = {("towns", "in towns"), ("coast", "in towns"), ("coast", "towns")}
"""Pairs of a gold and a predicted context that the judge takes for the same."""

PAIR = HypothesisPair(
    goal="Why?",
    data_files=(DataFile(name="a.csv", description="A.", columns=()),),
    gold_hypothesis=GOLD,
    gold_workflow="1. a gold step",
    predicted_hypothesis=PREDICTED,
    predicted_workflow="1. a predicted step",
)
VARIABLES = 2 * 2 / (2 + 3)
RELATIONSHIP = 0.5
"""The scores of the replies of `parts_judge`."""


def parts_judge(gold: Sequence[Part], predicted: Sequence[Part], **replies: str) -> InProcessJudge:
    """A judge that reads these parts in the hypotheses."""
    other_answers = scripted(variables='{"sizeA": 2, "sizeB": 3, "intersection": 2}', relationship='{"answer": "B"}')

    def answer(request: Request) -> str:
        name = question(request) or ""
        values = slots(request)
        if name in replies:
            return replies[name]
        if name == "extract_released":
            parts = gold if values["hypothesis"] == GOLD else predicted
            extracted = [{"text": text, "context": context} for text, context in parts]
            return json.dumps({"sub_hypo": extracted})
        if name == "match_released":
            contexts = (values["gold_context"], values["predicted_context"])
            return json.dumps({"match": contexts in MATCHES})
        return str(other_answers(request))

    return InProcessJudge(answer)


@dataclass(frozen=True)
class Case:
    """The parts that the judge reads, and the matches that follow from them.

    Attributes:
        gold: Parts of the gold hypothesis.
        predicted: Parts of the predicted hypothesis.
        recall: Share of the gold parts that match.
        precision: Share of the predicted parts that match.
        questions: The pairs of contexts that the judge is asked about.
    """

    gold: list[Part]
    predicted: list[Part]
    recall: float
    precision: float
    questions: list[tuple[str, str]]


TOWNS = ("rain helps", "towns")
CASES = {
    # `in towns` takes `towns`. So the predicted `towns` is compared with `coast`, and `None` with its equal.
    "all match": Case(
        gold=GOLD_PARTS,
        predicted=PREDICTED_PARTS,
        recall=1,
        precision=1,
        questions=[("towns", "in towns"), ("coast", "towns")],
    ),
    # Here, the gold context `coast` comes before `towns`, and matches `in towns`. `towns` is left for its equal.
    "another order": Case(
        gold=GOLD_PARTS[::-1],
        predicted=PREDICTED_PARTS,
        recall=1,
        precision=1,
        questions=[("coast", "in towns")],
    ),
    "identical contexts": Case(
        gold=[TOWNS],
        predicted=[TOWNS, TOWNS, TOWNS],
        recall=1,
        precision=1 / 3,
        questions=[],
    ),
    "None and other contexts": Case(
        gold=GOLD_PARTS[2:],
        predicted=PREDICTED_PARTS[:2],
        recall=0,
        precision=0,
        questions=[],
    ),
    # An empty extraction is one part without a context.
    "no gold parts": Case(
        gold=[],
        predicted=PREDICTED_PARTS[2:],
        recall=1,
        precision=1,
        questions=[],
    ),
    # Texts are compared as they are, even empty ones.
    "similar contexts": Case(
        gold=[TOWNS],
        predicted=[("a", "Towns"), ("b", "")],
        recall=0,
        precision=0,
        questions=[("towns", "Towns"), ("towns", "")],
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_each_predicted_part_takes_the_first_free_gold_part_that_matches(case: Case) -> None:
    judge = parts_judge(case.gold, case.predicted)
    verdict = await ask_released(Judge(judge.model), PAIR)
    assert isinstance(verdict, ReleasedVerdict)
    expected = {
        "context_recall": case.recall,
        "context_precision": case.precision,
        "hms_released": case.recall * case.precision * VARIABLES * RELATIONSHIP,
    }
    assert verdict.values(VARIABLES, RELATIONSHIP) == pytest.approx(expected)

    questions = []
    for request in judge.requests:
        if question(request) == "match_released":
            match = slots(request)
            questions.append((match["gold_context"], match["predicted_context"]))
    assert questions == case.questions


async def test_the_extraction_has_no_workflow_and_no_word_about_splitting() -> None:
    """As in the released evaluator: the authors' scripts pass no workflow, and its prompt only asks for dimensions."""
    scripted_judge = parts_judge(GOLD_PARTS, PREDICTED_PARTS)
    judge = Judge(scripted_judge.model)
    await ask_released(judge, PAIR)
    extractions = [request for request in scripted_judge.requests if question(request) == "extract_released"]
    of_gold, of_predicted = [slots(request) for request in extractions]
    assert of_gold["hypothesis"] == GOLD
    assert of_predicted["hypothesis"] == PREDICTED
    assert of_gold["workflow"] == of_predicted["workflow"] == ""

    prompt = Prompt.load("judge/extract_released")
    instructions = prompt.text.casefold()
    for word in ("split", "sub-hypothes", "decompos", "each part"):
        assert word not in instructions


def score(judge: InProcessJudge, prediction: str = PREDICTED) -> Result:
    log = evaluate(judge.model, prediction, scorer=hms(aggregation="released"))
    return score_of(log)


def test_the_released_keys_are_in_the_score_and_the_parts_in_its_explanation_and_record() -> None:
    # Both gold parts match, each with the predicted part of its number. The third predicted part matches none.
    result = score(parts_judge(GOLD_PARTS[:2], PREDICTED_PARTS))
    expected = {
        "hms": 1 * VARIABLES * RELATIONSHIP,
        "context": 1,
        "variables": VARIABLES,
        "relationship": RELATIONSHIP,
        "hms_released": 1 * 2 / 3 * VARIABLES * RELATIONSHIP,
        "context_recall": 1,
        "context_precision": 2 / 3,
    }
    assert result.values == pytest.approx(expected)
    assert "### Form of the released evaluator: 0.27" in result.explanation  # 2 / 3 * 0.8 * 0.5
    assert "- gold 1: rain helps (context: towns)" in result.explanation
    assert "- predicted 3: old is better (context: None)" in result.explanation
    assert "- gold 1 matches predicted 1" in result.explanation
    released = result.record["released"]
    assert released["gold"][0] == {"text": "rain helps", "context": "towns"}
    assert len(released["predicted"]) == 3
    assert released["matched"] == [
        {"gold": 1, "predicted": 1},
        {"gold": 2, "predicted": 2},
    ]


RELEASED = {"hms_released", "context_recall", "context_precision"}
INVALID = {
    # question: an invalid reply, keys that are not scored
    "extract_released": ('{"sub_hypo": [{"text": "a", "context": null}]}', RELEASED),
    "match_released": ('{"match": 2}', RELEASED),
}


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("name", INVALID)
def test_an_invalid_reply_leaves_what_depends_on_it_unscored(name: str) -> None:
    reply, unscored = INVALID[name]
    judge = parts_judge(GOLD_PARTS, PREDICTED_PARTS, **{name: reply})
    assert score(judge).unscored == unscored


def test_no_submission_scores_0_on_every_key_without_a_request() -> None:
    judge = parts_judge([], [])
    result = score(judge, prediction="")
    assert set(result.values.values()) == {0}
    assert result.values.keys() >= RELEASED
    assert result.reason == "no_response"
    assert judge.requests == []


def test_an_unknown_aggregation_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"^aggregation must be product or released, got 'mean'\.$"):
        demo(aggregation="mean")


def test_the_task_argument_adds_metrics_of_the_scores() -> None:
    task = demo(aggregation="released")
    [log] = inspect_eval(task, model="discoverybench/baseline", limit=1)
    assert log.results
    [hms] = log.results.scores
    assert hms.metrics.keys() >= {"mean", "context", "variables", "relationship", *RELEASED}
