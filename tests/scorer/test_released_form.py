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
from inspect_discoverybench.scorer.released_form import ask_released
from inspect_discoverybench.scorer.scorer import hms
from tests.endpoint import Request, question, slots
from tests.scorer.judging import GOLD, PREDICTED, InProcessJudge, Result, evaluate, score_of, scripted

Part = tuple[str, str]
"""Text and context."""

GOLD_PARTS: list[Part] = [("rain helps", "towns"), ("wind harms", "coast"), ("age matters", "None")]
PREDICTED_PARTS: list[Part] = [("rain is good", "in towns"), ("gusts harm", "towns"), ("old is better", "None")]
MATCHES = {("towns", "in towns"), ("coast", "in towns"), ("coast", "towns")}
PAIR = HypothesisPair(
    goal="Why?",
    data_files=(DataFile(name="a.csv", description="A.", columns=()),),
    gold_hypothesis=GOLD,
    gold_workflow="1. a gold step",
    predicted_hypothesis=PREDICTED,
    predicted_workflow="1. a predicted step",
)
VARIABLES = 0.8
RELATIONSHIP = 0.5


def parts_judge(gold: Sequence[Part], predicted: Sequence[Part], **replies: str) -> InProcessJudge:
    """A judge that reads these parts in the hypotheses."""
    scores = scripted(variables='{"sizeA": 2, "sizeB": 3, "intersection": 2}', relationship='{"answer": "B"}')

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
        return str(scores(request))

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
    "all match": Case(GOLD_PARTS, PREDICTED_PARTS, 1, 1, [("towns", "in towns"), ("coast", "towns")]),
    # With another order, the first free gold part is another one.
    "another order": Case(GOLD_PARTS[::-1], PREDICTED_PARTS, 1, 1, [("coast", "in towns")]),
    "one predicted part": Case(GOLD_PARTS, PREDICTED_PARTS[:1], 1 / 3, 1, [("towns", "in towns")]),
    "identical contexts": Case([TOWNS], [TOWNS, TOWNS, TOWNS], 1, 1 / 3, []),
    "None and other contexts": Case(GOLD_PARTS[2:], PREDICTED_PARTS[:2], 0, 0, []),
    # An empty extraction is one part without a context.
    "no gold parts": Case([], PREDICTED_PARTS[2:], 1, 1, []),
    "no predicted parts": Case(GOLD_PARTS[:2], [], 0, 0, []),
    # Texts are compared as they are, even empty ones.
    "similar contexts": Case([TOWNS], [("a", "Towns"), ("b", "")], 0, 0, [("towns", "Towns"), ("towns", "")]),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_each_predicted_part_takes_the_first_free_gold_part_that_matches(case: Case) -> None:
    judge = parts_judge(case.gold, case.predicted)
    verdict = await ask_released(Judge(judge.model), PAIR)
    values = verdict.values(VARIABLES, RELATIONSHIP)
    assert values["context_recall"] == pytest.approx(case.recall)
    assert values["context_precision"] == pytest.approx(case.precision)
    assert values["hms_released"] == pytest.approx(case.recall * case.precision * VARIABLES * RELATIONSHIP)

    questions = []
    for request in judge.requests:
        if question(request) == "match_released":
            match = slots(request)
            questions.append((match["gold_context"], match["predicted_context"]))
    assert questions == case.questions


async def test_the_extraction_has_no_workflow_and_no_word_about_splitting() -> None:
    judge = parts_judge(GOLD_PARTS, PREDICTED_PARTS)
    await ask_released(Judge(judge.model), PAIR)
    extractions = [request for request in judge.requests if question(request) == "extract_released"]
    assert [slots(request)["hypothesis"] for request in extractions] == [GOLD, PREDICTED]
    assert {slots(request)["workflow"] for request in extractions} == {""}
    instructions = Prompt.load("judge/extract_released").text.casefold()
    for word in ("split", "sub-hypothes", "decompos", "each part"):
        assert word not in instructions


def score(judge: InProcessJudge, prediction: str = PREDICTED) -> Result:
    return score_of(evaluate(judge.model, prediction, scorer=hms(aggregation="released")))


def test_the_keys_stand_beside_hms_and_the_parts_in_the_explanation() -> None:
    result = score(parts_judge(GOLD_PARTS[:2], PREDICTED_PARTS))
    facets = {"context": 1, "variables": VARIABLES, "relationship": RELATIONSHIP}
    released = {"hms_released": 1 * 2 / 3 * 0.4, "context_recall": 1, "context_precision": 2 / 3}
    assert result.values == pytest.approx({"hms": 0.4, **facets, **released})
    assert "### Form of the released evaluator: 0.27" in result.explanation
    assert "2 gold and 3 predicted parts, of which 2 match." in result.explanation


RELEASED = {"hms_released", "context_recall", "context_precision"}
INVALID = {
    # question: an invalid reply, keys that are not scored
    "extract_released": ('{"sub_hypo": [{"text": "a", "context": null}]}', RELEASED),
    "match_released": ('{"match": 2}', RELEASED),
    "variables": ("?", {"hms", "variables", "hms_released"}),
}


@pytest.mark.parametrize("name", INVALID)
def test_an_invalid_reply_leaves_what_depends_on_it_unscored(name: str) -> None:
    reply, unscored = INVALID[name]
    judge = parts_judge(GOLD_PARTS, PREDICTED_PARTS, **{name: reply})
    assert score(judge).unscored == unscored


def test_an_undecided_facet_leaves_the_score_unscored_without_a_match_too() -> None:
    result = score(parts_judge(GOLD_PARTS[:1], PREDICTED_PARTS[2:], variables="?"))
    assert result.unscored == {"hms", "variables", "hms_released"}
    assert result.values["context_recall"] == result.values["context_precision"] == 0


def test_no_submission_scores_0_on_every_key_without_a_request() -> None:
    judge = parts_judge([], [])
    result = score(judge, prediction="")
    assert [*result.values.values()] == [0] * 7
    assert result.reason == "no_response"
    assert judge.requests == []


def test_an_unknown_aggregation_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"^aggregation must be product or released, got 'mean'\.$"):
        demo(aggregation="mean")


def test_the_task_argument_adds_the_scores() -> None:
    [log] = inspect_eval(demo(aggregation="released"), model="discoverybench/baseline", limit=1)
    assert log.results
    names = {score.name for score in log.results.scores}
    assert names == {"HMS", "context", "variables", "relationship", *RELEASED}
