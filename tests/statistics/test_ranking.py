"""Holm's correction and the uncertainty of a ranking."""

import numpy as np
import pytest

from inspect_discoverybench.statistics.ranking import first_shares, holm


def test_holm_by_hand() -> None:
    """The smallest is multiplied by 4, the next by 3, and so on, and none falls below one before it."""
    assert holm([0.01, 0.04, 0.03, 0.5]) == pytest.approx([0.04, 0.09, 0.09, 0.5])
    assert holm([0.6, 0.7]) == [1, 1]
    assert holm([]) == []
    assert holm([0.2]) == pytest.approx([0.2])


def test_a_dominant_system_is_always_first_and_equal_systems_share_each_draw() -> None:
    assert first_shares(np.array([[1, 1, 1], [0, 0.5, 0]]), "abc") == [1, 0]
    assert first_shares(np.array([[1, 0, 0.5]] * 3), "abc") == pytest.approx([1 / 3] * 3)


def test_two_clusters_by_hand() -> None:
    """Draws: both the first 1/4, both the second 1/4, one of each 1/2, which is a tie."""
    shares = first_shares(np.array([[1, 0], [0, 1]]), "ab")
    assert shares == pytest.approx([0.5, 0.5], abs=0.02)
    skewed = first_shares(np.array([[1, 0], [0, 0.5]]), "ab")
    assert skewed == pytest.approx([0.75, 0.25], abs=0.03)


def test_whole_clusters_are_drawn() -> None:
    """With one cluster each draw is the data; with five, the second system is sometimes first."""
    scores = np.array([[1, 1, 1, 0, 0], [0, 0, 0, 1, 1]])
    assert first_shares(scores, "aaaaa") == [1, 0]
    assert 0.1 < first_shares(scores, "abcde")[1] < 0.5


def test_the_order_of_tasks_does_not_matter() -> None:
    scores = np.random.default_rng(0).choice([0, 0.5, 1], (3, 12))
    clusters = [n % 5 for n in range(12)]
    order = np.random.default_rng(1).permutation(12)
    assert first_shares(scores, clusters) == pytest.approx(
        first_shares(scores[:, order], [f"gold {clusters[n]}" for n in order])
    )
