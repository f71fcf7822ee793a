"""Running an experiment: its matrix becomes one call of Inspect's `eval_set`."""

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from inspect_ai import Task, eval_set, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model, get_model
from inspect_ai.util import registry_create
from pydantic import ValidationError

from inspect_discoverybench.discovery import DEFAULT_JUDGE_KEY
from inspect_discoverybench.errors import InvalidExperiment, inspect_errors
from inspect_discoverybench.experiment.experiment import Component, Experiment, ModelSpec
from inspect_discoverybench.experiment.matrix import MatrixCell, matrix
from inspect_discoverybench.experiment.options import eval_set_options
from inspect_discoverybench.experiment.prices import Prices, read_prices, register_prices
from inspect_discoverybench.experiment.source import Place, Source
from inspect_discoverybench.scorer.judge import INHERITED


@dataclass(frozen=True)
class ExperimentRun:
    """One cell of the matrix, ready to run.

    Attributes:
        cell: The cell.
        task: The task with its solver and model.
        judge: Name of the judge; None if the task does not use one.
    """

    cell: MatrixCell
    task: Task
    judge: str | None


@dataclass(frozen=True)
class ExperimentPlan:
    """An experiment, ready to run.

    Attributes:
        experiment: The experiment.
        source: The experiment file.
        runs: One run per cell, in the order of the file.
        prices: Prices of all models with a known price.
        arguments: Arguments of `eval_set`, except the tasks.
    """

    experiment: Experiment
    source: Source
    runs: tuple[ExperimentRun, ...]
    prices: Prices
    arguments: Mapping[str, Any]

    def dry_run(self) -> list[EvalLog]:
        """Let Inspect resolve every run without running samples.

        Returns:
            One log per run. It has the effective settings and the ids of the samples that would run.

        Raises:
            InvalidExperiment: Inspect rejects the experiment.
        """
        accepted = inspect.signature(inspect_eval).parameters.keys() | GenerateConfig.model_fields.keys()
        # These have side effects outside the log directory, or no effect without samples.
        ignored = {"scanner", "notification", "acp_server", "display", "trace", "eval_set_id"}
        arguments = {name: value for name, value in self.arguments.items() if name in accepted - ignored}
        with TemporaryDirectory() as folder, inspect_errors(InvalidExperiment, str(self.source.path)):
            # A list, so that the logs are read before the folder is deleted.
            return list(
                inspect_eval(
                    [run.task for run in self.runs],
                    **arguments | {"log_dir": folder, "log_realtime": False, "ctl_server": False},
                    run_samples=False,
                )
            )

    def run(self, retries: int | None = None) -> tuple[bool, list[EvalLog]]:
        """Run the samples that are missing in the log directory.

        Args:
            retries: Maximum number of retries of a failed run. By default that of `options`, or Inspect's.

        Returns:
            Whether every run is complete, and the headers of the logs.

        Raises:
            InvalidExperiment: Inspect rejects the experiment.
        """
        arguments = dict(self.arguments)
        if retries is not None:
            arguments["retry_attempts"] = retries
        with inspect_errors(InvalidExperiment, str(self.source.path)):
            return eval_set([run.task for run in self.runs], **arguments)


def prepare(experiment: Experiment, source: Source, price_file: Path | None = None) -> ExperimentPlan:
    """Build every run of an experiment without starting it.

    Args:
        experiment: The experiment.
        source: The experiment file.
        price_file: File in the format of `--model-cost-config`. It takes precedence over the prices of `options`.

    Raises:
        InvalidExperiment: A name is not registered, an argument is invalid, or a model cannot be called.
    """
    cells = matrix(experiment, source)
    options = eval_set_options(experiment.options, source)
    if experiment.limits.samples is not None and options.get("sample_id") is not None:
        where = source.where(("options", "sample_id"))
        raise InvalidExperiment(f"{where}: options.sample_id and limits.samples are mutually exclusive. Remove one.")
    prices = read_prices(options.pop("model_cost_config", None), price_file)
    # Set on the evaluated models, from which the judge inherits them. Their configs lack settings of `eval_set`.
    timeouts = {name: options[name] for name in INHERITED if name in options}
    models = {cell.model_place: _build_model(cell.model, source, cell.model_place, timeouts) for cell in cells}
    roles = _build_roles(experiment, source)
    runs = tuple(_build_run(cell, models[cell.model_place], experiment, source) for cell in cells)
    all_models = [*models.values(), *roles.values(), *_default_judges(runs, experiment, source)]
    register_prices(all_models, prices)
    if experiment.limits.cost is not None:
        _require_prices({str(model) for model in all_models}, prices, source)
    return ExperimentPlan(experiment, source, runs, prices, _eval_set_arguments(experiment, options, roles))


