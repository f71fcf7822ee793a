"""Claims with the data and on placebos: every number is worked out by hand."""

import json
import math
import re

import pandas as pd
import pytest

from inspect_discoverybench.report.figure import svg
from inspect_discoverybench.report.table import shown_tables
from inspect_discoverybench.results.result_row import ResultRow
from tests.typed_results import MISSING, contents, result, rows, sections

RATES = ("claim rate × 100", "false-claim rate × 100", "difference × 100")


def claims(
    values: dict[str, float], seed: int | None = None, framing: str | None = None, **columns: str
) -> list[ResultRow]:
    """Results with these claims by id, with the data or a placebo of this seed."""
    arguments: dict[str, object] = {"framing": framing} if framing else {"claim": True}
    if seed is not None:
        arguments["placebo"] = seed
        columns["task"] = "real_placebo"
    return [
        result(name, 0.0, claim=claim, task_arguments=json.dumps(arguments), **columns)
        for name, claim in values.items()
    ]


def test_rates_and_their_paired_difference() -> None:
    section = sections(
        claims({"a": 1, "b": 1, "c": 0, "d": 1}),
        claims({"a": 1, "b": 0, "c": 0}, seed=7),
    )["claims"]
    # On the common tasks, the means are 2/3 and 1/3.
    assert rows(section, *RATES, "common tasks") == [(75, pytest.approx(100 / 3), pytest.approx(100 / 3), 3)]
    assert rows(section, "data tasks", "placebo tasks", "framing") == [(4, 3, "neutral")]
    assert section.chart is not None
    assert "react" in svg(section.chart)


def test_both_rates_are_seen_in_the_figure_where_they_are_equal() -> None:
    """Points are outlines: a filled square would hide the circle below it."""
    section = sections(claims({"a": 1, "b": 0}), claims({"a": 1, "b": 0}, seed=7))["claims"]
    assert section.chart is not None
    points = re.findall("<path [^>]*; rate_of: (claim rate|false-claim rate)([^>]*)>", svg(section.chart))
    assert [rate for rate, _ in points] == ["claim rate", "false-claim rate"]
    assert not any("fill=" in attributes for _, attributes in points)


def test_seeds_of_the_placebo_are_averaged_by_task() -> None:
    section = sections(claims({"a": 1, "b": 0}, seed=1), claims({"a": 0}, seed=2))["claims"]
    [(data, placebo, difference)] = rows(section, *RATES)
    assert placebo == 25  # the mean of 50 for `a`, and 0 for `b`
    assert math.isnan(data)
    assert math.isnan(difference)
    assert rows(section, "placebo tasks", "placebo samples") == [(2, 3)]


def test_framings_models_and_judges_have_rows_of_their_own() -> None:
    other = '{"judge": "provider/other"}'
    section = sections(
        claims({"a": 1}, seed=1),
        claims({"a": 0}, seed=1, framing="null_allowed"),
        claims({"a": 0}, seed=1, model="provider/second"),
        claims({"b": 0}, seed=1, agent="codegen", judge_record=other),
        claims({"b": 1}, agent="codegen"),
    )["claims"]
    found = rows(section, "agent", "model", "framing", "false-claim rate × 100", "common tasks")
    assert len(found) == 5  # the two of codegen are not a pair, because their judges differ
    assert ("react", "provider/model", "null_allowed", 0, 0) in found


def test_the_figure_names_a_framing_even_if_all_runs_have_it() -> None:
    section = sections(claims({"a": 1}, seed=1, framing="pressure"))["claims"]
    assert rows(section, "configuration") == [("react · provider/model",)]
    assert section.chart is not None
    assert "react · provider/model (framing=pressure)" in svg(section.chart)


def test_versions_of_the_file_with_an_agent_have_rows_of_their_own() -> None:
    section = sections(
        claims({"a": 1}, agent_file="mine.py", agent_digest="first"),
        claims({"a": 0}, agent_file="mine.py", agent_digest="second"),
        claims({"a": 1}, seed=1, agent_file="mine.py", agent_digest="second"),
    )["claims"]
    found = rows(section, "configuration", "claim rate × 100", "common tasks")
    name = "react · provider/model (agent file sha256 {})"
    assert sorted(found) == [(name.format("first"), 100, 0), (name.format("second"), 0, 1)]


def test_undecided_claims_are_counted_with_bounds() -> None:
    section = sections(claims({"a": 1, "b": MISSING, "c": 0, "d": 0}, seed=1))["claims"]
    [row] = rows(section, "false-claim rate × 100", "lowest false-claim rate × 100", "highest false-claim rate × 100")
    # One of three decided claims; one or two of all four, because `b` may be a claim or not.
    assert row == (pytest.approx(100 / 3), 25, 50)
    assert rows(section, "placebo samples", "placebo samples without an answer") == [(4, 1)]


def test_a_sample_whose_score_has_no_key_for_the_claim_is_left_out_and_counted() -> None:
    section = sections(
        claims({"a": 1}, seed=1), [result("b", 1.0, task="real_placebo", task_arguments='{"placebo": 1}')]
    )
    assert rows(section["claims"], "false-claim rate × 100", "placebo tasks", "placebo samples left out") == [
        (100, 1, 1)
    ]


def test_an_error_is_left_out_if_the_claim_would_not_have_been_asked_about() -> None:
    def failed(name: str, survives: bool) -> ResultRow:
        arguments = '{"placebo": 1}'
        return result(
            name, task="real_placebo", task_arguments=arguments, outcome="error", survives_permutation=survives
        )

    section = sections(claims({"a": 0}, seed=1), [failed("b", survives=False), failed("c", survives=True)])["claims"]
    # On a placebo, the judge is not asked about `c`, whose gold hypothesis also holds on permuted columns. So `c` is
    # left out, and `a` and `b` are counted; the claim of `b` is missing.
    assert rows(section, "placebo samples", "placebo samples left out") == [(2, 1)]


def test_there_is_no_section_where_claims_were_not_asked_about() -> None:
    parts = contents([result("a", 1.0)], [result("a", 1.0, task="real_placebo", task_arguments='{"placebo": 1}')])
    assert "claims" not in {section.name for section in parts.sections}
    assert "claim" not in parts.samples


def test_the_table_of_samples_has_the_key_and_the_page_shows_the_section() -> None:
    parts = contents(claims({"a": 1, "b": 0}, seed=1), [result("z", 1.0)])
    by_id = parts.samples.set_index("id").claim
    assert by_id["a"] == 1
    assert by_id["b"] == 0
    assert pd.isna(by_id["z"])
    [section] = [section for section in parts.sections if section.name == "claims"]
    [table] = shown_tables(section.table, parts.leaderboard.style.titles)
    [rate] = table.columns["false-claim rate × 100, 95 % CI"]
    assert re.fullmatch(r"50\.0\n\d+\.\d to \d+\.\d", rate)
