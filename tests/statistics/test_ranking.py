"""How often each of several systems is first."""

import numpy as np

from inspect_discoverybench.statistics.ranking import first_shares


def test_a_dominant_system_is_always_first() -> None:
    scores = np.array([[1, 1, 1], [0, 0.5, 0]])
    assert first_shares(scores, "abc") == [1, 0]


def test_equal_systems_share_each_draw() -> None:
    scores = np.array([[1, 0, 0.5], [1, 0, 0.5]])
    assert first_shares(scores, "abc") == [0.5, 0.5]


def test_whole_clusters_are_drawn() -> None:
    """With one cluster each draw is the data; with five, the second system is sometimes first."""
    scores = np.array([[1, 1, 1, 0, 0], [0, 0, 0, 1, 1]])
    assert first_shares(scores, "aaaaa") == [1, 0]
    _, second = first_shares(scores, "abcde")
    assert 0.1 < second < 0.5
