"""One run of an experiment as a command for Inspect."""

import json
import shlex
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import yaml

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.redaction import public_settings
from inspect_discoverybench.experiment.definition import Arguments, Experiment, ModelSpec
from inspect_discoverybench.experiment.matrix import MatrixCell


def shell_command(experiment: Experiment, cell: MatrixCell) -> str:
    """Write one run as a command for a shell.

    Raises:
        InvalidExperiment: A value cannot be expressed on Inspect's command line, or is a secret.
    """
    _refuse_secrets(experiment, cell)
    words = ["inspect", "eval", cell.task.name]
    words += _pairs("-T", cell.task.args)
    if cell.solver is not None:
        words += ["--solver", cell.solver.name]
        words += _pairs("-S", cell.solver.args)
    words += _model(cell.model)
    for role, spec in experiment.all_roles.items():
        model = _role(role, spec)
        words += ["--model-role", f"{role}={model}"]

    options = {**cell.model.settings, **experiment.options, **experiment.arguments}
    metadata = options.pop("metadata")
    tags = options.pop("tags")
    for name, value in options.items():
        words += _option(name, value)
    words += ["--tags", _list("tags", tags)]
    words += _pairs("--metadata", metadata)
    words += ["--log-dir", experiment.log_dir]
    return shlex.join(words)


def _model(spec: ModelSpec) -> list[str]:
    """The options for the evaluated model, without its generation settings."""
    words = ["--model", spec.name]
    words += _pairs("-M", spec.args)
    if spec.base_url is not None:
        words += ["--model-base-url", spec.base_url]
    return words


def _role(role: str, spec: ModelSpec) -> str:
    """The model of a role: its name, or a mapping with its settings."""
    name = f"role {role}"
    if spec.base_url is not None:
        raise _inexpressible(f"base_url of the {name}", spec.base_url)
    settings = spec.settings
    if spec.args:
        settings["model_args"] = spec.args
    if not settings:
        return spec.name
    return _yaml_word(name, {"model": spec.name, **settings})


def _refuse_secrets(experiment: Experiment, cell: MatrixCell) -> None:
    parts: Arguments = {
        "solver": cell.solver and cell.solver.args,
        "model": cell.model.model_dump(),
        "roles": {role: spec.model_dump() for role, spec in experiment.all_roles.items()},
        "options": experiment.options,
    }
    for name, shown in public_settings(parts).items():
        if shown != parts[name]:
            raise InvalidExperiment(
                f"{name}: {shown} stands for a secret, which is not exported. "
                "Set the environment variable of the provider instead, such as OPENAI_API_KEY or OPENAI_BASE_URL."
            )


def _pairs(option: str, args: Arguments) -> list[str]:
    words = []
    for name, value in args.items():
        text = _yaml_word(f"{option} {name}", value)
        words += [option, f"{name}={text}"]
    return words


def _yaml_word(name: str, value: Any) -> str:
    """Express a value for Inspect's command line, which reads YAML but splits strings at commas."""
    texts = [json.dumps(value, ensure_ascii=False)]
    if isinstance(value, str):
        texts.insert(0, value)  # without quotation marks, if YAML reads it as the same text
    for text in texts:
        with suppress(yaml.YAMLError, ValueError):
            if _is_read_as(value, yaml.safe_load(text)):
                return text
    raise _inexpressible(name, value)


def _is_read_as(value: Any, read: Any) -> bool:
    if type(read) is not type(value):
        return False
    if isinstance(read, str) and "," in read:
        return False
    return bool(read == value)


def _option(name: str, value: Any) -> list[str]:
    """Express an option of `inspect eval` whose value is not read as YAML."""
    option = name.replace("_", "-")
    if value is True:
        return [f"--{option}"]
    if value is False:
        return [f"--no-{option}"]
    if isinstance(value, int | float | str):
        return [f"--{option}", str(value)]
    if name == "sample_id" and isinstance(value, list):
        return [f"--{option}", _list(name, value)]
    raise _inexpressible(name, value)


def _list(name: str, items: Sequence[Any]) -> str:
    """Express a list of texts, which Inspect splits at commas."""
    for item in items:
        if "," in str(item):
            raise _inexpressible(name, items)
    return ",".join(map(str, items))


def _inexpressible(name: str, value: Any) -> InvalidExperiment:
    return InvalidExperiment(
        f"{name}={value} cannot be written as a command. Use `discoverybench run`, or leave the value out."
    )
