"""Model prices in the format of Inspect's `--model-cost-config`."""

import os
from collections.abc import Iterable, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import yaml
from inspect_ai.model import Model, ModelCost, ModelInfo, get_model_info, set_model_info
from pydantic import TypeAdapter, ValidationError

from inspect_discoverybench.errors import InvalidExperiment, one_line

Prices = Mapping[str, ModelCost]
"""US dollars per million tokens, by model name."""


def read_prices(*sources: str | Path | Prices | None) -> Prices:
    """Merge the prices of this package, of the file in `INSPECT_EVAL_MODEL_COST_CONFIG` and of files or tables.

    Later ones take precedence.

    Raises:
        InvalidExperiment: A file cannot be read or is not in Inspect's format.
    """
    prices = _read(files(__package__).joinpath("prices.yaml"))
    for source in (os.environ.get("INSPECT_EVAL_MODEL_COST_CONFIG"), *sources):
        prices = {**prices, **(source if isinstance(source, Mapping) else _read(Path(source)) if source else {})}
    return prices


def register_prices(models: Iterable[str | Model], prices: Prices) -> None:
    """Make Inspect record costs for these models.

    Inspect's `model_cost_config` rejects models that it does not list, so the prices are set as model information.
    """
    for model in models:
        if str(model) in prices:
            info = get_model_info(model) or ModelInfo()
            set_model_info(str(model), info.model_copy(update={"cost": prices[str(model)]}))


def _read(path: Path | Traversable) -> Prices:
    try:
        return TypeAdapter(dict[str, ModelCost]).validate_python(yaml.safe_load(path.read_text("utf-8")))
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise InvalidExperiment(
            f"The price file {path} cannot be read ({one_line(error)}). Expected for each model: "
            "PROVIDER/MODEL: {input: 2.5, output: 10, input_cache_write: 2.5, input_cache_read: 1.25}."
        ) from error
