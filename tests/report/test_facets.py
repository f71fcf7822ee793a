"""Facets of all hypotheses and of those whose context matches, and where scores are lost."""

import re

import pytest

from inspect_discoverybench.report.table import shown_tables
from tests.typed_results import contents, result, results, rows, sections

ALL = (
    "context × 100",
    "variables × 100",
    "relationship × 100",
)
MATCHING = (
    "variables if context matches × 100",
    "relationship if context matches × 100",
    "tasks",
)


def test_facet_means_are_of_all_hypotheses_and_of_those_whose_context_matches() -> None:
    samples = [
        result("a", 0.5, context=1.0, variables=1.0, relationship=0.5),
        result("b", 0.0, context=0.0, variables=0.5, relationship=1.0),
        result("c", 0.0, context=1.0, variables=0.0, relationship=1.0),
        result("d", 0.0, context=0.0, variables=0.5, relationship=0.0),
    ]
    section = sections(samples)["facets"]
    assert rows(section, *ALL) == [(50, 50, 62.5)]
    assert rows(section, *MATCHING) == [(50, 75, 2)]
    assert "only these means, which `figures/facets.svg` shows, compare with the paper" in section.text
    assert "The column `tasks` counts the tasks in these means." in section.text


def test_the_page_shows_each_interval_below_its_mean() -> None:
    """Beside them, the table would be wider than a screen. One hypothesis has no interval."""
    page = contents(results({"a": 0.0, "b": 0.5, "c": 1.0}), results({"a": 0.0}, split="train"))
    [section] = [section for section in page.sections if section.name == "facets"]
    test, train = shown_tables(section.table, {"DB-REAL test": "test", "DB-REAL train": "train"})
    [context] = test.columns["context × 100, 95 % CI"]
    # In these results, the context is 0 where HMS is 0, and 1 elsewhere.
    assert re.fullmatch(r"66\.7\n\d+\.\d to \d+\.\d", context)
    assert "95 % CI, context" not in test.columns
    assert train.columns["context × 100, 95 % CI"] == ["0.0"]


def test_means_if_context_matches_leave_out_the_epochs_of_a_task_in_which_it_does_not() -> None:
    epochs = [
        result("a", 0.5, epoch=1, context=1.0, variables=0.5, relationship=0.5),
        result("a", 0.0, epoch=2, context=0.0, variables=1.0, relationship=0.5),
    ]
    section = sections(epochs)["facets"]
    assert rows(section, *MATCHING) == [(50, 50, 1)]


def test_decided_facets_of_unscored_samples_count() -> None:
    samples = [
        result("a", 1.0),  # each facet is 1
        result("b", context=1.0, variables=0.5),
        result("c", context=0.0),
    ]
    section = sections(samples)["facets"]
    [means] = rows(section, *ALL)
    assert means == pytest.approx((200 / 3, 75, 100))
    assert rows(section, *MATCHING) == [(75, 100, 2)]


def test_losses_name_the_first_facet_that_fails() -> None:
    samples = [
        result("a", 0.0, context=0.0, variables=0.0),
        result("b", 0.0, context=1.0, variables=0.0),
        result("c", 0.5, context=1.0),
        result("d", 1.0),
        result("e", 0.0, outcome="limit"),
        result("f", context=1.0),
        result("g", outcome="error"),
        result("h", 1.0),
    ]
    section = sections(samples)["losses"]
    assert rows(section, "lost at", "samples", "share in %") == [
        ("no score", 2, 25),
        ("no submission", 1, 12.5),
        ("context", 1, 12.5),
        ("variables", 1, 12.5),
        ("partial score", 1, 12.5),
        ("full score", 2, 25),
    ]
