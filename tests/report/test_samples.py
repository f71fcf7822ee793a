"""Workflow categories of DB-REAL."""

from collections import Counter
from pathlib import Path

import pytest

from inspect_discoverybench.dataset.samples import Hints
from inspect_discoverybench.dataset.splits import released
from inspect_discoverybench.report.samples import workflow_categories

OTHER_SPELLINGS = {
    "Time-Series  Analysis": "time series analysis",
    "meta_regression": "meta regression",
    "Ecological Modeling": "ecological modelling",
    "data standardisation": "data standardization",
    "data visualisation": "data visualization",
    "Statistical Testing": "statistical tests",
    "regression analysis": "regression",
    "generalized linear models": "glm",
    "mixture modelling": "mixture models",
}


@pytest.mark.parametrize(("tag", "category"), OTHER_SPELLINGS.items())
def test_spellings_are_folded(tag: str, category: str) -> None:
    assert workflow_categories(tag) == (category,)


def test_order_is_kept_repetition_is_not_and_unknown_tags_are_folded() -> None:
    assert workflow_categories("glm, Kriging-Based  Maps , ,Regression,regression analysis,glm") == (
        *("glm", "kriging based maps", "regression"),
    )
    assert workflow_categories(None) == workflow_categories(" , ") == ()


def test_released_tags_are_the_26_categories(upstream: Path) -> None:
    samples = released("real", "test", Hints())

    counts = Counter(
        name for sample in samples for name in workflow_categories((sample.metadata or {})["workflow_tags"])
    )

    assert len(counts) == 26
    # Data integration is tagged twice on 46 tasks.
    assert (counts["data integration"], counts["data selection"], counts["mediation analysis"]) == (54, 134, 2)
