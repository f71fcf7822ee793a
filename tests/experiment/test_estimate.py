"""The estimate of `--dry-run`, and the prices that it multiplies."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from inspect_ai.model import ModelCost

from inspect_discoverybench.errors import InvalidExperiment
from inspect_discoverybench.experiment.prices import read_prices
from tests.experiment.command import run


def price(amount: float) -> dict[str, float]:
    return {"input": amount, "output": 0, "input_cache_write": 0, "input_cache_read": 0}


def estimates(file: str, *arguments: str) -> list[dict[str, Any]]:
    result = run(file, "--dry-run", "--json", "--model", "discoverybench/baseline", *arguments)
    assert result.exit_code == 0, result.output
    runs: list[dict[str, Any]] = json.loads(result.output)["runs"]
    return runs


@pytest.mark.parametrize("place", ["--model-cost-config", "--prices", "environment", "options"])
def test_the_estimate_multiplies_the_measured_averages(
    file: str, tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "costs.yaml").write_text(yaml.safe_dump({"discoverybench/baseline": price(1_000_000)}), "utf-8")
    arguments = ["--set", "solvers=[discoverybench/codegen]", "--set", "epochs=2", "--limit", "3"]
    if place == "environment":
        monkeypatch.setenv("INSPECT_EVAL_MODEL_COST_CONFIG", "costs.yaml")
    elif place == "options":
        arguments += ["--set", "options.model_cost_config=costs.yaml"]
    else:
        arguments += [place, "costs.yaml"]
    [codegen] = estimates(file, *arguments)
    assert (codegen["samples"], codegen["calls"], codegen["judge_calls"]) == (6, 12, 30)
    assert codegen["cost"] == codegen["input_tokens"] == 6 * 4744


def test_the_models_of_roles_are_counted(file: str, tmp_path: Path) -> None:
    (tmp_path / "costs.json").write_text(
        json.dumps({"discoverybench/baseline": price(0), "mockllm/critic": price(1_000_000)}), "utf-8"
    )
    arguments = ["--set", "solvers=[discoverybench/datavoyager, discoverybench/codegen]", "--limit", "1"]
    roles = ["--set", "roles={critic: mockllm/critic, planner: discoverybench/baseline}"]
    datavoyager, codegen = estimates(file, *arguments, *roles, "--model-cost-config", "costs.json")
    assert datavoyager["calls"] == 21
    assert datavoyager["input_tokens"] == 84266
    assert datavoyager["cost"] == 41560
    assert codegen["cost"] == 0
    unknown, _ = estimates(file, *arguments, "--set", "roles={critic: mockllm/nobody}")
    assert unknown["cost"] is None


def test_later_prices_take_precedence(tmp_path: Path) -> None:
    for name, amount in (("first", 1), ("second", 2)):
        (tmp_path / name).write_text(json.dumps({"openai/gpt-4o": price(amount)}), "utf-8")
    prices = read_prices(tmp_path / "first", tmp_path / "second")
    assert prices["openai/gpt-4o"].input == 2
    assert prices["openai/gpt-4o-mini"] == ModelCost(
        input=0.15, output=0.60, input_cache_write=0.15, input_cache_read=0.075
    )


@pytest.mark.parametrize(
    "text", ["openai/gpt-4o: [2.5, 10]", "openai/gpt-4o: {input: 2.5}", "- a", "", "a: {", '"openai/gpt-4o" = [1, 2]']
)
def test_prices_in_another_format_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "costs").write_text(text, "utf-8")
    with pytest.raises(InvalidExperiment, match="is not in the format of --model-cost-config") as raised:
        read_prices(tmp_path / "costs")
    assert "\n" not in raised.value.message
