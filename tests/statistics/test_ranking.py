"""How often each of several systems is first."""

import numpy as np
import pytest

from inspect_discoverybench.statistics.ranking import first_shares


@pytest.mark.parametrize(
    ("scores", "shares"),
    [
        ([[1, 1, 1], [0, 0.5, 0]], [1, 0]),
        ([[1, 0, 0.5], [1, 0, 0.5]], [0.5, 0.5]),
    ],
    ids=["a dominant system is always first", "equal systems share each draw"],
)
def test_shares(scores: list[list[float]], shares: list[float]) -> None:
    assert first_shares(np.array(scores), "abc") == pytest.approx(shares)


def test_whole_clusters_are_drawn() -> None:
    """With one cluster each draw is the data; with five, the second system is sometimes first."""
    scores = np.array([[1, 1, 1, 0, 0], [0, 0, 0, 1, 1]])
    assert first_shares(scores, "aaaaa") == [1, 0]
    _, second = first_shares(scores, "abcde")
    assert 0.1 < second < 0.5
