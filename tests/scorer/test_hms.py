import math

import pytest

from inspect_discoverybench.scorer.hms import NO_SUBMISSION, RELATIONSHIP_SCORES, FacetScores, RelationshipAnswer, f1


def test_the_score_is_the_product_of_the_facets() -> None:
    assert FacetScores(context=1, variables=0.8, relationship=0.5).hms == pytest.approx(0.4)
    assert FacetScores(context=0, variables=1, relationship=1).hms == 0
    assert NO_SUBMISSION.values() == {"hms": 0, "context": 0, "variables": 0, "relationship": 0}


def test_relationship_scores_match_the_paper() -> None:
    assert [RELATIONSHIP_SCORES[RelationshipAnswer(letter)] for letter in "ABC"] == [1.0, 0.5, 0.0]


@pytest.mark.parametrize(("gold", "predicted", "common"), [(1, 1, 1), (3, 2, 1), (5, 5, 4), (2, 9, 2), (4, 3, 0)])
def test_f1_matches_its_definition(gold: int, predicted: int, common: int) -> None:
    assert f1(gold, predicted, common) == pytest.approx(2 * common / (gold + predicted))
    assert f1(gold, predicted, common) == f1(predicted, gold, common)
    assert math.isfinite(f1(gold, predicted, common))


def test_a_prediction_without_variables_has_an_f1_of_0() -> None:
    assert f1(2, 0, 0) == 0


@pytest.mark.parametrize(("gold", "predicted", "common"), [(2, 2, 3), (0, 1, 0), (0, 0, 0), (1, 0, 1), (2, 2, -1)])
def test_impossible_counts_are_an_error(gold: int, predicted: int, common: int) -> None:
    with pytest.raises(ValueError, match=f"{common} shared variables of {gold} gold and {predicted} predicted"):
        f1(gold, predicted, common)