def _eval_set_arguments(
    experiment: Experiment, options: Mapping[str, Any], roles: Mapping[str, Model]
) -> dict[str, Any]:
    limits = experiment.limits
    return {
        # Write every finished sample to the log immediately, so that a killed process loses none.
        "log_buffer": 1,
        **options,
        "log_dir": experiment.log_dir,
        "model_roles": roles,
        "limit": limits.samples,
        "epochs": experiment.epochs,
        "message_limit": limits.messages,
        "token_limit": limits.tokens,
        "time_limit": limits.time,
        "working_limit": limits.working,
        "cost_limit": limits.cost,
        "max_connections": experiment.max_connections,
        "tags": [experiment.name, *experiment.tags],
        "metadata": {**(options.get("metadata") or {}), "experiment": experiment.name},
    }


def _build_run(cell: MatrixCell, model: Model, experiment: Experiment, source: Source) -> ExperimentRun:
    task: Task = _create("task", cell.task, source.where(cell.task_place))
    task_name, solver_name, model_name = cell.labels
    metadata = {**(task.metadata or {}), "run": {"task": task_name, "solver": solver_name, "model": model_name}}
    if cell.solver is None:
        task = task_with(task, model=model, metadata=metadata)
    else:
        # Recorded here because `eval.solver` of the log is empty for a solver that is part of the task.
        metadata |= {"solver": cell.solver.name, "solver_args": cell.solver.args}
        solver = _create("solver", cell.solver, source.where(cell.solver_place))
        task = task_with(task, model=model, solver=solver, metadata=metadata)
    return ExperimentRun(cell, task, _judge_name(task, experiment))


def _judge_name(task: Task, experiment: Experiment) -> str | None:
    default = (task.metadata or {}).get(DEFAULT_JUDGE_KEY)
    return None if default is None else _experiment_judge(experiment) or default


def _experiment_judge(experiment: Experiment) -> str | None:
    """The judge that the experiment file names."""
    spec = experiment.grader or experiment.roles.get("grader")
    return spec.name if spec else None


def _build_roles(experiment: Experiment, source: Source) -> dict[str, Model]:
    roles = {role: _build_model(spec, source, ("roles", role)) for role, spec in experiment.roles.items()}
    if experiment.grader is not None:
        roles["grader"] = _build_model(experiment.grader, source, ("grader",))
    return roles


def _default_judges(runs: Iterable[ExperimentRun], experiment: Experiment, source: Source) -> list[Model]:
    """The default judges of the tasks, if the experiment file names no judge."""
    if _experiment_judge(experiment) is not None:
        return []
    message = f"{source.where(())}: the default judge cannot be called. Name one, such as grader: PROVIDER/MODEL"
    with inspect_errors(InvalidExperiment, message):
        names = sorted({run.judge for run in runs if run.judge})
        return [get_model(name) for name in names]  # inspect-evals-lint: ignore[IEBP001] -- checked before any run


def _require_prices(names: Iterable[str], prices: Prices, source: Source) -> None:
    missing = sorted(name for name in names if name not in prices)
    if missing:
        raise InvalidExperiment(
            f"{source.where(('limits', 'cost'))}: limits.cost requires a price for every model, but there is none for "
            f"{', '.join(missing)}. Add it with --model-cost-config FILE, or use limits.tokens."
        )


def _create(kind: Literal["task", "solver"], component: Component, where: str) -> Any:
    with inspect_errors(InvalidExperiment, f"{where}: {kind} {component.name}"):
        return registry_create(kind, component.name, **component.args)


def _build_model(spec: ModelSpec, source: Source, place: Place, settings: Mapping[str, Any] | None = None) -> Model:
    where = f"{source.where(place)}: model {spec.name}"
    try:
        config = GenerateConfig.model_validate({**spec.config, **(settings or {})})
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(["config", *map(str, first["loc"])])
        raise InvalidExperiment(f"{where}: {key}: {first['msg'].removeprefix('Value error, ')}.") from error
    with inspect_errors(InvalidExperiment, f"{where} cannot be called"):
        return get_model(  # inspect-evals-lint: ignore[IEBP001] -- an experiment names its models
            spec.name, base_url=spec.base_url, config=config, **spec.args
        )
