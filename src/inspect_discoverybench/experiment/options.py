"""The key `options` of an experiment: arguments of Inspect's `eval_set` that have no other key."""

import inspect
from collections.abc import Mapping
from typing import Any, get_type_hints

from inspect_ai import ScannerConfig, eval_set
from inspect_ai.log import EvalConfig
from inspect_ai.model import GenerateConfig, GenerateConfigArgs
from inspect_ai.util import SandboxEnvironmentSpec, registry_create
from pydantic import TypeAdapter, ValidationError

from inspect_discoverybench.errors import InvalidExperiment, inspect_errors
from inspect_discoverybench.experiment.definition import LIMIT_ARGUMENTS
from inspect_discoverybench.experiment.experiment_source import Source, did_you_mean, reason_of_error

EXPERIMENT_KEYS = {
    **{name: name for name in ("tasks", "log_dir", "epochs", "max_connections", "tags")},
    **{argument: f"limits.{limit}" for limit, argument in LIMIT_ARGUMENTS.items()},
    "task_args": "args of a task, or defaults.tasks",
    "solver": "solvers",
    "model": "models",
    "model_base_url": "base_url of a model",
    "model_args": "args of a model",
    "model_roles": "roles",
}
"""Arguments of `eval_set` that an experiment sets from other keys."""

_SETTINGS = set(GenerateConfigArgs.__annotations__) - set(EXPERIMENT_KEYS)
_ARGUMENTS = set(inspect.signature(eval_set).parameters) - {"kwargs"} - set(EXPERIMENT_KEYS) | _SETTINGS


def eval_set_options(options: Mapping[str, Any], source: Source) -> dict[str, Any]:
    """Convert the options to arguments of `eval_set`.

    Args:
        options: The key `options` of an experiment.
        source: The experiment file, for line numbers in error messages.

    Raises:
        InvalidExperiment: `eval_set` has no such argument, the experiment has a key for it, or the value has the
            wrong type.
    """
    arguments = {}
    for name, value in options.items():
        where = f"{source.where('options', name)}: options.{name}"
        if name in EXPERIMENT_KEYS:
            raise InvalidExperiment(f"{where}: use {EXPERIMENT_KEYS[name]} instead.")
        if name not in _ARGUMENTS:
            raise InvalidExperiment(f"{where}: eval_set has no such argument.{did_you_mean(name, [*_ARGUMENTS])}")
        try:
            with inspect_errors(InvalidExperiment, where):
                arguments[name] = _argument(name, value)
        except InvalidExperiment as error:
            if isinstance(error.__cause__, ValidationError):
                raise InvalidExperiment(f"{where}: {reason_of_error(error.__cause__.errors()[0])}") from error
            raise
    return arguments


def _argument(name: str, value: Any) -> Any:
    """The argument in the type that `eval_set` takes."""
    if name in _SETTINGS:
        return getattr(GenerateConfig.model_validate({name: value}), name)
    match name, value:
        case "sandbox", str() if ":" in value:  # `k8s:values.yaml`, as for Inspect's `--sandbox`
            return tuple(value.split(":", 1))
        case "sandbox", [provider, config]:
            return provider, config
        case "sandbox", dict():
            return TypeAdapter(SandboxEnvironmentSpec).validate_python(value)
        case "scanner", str() if value.endswith((".yaml", ".yml", ".json")):
            return ScannerConfig.from_file(value)
        case "scanner", str() | list():  # registry names, as for Inspect's `--scanner`
            return [registry_create("scanner", scanner) for scanner in ([value] if isinstance(value, str) else value)]
        case "scanner", dict():
            return ScannerConfig.model_validate(value)
        case (("approval" | "review"), dict()):
            return getattr(EvalConfig.model_validate({name: value}), name)
        case (("sandbox" | "scanner" | "approval" | "review"), (str() | None)):
            return value
    # YAML values already have types, so only mappings are converted.
    return TypeAdapter(get_type_hints(eval_set)[name]).validate_python(value, strict=not isinstance(value, dict))
