"""The key `options` of an experiment file: arguments of Inspect's `eval_set`."""

import inspect
from typing import Any, get_type_hints

from inspect_ai import eval as inspect_eval
from inspect_ai import eval_set
from inspect_ai.model import GenerateConfig
from pydantic import NonNegativeInt, PositiveInt, TypeAdapter, ValidationError

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.invalid_values import did_you_mean
from inspect_discoverybench.errors.redaction import public_settings
from inspect_discoverybench.experiment.definition import LIMIT_ARGUMENTS, Arguments
from inspect_discoverybench.experiment.yaml_file import YamlFile
from inspect_discoverybench.results.run_record import AGENT_DIGEST

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
    "sandbox": "sandbox",
}
"""Arguments of `eval_set` that are no options, and what to use instead."""

REDUCER = "epochs_reducer"
"""A name that users of `inspect eval --epochs-reducer` may try. `eval_set` has no such argument."""

FILES = ("approval", "review", "model_cost_config")
"""Options that are paths of files. In Python, they can also be objects, and pydantic cannot validate some of these."""

CONCURRENCY_LIMITS = ("max_connections", "max_samples", "max_sandboxes", "max_tasks")
"""Options that limit how many of something are used at a time. With 0, Inspect would wait forever."""

OWN_METADATA = ("experiment", "run", "settings", "shard", AGENT_DIGEST)
"""Names in the metadata of logs under which an experiment records what its later runs must know."""

_SETTING_NAMES = GenerateConfig.model_fields.keys()
"""The names of generation settings, which `eval_set` and `eval` take as `**kwargs`."""

_ARGUMENT_NAMES = (inspect.signature(eval_set).parameters.keys() - {"kwargs"}) | _SETTING_NAMES
"""The names of all arguments of `eval_set`."""


def eval_set_options(options: Arguments, file: YamlFile) -> Arguments:
    """Convert the options to the types that `eval_set` takes.

    A value can also be the text of a number, such as "8", because environment variables are filled in as text.

    Raises:
        InvalidExperiment: `eval_set` has no such argument, the argument has another key in the file (`OTHER_KEYS`), its
            value has another type, or the metadata has a name of `OWN_METADATA`.
    """
    arguments = {}
    for name, value in options.items():
        where = f"{file.where('options', name)}: options.{name}"
        if name in OTHER_KEYS:
            raise InvalidExperiment(f"{where}: use {OTHER_KEYS[name]} instead.")
        if name == REDUCER:
            raise InvalidExperiment(
                f"{where}: HMS is always the mean of the epochs. Omit it; the report has the best and the worst."
            )
        if name not in _ARGUMENT_NAMES:
            suggestion = did_you_mean(name, _ARGUMENT_NAMES)
            raise InvalidExperiment(f"{where}: eval_set has no such argument.{suggestion}")
        if name == "metadata" and isinstance(value, dict):
            _refuse_own_metadata(value, where)

        try:
            arguments[name] = _argument(name, value)
        except ValidationError as error:
            message = error.errors()[0]["msg"]
            public_value = public_settings({name: value})[name]
            raise InvalidExperiment(f"{where}: {message}, got {public_value}.") from error
    return arguments


def _refuse_own_metadata(metadata: Arguments, where: str) -> None:
    """Refuse metadata of the user under a name that the experiment would replace, or take for its own record."""
    for name in OWN_METADATA:
        if name in metadata:
            raise InvalidExperiment(f"{where}: experiments record {name} themselves. Use another name.")


def eval_arguments(arguments: Arguments) -> Arguments:
    """The arguments of `eval_set` with which `EvalSet.check` calls Inspect's `eval` to resolve the runs.

    A check must not write logs, start servers, notify somebody or change the display, so arguments for these are left
    out. `eval_set_id` is left out because only `eval_set` may pass it to `eval`. Arguments that `eval` lacks are left
    out, too.
    """
    names = inspect.signature(inspect_eval).parameters.keys() | _SETTING_NAMES
    names -= {"eval_set_id", "log_dir", "log_realtime", "ctl_server", "display", "notification", "acp_server"}
    return {name: value for name, value in arguments.items() if name in names}


def _argument(name: str, value: Any) -> Any:
    """The value of an option in the type that `eval_set` takes.

    Inspect's annotations also allow limits below 1, and objects in place of files. These options are validated more
    strictly.
    """
    if name in CONCURRENCY_LIMITS:
        return TypeAdapter(PositiveInt | None).validate_python(value)
    if name == "max_subprocesses":  # with 0, Inspect uses its default
        return TypeAdapter(NonNegativeInt | None).validate_python(value)
    if name in GenerateConfig.model_fields:
        config = GenerateConfig.model_validate({name: value})
        return getattr(config, name)
    if name in FILES:
        return TypeAdapter(str | None).validate_python(value)
    return TypeAdapter(get_type_hints(eval_set)[name]).validate_python(value)
