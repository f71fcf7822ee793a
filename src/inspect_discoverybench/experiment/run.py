"""From an experiment to a complete set of logs."""

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

from inspect_discoverybench.errors import InvalidExperiment, inspect_errors
from inspect_discoverybench.experiment.experiment import Component, Experiment, ModelSpec
from inspect_discoverybench.experiment.matrix import MatrixCell, matrix
from inspect_discoverybench.experiment.options import eval_set_options
from inspect_discoverybench.experiment.prices import Prices, read_prices, register_prices
from inspect_discoverybench.experiment.source import Place, Source
from inspect_discoverybench.scorer.judge import DEFAULT_JUDGE
from inspect_discoverybench.tasks import OFFLINE_JUDGE

# The other tasks have a judge that needs no key, or none.
DEFAULT_JUDGE_TASKS = ("real", "synth", "custom")


@dataclass(frozen=True)
class ExperimentRun:
    """One cell of the matrix, ready to run.

    Attributes:
        cell: The cell.
        task: Its task, with solver and model.
        judge: Name of the judge; None where a task has no judge or is the audit of one.
    """

    cell: MatrixCell
    task: Task
    judge: str | None


@dataclass(frozen=True)
class ExperimentPlan:
    """Everything that `eval_set` is called with.

    Attributes:
        experiment: The experiment.
        source: Its file.
        runs: One for each cell, in the order of the file.
        prices: Prices of models, whether or not the experiment uses them.
        arguments: Arguments of `eval_set`, without the tasks.
    """

    experiment: Experiment
    source: Source
    runs: tuple[ExperimentRun, ...]
    prices: Prices
    arguments: Mapping[str, Any]

    def rehearse(self) -> list[EvalLog]:
        """Let Inspect resolve every run without starting it.

        Returns:
            One log without samples for each run. It has the settings and the ids of the samples that would run.

        Raises:
            InvalidExperiment: Inspect refuses the experiment.
        """
        accepted = inspect.signature(inspect_eval).parameters.keys() | GenerateConfig.model_fields.keys()
        # These have effects outside the log directory, or none without samples.
        left_out = {"scanner", "notification", "acp_server", "display", "trace", "eval_set_id"}
        arguments = {name: value for name, value in self.arguments.items() if name in accepted - left_out}
        with TemporaryDirectory() as folder, inspect_errors(InvalidExperiment, str(self.source.path)):
            # A list and not a generator: the logs are read before the folder goes.
            return list(
                inspect_eval(
                    [run.task for run in self.runs],
                    **arguments | {"log_dir": folder, "log_realtime": False, "ctl_server": False},
                    run_samples=False,
                )
            )

    def run(self, retries: int | None = None) -> tuple[bool, list[EvalLog]]:
        """Run what is missing in the log directory.

        Args:
            retries: Maximum number of retries of a failed run; Inspect's default, or that of the options, if None.

        Returns:
            Whether every run is complete, and the headers of the logs.

        Raises:
            InvalidExperiment: Inspect refuses the experiment.
        """
        arguments = dict(self.arguments)
        if retries is not None:
            arguments["retry_attempts"] = retries
        with inspect_errors(InvalidExperiment, str(self.source.path)):
            return eval_set([run.task for run in self.runs], **arguments)


def prepare(experiment: Experiment, source: Source, price_file: Path | None = None) -> ExperimentPlan:
    """Build every run of an experiment. Nothing is started.

    Args:
        experiment: The experiment.
        source: Its file.
        price_file: Prices in the format of `--model-cost-config`, which take precedence over those of the options.

    Raises:
        InvalidExperiment: A name is not registered, an argument is invalid, or a model cannot be called.
    """
    cells = matrix(experiment, source)
    options = eval_set_options(experiment.options, source)
    if experiment.limits.samples is not None and options.get("sample_id") is not None:
        place = source.where(("options", "sample_id"))
        raise InvalidExperiment(f"{place}: options.sample_id and limits.samples exclude each other. Remove one.")
    prices = read_prices(options.pop("model_cost_config", None), price_file)
    models = {cell.model_place: _model(cell.model, source, cell.model_place) for cell in cells}
    roles = _roles(experiment, source)
    runs = tuple(_run(cell, models[cell.model_place], experiment, source) for cell in cells)
    default_judges = _default_judges(runs, experiment, source)
    register_prices([*models.values(), *roles.values(), *default_judges], prices)
    if experiment.limits.cost is not None:
        _require_prices({str(model) for model in (*models.values(), *roles.values(), *default_judges)}, prices, source)
    limits = experiment.limits
    arguments = {
        # Every finished sample is in the log at once, even if the process is killed.
        "log_buffer": 1,
        **options,
        "log_dir": experiment.log_dir,
        "model_roles": roles,
        "limit": limits.samples,
        "epochs": experiment.epochs,
        "message_limit": limits.messages,
        "token_limit": limits.tokens,
        "time_limit": limits.time,
        "cost_limit": limits.cost,
        "max_connections": experiment.max_connections,
        "tags": [experiment.name, *experiment.tags],
        "metadata": {**(options.get("metadata") or {}), "experiment": experiment.name},
    }
    return ExperimentPlan(experiment, source, runs, prices, arguments)


