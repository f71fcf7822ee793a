"""Prices of models: those of the package, and of a file in `options.model_cost_config`."""

from pathlib import Path

import pytest

from tests.command_line import completed, refused
from tests.experiment.experiments import logs_of


def test_costs_follow_a_file_of_prices_for_any_model() -> None:
    prices = "{input: 1000000, output: 0, input_cache_write: 0, input_cache_read: 0}"
    Path("prices.yaml").write_text(f"discoverybench/baseline: {prices}\n", "utf-8")
    output = completed("run small.yaml --model discoverybench/baseline --set options.model_cost_config=prices.yaml")
    [guess] = logs_of("no_data_guess")
    usage = guess.stats.model_usage["discoverybench/baseline"]
    assert usage.total_cost == usage.input_tokens
    assert f"{usage.input_tokens:,.2f}" in output


@pytest.mark.parametrize("text", ["discoverybench/baseline: {input: 2.5}", "[", "- a list"])
def test_prices_in_another_format_are_refused(text: str) -> None:
    Path("costs").write_text(text, "utf-8")
    message = refused("run small.yaml --set options.model_cost_config=costs")
    assert "The price file costs cannot be read: " in message
    assert "Expected for each model: " in message
