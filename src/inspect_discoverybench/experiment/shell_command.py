"""One run of an experiment as a command for Inspect."""

import json
import shlex
from typing import Any

import yaml

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.redaction import public_settings
from inspect_discoverybench.experiment.definition import Arguments, Experiment, ModelSpec
from inspect_discoverybench.experiment.matrix import MatrixCell
from inspect_discoverybench.experiment.options import EVAL_OPTIONS

ONLY_OFF = ("log_realtime", "log_samples", "sandbox_cleanup", "score", "score_display")
"""Options that Inspect's command line can switch off, and not on."""

ON_AND_OFF = (
    "fail_on_error",
    "fail_on_refusal",
    "internal_tools",
    "log_images",
    "log_model_api",
    "log_refusals",
    "parallel_tool_calls",
)
"""Options that it can switch on and off. All others it can switch on."""

WITH_TRUE_OR_FALSE = ("adaptive_connections", "cache_prompt")
"""Options that have the value `true` or `false` there."""


def shell_command(experiment: Experiment, cell: MatrixCell) -> str:
    """Write one run as a command for a shell.

    Raises:
        InvalidExperiment: A value cannot be expressed on Inspect's command line, or is a secret.
    """
    _refuse_secrets(experiment)
    words = ["inspect", "eval", cell.task.name]
    words += _pairs("-T", cell.task.args)
    if cell.solver is not None:
        words += ["--solver", cell.solver.name]
        words += _pairs("-S", cell.solver.args)

    model = cell.model
    words += ["--model", model.name]
    words += _pairs("-M", model.args)
    if model.base_url is not None:
        words += ["--model-base-url", model.base_url]
    for role, spec in experiment.all_roles.items():
        model_of_role = _role(f"roles.{role}", spec)
        words += ["--model-role", f"{role}={model_of_role}"]

    options = {**model.settings, **experiment.options, **experiment.arguments}
    metadata = options.pop("metadata")
    for name, value in options.items():
        if name not in EVAL_OPTIONS:  # of `eval_set` alone
            raise _inexpressible(name, value)
        words += _option(name, value)
    words += _pairs("--metadata", metadata)
    words += ["--log-dir", experiment.log_dir]
    return shlex.join(words)


def _role(where: str, spec: ModelSpec) -> str:
    """The model of a role: its name, or a mapping with its settings."""
    if spec.base_url is not None:
        raise _inexpressible(f"{where}.base_url", spec.base_url)
    settings = spec.settings
    if spec.args:
        settings["model_args"] = spec.args
    if not settings:
        return spec.name
    return _yaml_word(where, {"model": spec.name, **settings})


def _refuse_secrets(experiment: Experiment) -> None:
    with_keys = {"solvers", "models", "grader", "roles", "options"}
    settings = experiment.model_dump(mode="json", include=with_keys, exclude_defaults=True)
    for name, shown in public_settings(settings).items():
        if shown != settings[name]:
            raise InvalidExperiment(
                f"{name}: {shown} stands for a secret, which is not exported. "
                "Set the environment variable of the provider instead, such as OPENAI_API_KEY or OPENAI_BASE_URL."
            )


def _pairs(option: str, args: Arguments) -> list[str]:
    words = []
    for name, value in args.items():
        word = _yaml_word(f"{option} {name}", value)
        words += [option, f"{name}={word}"]
    return words


def _yaml_word(name: str, value: Any) -> str:
    """Express a value for Inspect's command line, which reads YAML but splits strings at commas."""
    if isinstance(value, str) and "," in value:
        raise _inexpressible(name, value)
    for text in (str(value), json.dumps(value, ensure_ascii=False)):
        if _is_read_as(value, text):
            return text
    raise _inexpressible(name, value)


def _is_read_as(value: Any, text: str) -> bool:
    try:
        read = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return False
    if type(read) is not type(value):
        return False
    return bool(read == value)


def _option(name: str, value: Any) -> list[str]:
    """Express an option of `inspect eval` whose value is not read as YAML."""
    option = name.replace("_", "-")
    if isinstance(value, bool):
        return _switch(name, option, value)
    if name == "sample_shuffle" and value in (0, 1):
        raise InvalidExperiment(
            f"sample_shuffle={value}: Inspect's command reads 0 and 1 as no and yes. Use another seed."
        )
    if isinstance(value, int | float | str):
        return [f"--{option}", str(value)]

    # Inspect splits lists at commas.
    if isinstance(value, list) and not any("," in str(item) for item in value):
        text = ",".join(map(str, value))
        return [f"--{option}", text]
    raise _inexpressible(name, value)


def _switch(name: str, option: str, value: bool) -> list[str]:
    """Express an option that is on or off."""
    if name in WITH_TRUE_OR_FALSE:
        return [f"--{option}", str(value).lower()]
    if value and name not in ONLY_OFF:
        return [f"--{option}"]
    if not value and name in ONLY_OFF + ON_AND_OFF:
        return [f"--no-{option}"]
    raise _inexpressible(name, value)


def _inexpressible(name: str, value: Any) -> InvalidExperiment:
    return InvalidExperiment(
        f"{name}={value} cannot be written as a command. Use `discoverybench run`, or leave the value out."
    )
