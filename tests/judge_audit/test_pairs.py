"""The known verdicts, settled by the listings of the paper."""

from dataclasses import dataclass

import pytest
from inspect_ai.dataset import Sample

from inspect_discoverybench import judge_audit
from inspect_discoverybench.judge_audit.pairs import Expected, PairAnswers, invented_pairs
from inspect_discoverybench.scorer.facets import SCORES


@dataclass(frozen=True)
class Pair:
    id: str
    kind: str
    gold: str
    predicted: str
    expected: Expected


def pair_of(sample: Sample) -> Pair:
    metadata = sample.metadata or {}
    expected = Expected.model_validate(metadata["expected"])
    texts = (metadata["gold_hypothesis"], metadata["predicted_hypothesis"])
    return Pair(str(sample.id), metadata["kind"], *texts, expected)


PAIRS = [pair_of(sample) for sample in invented_pairs()]


def context(words: tuple[str, ...] | None) -> str:
    """A context with these words; "None" if there are none."""
    spellings = [word.split("|")[0] for word in words or ()]
    return " and ".join(spellings) or "None"


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_the_right_answers_have_full_accuracy(pair: Pair) -> None:
    expected = pair.expected
    answers = PairAnswers(
        gold_context=context(expected.gold_context),
        predicted_context=context(expected.predicted_context),
        context=expected.context,
        variables=expected.variables[-1],
        relationship=SCORES[expected.relationship[0]],
    )
    assert set(expected.rate(answers).values()) == {1}


@pytest.mark.parametrize(
    ("kind", "relationship", "variables"),
    [
        ("variable added", "A", (6 / 7, 8 / 9)),
        ("question repeated", "B", (1,)),
        ("relation negated", "C", (1,)),
        ("context widened", "A", (1, 6 / 7)),
        ("hedged", "BC", (2 / 3, 4 / 5)),
    ],
)
def test_a_kind_has_one_verdict_in_every_study(kind: str, relationship: str, variables: tuple[float, ...]) -> None:
    verdicts = [pair.expected for pair in PAIRS if pair.kind == kind]
    assert [expected.relationship for expected in verdicts] == [relationship] * 5
    assert [expected.variables for expected in verdicts] == [pytest.approx(variables)] * 5


def test_a_paraphrase_keeps_every_unit() -> None:
    [goats] = [pair for pair in PAIRS if pair.id == "goats/paraphrased"]
    assert "hundred parasite eggs per gram" in goats.predicted


@pytest.mark.usefixtures("upstream")
def test_each_released_gold_is_paired_once_and_another_study_is_different() -> None:
    dataset = judge_audit(kind=["released identical", "released other study"]).dataset
    pairs = [pair_of(sample) for sample in dataset]
    assert len({(pair.gold, pair.predicted) for pair in pairs}) == len(pairs) == 30
    assert {pair.expected.relationship for pair in pairs if pair.kind == "released other study"} == {"C"}


@pytest.mark.parametrize(
    ("wrong", "question", "accuracy"),
    [
        ({"gold_context": "In towns"}, "context_extraction", 0.5),
        ({"gold_context": "In harbour towns with many visitors"}, "context_extraction", 0.5),
        ({"gold_context": None, "predicted_context": ""}, "context_extraction", 0),
        ({"context": None}, "context_match", 0),
        ({"variables": 0.8}, "variables", 0),
        ({"variables": None}, "variables", 0),
        ({"relationship": 0.5}, "relationship", 0),
    ],
)
def test_a_wrong_answer_lowers_the_accuracy_on_its_question_alone(
    wrong: dict[str, object], question: str, accuracy: float
) -> None:
    [expected] = [pair.expected for pair in PAIRS if pair.id == "cafes/context_dropped"]
    right = {
        "gold_context": "In harbor towns",
        "predicted_context": "None",
        "context": 0,
        "variables": 6 / 7,
        "relationship": 1,
    }
    answers = PairAnswers.model_validate(right | wrong)
    others = dict.fromkeys(["context_extraction", "context_match", "variables", "relationship"], 1)
    assert expected.rate(answers) == others | {question: accuracy}
