"""Running an experiment: its matrix becomes one call of Inspect's `eval_set`, with the prices of its models."""

import inspect
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from inspect_ai import Task, eval_set, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model, ModelCost, ModelInfo, get_model, get_model_info, set_model_info
from inspect_ai.util import registry_create
from pydantic import TypeAdapter, ValidationError

from inspect_discoverybench.discovery import DEFAULT_JUDGE_KEY
from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.provider_failures import inspect_errors, one_line
from inspect_discoverybench.errors.redaction import hide_keys
from inspect_discoverybench.experiment.definition import Component, Exclusion, Experiment, ModelSpec
from inspect_discoverybench.experiment.experiment_source import (
    Source,
    eval_set_options,
    load,
    read_yaml,
    reason_of_error,
)
from inspect_discoverybench.scorer.judge import INHERITED

Prices = Mapping[str, ModelCost]
"""US dollars per million tokens, by model name."""


@dataclass(frozen=True)
class MatrixCell:
    """One combination, with all arguments and settings, and the positions of its parts in the experiment file.

    Without a solver, the task uses its own.
    """

    task: Component
    solver: Component | None
    model: ModelSpec
    numbers: tuple[int, int, int] = (0, 0, 0)

    @property
    def labels(self) -> tuple[str, str, str]:
        """Task, solver and model with their arguments. Labels are unique within an experiment."""
        solver = "(the task's own)" if self.solver is None else _label(self.solver.name, self.solver.args)
        settings = self.model.config | hide_keys(self.model.args)
        return _label(self.task.name, self.task.args), solver, _label(self.model.name, settings)

    def matches(self, exclusion: Exclusion) -> bool:
        """Whether all names of an exclusion are those of the cell."""
        names = {"task": self.task.name, "solver": self.solver and self.solver.name, "model": self.model.name}
        return exclusion.model_dump(exclude_none=True).items() <= names.items()


def matrix(experiment: Experiment, source: Source) -> list[MatrixCell]:
    """Combine tasks, solvers and models, in the order of the file.

    Raises:
        InvalidExperiment: Two cells are equal, an exclusion matches nothing, or no cell is left.
    """
    defaults = experiment.defaults
    sandbox = {} if experiment.sandbox is None else {"sandbox": experiment.sandbox}
    tasks = [task.model_copy(update={"args": sandbox | defaults.tasks | task.args}) for task in experiment.tasks]
    solvers = [solver.model_copy(update={"args": defaults.solvers | solver.args}) for solver in experiment.solvers]
    models = [model.model_copy(update={"config": defaults.models | model.config}) for model in experiment.models]
    parts = (enumerate(tasks), enumerate(solvers or [None]), enumerate(models))
    cells = [
        MatrixCell(task, solver, model, numbers=(t, s, m)) for (t, task), (s, solver), (m, model) in product(*parts)
    ]
    counts = Counter(cell.labels for cell in cells)
    for cell in cells:
        if counts[cell.labels] > 1:  # Inspect ignores the `base_url` of a model
            raise InvalidExperiment(
                f"{source.where('models', cell.numbers[2])}: {' · '.join(cell.labels)} is in the matrix twice. Remove "
                "one. A different base_url does not make a different run."
            )
    for number, exclusion in enumerate(experiment.exclude):
        if not any(cell.matches(exclusion) for cell in cells):
            names = ", ".join(f"{key}={value}" for key, value in exclusion.model_dump(exclude_none=True).items())
            where = source.where("exclude", number)
            raise InvalidExperiment(f"{where}: exclude {names} matches no run. Check the name, or remove the line.")
    remaining = [cell for cell in cells if not any(map(cell.matches, experiment.exclude))]
    if not remaining:
        where = source.where("exclude")
        raise InvalidExperiment(f"{where}: the matrix is empty because every run is excluded. Exclude fewer.")
    return remaining


def _label(name: str, args: Mapping[str, Any]) -> str:
    values = ", ".join(f"{key}={value}" for key, value in args.items())
    return f"{name}({values})" if values else name


@dataclass(frozen=True)
class ExperimentPlan:
    """An experiment, ready to run: each cell with its task, solver and model, and the other arguments of `eval_set`."""

    experiment: Experiment
    source: Source
    runs: tuple[tuple[MatrixCell, Task], ...]
    arguments: Mapping[str, Any]

    def dry_run(self) -> list[EvalLog]:
        """Let Inspect resolve every run without running samples.

        Returns:
            One log per run. It has the effective settings and the ids of the samples that would run.
        """
        accepted = inspect.signature(inspect_eval).parameters.keys() | GenerateConfig.model_fields.keys()
        # These have side effects outside the log directory, or no effect without samples.
        ignored = {"notification", "acp_server", "display", "trace", "eval_set_id"}
        arguments = {name: value for name, value in self.arguments.items() if name in accepted - ignored}
        with TemporaryDirectory() as folder, inspect_errors(InvalidExperiment, str(self.source.path)):
            arguments |= {"log_dir": folder, "log_realtime": False, "ctl_server": False}
            logs = inspect_eval([task for _, task in self.runs], **arguments, run_samples=False)
            # Without samples, which Inspect would try to read from the folder when it no longer exists.
            return [log.model_copy(update={"samples": None, "reductions": None}) for log in logs]

    def run(self, retries: int | None = None) -> tuple[bool, list[EvalLog]]:
        """Run the samples that are missing in the log directory, with this many retries of a failed run.

        Returns:
            Whether every run is complete, and the headers of the logs.
        """
        given = {} if retries is None else {"retry_attempts": retries}
        with inspect_errors(InvalidExperiment, str(self.source.path)):
            return eval_set([task for _, task in self.runs], **{**self.arguments, **given})


