"""Metrics with short names."""

from functools import partial

from inspect_ai.scorer import Metric, MetricProtocol, metric


def named_metric(name: str, compute: MetricProtocol) -> Metric:
    """Register a metric under a short name.

    Inspect prefixes the names of metric functions with the name of their package, which would fill the column of an
    80-column terminal. A `partial` does not belong to a package.
    """

    def make_metric() -> Metric:
        return compute

    return metric(name)(partial(make_metric))()
