"""Expected widths of the intervals beside those of Wilson's interval and the t-test, in models that can be enumerated.

The models are those of `exact.py`, in the middle: where 20 to 80 % of the tasks are not 0. There, an interval that also
holds at the edges should be hardly wider than one that does not.
"""

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
from exact import NUMBERS, PARTIAL_DIFFERENCES, PARTIAL_SCORES, States, ValueModel
from measure import show

from inspect_discoverybench.statistics.interval import t_quantile

CHANCES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
"""Chances of each value."""

ADDITIONAL_CLUSTERS = 4
"""Agresti and Caffo (2000) add four observations."""

Row = tuple[str | float, ...]


def moments(model: ValueModel) -> tuple[np.ndarray, np.ndarray]:
    """The mean of the tasks and its variance for every state."""
    mean = model.counts @ [model.first, model.second] / model.tasks
    squares = model.counts @ [model.first**2, model.second**2] / model.tasks
    return mean, np.maximum(0, squares - mean**2) / (model.tasks - 1)


def wilson_widths(model: ValueModel) -> np.ndarray:
    """Widths of Wilson's interval with Student's quantile, by state.

    The effective sample size is as if there were four more clusters with this mean.
    """
    mean, variance = moments(model)
    of_binary = mean * (1 - mean)
    has_variance = variance > 0
    per_value = np.divide(variance, of_binary, out=np.zeros_like(mean), where=has_variance)
    size = np.where(has_variance, 1 / (per_value + ADDITIONAL_CLUSTERS / model.tasks**2), model.tasks)
    ratio = t_quantile(model.tasks) ** 2 / np.minimum(model.tasks, size)
    half_width = np.sqrt(ratio * of_binary + ratio**2 / 4)
    center = mean + ratio / 2
    low = np.maximum(0, (center - half_width) / (1 + ratio))
    high = np.minimum(1, (center + half_width) / (1 + ratio))
    widths: np.ndarray = high - low
    return widths


def t_widths(model: ValueModel) -> np.ndarray:
    """Widths of Student's t interval, by state, as if there were four more clusters with values of ±1/2."""
    _, variance = moments(model)
    additional = ADDITIONAL_CLUSTERS * 0.5**2 / model.tasks**2
    widths: np.ndarray = 2 * t_quantile(model.tasks) * np.sqrt(variance + additional)
    return widths


def ratios(model: ValueModel, states: States, widths: np.ndarray) -> list[float]:
    """Ratios of expected widths for all chances in the middle."""
    found = []
    for chances in product(CHANCES, repeat=2):
        total = sum(chances)
        if 0.2 <= total <= 0.8 or math.isclose(total, 0.8):
            probabilities = model.probabilities(*chances)
            found.append(states.width(probabilities) / float(probabilities @ widths))
    return found


def rows() -> list[Row]:
    """One row for each model and number of tasks."""
    found: list[Row] = []
    for tasks in NUMBERS:
        for value in PARTIAL_SCORES:
            model = ValueModel(tasks, 1, value)
            found.append(_row("mean", model, ratios(model, model.of_mean(), wilson_widths(model))))
        partial = [sign * value for value in PARTIAL_DIFFERENCES for sign in (1, -1)]
        for first, second in [(1, -1), *((1, value) for value in partial), (0.5, -0.5)]:
            model = ValueModel(tasks, first, second)
            found.append(_row("difference", model, ratios(model, model.of_difference(), t_widths(model))))
    return found


def _row(interval: str, model: ValueModel, found: Sequence[float]) -> Row:
    return interval, f"{model.first}, 0 or {model.second}", str(model.tasks), float(np.median(found)), max(found)


def main() -> None:
    """Print one table."""
    columns = {"interval": "", "values": "", "tasks": "", "median ratio": ".2f", "largest": ".2f"}
    show("Widths of the intervals beside Wilson's (means) and Student's t (differences)", columns, rows())


if __name__ == "__main__":
    main()
