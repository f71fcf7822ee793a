"""Export of runs: as commands, as files for `inspect eval --run-config`, and as a spec for inspect-flow."""

import inspect
import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalConfig, EvalLog
from inspect_ai.model import GenerateConfig

from inspect_discoverybench.errors import InvalidExperiment
from inspect_discoverybench.experiment.definition import LIMIT_ARGUMENTS, Component, Experiment, ModelSpec
from inspect_discoverybench.experiment.matrix import MatrixCell

USE_RUN_CONFIG = "Use --print run-config."

FLAGS = {
    "--continue-on-fail",
    "--fail-on-error",
    "--log-shared",
    "--no-fail-on-error",
    "--no-log-samples",
    "--no-sandbox-cleanup",
    "--no-score",
    "--sample-shuffle",
    "--score-on-error",
}
"""Options of `inspect eval` that take no value. Other options with a boolean are exported as a run config only."""


def run_config(experiment: Experiment, cell: MatrixCell, dry_run: EvalLog) -> str:
    """Write one run in the format of `inspect eval --run-config`.

    Args:
        experiment: The experiment.
        cell: The run.
        dry_run: Its dry run, which has the limits as Inspect parses them.

    Raises:
        InvalidExperiment: The format does not support one of the experiment's options.
    """
    rest = {**experiment.options, **experiment.arguments}
    config = _taken(rest, EvalConfig.model_fields)
    if "token_limit" in config:
        effective = dry_run.eval.config
        config |= {"token_limit": effective.token_limit, "token_limit_type": effective.token_limit_type}
    values = {
        "task": _component(cell.task, "task"),
        "solver": cell.solver and _component(cell.solver, "solver"),
        "model": _model(cell.model, "model", "args"),
        "model_roles": {role: _model(spec, "model", "args") for role, spec in experiment.all_roles.items()},
        "generate_config": _taken(rest, GenerateConfig.model_fields),
        "eval_config": config,
        **_taken(rest, ("sandbox", "tags", "metadata")),
    }
    if rest:
        names = ", ".join(f"options.{name}" for name in rest)
        raise InvalidExperiment(f"{names}: not supported by a run config. Remove it, or use --print flow.")
    return _as_yaml(values)


def flow(experiment: Experiment, cells: Sequence[MatrixCell]) -> str:
    """Write the experiment as a spec for `flow run` of inspect-flow."""
    options = {**experiment.options, **experiment.arguments}
    # inspect-flow takes these per task, and all other arguments of `eval_set` for the whole set.
    config = _taken(options, GenerateConfig.model_fields)
    per_task = _taken(options, {*LIMIT_ARGUMENTS.values(), "epochs", "sample_id", "turn_limit"} - {"limit"})
    roles = {role: _model(spec, "name", "model_args") for role, spec in experiment.all_roles.items()}
    tasks = [
        _without_empty(
            {
                **_component(cell.task, "name"),
                "solver": cell.solver and _component(cell.solver, "name"),
                "model": _model(cell.model, "name", "model_args"),
                "model_roles": roles,
                "config": config,
                **per_task,
            }
        )
        for cell in cells
    ]
    return _as_yaml({"log_dir": experiment.log_dir, "execution_type": "inproc", "options": options, "tasks": tasks})


def command(experiment: Experiment, cell: MatrixCell) -> str:
    """Write one run as a shell command.

    Raises:
        InvalidExperiment: A value cannot be expressed on Inspect's command line.
    """
    values = {**cell.model.config, **experiment.options, **experiment.arguments}
    tags, metadata = values.pop("tags"), values.pop("metadata")
    if any("," in tag for tag in tags):
        raise InvalidExperiment(f"tags {tags}: a comma separates tags on the command line. {USE_RUN_CONFIG}")
    words = ["inspect", "eval", cell.task.name, *_pairs("-T", cell.task.args)]
    if cell.solver is not None:
        words += ["--solver", cell.solver.name, *_pairs("-S", cell.solver.args)]
    words += ["--model", cell.model.name, *_pairs("-M", cell.model.args)]
    words += ["--model-base-url", cell.model.base_url] if cell.model.base_url else []
    for role, spec in experiment.all_roles.items():
        words += ["--model-role", f"{role}={_role(role, spec)}"]
    for name, value in values.items():
        words += _option(name, value)
    words += ["--tags", ",".join(tags), *_pairs("--metadata", metadata), "--log-dir", experiment.log_dir]
    return shlex.join(words)


def _taken(values: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Remove the values with these names."""
    return {name: values.pop(name) for name in names if name in values}


def _component(component: Component, name: str) -> dict[str, Any]:
    return _without_empty({name: component.name, "args": component.args})


def _model(spec: ModelSpec, name: str, args: str) -> dict[str, Any]:
    return _without_empty({name: spec.name, "base_url": spec.base_url, "config": spec.config, args: spec.args})


def _without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in (None, {}, [])}


def _as_yaml(values: Mapping[str, Any]) -> str:
    return yaml.safe_dump(_without_empty(values), sort_keys=False, allow_unicode=True)


def _role(role: str, spec: ModelSpec) -> str:
    """Express a model for `--model-role`: as a name, or as a mapping with name and settings."""
    if spec.base_url is not None:
        raise InvalidExperiment(f"role {role}: --model-role does not support base_url. {USE_RUN_CONFIG}")
    if not spec.args and not spec.config:
        return spec.name
    values = _without_empty({"model": spec.name, **spec.config, "model_args": spec.args})
    return _yaml_word(values, f"role {role}")


def _pairs(option: str, args: Mapping[str, Any]) -> list[str]:
    return [word for key, value in args.items() for word in (option, f"{key}={_yaml_word(value, f'{option} {key}')}")]


def _yaml_word(value: Any, where: str) -> str:
    """Express a value for Inspect's command line, which reads YAML but splits strings at commas."""
    plain = [value] if isinstance(value, str) else []
    for text in (*plain, json.dumps(value, ensure_ascii=False), json.dumps(value)):
        if _reads_as(text, value):
            return text
    raise InvalidExperiment(f"{where}={value} cannot be written on the command line. {USE_RUN_CONFIG}")


def _reads_as(text: str, value: Any) -> bool:
    try:
        parsed = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return False
    return type(parsed) is type(value) and parsed == value and not (isinstance(parsed, str) and "," in parsed)


def _option(name: str, value: Any) -> list[str]:
    """Express an option of `inspect eval` whose value is not read as YAML."""
    if name not in inspect.signature(inspect_eval).parameters and name not in GenerateConfig.model_fields:
        raise InvalidExperiment(f"options.{name}: not supported by inspect eval. Remove it, or use --print flow.")
    option = f"--{name.replace('_', '-')}"
    if isinstance(value, bool):
        flag = option if value else option.replace("--", "--no-", 1)
        if flag in FLAGS:
            return [flag]
    elif isinstance(value, int | float | str):
        return [option, str(value)]
    elif name == "sample_id" and isinstance(value, list) and not any("," in str(item) for item in value):
        return [option, ",".join(map(str, value))]
    raise InvalidExperiment(f"{name}={value} cannot be written on the command line. {USE_RUN_CONFIG}")
