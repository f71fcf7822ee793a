"""Usage of configurations."""

import math

from tests.typed_results import results, rows, sections


def test_mean_usage_is_per_sample_and_unknown_if_that_of_a_sample_is() -> None:
    section = sections(
        results({"a": 0.5}, agent="react", tokens=100, cost=0.1, epoch=1),
        results({"a": 0.5}, agent="react", tokens=300, cost=0.2, epoch=2),
        results({"a": 0.4}, agent="codegen", tokens=300, cost=0.1),
        results({"a": 0.4}, agent="codegen", tokens=300, epoch=2),
    )["cost"]
    assert rows(section, "configuration", "tokens per sample") == [
        ("react · provider/model", 200),
        ("codegen · provider/model", 300),
    ]
    known, unknown = section.table["USD per sample"]
    assert round(known, 9) == 0.15
    assert math.isnan(unknown)
    assert "cells per sample" not in section.table
