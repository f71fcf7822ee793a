"""Export of runs: as commands, and as a spec for inspect-flow."""

import inspect
import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import yaml
from inspect_ai import eval as inspect_eval
from inspect_ai.model import GenerateConfig

from inspect_discoverybench.errors.exceptions import InvalidArgument, InvalidExperiment
from inspect_discoverybench.errors.redaction import hide_keys
from inspect_discoverybench.experiment.definition import Component, Experiment, Limits, ModelSpec
from inspect_discoverybench.experiment.run import MatrixCell

FLAGS = {
    *("--continue-on-fail", "--fail-on-error", "--no-fail-on-error", "--score-on-error", "--no-score"),
    *("--log-shared", "--no-log-samples", "--no-sandbox-cleanup", "--sample-shuffle"),
}
"""Options of `inspect eval` that take no value."""


def flow(experiment: Experiment, cells: Sequence[MatrixCell]) -> str:
    """Write the experiment as a spec for `flow run` of inspect-flow."""
    options = {**experiment.options, **experiment.arguments}
    # inspect-flow takes these per task, and all other arguments of `eval_set` for the whole set.
    config = _taken(options, GenerateConfig.model_fields)
    limits = {str(field.serialization_alias) for field in Limits.model_fields.values()} - {"limit"}
    per_task = _taken(options, {*limits, "epochs", "sample_id", "turn_limit"})
    roles = {role: _model(spec) for role, spec in experiment.all_roles.items()}
    tasks = [
        _without_empty(
            {
                **_component(cell.task),
                "solver": cell.solver and _component(cell.solver),
                "model": _model(cell.model),
                "model_roles": roles,
                "config": config,
                **per_task,
            }
        )
        for cell in cells
    ]
    spec = {"log_dir": experiment.log_dir, "execution_type": "inproc", "options": options, "tasks": tasks}
    return yaml.safe_dump(spec, sort_keys=False, allow_unicode=True)


def command(experiment: Experiment, cell: MatrixCell) -> str:
    """Write one run as a shell command.

    Raises:
        InvalidExperiment: A value cannot be expressed on Inspect's command line.
    """
    values = {**cell.model.config, **experiment.options, **experiment.arguments}
    tags, metadata = values.pop("tags"), values.pop("metadata")
    if any("," in tag for tag in tags):
        raise _inexpressible("tags", tags)
    words = ["inspect", "eval", cell.task.name, *_pairs("-T", cell.task.args)]
    if cell.solver is not None:
        words += ["--solver", cell.solver.name, *_pairs("-S", cell.solver.args)]
    words += ["--model", cell.model.name, *_pairs("-M", _exported_args(cell.model))]
    words += ["--model-base-url", cell.model.base_url] if cell.model.base_url else []
    for role, spec in experiment.all_roles.items():
        if spec.base_url is not None:
            raise _inexpressible(f"base_url of the role {role}", spec.base_url)
        settings = _without_empty({**spec.config, "model_args": _exported_args(spec)})
        text = _yaml_word({"model": spec.name, **settings}, f"role {role}") if settings else spec.name
        words += ["--model-role", f"{role}={text}"]
    words += [word for name, value in values.items() for word in _option(name, value)]
    words += ["--tags", ",".join(tags), *_pairs("--metadata", metadata), "--log-dir", experiment.log_dir]
    return shlex.join(words)


def _taken(values: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Remove the values with these names."""
    return {name: values.pop(name) for name in names if name in values}


def _component(component: Component) -> dict[str, Any]:
    return _without_empty({"name": component.name, "args": component.args})


def _model(spec: ModelSpec) -> dict[str, Any]:
    return _without_empty(
        {"name": spec.name, "base_url": spec.base_url, "config": spec.config, "model_args": _exported_args(spec)}
    )


def _exported_args(spec: ModelSpec) -> dict[str, Any]:
    if (hidden := hide_keys(spec.args)) != spec.args:
        raise InvalidExperiment(
            f"model {spec.name}: {hidden} has a key, which is not exported. Set the environment variable of the "
            "provider instead, such as OPENAI_API_KEY."
        )
    return spec.args


def _without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in (None, {}, [])}


def _pairs(option: str, args: Mapping[str, Any]) -> list[str]:
    return [word for key, value in args.items() for word in (option, f"{key}={_yaml_word(value, f'{option} {key}')}")]


def _yaml_word(value: Any, name: str) -> str:
    """Express a value for Inspect's command line, which reads YAML but splits strings at commas."""
    plain = [value] if isinstance(value, str) else []
    for text in (*plain, json.dumps(value, ensure_ascii=False), json.dumps(value)):
        with suppress(yaml.YAMLError, ValueError):
            read = yaml.safe_load(text)
            if type(read) is type(value) and read == value and not (isinstance(read, str) and "," in read):
                return text
    raise _inexpressible(name, value)


def _option(name: str, value: Any) -> list[str]:
    """Express an option of `inspect eval` whose value is not read as YAML."""
    option = f"--{name.replace('_', '-')}"
    if name in inspect.signature(inspect_eval).parameters or name in GenerateConfig.model_fields:
        flag = option if value else option.replace("--", "--no-", 1)
        if isinstance(value, bool) and flag in FLAGS:
            return [flag]
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            return [option, str(value)]
        if name == "sample_id" and isinstance(value, list) and not any("," in str(item) for item in value):
            return [option, ",".join(map(str, value))]
    raise _inexpressible(name, value)


def _inexpressible(name: str, value: Any) -> InvalidExperiment:
    return InvalidExperiment(f"{name}={value} cannot be written as a command. Use --print flow.")


def array_script(
    name: str,
    command: Sequence[str],
    count: int,
    container: str | None = None,
    sbatch: Sequence[str] = (),
    **options: str | None,
) -> str:
    """Write the batch script.

    Slurm's array indices run from 1 to N, as shards do. A task that is killed with its node is started again by Slurm
    and continues with the missing samples.

    The arguments are those of `discoverybench run --print slurm`; `command` is without a shard. Other options are those
    of sbatch by name, such as `time`; None for the cluster's default.

    Raises:
        InvalidArgument: A value has a line break, or the container command has unbalanced quotes.
    """
    given = [f"{key}={value}" for key, value in options.items() if value is not None]
    directives = [f"job-name={name}", f"array=1-{count}", "requeue", "open-mode=append", *given, *sbatch]
    try:
        words = [*shlex.split(container or ""), *command]
    except ValueError as error:
        raise InvalidArgument(f"--container has unbalanced quotes, got {container}.") from error
    for value in (*directives, *words):
        if "\n" in value or "\r" in value:
            raise InvalidArgument(f"A batch script cannot have a line break in a value, got {value!r}.")
    # In directives, sbatch treats a backslash as an escape character even inside quotes.
    escaped = [re.sub(r"([^\w@%+=:,./-])", r"\\\1", directive) for directive in directives]
    lines = [f"#SBATCH --{directive}" for directive in escaped]
    return "\n".join(["#!/bin/bash", *lines, f'exec {shlex.join(words)} --shard "$SLURM_ARRAY_TASK_ID/{count}"', ""])
