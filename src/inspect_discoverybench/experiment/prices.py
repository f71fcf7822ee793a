"""Prices of models, in US dollars per million tokens."""

from collections.abc import Iterable
from pathlib import Path

from inspect_ai.model import Model, ModelCost, ModelInfo, get_model_info, set_model_info

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.provider_failures import inspect_errors
from inspect_discoverybench.experiment.yaml_file import YamlFile

FORMAT = (
    "Expected for each model: PROVIDER/MODEL: {input: 2.5, output: 10, input_cache_write: 2.5, input_cache_read: 1.25}."
)


def register_prices(models: Iterable[Model], price_file: str | None) -> None:
    """Make Inspect record costs for models that have a price in this package, or in a file, which takes precedence.

    Inspect's own `model_cost_config` rejects models that it does not list, so the prices are set as model information.

    Raises:
        InvalidExperiment: The file cannot be read or is not in Inspect's format.
    """
    with inspect_errors(InvalidExperiment, f"The price file {price_file} cannot be read", FORMAT):
        shipped = Path(__file__).with_name("prices.yaml")
        prices = YamlFile.read(shipped).values
        if price_file is not None:
            prices |= YamlFile.read(Path(price_file)).values

        for model in models:
            name = str(model)
            if name in prices:
                cost = ModelCost.model_validate(prices[name])
                info = get_model_info(model) or ModelInfo()
                set_model_info(name, info.model_copy(update={"cost": cost}))
