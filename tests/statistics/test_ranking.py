"""How often each of several systems is first."""

import numpy as np
import pytest

from inspect_discoverybench.statistics.ranking import first_shares


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
