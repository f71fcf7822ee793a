"""The formulas of the paper (§4.3)."""

from math import isnan, nan

import pytest

from inspect_discoverybench.scorer.facets import f1_score
from inspect_discoverybench.scorer.hms import hypothesis_match_score


def test_hms_is_the_product_of_the_facets() -> None:
    product = hypothesis_match_score(context=1, variables=0.8, relationship=0.5)
    assert product == pytest.approx(0.4)


@pytest.mark.parametrize("facet", ["context", "variables", "relationship"])
def test_hms_is_undecided_if_any_facet_is(facet: str) -> None:
    scores = dict.fromkeys(["context", "variables", "relationship"], 0.0)
    scores[facet] = nan
    product = hypothesis_match_score(**scores)
    assert isnan(product)


def test_f1_is_the_harmonic_mean_of_precision_and_recall() -> None:
    precision = 2 / 5
    recall = 2 / 3
    expected = 2 * precision * recall / (precision + recall)
    score = f1_score(gold_size=3, predicted_size=5, intersection=2)
    assert score == pytest.approx(expected)
