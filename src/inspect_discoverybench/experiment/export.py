"""Export of runs: as commands, as files for `inspect eval --run-config`, and as a spec for inspect-flow."""

import inspect
import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import yaml
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalConfig, EvalLog
from inspect_ai.model import GenerateConfig

from inspect_discoverybench.errors import InvalidExperiment
from inspect_discoverybench.experiment.experiment import Experiment, ModelSpec
from inspect_discoverybench.experiment.matrix import MatrixCell

USE_RUN_CONFIG = "Use --print run-config."

FLAGS = {
    "--continue-on-fail",
    "--fail-on-error",
    "--fail-on-refusal",
    "--internal-tools",
    "--log-model-api",
    "--log-refusals",
    "--log-shared",
    "--logprobs",
    "--no-fail-on-error",
    "--no-fail-on-refusal",
    "--no-internal-tools",
    "--no-log-images",
    "--no-log-model-api",
    "--no-log-realtime",
    "--no-log-refusals",
    "--no-log-samples",
    "--no-parallel-tool-calls",
    "--no-sandbox-cleanup",
    "--no-score",
    "--no-score-display",
    "--parallel-tool-calls",
    "--sample-shuffle",
    "--sandbox-prebuilt",
    "--score-on-error",
}
"""Options of `inspect eval` that take no value."""


def run_config(experiment: Experiment, cell: MatrixCell, dry_run: EvalLog) -> dict[str, Any]:
    """Express one run in the format of `inspect eval --run-config`.

    Args:
        experiment: The experiment.
        cell: The run.
        dry_run: Its dry run, which has the limits as Inspect parses them.

    Raises:
        InvalidExperiment: The format does not support one of the experiment's options.
    """
    options = dict(experiment.options)
    config: dict[str, Any] = {
        **_limits(experiment),
        **{key: options.pop(key) for key in list(options) if key in EvalConfig.model_fields},
    }
    if experiment.limits.tokens is not None:
        effective = dry_run.eval.config
        config |= {"token_limit": effective.token_limit, "token_limit_type": effective.token_limit_type}
    settings = {
        "max_connections": experiment.max_connections,
        **{key: options.pop(key) for key in list(options) if key in GenerateConfig.model_fields},
    }
    sandbox, metadata = options.pop("sandbox", None), options.pop("metadata", None)
    _reject(options, "a run config")
    return _without_empty(
        {
            "task": _without_empty({"task": cell.task.name, "args": cell.task.args}),
            "solver": cell.solver and _without_empty({"solver": cell.solver.name, "args": cell.solver.args}),
            "model": _model(cell.model),
            "model_roles": {role: _model(spec) for role, spec in _role_specs(experiment).items()},
            "generate_config": _without_empty(settings),
            "eval_config": _without_empty(config),
            "sandbox": sandbox,
            "tags": _tags(experiment),
            "metadata": {**(metadata or {}), "experiment": experiment.name},
        }
    )


def as_yaml(experiment: Experiment, cell: MatrixCell, dry_run: EvalLog) -> str:
    """Write one run as the text of a run config."""
    return yaml.safe_dump(run_config(experiment, cell, dry_run), sort_keys=False, allow_unicode=True)


def command(experiment: Experiment, cell: MatrixCell) -> str:
    """Write one run as a shell command.

    Raises:
        InvalidExperiment: A value cannot be expressed on Inspect's command line.
    """
    words = ["inspect", "eval", cell.task.name, *_pairs("-T", cell.task.args)]
    if cell.solver is not None:
        words += ["--solver", cell.solver.name, *_pairs("-S", cell.solver.args)]
    words += ["--model", cell.model.name, *_pairs("-M", cell.model.args)]
    if cell.model.base_url is not None:
        words += ["--model-base-url", cell.model.base_url]
    for role, spec in _role_specs(experiment).items():
        words += ["--model-role", f"{role}={_role(role, spec)}"]
    options = dict(experiment.options)
    metadata = {**(options.pop("metadata", None) or {}), "experiment": experiment.name}
    _reject({key: value for key, value in options.items() if not _is_eval_argument(key)}, "inspect eval")
    connections = _without_empty({"max_connections": experiment.max_connections})
    settings = {**cell.model.config, **connections, **_limits(experiment), **options}
    for key, value in settings.items():
        words += _option(key, value)
    tags = _tags(experiment)
    if any("," in tag for tag in tags):
        raise InvalidExperiment(f"tags {tags}: a comma separates tags on the command line. {USE_RUN_CONFIG}")
    words += ["--tags", ",".join(tags), *_pairs("--metadata", metadata), "--log-dir", experiment.log_dir]
    return shlex.join(words)


def flow(experiment: Experiment, cells: Sequence[MatrixCell]) -> str:
    """Write the experiment as a spec for `flow run` of inspect-flow."""
    roles = {role: _flow_model(spec) for role, spec in _role_specs(experiment).items()}
    options = dict(experiment.options)
    # inspect-flow takes these per task, and all other arguments of `eval_set` for the whole set.
    settings = {key: options.pop(key) for key in list(options) if key in GenerateConfig.model_fields}
    per_task: dict[str, Any] = {key: options.pop(key) for key in ("sample_id", "turn_limit") if key in options}
    limits = _limits(experiment)
    limit = limits.pop("limit", None)
    tasks = [
        _without_empty(
            {
                "name": cell.task.name,
                "args": cell.task.args,
                "solver": cell.solver and _without_empty({"name": cell.solver.name, "args": cell.solver.args}),
                "model": _flow_model(cell.model),
                "model_roles": roles,
                "config": _without_empty({"max_connections": experiment.max_connections, **settings}),
                **limits,
                **per_task,
            }
        )
        for cell in cells
    ]
    metadata = {**(options.pop("metadata", None) or {}), "experiment": experiment.name}
    spec = {
        "log_dir": experiment.log_dir,
        "execution_type": "inproc",
        "options": _without_empty({"limit": limit, "tags": _tags(experiment), "metadata": metadata, **options}),
        "tasks": tasks,
    }
    return yaml.safe_dump(spec, sort_keys=False, allow_unicode=True)


def _limits(experiment: Experiment) -> dict[str, Any]:
    limits = experiment.limits
    return _without_empty(
        {
            "limit": limits.samples,
            "epochs": experiment.epochs if experiment.epochs > 1 else None,
            "message_limit": limits.messages,
            "token_limit": limits.tokens,
            "time_limit": limits.time,
            "working_limit": limits.working,
            "cost_limit": limits.cost,
        }
    )


def _reject(options: Mapping[str, Any], target: str) -> None:
    if options:
        names = ", ".join(f"options.{name}" for name in options)
        raise InvalidExperiment(f"{names}: not supported by {target}. Remove it, or use --print flow.")


def _is_eval_argument(name: str) -> bool:
    return name in inspect.signature(inspect_eval).parameters or name in GenerateConfig.model_fields


def _role_specs(experiment: Experiment) -> dict[str, ModelSpec]:
    return {**experiment.roles, **({"grader": experiment.grader} if experiment.grader else {})}


def _tags(experiment: Experiment) -> list[str]:
    return [experiment.name, *experiment.tags]


def _model(spec: ModelSpec) -> dict[str, Any]:
    return _without_empty({"model": spec.name, "base_url": spec.base_url, "args": spec.args, "config": spec.config})


def _flow_model(spec: ModelSpec) -> dict[str, Any]:
    return _without_empty(
        {"name": spec.name, "base_url": spec.base_url, "config": spec.config, "model_args": spec.args}
    )


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


def _without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in (None, {}, [])}
