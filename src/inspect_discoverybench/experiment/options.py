"""The key `options` of an experiment file: arguments of Inspect's `eval_set`."""

import inspect
from typing import Any, get_type_hints

from inspect_ai import eval_set
from inspect_ai.model import GenerateConfig, GenerateConfigArgs
from pydantic import TypeAdapter, ValidationError

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.invalid_values import did_you_mean
from inspect_discoverybench.experiment.definition import LIMIT_ARGUMENTS, Arguments
from inspect_discoverybench.experiment.experiment_file import reason_of_error
from inspect_discoverybench.experiment.yaml_file import YamlFile

OTHER_KEYS = {
    **{argument: f"limits.{limit}" for limit, argument in LIMIT_ARGUMENTS.items()},
    "tasks": "tasks",
    "log_dir": "log_dir",
    "epochs": "epochs",
    "tags": "tags",
    "task_args": "tasks",
    "solver": "solvers",
    "model": "models",
    "model_base_url": "models",
    "model_args": "models",
    "model_roles": "roles",
    "log_dir_allow_dirty": "a log_dir of its own",
    "model_cost_config": "--model-cost-config FILE",
    "scanner": "`scout scan` on the logs",
}
"""Arguments of `eval_set` that are no options, and what to use instead."""

_GENERATION = GenerateConfigArgs.__annotations__.keys()
_ARGUMENTS = inspect.signature(eval_set).parameters.keys() - {"kwargs"}


def eval_set_options(options: Arguments, file: YamlFile) -> Arguments:
    """Convert the options to arguments of `eval_set`.

    Raises:
        InvalidExperiment: `eval_set` has no such argument, it is set in another way, or the value has the wrong type.
    """
    arguments = {}
    for name, value in options.items():
        line = file.where("options", name)
        where = f"{line}: options.{name}"
        if name in OTHER_KEYS:
            raise InvalidExperiment(f"{where}: use {OTHER_KEYS[name]} instead.")
        possible = _ARGUMENTS | _GENERATION
        if name not in possible:
            raise InvalidExperiment(f"{where}: eval_set has no such argument.{did_you_mean(name, possible)}")
        try:
            arguments[name] = _argument(name, value)
        except ValidationError as error:
            reason = reason_of_error(error.errors()[0])
            raise InvalidExperiment(f"{where}: {reason}") from error
    return arguments


def _argument(name: str, value: Any) -> Any:
    """The argument in the type that `eval_set` takes."""
    if name in _GENERATION:
        config = GenerateConfig.model_validate({name: value})
        return getattr(config, name)
    if name == "sandbox" and isinstance(value, str) and ":" in value:  # as for Inspect's `--sandbox`
        return tuple(value.split(":", maxsplit=1))
    argument_type = get_type_hints(eval_set)[name]
    if name in ("approval", "review"):  # pydantic knows no schema of its other types
        argument_type = str | None
    return TypeAdapter(argument_type).validate_python(value)