def plan_experiment(path: Path, changes: Sequence[str] = (), price_file: Path | None = None) -> ExperimentPlan:
    """Read an experiment file with changes of the form `a.b=c`, and build every run without starting it.

    Raises:
        InvalidExperiment: The file is invalid, a name is not registered, or a model cannot be called.
    """
    experiment, source = load(path, changes)
    cells = matrix(experiment, source)
    options = eval_set_options(experiment.options, source)
    prices = read_prices(options.pop("model_cost_config", None), price_file)
    # Set on the evaluated models, from which the judge inherits them. Their configs lack settings of `eval_set`.
    timeouts = {name: options[name] for name in INHERITED if name in options}
    models = {
        cell.numbers[2]: _build_model(cell.model, source.where("models", cell.numbers[2]), timeouts) for cell in cells
    }
    roles = {
        role: _build_model(spec, source.where(*(["grader"] if spec is experiment.grader else ["roles", role])), {})
        for role, spec in experiment.all_roles.items()
    }
    runs = tuple((cell, _build_task(cell, models[cell.numbers[2]], source)) for cell in cells)
    all_models = [*models.values(), *roles.values()]
    if "grader" not in roles:
        with inspect_errors(
            InvalidExperiment,
            f"{source.where()}: the default judge cannot be called. Name one, such as grader: PROVIDER/MODEL",
        ):
            names = {str(name) for _, task in runs if (name := (task.metadata or {}).get(DEFAULT_JUDGE_KEY))}
            # inspect-evals-lint: ignore[IEBP001] -- checked before any run
            all_models += [get_model(name) for name in sorted(names)]
    register_prices(all_models, prices)
    unpriced = sorted({str(model) for model in all_models} - prices.keys())
    if experiment.limits.cost is not None and unpriced:
        raise InvalidExperiment(
            f"{source.where('limits', 'cost')}: limits.cost requires a price for every model, but there is none "
            f"for {', '.join(unpriced)}. Add it with --model-cost-config FILE, or use limits.tokens."
        )
    arguments = {
        # Write every finished sample to the log immediately, so that a killed process loses none.
        "log_buffer": 1,
        **options,
        **experiment.arguments,
        "log_dir": experiment.log_dir,
        "model_roles": roles,
    }
    return ExperimentPlan(experiment, source, runs, arguments)


def dry_run(*file: Any) -> list[EvalLog]:
    """Dry-run the experiment with these arguments of `plan_experiment`: one log per run, without samples."""
    return plan_experiment(*file).dry_run()


def dry_run_in_subprocess(*file: Any) -> list[EvalLog]:
    """Dry-run an experiment in a separate process.

    Inspect keeps the display of the first `eval` in a process, and a dry run has no display.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(dry_run, *file).result()


def _build_task(cell: MatrixCell, model: Model, source: Source) -> Task:
    task_number, solver_number, _ = cell.numbers
    task: Task = _create("task", cell.task, source.where("tasks", task_number))
    metadata = {**(task.metadata or {}), "run": dict(zip(("task", "solver", "model"), cell.labels, strict=True))}
    changes: dict[str, Any] = {"model": model}
    if cell.solver is not None:
        # Recorded here because `eval.solver` of the log is empty for a solver that is part of the task.
        metadata |= {"solver": cell.solver.name, "solver_args": cell.solver.args}
        changes["solver"] = _create("solver", cell.solver, source.where("solvers", solver_number))
    return task_with(task, metadata=metadata, **changes)


def _create(kind: Literal["task", "solver"], component: Component, where: str) -> Any:
    with inspect_errors(InvalidExperiment, f"{where}: {kind} {component.name}"):
        return registry_create(kind, component.name, **component.args)


def _build_model(spec: ModelSpec, where: str, settings: Mapping[str, Any]) -> Model:
    try:
        config = GenerateConfig.model_validate({**spec.config, **settings})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InvalidExperiment(f"{where}: model {spec.name}: config.{place}: {reason_of_error(first)}") from error
    with inspect_errors(InvalidExperiment, f"{where}: model {spec.name} cannot be called"):
        return get_model(  # inspect-evals-lint: ignore[IEBP001] -- an experiment names its models
            spec.name, base_url=spec.base_url, config=config, **spec.args
        )


def read_prices(*sources: str | Path | Prices | None) -> Prices:
    """Merge the prices of this package, of the file in `INSPECT_EVAL_MODEL_COST_CONFIG` and of files or tables.

    Later ones take precedence.

    Raises:
        InvalidExperiment: A file cannot be read or is not in Inspect's format.
    """
    prices = _read(Path(__file__).with_name("prices.yaml"))
    for source in (os.environ.get("INSPECT_EVAL_MODEL_COST_CONFIG"), *sources):
        prices = {**prices, **(source if isinstance(source, Mapping) else _read(Path(source)) if source else {})}
    return prices


def register_prices(models: Iterable[str | Model], prices: Prices) -> None:
    """Make Inspect record costs for these models.

    Inspect's `model_cost_config` rejects models that it does not list, so the prices are set as model information.
    """
    for model in models:
        if str(model) in prices:
            info = get_model_info(model) or ModelInfo()
            set_model_info(str(model), info.model_copy(update={"cost": prices[str(model)]}))


def _read(path: Path) -> Prices:
    try:
        return TypeAdapter(dict[str, ModelCost]).validate_python(read_yaml(path))
    except (InvalidExperiment, ValidationError) as error:
        raise InvalidExperiment(
            f"The price file {path} cannot be read ({one_line(error)}). Expected for each model: "
            "PROVIDER/MODEL: {input: 2.5, output: 10, input_cache_write: 2.5, input_cache_read: 1.25}."
        ) from error
