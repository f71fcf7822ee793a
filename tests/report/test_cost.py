"""Usage of configurations."""

import math

from inspect_discoverybench.report.ranking import Ranking
from inspect_discoverybench.scorer.sample_outcome import SampleOutcome
from tests.typed_results import contents, result, sections


def test_usage_is_the_mean_of_the_samples_and_unknown_if_it_is_unknown_for_one_of_them() -> None:
    section = sections(
        [
            result("a", 1.0, tokens=100, cost=0.25, seconds=5.0),
            result("b", 1.0, tokens=300, cost=0.75),
            result("c", 1.0, tokens=200, cost=None, split="train"),
        ]
    )["cost"]
    # The first row is of `a` and `b`, and the second one of `c`, which is in another split.
    assert list(section.table["tokens per sample"]) == [200, 200]
    [known, unknown] = section.table["USD per sample"]
    assert known == 0.5
    assert math.isnan(unknown)
    assert "cells per sample" not in section.table  # no sample has a number of cells


def test_a_report_of_samples_that_all_ended_with_an_error_says_that_none_is_scored() -> None:
    failed = [result("a", outcome=SampleOutcome.ERROR, tokens=1000)]
    cost = sections(failed)["cost"]
    assert list(cost.table["tokens per sample"]) == [1000]
    assert cost.chart is None
    [ranking] = [Ranking.of(benchmark) for benchmark in contents(failed).leaderboard.benchmarks]
    assert ranking.sentences[0] == "No sample is scored."
