"""Workflow categories of DB-REAL."""

from collections import Counter
from pathlib import Path

import pytest

from inspect_discoverybench.dataset.samples import Hints
from inspect_discoverybench.dataset.splits import released
from inspect_discoverybench.report.samples import workflow_categories

CATEGORIES = {
    "correlation analysis": 3,
    "data cleaning": 98,
    "data deduplication": 46,
    "data integration": 54,
    "data matching": 46,
    "data selection": 134,
    "data standardization": 115,
    "data visualization": 35,
    "dimensionality reduction": 8,
    "ecological modelling": 8,
    "econometric modelling": 12,
    "feature engineering": 110,
    "gini coefficient": 3,
    "glm": 3,
    "interaction analysis": 14,
    "mediation analysis": 2,
    "meta regression": 100,
    "mixture models": 12,
    "pollen modelling": 6,
    "quantile regression": 9,
    "regression": 40,
    "spatial analysis": 3,
    "statistical sampling": 15,
    "statistical tests": 40,
    "summary statistics": 107,
    "time series analysis": 30,
}
"""The 26 categories with their number of tasks in the test split. Data integration is tagged twice on 46 tasks."""

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


@pytest.mark.parametrize(("tag", "category"), [*zip(CATEGORIES, CATEGORIES, strict=True), *OTHER_SPELLINGS.items()])
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

    assert counts == CATEGORIES
