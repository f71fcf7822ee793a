"""Several systems: adjusted p-values, and how often each is first."""

import numpy as np
import pytest

from inspect_discoverybench.statistics.ranking import first_shares, holm


def test_holm_by_hand() -> None:
    """The smallest is multiplied by 4, the next by 3, and so on, and none falls below one before it."""
    assert holm([0.01, 0.04, 0.03, 0.5]) == pytest.approx([0.04, 0.09, 0.09, 0.5])
    assert holm([]) == []


def test_a_dominant_system_is_always_first_and_equal_systems_share_each_draw() -> None:
    dominant = np.array([[1, 1, 1], [0, 0.5, 0]])
    assert first_shares(dominant, "abc") == [1, 0]
    equal = np.array([[1, 0, 0.5]] * 3)
    assert first_shares(equal, "abc") == pytest.approx([1 / 3] * 3)


def test_whole_clusters_are_drawn() -> None:
    """With one cluster each draw is the data; with five, the second system is sometimes first."""
    scores = np.array([[1, 1, 1, 0, 0], [0, 0, 0, 1, 1]])
    assert first_shares(scores, "aaaaa") == [1, 0]
    assert 0.1 < first_shares(scores, "abcde")[1] < 0.5
