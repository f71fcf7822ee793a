"""The known verdicts, settled by the listings of the paper."""

import pytest
from inspect_ai.dataset import Sample

from inspect_discoverybench import judge_audit
from inspect_discoverybench.judge_audit.pairs import Expected, invented_pairs

PAIRS = list(invented_pairs())


def expected_of(sample: Sample) -> Expected:
    assert sample.metadata
    return Expected.model_validate(sample.metadata["expected"])


def verdicts(kind: str) -> list[Expected]:
    """The right verdicts on the pairs of a kind."""
    name = kind.replace(" ", "_")
    return [expected_of(sample) for sample in PAIRS if str(sample.id).endswith(f"/{name}")]


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
    assert len(verdicts(kind)) == 5
    for expected in verdicts(kind):
        assert expected.relationship == relationship
        assert expected.variables == pytest.approx(variables)
        # Readers of the log see that a verdict is open.
        assert ("open" in expected.why) == (len(relationship) > 1)


@pytest.mark.usefixtures("upstream")
def test_each_released_gold_is_paired_once_and_another_study_is_different() -> None:
    dataset = judge_audit(kind=["released identical", "released other study"]).dataset
    texts = set()
    for sample in dataset:
        assert sample.metadata
        gold = sample.metadata["gold_hypothesis"]
        predicted = sample.metadata["predicted_hypothesis"]
        texts.add((gold, predicted))
        assert expected_of(sample).relationship == ("A" if gold == predicted else "C")
    assert len(texts) == len(dataset) == 30


@pytest.mark.parametrize(
    ("facet", "score", "question"),
    [
        ("context", 1, "context_match"),
        ("variables", 0.8, "variables"),
        ("relationship", 0.5, "relationship"),
        ("relationship", None, "relationship"),
    ],
)
def test_a_wrong_or_missing_verdict_lowers_the_accuracy_on_its_facet_alone(
    facet: str, score: float | None, question: str
) -> None:
    expected = verdicts("context dropped")[0]
    right: dict[str, float | None] = {"context": 0, "variables": 6 / 7, "relationship": 1}
    given = right | {facet: score}
    decided = {name: value for name, value in given.items() if value is not None}
    accuracy = {"context_match": 1, "variables": 1, "relationship": 1}
    assert expected.rate(decided) == accuracy | {question: 0}
