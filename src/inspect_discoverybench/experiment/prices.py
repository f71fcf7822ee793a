"""Prices of models, in US dollars per million tokens."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from inspect_ai.model import Model, ModelCost, ModelInfo, get_model_info, set_model_info
from pydantic import TypeAdapter, ValidationError

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.provider_failures import one_line
from inspect_discoverybench.experiment.yaml_file import YamlFile

Prices = Mapping[str, ModelCost]
"""Prices by the name of the model, such as `openai/gpt-4o`."""


def read_prices(price_file: Path | None) -> Prices:
    """Read the prices of this package and those of a file, which take precedence.

    Raises:
        InvalidExperiment: The file cannot be read or is not in Inspect's format.
    """
    shipped = _read(Path(__file__).with_name("prices.yaml"))
    if price_file is None:
        return shipped
    return {**shipped, **_read(price_file)}


def register_prices(models: Iterable[Model], prices: Prices) -> None:
    """Make Inspect record costs for these models.

    Inspect's `model_cost_config` rejects models that it does not list, so the prices are set as model information.
    """
    for model in models:
        price = prices.get(str(model))
        if price is not None:
            info = get_model_info(model) or ModelInfo()
            set_model_info(str(model), info.model_copy(update={"cost": price}))


def _read(path: Path) -> Prices:
    try:
        values = YamlFile.read(path).values
        return TypeAdapter(dict[str, ModelCost]).validate_python(values)
    except (InvalidExperiment, ValidationError) as error:
        raise InvalidExperiment(
            f"The price file {path} cannot be read ({one_line(error)}). Expected for each model: "
            "PROVIDER/MODEL: {input: 2.5, output: 10, input_cache_write: 2.5, input_cache_read: 1.25}."
        ) from error
