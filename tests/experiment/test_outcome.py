"""Unscored samples in the closing table, the forecast of `--dry-run`, and the prices in it."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelCost
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.experiment.outcome import RunOutcome
from inspect_discoverybench.experiment.run import read_prices
from tests.experiment.command import logs, run


@scorer(metrics=[mean()])
def one_half_or_unscored() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=0.5) if state.sample_id == "scored" else Score.unscored(reason="grader_failed")

    return score


def test_bounds_count_unscored_samples_as_0_and_as_1() -> None:
    task = Task([Sample("-", id="scored"), Sample("-", id="failed")], solver=[], scorer=one_half_or_unscored())
    [log] = inspect_eval(task, model="mockllm/model")
    assert log.status == "success", log.error
    outcome = RunOutcome.of_log(log)
    assert (outcome.value, outcome.bounds) == (0.5, (0.25, 0.75))


def price(amount: float) -> dict[str, float]:
    return {"input": amount, "output": amount, "input_cache_write": 0, "input_cache_read": 0}


def forecasts(file: str, *arguments: str) -> list[dict[str, Any]]:
    result = run(file, "--dry-run", "--json", "--model", "discoverybench/baseline", *arguments)
    assert result.exit_code == 0, result.output
    runs: list[dict[str, Any]] = json.loads(result.output)["runs"]
    return runs


def test_the_forecast_multiplies_the_use_of_finished_samples(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "costs.yaml").write_text(yaml.safe_dump({"discoverybench/baseline": price(1_000_000)}), "utf-8")
    monkeypatch.setenv("INSPECT_EVAL_MODEL_COST_CONFIG", "costs.yaml")
    arguments = ["--set", "solvers=[discoverybench/codegen, discoverybench/gold]"]
    first = run(file, "--dry-run", *arguments)
    assert "Limits: samples 2." in first.output
    assert "No sample has finished, so tokens and cost are unknown. Run with --limit 3 first." in first.output
    [before, _] = forecasts(file, *arguments)
    assert (before["samples"], before["finished"], before["tokens"], before["cost"]) == (2, 0, None, None)
    one = run(file, "--model", "discoverybench/baseline", *arguments, "--limit", "1")
    assert one.exit_code == 0, one.output
    [log] = [log for log in logs() if log.eval.metadata and "codegen" in str(log.eval.metadata["run"])]
    usages = log.stats.model_usage
    [codegen, gold] = forecasts(file, *arguments, "--limit", "3", "--set", "epochs=2")
    assert (codegen["samples"], codegen["finished"]) == (6, 1)
    assert codegen["tokens"] == 6 * sum(usage.total_tokens for usage in usages.values()) > 0
    assert codegen["cost"] == 6 * usages["discoverybench/baseline"].total_tokens
    assert gold["cost"] == 0


def test_later_prices_take_precedence(tmp_path: Path) -> None:
    for name, amount in (("first", 1), ("second", 2)):
        (tmp_path / name).write_text(json.dumps({"openai/gpt-4o": price(amount)}), "utf-8")
    prices = read_prices(tmp_path / "first", tmp_path / "second")
    assert prices["openai/gpt-4o"].input == 2
    assert prices["openai/gpt-4o-mini"] == ModelCost(
        input=0.15, output=0.60, input_cache_write=0.15, input_cache_read=0.075
    )


def test_prices_in_another_format_are_refused(tmp_path: Path) -> None:
    (tmp_path / "costs").write_text("openai/gpt-4o: {input: 2.5}", "utf-8")
    with pytest.raises(InvalidExperiment, match=r"costs cannot be read \(.*\)\. Expected for each model: "):
        read_prices(tmp_path / "costs")