def named_judge(experiment: Experiment) -> str | None:
    """The judge that an experiment names."""
    spec = experiment.grader or experiment.roles.get("grader")
    return spec.name if spec else None


def _run(cell: MatrixCell, model: Model, experiment: Experiment, source: Source) -> ExperimentRun:
    task: Task = _created("task", cell.task, source.where(cell.task_place))
    task_name, solver_name, model_name = cell.labels
    # `eval.solver` of the log is empty for a solver that is part of the task.
    metadata = {**(task.metadata or {}), "run": {"task": task_name, "solver": solver_name, "model": model_name}}
    if cell.solver is None:
        task = task_with(task, model=model, metadata=metadata)
    else:
        metadata |= {"solver": cell.solver.name, "solver_args": cell.solver.args}
        solver = _created("solver", cell.solver, source.where(cell.solver_place))
        task = task_with(task, model=model, solver=solver, metadata=metadata)
    return ExperimentRun(cell, task, _judge(cell, task, experiment))


def _judge(cell: MatrixCell, task: Task, experiment: Experiment) -> str | None:
    name = cell.task.name.rpartition("/")[2]
    if task.scorer is None or name == "judge_audit":
        return None
    return named_judge(experiment) or (DEFAULT_JUDGE if name in DEFAULT_JUDGE_TASKS else OFFLINE_JUDGE)


def _roles(experiment: Experiment, source: Source) -> dict[str, Model]:
    roles = {role: _model(spec, source, ("roles", role)) for role, spec in experiment.roles.items()}
    if experiment.grader is not None:
        roles["grader"] = _model(experiment.grader, source, ("grader",))
    return roles


def _default_judges(runs: Iterable[ExperimentRun], experiment: Experiment, source: Source) -> list[Model]:
    """The judges that tasks bring themselves, because the experiment names none."""
    names = {run.judge for run in runs if run.judge} if named_judge(experiment) is None else set()
    models = []
    for name in sorted(names):
        remedy = f"{source.where(())}: the default judge cannot be called. Name one, such as grader: PROVIDER/MODEL"
        with inspect_errors(InvalidExperiment, remedy):
            models.append(get_model(name))  # inspect-evals-lint: ignore[IEBP001] -- checked before anything runs
    return models


def _require_prices(names: Iterable[str], prices: Prices, source: Source) -> None:
    missing = sorted(name for name in names if name not in prices)
    if missing:
        raise InvalidExperiment(
            f"{source.where(('limits', 'cost'))}: limits.cost needs a price for every model; there is none for "
            f"{', '.join(missing)}. Add it with --model-cost-config FILE, or limit tokens instead."
        )


def _created(kind: Literal["task", "solver"], component: Component, where: str) -> Any:
    with inspect_errors(InvalidExperiment, f"{where}: {kind} {component.name}"):
        return registry_create(kind, component.name, **component.args)


def _model(spec: ModelSpec, source: Source, place: Place) -> Model:
    where = f"{source.where(place)}: model {spec.name}"
    try:
        config = GenerateConfig.model_validate(spec.config)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(["config", *map(str, first["loc"])])
        raise InvalidExperiment(f"{where}: {key}: {first['msg'].removeprefix('Value error, ')}.") from error
    with inspect_errors(InvalidExperiment, f"{where} cannot be called"):
        return get_model(  # inspect-evals-lint: ignore[IEBP001] -- an experiment names its models
            spec.name, base_url=spec.base_url, config=config, **spec.args
        )
