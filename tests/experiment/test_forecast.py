"""The expected use in `--dry-run`."""

import json
from typing import Any

import pytest

from tests.command_line import completed
from tests.experiment.experiments import BASELINE, logs_of, price, write_prices

CHANGES = f"--set 'solvers=[discoverybench/codegen, discoverybench/gold]' {BASELINE}"


def forecasts(options: str = "") -> list[dict[str, Any]]:
    output = completed(f"run small.yaml --dry-run --json {CHANGES} {options}")
    runs: list[dict[str, Any]] = json.loads(output)["runs"]
    return runs


def test_without_a_finished_sample_the_use_is_unknown() -> None:
    [codegen, _] = forecasts()
    assert codegen["samples"] == 2
    assert codegen["finished"] == 0
    assert codegen["tokens"] is None
    assert codegen["cost"] is None
    table = completed(f"run small.yaml --dry-run {CHANGES}")
    assert "Limits: samples 2." in table
    assert "No sample has finished, so tokens and cost are unknown. Run with --limit 3 first." in table


def test_the_use_of_finished_samples_is_multiplied(monkeypatch: pytest.MonkeyPatch) -> None:
    write_prices("costs.yaml", price(1_000_000))
    monkeypatch.setenv("INSPECT_EVAL_MODEL_COST_CONFIG", "costs.yaml")
    completed(f"run small.yaml {CHANGES} --limit 1")
    [log] = logs_of("codegen")
    usages = log.stats.model_usage
    tokens = sum(usage.total_tokens for usage in usages.values())

    [codegen, gold] = forecasts("--limit 3 --set epochs=2")
    assert codegen["samples"] == 6
    assert codegen["finished"] == 1
    assert tokens > 0
    assert codegen["tokens"] == 6 * tokens
    assert codegen["cost"] == 6 * usages["discoverybench/baseline"].total_tokens
    assert gold["cost"] == 0

    table = completed(f"run small.yaml --dry-run {CHANGES}")
    assert "Tokens and cost are extrapolated from the finished samples" in table
    total = f"{2 * tokens:,}"
    assert total in table
