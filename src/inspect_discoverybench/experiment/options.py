"""The key `options` of an experiment file: arguments of Inspect's `eval_set`."""

import inspect

from inspect_ai import eval_set
from inspect_ai.model import GenerateConfig

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.invalid_values import did_you_mean
from inspect_discoverybench.experiment.definition import LIMIT_ARGUMENTS, Arguments
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
    "sandbox": "sandbox",
}
"""Arguments of `eval_set` that are no options, and what to use instead."""

_POSSIBLE = inspect.signature(eval_set).parameters.keys() - {"kwargs"} | GenerateConfig.model_fields.keys()


def require_options(options: Arguments, file: YamlFile) -> None:
    """Check that `eval_set` has every option, and that no other key is meant for it. Inspect checks the values.

    Raises:
        InvalidExperiment: `eval_set` has no such argument, or it is set in another way.
    """
    for name in options:
        line = file.where("options", name)
        where = f"{line}: options.{name}"
        if name in OTHER_KEYS:
            raise InvalidExperiment(f"{where}: use {OTHER_KEYS[name]} instead.")
        if name not in _POSSIBLE:
            raise InvalidExperiment(f"{where}: eval_set has no such argument.{did_you_mean(name, _POSSIBLE)}")
