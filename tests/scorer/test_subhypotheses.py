"""Sub-hypotheses: the arithmetic by properties, the questions through the real provider."""

import json
from collections.abc import Callable
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.scorer import Score

from inspect_discoverybench import demo
from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.scorer.context import Contexts
from inspect_discoverybench.scorer.hms import FacetScores, PartScores
from inspect_discoverybench.scorer.scorer import hms
from inspect_discoverybench.scorer.subhypotheses import maximum_matching, split_parts
from tests.endpoint import Answer, Endpoint, Request, question, serve, slots
from tests.scorer.judging import GOLD, sample, score_of, scripted, writes

UNIT = st.floats(0, 1)


@st.composite
def scores(draw: st.DrawFn) -> PartScores:
    gold, predicted = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    return PartScores(gold, predicted, tuple(draw(st.lists(UNIT, max_size=min(gold, predicted)))))


@given(scores())
def test_scores_are_within_bounds(parts: PartScores) -> None:
    assert all(0 <= value <= 1 for value in parts.values().values())
    assert parts.hms_recall <= parts.context_recall + 1e-12
    assert parts.hms_f1 <= parts.context_f1 + 1e-12


@given(st.booleans(), UNIT, UNIT)
def test_with_one_part_each_the_scores_equal_hms(match: bool, variables: float, relationship: float) -> None:
    whole = FacetScores(context=float(match), variables=variables, relationship=relationship)
    parts = PartScores(1, 1, (variables * relationship,) if match else ())
    assert parts.hms_recall == parts.hms_f1 == whole.hms
    assert parts.context_recall == parts.context_f1 == whole.context


@given(st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 4)), st.sampled_from([0.0, 0.25, 0.5, 1.0])))
def test_the_matching_is_maximum_and_has_the_highest_weight(edges: dict[tuple[int, int], float]) -> None:
    matching = maximum_matching(edges, 5, 5)
    assert set(matching) <= set(edges)
    assert len({g for g, _ in matching}) == len({p for _, p in matching}) == len(matching)
    choices = [[edge for edge in enumerate(order) if edge in edges] for order in permutations(range(5))]
    best = max((len(choice), sum(edges[edge] for edge in choice)) for choice in choices)
    assert (len(matching), sum(edges[edge] for edge in matching)) == pytest.approx(best)


def contexts(*parts: tuple[str | None, str]) -> Contexts:
    return Contexts.model_validate({"hypothesis": [{"context": context, "text": text} for context, text in parts]})


PART = st.tuples(st.one_of(st.none(), st.text(max_size=4)), st.text(max_size=4))


@given(st.lists(PART, max_size=5).flatmap(lambda parts: st.tuples(st.just(parts), st.permutations(parts))))
def test_parts_do_not_depend_on_their_order(both: tuple[list[tuple[str | None, str]], ...]) -> None:
    one, other = both
    assert split_parts(contexts(*one), "whole") == split_parts(contexts(*other), "whole")


def test_duplicate_parts_count_once() -> None:
    assert len(split_parts(contexts(("towns", "x"), ("Towns ", "x "), (None, "y")), "whole")) == 2
    [part] = split_parts(contexts(("towns", "x"), ("towns", "x")), "whole")
    assert part.text == "whole"


def test_a_single_part_is_the_whole_hypothesis_verbatim() -> None:
    [part] = split_parts(contexts(("towns", "the judge's words")), "the agent's words")
    assert (part.context, part.text) == ("towns", "the agent's words")
    assert split_parts(contexts(), "the agent's words")[0].context == "None"


PREDICTED = "Rain raises yield in towns and lowers it in hills; wind does nothing at sea."
PARTS = {
    GOLD: [("towns", "gold in towns"), ("coast", "gold at the coast")],
    PREDICTED: [("sea", "wind does nothing"), ("in towns", "rain raises yield"), ("hills", "rain lowers yield")],
}


def apart(order: int = 1) -> Callable[[Request], Answer]:
    """A judge that takes both hypotheses apart; towns match, and the coast matches the sea."""
    good = scripted(relationship='{"answer": "B"}')

    def answer(request: Request) -> Answer:
        values = slots(request)
        match question(request):
            case "extract":
                parts = PARTS[values["hypothesis"]][::order]
                return json.dumps({"hypothesis": [{"context": c, "text": t} for c, t in parts]})
            case "match":
                pair = (values["gold_context"], values["predicted_context"])
                return json.dumps({"match": pair in {("towns", "in towns"), ("coast", "sea")}})
            case "variables" if values["HypoA"] == "gold at the coast":
                return json.dumps({"sizeA": 2, "sizeB": 2, "intersection": 1, "explanation": ""})
        return good(request)

    return answer


def judged(
    monkeypatch: pytest.MonkeyPatch, answer: Callable[[Request], Answer], text: str = PREDICTED
) -> tuple[Score, Endpoint]:
    with serve(answer) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        task = Task(dataset=[sample()], solver=writes(text, "stop"), scorer=hms(aggregation="subhypotheses"))
        log = inspect_eval(task, model="mockllm/model", model_roles={"grader": "openai/gpt-4o"})[0]
        return score_of(log), endpoint


