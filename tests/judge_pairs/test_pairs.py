"""The known verdicts, settled by the listings of the paper."""

from fractions import Fraction

import pytest
from inspect_ai.dataset import Sample

from inspect_discoverybench import judge_audit
from inspect_discoverybench.judge_pairs.pairs import Expected, invented_pairs

PAIRS = list(invented_pairs())


def expected_of(sample: Sample) -> Expected:
    assert sample.metadata
    return Expected.model_validate(sample.metadata["expected"])


def verdicts(kind: str) -> list[Expected]:
    """The right verdicts on the pairs of a kind."""
    ending = f"/{kind.replace(' ', '_')}"
    pairs = [sample for sample in PAIRS if str(sample.id).endswith(ending)]
    return [expected_of(sample) for sample in pairs]


def accepted_f1(expected: Expected) -> str:
    """The accepted values of F1 as fractions."""
    fractions = [Fraction(f1).limit_denominator(9) for f1 in expected.variables]
    return " ".join(map(str, fractions))


@pytest.mark.parametrize(
    ("kind", "relationship", "variables"),
    [
        ("variable added", "A", "6/7 8/9"),
        ("variable dropped", "AB", "4/5 6/7"),
        ("variable swapped", "AB", "2/3 3/4"),
        ("coefficient changed", "AC", "1"),
        ("question repeated", "B", "1"),
        ("context widened", "A", "1 6/7"),
        ("hedged", "BC", "2/3 4/5"),
    ],
)
def test_a_kind_has_one_verdict_in_every_study(kind: str, relationship: str, variables: str) -> None:
    """F1 is 2 × common / (gold + predicted), in numbers of variables.

    A gold hypothesis has three variables, or four if its context is counted as a variable. So two values of F1 may be
    right. If the predicted hypothesis has one more variable, F1 is 2 × 3 / (3 + 4) or 2 × 4 / (4 + 5).
    """
    settled = verdicts(kind)
    assert len(settled) == 5
    for expected in settled:
        assert expected.relationship == relationship
        assert accepted_f1(expected) == variables
        # Readers of the log see that a verdict is open.
        is_open = len(relationship) > 1
        assert ("open" in expected.why) == is_open


@pytest.mark.usefixtures("upstream")
def test_each_released_gold_is_paired_with_itself_and_with_one_of_another_study() -> None:
    task = judge_audit(kind=["released identical", "released other study"])
    texts = set()
    for sample in task.dataset:
        assert sample.metadata
        gold = sample.metadata["gold_hypothesis"]
        predicted = sample.metadata["predicted_hypothesis"]
        texts.add((gold, predicted))
        letter = "A" if gold == predicted else "C"
        assert expected_of(sample).relationship == letter
    # Each of the 15 different gold hypotheses is in two pairs.
    assert len(texts) == 30
    assert len(task.dataset) == 30


def test_a_wrong_or_missing_verdict_lowers_the_accuracy_on_its_facet_alone() -> None:
    expected = verdicts("context dropped")[0]
    # The contexts do not match. That is right, and so are an F1 of 6/7 and the letter A.
    scores = {"context": 0, "variables": 6 / 7, "relationship": 1}
    accuracy = {"context_match": 1, "variables": 1, "relationship": 1}
    assert expected.rate(scores) == accuracy
    scores["variables"] = 0.8
    accuracy["variables"] = 0
    assert expected.rate(scores) == accuracy
    scores["context"] = 1
    accuracy["context_match"] = 0
    assert expected.rate(scores) == accuracy
    del scores["relationship"]
    accuracy["relationship"] = 0
    assert expected.rate(scores) == accuracy
