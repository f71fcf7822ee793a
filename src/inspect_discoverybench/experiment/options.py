"""The key `options` of an experiment: arguments of Inspect's `eval_set` that have no other key."""

import difflib
import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

from inspect_ai import ScannerConfig, eval_set
from inspect_ai.log import EvalConfig
from inspect_ai.model import GenerateConfig, GenerateConfigArgs
from inspect_ai.util import SandboxEnvironmentSpec, registry_create
from pydantic import TypeAdapter, ValidationError

from inspect_discoverybench.errors import InvalidExperiment, inspect_errors
from inspect_discoverybench.experiment.source import Source

EXPERIMENT_KEYS = {
    "tasks": "tasks",
    "task_args": "args of a task, or defaults.tasks",
    "solver": "solvers",
    "model": "models",
    "model_base_url": "base_url of a model",
    "model_args": "args of a model",
    "model_roles": "roles",
    "log_dir": "log_dir",
    "limit": "limits.samples",
    "epochs": "epochs",
    "message_limit": "limits.messages",
    "token_limit": "limits.tokens",
    "time_limit": "limits.time",
    "working_limit": "limits.working",
    "cost_limit": "limits.cost",
    "max_connections": "max_connections",
    "tags": "tags",
}
"""Arguments of `eval_set` that an experiment sets from other keys."""

_ARGUMENTS = set(inspect.signature(eval_set).parameters) - {"kwargs"} - set(EXPERIMENT_KEYS)
_SETTINGS = set(GenerateConfigArgs.__annotations__) - set(EXPERIMENT_KEYS)


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
        place = source.where(("options", name))
        if name in EXPERIMENT_KEYS:
            raise InvalidExperiment(f"{place}: options.{name}: use {EXPERIMENT_KEYS[name]} instead.")
        if name not in _ARGUMENTS | _SETTINGS:
            nearest = difflib.get_close_matches(name, _ARGUMENTS | _SETTINGS, 1, 0.5)
            hint = f" Did you mean {nearest[0]}?" if nearest else ""
            raise InvalidExperiment(f"{place}: options.{name}: eval_set has no such argument.{hint}")
        arguments[name] = _argument(name, value, f"{place}: options.{name}")
    return arguments


def _argument(name: str, value: Any, where: str) -> Any:
    try:
        if name in _SETTINGS:
            return getattr(GenerateConfig.model_validate({name: value}), name)
        if name in _CONVERSIONS:
            with inspect_errors(InvalidExperiment, where):
                return _CONVERSIONS[name](value)
        hint = get_type_hints(eval_set)[name]
        # YAML values already have types, so only mappings are converted.
        return TypeAdapter(hint).validate_python(value, strict=not isinstance(value, dict))
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise InvalidExperiment(f"{where}: {reason}, got {str(value)[:80]!r}.") from error


def _sandbox(value: Any) -> Any:
    """Accept `k8s:values.yaml`, as for Inspect's `--sandbox`, or a mapping with `type` and `config`."""
    if isinstance(value, str):
        provider, _, config = value.partition(":")
        return (provider, config) if config else provider
    if isinstance(value, list):
        return tuple(value)
    return TypeAdapter(SandboxEnvironmentSpec | None).validate_python(value)


def _scanner(value: Any) -> Any:
    """Accept a file or registry names, as for Inspect's `--scanner`, or the contents of such a file."""
    if isinstance(value, str):
        is_file = value.endswith((".yaml", ".yml", ".json"))
        return ScannerConfig.from_file(value) if is_file else [registry_create("scanner", value)]
    if isinstance(value, list):
        return [registry_create("scanner", name) for name in value]
    return TypeAdapter(ScannerConfig | None).validate_python(value)


def _policy(name: str) -> Callable[[Any], Any]:
    """Accept the path of a policy file, or its contents."""

    def convert(value: Any) -> Any:
        return value if isinstance(value, str) else getattr(EvalConfig.model_validate({name: value}), name)

    return convert


_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "sandbox": _sandbox,
    "scanner": _scanner,
    "approval": _policy("approval"),
    "review": _policy("review"),
}
