"""One run of an experiment as a command for Inspect."""

import json
import shlex
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import yaml

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.redaction import public_settings
from inspect_discoverybench.experiment.definition import Experiment, ModelSpec
from inspect_discoverybench.experiment.matrix import MatrixCell


def shell_command(experiment: Experiment, cell: MatrixCell) -> str:
    """Write one run as a command for a shell.

    Raises:
        InvalidExperiment: A value cannot be expressed on Inspect's command line, or is a secret.
    """
    words = ["inspect", "eval", cell.task.name, *_pairs("-T", cell.task.args)]
    if cell.solver is not None:
        words += ["--solver", cell.solver.name, *_pairs("-S", cell.solver.args)]
    words += _model_words(cell.model)
    for role, spec in experiment.all_roles.items():
        words += ["--model-role", f"{role}={_role_text(role, spec)}"]

    _refuse_secrets("options", experiment.options)
    options = {**cell.model.config, **experiment.options, **experiment.arguments}
    tags, metadata = options.pop("tags"), options.pop("metadata")
    for name, value in options.items():
        words += _option(name, value)
    if any("," in tag for tag in tags):
        raise _inexpressible("tags", tags)
    words += ["--tags", ",".join(tags), *_pairs("--metadata", metadata), "--log-dir", experiment.log_dir]
    return shlex.join(words)


def _model_words(spec: ModelSpec) -> list[str]:
    _refuse_secrets(f"model {spec.name}", spec.model_dump())
    words = ["--model", spec.name, *_pairs("-M", spec.args)]
    if spec.base_url is not None:
        words += ["--model-base-url", spec.base_url]
    return words


def _role_text(role: str, spec: ModelSpec) -> str:
    """The model of a role: its name, or a mapping with its settings."""
    _refuse_secrets(f"role {role}", spec.model_dump())
    if spec.base_url is not None:
        raise _inexpressible(f"base_url of the role {role}", spec.base_url)
    settings = dict(spec.config)
    if spec.args:
        settings["model_args"] = spec.args
    if not settings:
        return spec.name
    return _yaml_word({"model": spec.name, **settings}, f"role {role}")


def _refuse_secrets(name: str, settings: Mapping[str, Any]) -> None:
    shown = public_settings(settings)
    for setting, value in settings.items():
        if shown[setting] != value:
            raise InvalidExperiment(
                f"{name}: {setting}={shown[setting]} stands for a secret, which is not exported. Set the environment "
                "variable of the provider instead, such as OPENAI_API_KEY or OPENAI_BASE_URL."
            )


def _pairs(option: str, args: Mapping[str, Any]) -> list[str]:
    words = []
    for name, value in args.items():
        words += [option, f"{name}={_yaml_word(value, f'{option} {name}')}"]
    return words


def _yaml_word(value: Any, name: str) -> str:
    """Express a value for Inspect's command line, which reads YAML but splits strings at commas."""
    texts = [json.dumps(value, ensure_ascii=False), json.dumps(value)]
    if isinstance(value, str):
        texts.insert(0, value)  # without quotation marks, if YAML reads it as the same text
    for text in texts:
        with suppress(yaml.YAMLError, ValueError):
            if _is_read_as(value, yaml.safe_load(text)):
                return text
    raise _inexpressible(name, value)


def _is_read_as(value: Any, read: Any) -> bool:
    is_split = isinstance(read, str) and "," in read
    return type(read) is type(value) and read == value and not is_split


def _option(name: str, value: Any) -> list[str]:
    """Express an option of `inspect eval` whose value is not read as YAML."""
    option = name.replace("_", "-")
    if value is True:
        return [f"--{option}"]
    if value is False:
        return [f"--no-{option}"]
    if isinstance(value, int | float | str):
        return [f"--{option}", str(value)]
    if name == "sample_id" and isinstance(value, list) and not any("," in str(item) for item in value):
        return [f"--{option}", ",".join(map(str, value))]
    raise _inexpressible(name, value)


def _inexpressible(name: str, value: Any) -> InvalidExperiment:
    return InvalidExperiment(
        f"{name}={value} cannot be written as a command. Use `discoverybench run`, or leave the value out."
    )