@pytest.mark.parametrize("order", [1, -1])
def test_matched_parts_are_judged_by_their_own_texts(monkeypatch: pytest.MonkeyPatch, order: int) -> None:
    score, endpoint = judged(monkeypatch, apart(order))
    # Two of two gold and two of three predicted parts are matched: towns 1 × 0.5, coast and sea 0.5 × 0.5.
    assert score.value == pytest.approx(
        {
            "hms": 0,
            "context": 0,
            "variables": 1,
            "relationship": 0.5,
            "hms_recall": 1 * 0.75 / 3,
            "hms_f1": 0.8 * 0.375,
            "context_recall": 1,
            "context_f1": 0.8,
        }
    )
    texts = [
        (slots(r)["HypoA"], slots(r)["HypoB"])
        for r in endpoint.requests
        if question(r) in ("variables", "relationship")
    ]
    pairs = [("gold in towns", "rain raises yield"), ("gold at the coast", "wind does nothing"), (GOLD, PREDICTED)]
    assert sorted(texts) == sorted(2 * pairs)
    # Six pairs of parts, and the whole.
    assert endpoint.judge_requests().count("match") == 7
    assert score.metadata
    assert score.metadata["aggregation"] == "subhypotheses"
    assert score.metadata["parts"] == {"gold": 2, "predicted": 3, "matched": 2}
    pairs_of_parts = [f"of parts {gold}, {predicted}" for gold in (1, 2) for predicted in (1, 2, 3)]
    matches = {name for name in score.metadata["replies"] if name.startswith("match of the contexts of")}
    assert matches == {f"match of the contexts {pair}" for pair in pairs_of_parts}
    assert "HMS (recall) 0.25, HMS (F1) 0.30" in str(score.explanation)


@pytest.mark.parametrize("words", [("age", "rain"), ("zinc", "air")])
def test_parts_with_the_same_context_are_matched_by_their_texts(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, str]
) -> None:
    """Two findings in towns, rephrased in words that sort in either order."""
    texts_by_gold = {"gold a": words[0], "gold b": words[1]}

    def answer(request: Request) -> Answer:
        values = slots(request)
        if question(request) == "extract":
            texts = texts_by_gold if values["hypothesis"] == GOLD else texts_by_gold.values()
            return json.dumps({"hypothesis": [{"context": "towns", "text": text} for text in texts]})
        same = texts_by_gold.get(values["HypoA"], values["HypoB"]) == values["HypoB"]
        return json.dumps({"sizeA": 2, "sizeB": 2, "intersection": 2 * same, "answer": "A" if same else "C"})

    score, _ = judged(monkeypatch, answer)
    assert isinstance(score.value, dict)
    assert score.value["hms_recall"] == score.value["hms_f1"] == 1


def test_with_one_part_each_no_further_questions_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    score, endpoint = judged(monkeypatch, scripted(relationship='{"answer": "B"}'))
    assert isinstance(score.value, dict)
    assert score.value["hms"] == score.value["hms_recall"] == score.value["hms_f1"] == 0.5
    assert sorted(endpoint.judge_requests()) == ["extract", "extract", "relationship", "variables"]


FURTHER = {"hms_recall", "hms_f1", "context_recall", "context_f1"}


@pytest.mark.parametrize("bad", ["match", "variables"])
@pytest.mark.usefixtures("sweep")
def test_an_undecided_question_about_parts_does_not_affect_hms(monkeypatch: pytest.MonkeyPatch, bad: str) -> None:
    good = apart()

    def answer(request: Request) -> Answer:
        about_parts = slots(request).get("predicted_context") == "hills" or slots(request).get("HypoA") in (
            "gold in towns",
            "gold at the coast",
        )
        return "Perhaps." if question(request) == bad and about_parts else good(request)

    score, _ = judged(monkeypatch, answer)
    assert isinstance(score.value, dict)
    assert score.reason is None
    assert score.value["hms"] == 0  # the contexts as a whole do not match
    assert {name for name, value in score.value.items() if value != value} == FURTHER


def test_without_contexts_there_are_no_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    score, _ = judged(monkeypatch, scripted(extract="none", relationship='{"answer": "C"}'))
    assert isinstance(score.value, dict)
    assert {name for name, value in score.value.items() if value != value} == {*FURTHER, "hms", "context"}
    assert score.reason == "grader_failed"


def test_a_facet_of_0_determines_the_score_of_a_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    score, _ = judged(monkeypatch, scripted(variables="two", relationship='{"answer": "C"}'))
    assert isinstance(score.value, dict)
    assert score.value["hms_recall"] == score.value["hms_f1"] == 0
    assert score.value["context_recall"] == 1


def test_no_submission_scores_0_on_every_key(monkeypatch: pytest.MonkeyPatch) -> None:
    score, endpoint = judged(monkeypatch, scripted(), text="")
    assert isinstance(score.value, dict)
    assert len(score.value) == 8
    assert set(score.value.values()) == {0}
    assert endpoint.requests == []


def test_an_unknown_aggregation_is_rejected() -> None:
    line = r"^aggregation must be one of product, subhypotheses, got 'mean'\.$"
    with pytest.raises(InvalidArgument, match=line):
        demo(aggregation="mean")


def test_the_task_argument_adds_the_scores() -> None:
    log = inspect_eval(demo(aggregation="subhypotheses"), model="discoverybench/baseline", limit=1)[0]
    assert log.results
    assert {"hms_recall", "hms_f1", "context_recall", "context_f1"} <= {score.name for score in log.results.scores}
    plain = inspect_eval(demo(), model="discoverybench/baseline", limit=1)[0]
    assert plain.results
    assert {score.name for score in plain.results.scores} == {"HMS", "hms", "context", "variables", "relationship"}
