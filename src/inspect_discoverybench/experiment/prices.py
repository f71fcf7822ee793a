"""What models cost: a committed table, and over it the user's own."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from inspect_ai.model import ModelCost

from inspect_discoverybench.errors import InvalidExperiment

Prices = Mapping[str, tuple[float, float]]
"""US dollars for a million tokens, input and output, by model."""


def prices(path: Path | None) -> Prices:
    """The committed table, and over it the user's own.

    Raises:
        InvalidExperiment: The user's table cannot be read.
    """
    committed = tomllib.loads(files(__package__).joinpath("prices.toml").read_text("utf-8"))
    if path is None:
        return {model: (read, written) for model, (read, written) in committed.items()}
    try:
        own = tomllib.loads(path.read_text("utf-8"))
        return {model: (float(read), float(written)) for model, (read, written) in (committed | own).items()}
    except OSError as error:
        raise InvalidExperiment(f"--prices {path} cannot be read ({error.strerror}); mend the name.") from error
    except (ValueError, TypeError) as error:
        raise InvalidExperiment(
            f'--prices {path}: expected lines like "openai/gpt-4o" = [2.5, 10.0] ({error}).'
        ) from error


def as_costs(known: Prices) -> dict[str, ModelCost]:
    """The same for Inspect, which stops a sample at its limit of cost; cached input counts as if it were not cached."""
    return {
        model: ModelCost(input=read, output=written, input_cache_write=1.25 * read, input_cache_read=read)
        for model, (read, written) in known.items()
    }
