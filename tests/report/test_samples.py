"""Workflow categories of DB-REAL."""

from collections import Counter
from pathlib import Path

from inspect_discoverybench.dataset.samples import Hints
from inspect_discoverybench.dataset.splits import released
from inspect_discoverybench.report.samples import workflow_categories


def test_spellings_are_folded_and_order_is_kept() -> None:
    assert workflow_categories("glm, Kriging-Based  Maps , ,meta_regression,regression analysis,GLM") == (
        *("glm", "kriging based maps", "meta regression", "regression"),
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
