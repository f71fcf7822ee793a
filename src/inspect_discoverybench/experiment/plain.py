"""An experiment in the words of others: a command of Inspect, a file for `--run-config`, a spec of inspect-flow."""

import json
import shlex
from collections.abc import Sequence
from typing import Any

import yaml

from inspect_discoverybench.errors import InvalidExperiment
from inspect_discoverybench.experiment.form import Experiment, ModelSpec
from inspect_discoverybench.experiment.matrix import Cell

INSTEAD = "use --print run-config."


def run_config(experiment: Experiment, cell: Cell) -> dict[str, Any]:
    """One run as `inspect eval --run-config` reads it."""
    limits = experiment.limits
    roles = {role: _model(spec) for role, spec in experiment.roles.items()}
    if experiment.grader is not None:
        roles["grader"] = _model(experiment.grader)
    config = {
        "limit": limits.samples,
        "epochs": experiment.epochs if experiment.epochs > 1 else None,
        "message_limit": limits.messages,
        "token_limit": limits.tokens,
        "time_limit": limits.time,
        "cost_limit": limits.cost,
    }
    return _given(
        {
            "task": _given({"task": cell.task.name, "args": cell.task.args}),
            "solver": cell.solver and _given({"solver": cell.solver.name, "args": cell.solver.args}),
            "model": _model(cell.model),
            "model_roles": roles,
            "generate_config": _given({"max_connections": experiment.max_connections}),
            "eval_config": _given(config),
            "tags": [experiment.name, *experiment.tags],
            "metadata": {"experiment": experiment.name},
        }
    )


def as_yaml(experiment: Experiment, cell: Cell) -> str:
    """One run as the text of such a file."""
    return yaml.safe_dump(run_config(experiment, cell), sort_keys=False, allow_unicode=True)


def command(experiment: Experiment, cell: Cell) -> str:
    """One run as a command for the shell.

    Raises:
        InvalidExperiment: A value would not arrive as it is; a file carries every value.
    """
    known = run_config(experiment, cell)
    words = ["inspect", "eval", cell.task.name, *_pairs("-T", cell.task.args)]
    if cell.solver is not None:
        words += ["--solver", cell.solver.name, *_pairs("-S", cell.solver.args)]
    words += ["--model", cell.model.name, *_pairs("-M", cell.model.args)]
    if cell.model.base_url is not None:
        words += ["--model-base-url", cell.model.base_url]
    for role, spec in known.get("model_roles", {}).items():
        if set(spec) - {"model", "config"}:
            raise InvalidExperiment(f"role {role}: base_url and args have no place in a command; {INSTEAD}")
        words += ["--model-role", f"{role}={json.dumps(_flat(spec)) if 'config' in spec else spec['model']}"]
    settings = cell.model.config | known.get("generate_config", {}) | known.get("eval_config", {})
    for key, value in settings.items():
        if isinstance(value, bool | list | dict):
            raise InvalidExperiment(f"{key}={value} has no place in a command; {INSTEAD}")
        words += [f"--{key.replace('_', '-')}", str(value)]
    words += ["--tags", ",".join(known["tags"]), "--metadata", f"experiment={experiment.name}"]
    return shlex.join([*words, "--log-dir", experiment.log_dir])


def flow(experiment: Experiment, cells: Sequence[Cell]) -> str:
    """The whole experiment as a spec that `flow run` of inspect-flow runs in its own process."""
    roles = experiment.roles | ({"grader": experiment.grader} if experiment.grader else {})
    tasks = []
    for cell in cells:
        known = run_config(experiment, cell)
        settings = known.get("eval_config", {})
        tasks.append(
            _given(
                {
                    "name": cell.task.name,
                    "args": cell.task.args,
                    "solver": cell.solver and _given({"name": cell.solver.name, "args": cell.solver.args}),
                    "model": _flow_model(cell.model),
                    "model_roles": {role: _flow_model(spec) for role, spec in roles.items()},
                    "config": known.get("generate_config"),
                    **{key: value for key, value in settings.items() if key != "limit"},
                }
            )
        )
    options = _given(
        {
            "limit": experiment.limits.samples,
            "tags": [experiment.name, *experiment.tags],
            "metadata": {"experiment": experiment.name},
        }
    )
    spec = {"log_dir": experiment.log_dir, "execution_type": "inproc", "options": options, "tasks": tasks}
    return yaml.safe_dump(spec, sort_keys=False, allow_unicode=True)


def _model(spec: ModelSpec) -> dict[str, Any]:
    return _given({"model": spec.name, "base_url": spec.base_url, "args": spec.args, "config": spec.config})


def _flow_model(spec: ModelSpec) -> dict[str, Any]:
    return _given({"name": spec.name, "base_url": spec.base_url, "config": spec.config, "model_args": spec.args})


def _flat(spec: dict[str, Any]) -> dict[str, Any]:
    """A role as `--model-role` takes it: its settings stand beside its name."""
    return {"model": spec["model"], **spec["config"]}


def _pairs(option: str, args: dict[str, Any]) -> list[str]:
    words = []
    for key, value in args.items():
        # Inspect reads YAML there, and takes a comma for the border between two values.
        if isinstance(value, list | dict) or (
            isinstance(value, str) and ("," in value or yaml.safe_load(value) != value)
        ):
            raise InvalidExperiment(f"{option} {key}={value} would not arrive as it is; {INSTEAD}")
        words += [option, f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
    return words


def _arrives(value: Any) -> bool:
    """Whether Inspect reads it as it is: it takes a comma for the border between two values, and the rest for YAML."""
    if not isinstance(value, str):
        return not isinstance(value, list | dict)
    try:
        return "," not in value and yaml.safe_load(value) == value
    except yaml.YAMLError:
        return False


def _given(values: dict[str, Any]) -> dict[str, Any]:
    """What says something."""
    return {key: value for key, value in values.items() if value not in (None, {}, [])}
