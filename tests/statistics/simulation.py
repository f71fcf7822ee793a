"""Simulated scores like those of the benchmark: mostly zeros, partial scores, dependent within clusters."""

import numpy as np

TEST_SPLIT = [10, 8, 8] + [6] * 7 + [4] * 9 + [3] * 9 + [2] * 19 + [1] * 70
"""Number of tasks of each gold hypothesis in DB-REAL test: 239 tasks, 117 clusters."""
TRAIN_SPLIT = [3] + [2] * 8 + [1] * 6
"""The same for DB-REAL train: 25 tasks, 15 clusters."""
SIZES = {
    "8": [1] * 8,
    "8 in 4 clusters": [3, 2, 2, 1],
    "20": [2] + [1] * 18,
    "20 in 11 clusters": [3] + [2] * 7 + [1] * 3,
    "25": TRAIN_SPLIT,
    "38": [1] * 38,
    "239": TEST_SPLIT,
}
SCORES, SHARES = (1.0, 2 / 3, 0.5, 1 / 3), (0.5, 0.2, 0.2, 0.1)
MEAN_OF_SUCCESS = float(np.dot(SCORES, SHARES))


def clusters_of(sizes: list[int]) -> list[int]:
    return [cluster for cluster, size in enumerate(sizes) for _ in range(size)]


def simulate(random: np.random.Generator, sizes: list[int], mean: float, correlation: float) -> list[float]:
    success = mean / MEAN_OF_SUCCESS
    spread = 1 / correlation - 1
    chances = random.beta(success * spread, (1 - success) * spread, len(sizes))
    tasks = sum(sizes)
    hits = random.random(tasks) < np.repeat(chances, sizes)
    return [float(score) for score in np.where(hits, random.choice(SCORES, tasks, p=SHARES), 0.0)]
