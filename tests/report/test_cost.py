"""Usage and the Pareto front."""

import math

from tests.report.results import results, rows, sections


def test_the_front_is_of_costs_if_all_are_known() -> None:
    section = sections(
        results({"a": 0.5}, agent="cheap", cost=0.1),
        results({"a": 0.5}, agent="dear", cost=0.3),
        results({"a": 1.0}, agent="best", cost=0.3),
        results({"a": 1.0}, agent="reflexion", cost=0.01),
    )["cost"]
    assert rows(section, "configuration", "Pareto front (USD)") == [
        ("best · provider/model", "yes"),
        ("cheap · provider/model", "yes"),
        ("dear · provider/model", ""),
        ("reflexion · provider/model", ""),
    ]


def test_the_front_is_of_tokens_if_a_cost_is_unknown() -> None:
    section = sections(
        results({"a": 0.5}, agent="few", tokens=100, cost=0.1),
        results({"a": 0.4}, agent="many", tokens=300, cost=0.1),
        results({"a": 0.4}, agent="many", tokens=300, epoch=2),
    )["cost"]
    assert rows(section, "configuration", "Pareto front (tokens)") == [
        ("few · provider/model", "yes"),
        ("many · provider/model", ""),
    ]
    assert math.isnan(section.table["USD per sample"][1])
    assert "cells per sample" not in section.table


def test_configurations_that_were_judged_differently_are_not_on_a_front() -> None:
    other = '{"judge": "provider/judge", "settings": {"temperature": 1}}'
    section = sections(
        results({"a": 1.0}, agent="react", cost=0.1), results({"a": 0.5}, agent="codegen", cost=0.2, judge_record=other)
    )["cost"]
    assert rows(section, "Pareto front (USD)") == [("",), ("",)]
