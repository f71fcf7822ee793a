"""Prices of models, and refusals of files with prices."""

from pathlib import Path

import pytest
import yaml
from inspect_ai.model import ModelCost

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.experiment.prices import read_prices
from tests.experiment.experiments import price


def test_prices_of_a_file_take_precedence_over_those_of_the_package(tmp_path: Path) -> None:
    (tmp_path / "prices.yaml").write_text(yaml.safe_dump({"openai/gpt-4o": price(2)}), "utf-8")
    prices = read_prices(tmp_path / "prices.yaml")
    assert prices["openai/gpt-4o"].input == 2
    assert prices["openai/gpt-4o-mini"] == ModelCost(
        input=0.15, output=0.60, input_cache_write=0.15, input_cache_read=0.075
    )


@pytest.mark.parametrize("text", ["openai/gpt-4o: {input: 2.5}", "[", "- a list"])
def test_prices_in_another_format_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "costs").write_text(text, "utf-8")
    with pytest.raises(InvalidExperiment, match=r"costs cannot be read \(.*\)\. Expected for each model: "):
        read_prices(tmp_path / "costs")


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(InvalidExperiment, match=r"The price file nowhere.yaml cannot be read \(.*No such file"):
        read_prices(Path("nowhere.yaml"))
