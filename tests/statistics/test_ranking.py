"""How often each of several systems is first."""

import numpy as np

from inspect_discoverybench.statistics.ranking import first_shares


def test_systems_that_are_tied_share_each_draw() -> None:
    first = [1, 0.5, 0.5]
    worse = [0, 0, 0]
    scores = np.array([first, first, worse])
    shares = first_shares(scores, "abc")
    assert shares == [0.5, 0.5, 0]


def test_whole_clusters_are_drawn() -> None:
    """With one cluster each draw is the data; with five, the second system is sometimes first."""
    first = [1, 1, 1, 0, 0]
    second = [0, 0, 0, 1, 1]
    scores = np.array([first, second])
    with_one_cluster = first_shares(scores, "aaaaa")
    _, share_of_second = first_shares(scores, "abcde")
    assert with_one_cluster == [1, 0]
    assert 0.1 < share_of_second < 0.5
