"""The formulas of the paper (§4.3)."""

from math import isnan, nan

import pytest

from inspect_discoverybench.scorer.f1 import f1_score
from inspect_discoverybench.scorer.hms import hypothesis_match_score


def test_hms_is_the_product_of_the_facets() -> None:
    assert hypothesis_match_score(context=1, variables=0.8, relationship=0.5) == pytest.approx(0.4)
    assert hypothesis_match_score(context=0, variables=0.8, relationship=0.5) == 0
    assert hypothesis_match_score(context=1, variables=1, relationship=1) == 1


def test_hms_is_undecided_if_any_facet_is() -> None:
    assert isnan(hypothesis_match_score(context=nan, variables=0, relationship=1))
    assert isnan(hypothesis_match_score(context=0, variables=nan, relationship=1))
    assert isnan(hypothesis_match_score(context=0, variables=1, relationship=nan))


def test_f1_is_the_harmonic_mean_of_precision_and_recall() -> None:
    precision = 2 / 5
    recall = 2 / 3
    expected = 2 * precision * recall / (precision + recall)
    assert f1_score(gold_size=3, predicted_size=5, intersection=2) == pytest.approx(expected)
    assert f1_score(gold_size=3, predicted_size=5, intersection=0) == 0


def test_f1_of_a_prediction_without_variables_is_0() -> None:
    assert f1_score(gold_size=3, predicted_size=0, intersection=0) == 0
