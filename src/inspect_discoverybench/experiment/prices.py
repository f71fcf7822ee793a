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
    prices = _read(Path(__file__).with_name("prices.yaml"))
    if price_file is not None:
        with inspect_errors(InvalidExperiment, f"The price file {price_file} cannot be read", FORMAT):
            prices |= _read(Path(price_file))

    for model in models:
        price = prices.get(str(model))
        if price is not None:
            info = get_model_info(model) or ModelInfo()
            set_model_info(str(model), info.model_copy(update={"cost": price}))


def _read(path: Path) -> dict[str, ModelCost]:
    """Prices by the name of the model, such as `openai/gpt-4o`."""
    costs = YamlFile.read(path).values
    return {model: ModelCost.model_validate(cost) for model, cost in costs.items()}
