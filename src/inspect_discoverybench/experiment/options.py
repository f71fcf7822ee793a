"""The key `options` of an experiment: arguments of Inspect's `eval_set` that have no other key."""

import inspect
from collections.abc import Mapping
from typing import Any, get_type_hints

from inspect_ai import eval_set
from inspect_ai.log import EvalConfig
from inspect_ai.model import GenerateConfig, GenerateConfigArgs
from pydantic import TypeAdapter, ValidationError

from inspect_discoverybench.errors import InvalidExperiment
from inspect_discoverybench.experiment.definition import Limits
from inspect_discoverybench.experiment.experiment_source import Source, did_you_mean, reason_of_error

INSTEAD = {
    **{name: name for name in ("tasks", "log_dir", "epochs", "max_connections", "tags")},
    **{str(field.serialization_alias): f"limits.{limit}" for limit, field in Limits.model_fields.items()},
    "task_args": "tasks",
    "solver": "solvers",
    "model": "models",
    "model_base_url": "models",
    "model_args": "models",
    "model_roles": "roles",
    "scanner": "`scout scan` on the logs",
}
"""Arguments of `eval_set` that are no options, and what to use instead."""

_SETTINGS = set(GenerateConfigArgs.__annotations__) - set(INSTEAD)
_ARGUMENTS = set(inspect.signature(eval_set).parameters) - {"kwargs"} - set(INSTEAD) | _SETTINGS


def eval_set_options(options: Mapping[str, Any], source: Source) -> dict[str, Any]:
    """Convert the options to arguments of `eval_set`.

    Raises:
        InvalidExperiment: `eval_set` has no such argument, it is set in another way, or the value has the wrong type.
    """
    arguments = {}
    for name, value in options.items():
        where = f"{source.where('options', name)}: options.{name}"
        if name in INSTEAD:
            raise InvalidExperiment(f"{where}: use {INSTEAD[name]} instead.")
        if name not in _ARGUMENTS:
            raise InvalidExperiment(f"{where}: eval_set has no such argument.{did_you_mean(name, [*_ARGUMENTS])}")
        try:
            arguments[name] = _argument(name, value)
        except ValidationError as error:
            raise InvalidExperiment(f"{where}: {reason_of_error(error.errors()[0])}") from error
    return arguments


def _argument(name: str, value: Any) -> Any:
    """The argument in the type that `eval_set` takes."""
    if name in _SETTINGS:
        return getattr(GenerateConfig.model_validate({name: value}), name)
    if name in ("approval", "review"):  # a path, or the contents of the file
        return value if isinstance(value, str) else getattr(EvalConfig.model_validate({name: value}), name)
    if name == "sandbox" and isinstance(value, str) and ":" in value:  # as for Inspect's `--sandbox`
        return tuple(value.split(":", 1))
    return TypeAdapter(get_type_hints(eval_set)[name]).validate_python(value)
