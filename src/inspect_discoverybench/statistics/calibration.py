"""The mean score corrected for the judge's errors: prediction-powered inference (Angelopoulos et al. 2023).

This is the judged mean corrected by the judge's mean error on labelled tasks, with an interval that reflects the
uncertainty of both. It is computed by cje-eval, which supports clusters; ppi-python assumes independent tasks.
docs/statistics.md has the measured coverage of both.
"""

import logging
import math
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.statistics.clusters import clustered
from inspect_discoverybench.statistics.mean import Estimate, estimate_mean

MIN_LABELLED_CLUSTERS = 10
"""With fewer, cje-eval warns that the correction is unreliable; with fewer than four, it returns the judged mean."""

POLICY = "agent"
"""The library's name for what is evaluated."""


def corrected_mean(
    judged: Sequence[float],
    labelled: Sequence[int],
    true: Sequence[float],
    clusters: Sequence[Hashable],
    probabilities: Sequence[float] | None = None,
) -> Estimate:
    """Estimate the mean true score from the judge's scores of all tasks and the true scores of some.

    Args:
        judged: The judge's score of every task in [0, 1].
        labelled: Indices of the labelled tasks. They must be drawn at random.
        true: Their true scores.
        clusters: The cluster of every task.
        probabilities: For each task, the probability with which it was drawn to be labelled, above 0: the number of
            labelled tasks in its stratum divided by the number of tasks in the stratum. None if all are equal.

    Raises:
        InvalidArgument: A score is not in [0, 1], the lengths differ, an index does not exist or is repeated, fewer
            than 10 clusters have labels, or cje-eval is not installed.
    """
    scores = clustered(judged, clusters, name="judged score")
    _check_labels(labelled, true, clusters)
    _check_probabilities(probabilities, scores.tasks)
    labels = dict(zip(labelled, true, strict=True))
    records = [
        {
            "prompt_id": str(scores.index[task]),
            "draw_idx": task,
            "judge_score": float(scores.values[task]),
            "oracle_label": labels.get(task),
        }
        for task in range(scores.tasks)
    ]
    mean, error, low, high = _analyze(records, probabilities)
    if not error > 0:  # the judge and all labels agree on one score, from which the library infers certainty
        labels_only = estimate_mean(true, [clusters[task] for task in labelled])
        low, high = labels_only.low, labels_only.high
    mean = min(1.0, max(0.0, mean))
    return Estimate(mean, max(0.0, min(low, mean)), min(1.0, max(high, mean)), scores.tasks, scores.clusters)


def _check_labels(labelled: Sequence[int], true: Sequence[float], clusters: Sequence[Hashable]) -> None:
    for task in labelled:
        if not 0 <= task < len(clusters):
            raise InvalidArgument(f"A labelled task must be an index below {len(clusters)}, got {task}.")
    if len(set(labelled)) != len(labelled):
        raise InvalidArgument("A task is labelled more than once. Average its labels first.")
    labelled_clusters = clustered(true, [clusters[task] for task in labelled], name="true score").clusters
    if labelled_clusters < MIN_LABELLED_CLUSTERS:
        raise InvalidArgument(
            f"A correction needs labels from at least {MIN_LABELLED_CLUSTERS} gold hypotheses, got "
            f"{labelled_clusters}. Label more samples."
        )


def _check_probabilities(probabilities: Sequence[float] | None, tasks: int) -> None:
    if probabilities is None:
        return
    if len(probabilities) != tasks:
        raise InvalidArgument(f"Each of {tasks} tasks needs a probability, got {len(probabilities)}.")
    for probability in probabilities:
        if not 0 < probability <= 1:
            raise InvalidArgument(f"A probability of being labelled must be above 0 and at most 1, got {probability}.")


def _analyze(records: list[dict[str, Any]], probabilities: Sequence[float] | None) -> tuple[float, float, float, float]:
    """The estimate of cje-eval, its standard error and the endpoints of its interval."""
    design: dict[str, Any] = {}
    if probabilities is not None:
        design = {"label_design": "known_propensity", "label_propensities": {POLICY: list(probabilities)}}
    cje = _library()
    with _quiet():
        result = cje.analyze_dataset(
            fresh_draws_data={POLICY: records},
            estimator_config={"inference_method": "cluster_robust"},
            fresh_judge_scale=(0, 1),
            fresh_oracle_scale=(0, 1),
            **design,
        )
    [(low, high)] = result.ci()
    values = float(result.estimates[0]), float(result.standard_errors[0]), float(low), float(high)
    if not all(math.isfinite(value) for value in values):
        raise InvalidArgument(
            "cje-eval could not compute an interval for these labels. Label samples of more gold hypotheses."
        )
    return values


def _library() -> ModuleType:
    try:
        import cje
    except ImportError as error:
        raise InvalidArgument(
            "The correction for judge errors needs the package cje-eval. Install it with "
            "`pip install 'inspect-discoverybench[calibration]'`."
        ) from error
    module: ModuleType = cje
    return module


@contextmanager
def _quiet() -> Iterator[None]:
    """Hide the library's warnings, which refer to policies and prompts. The cases they concern are handled here."""
    logger = logging.getLogger("cje")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
