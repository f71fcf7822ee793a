"""Workflow categories of DB-REAL."""

from inspect_discoverybench.report.samples import workflow_categories


def test_spellings_are_folded_and_order_is_kept() -> None:
    assert workflow_categories("glm, Kriging-Based  Maps , ,meta_regression,regression analysis,GLM") == (
        *("glm", "kriging based maps", "meta regression", "regression"),
    )
    assert workflow_categories(None) == workflow_categories(" , ") == ()
