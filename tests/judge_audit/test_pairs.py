"""The known verdicts, settled by the listings of the paper."""

from dataclasses import dataclass

import pytest
from inspect_ai.dataset import Sample

from inspect_discoverybench import judge_audit
from inspect_discoverybench.judge_audit.pairs import Expected, invented_pairs


@dataclass(frozen=True)
class Pair:
    id: str
    kind: str
    gold: str
    predicted: str
    expected: Expected


def pair_of(sample: Sample) -> Pair:
    metadata = sample.metadata or {}
    return Pair(
        id=str(sample.id),
        kind=metadata["kind"],
        gold=metadata["gold_hypothesis"],
        predicted=metadata["predicted_hypothesis"],
        expected=Expected.model_validate(metadata["expected"]),
    )


PAIRS = [pair_of(sample) for sample in invented_pairs()]


@pytest.mark.parametrize(
    ("kind", "relationship", "variables"),
    [
        ("variable added", "A", (6 / 7, 8 / 9)),
        ("variable dropped", "AB", (4 / 5, 6 / 7)),
        ("variable swapped", "AB", (2 / 3, 3 / 4)),
        ("coefficient changed", "AC", (1,)),
        ("question repeated", "B", (1,)),
        ("context widened", "A", (1, 6 / 7)),
        ("hedged", "BC", (2 / 3, 4 / 5)),
    ],
)
def test_a_kind_has_one_verdict_in_every_study(kind: str, relationship: str, variables: tuple[float, ...]) -> None:
    verdicts = [pair.expected for pair in PAIRS if pair.kind == kind]
    assert len(verdicts) == 5
    for expected in verdicts:
        assert expected.relationship == relationship
        assert expected.variables == pytest.approx(variables)


def test_a_paraphrase_keeps_every_unit() -> None:
    [goats] = [pair for pair in PAIRS if pair.id == "goats/paraphrased"]
    assert "hundred parasite eggs per gram" in goats.predicted


@pytest.mark.usefixtures("upstream")
def test_each_released_gold_is_paired_once_and_another_study_is_different() -> None:
    dataset = judge_audit(kind=["released identical", "released other study"]).dataset
    pairs = [pair_of(sample) for sample in dataset]
    texts = {(pair.gold, pair.predicted) for pair in pairs}
    assert len(texts) == len(pairs) == 30
    for pair in pairs:
        assert pair.expected.relationship == ("A" if pair.gold == pair.predicted else "C")


@pytest.mark.parametrize(
    ("facet", "score", "question"),
    [
        ("context", 1, "context_match"),
        ("context", None, "context_match"),
        ("variables", 0.8, "variables"),
        ("variables", None, "variables"),
        ("relationship", 0.5, "relationship"),
    ],
)
def test_a_wrong_or_missing_verdict_lowers_the_accuracy_on_its_facet_alone(
    facet: str, score: float | None, question: str
) -> None:
    [expected] = [pair.expected for pair in PAIRS if pair.id == "cafes/context_dropped"]
    right = {"context": 0.0, "variables": 6 / 7, "relationship": 1.0}
    accuracy = {"context_match": 1, "variables": 1, "relationship": 1}
    assert expected.rate(right) == accuracy

    wrong = dict(right)
    del wrong[facet]
    if score is not None:
        wrong[facet] = score
    assert expected.rate(wrong) == accuracy | {question: 0}
