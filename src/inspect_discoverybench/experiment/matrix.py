"""The matrix of an experiment: tasks × solvers × models, minus the exclusions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from inspect_discoverybench.errors import InvalidExperiment
from inspect_discoverybench.experiment.experiment import Component, Exclusion, Experiment, ModelSpec
from inspect_discoverybench.experiment.source import Place, Source


@dataclass(frozen=True)
class MatrixCell:
    """One combination.

    Attributes:
        task: The task with all arguments.
        solver: The solver with all arguments; None for the default solver of the task.
        model: The model with all settings.
        task_place: Place of the task in the experiment file.
        solver_place: Place of the solver.
        model_place: Place of the model.
    """

    task: Component
    solver: Component | None
    model: ModelSpec
    task_place: Place
    solver_place: Place
    model_place: Place

    @property
    def labels(self) -> tuple[str, str, str]:
        """Task, solver and model with their arguments. Labels are unique within an experiment."""
        solver = "(the task's own)" if self.solver is None else label(self.solver.name, self.solver.args)
        settings = self.model.config | self.model.args
        return label(self.task.name, self.task.args), solver, label(self.model.name, settings)

    @property
    def components(self) -> tuple[Component, Component | None, ModelSpec]:
        """Task, solver and model."""
        return self.task, self.solver, self.model

    def __str__(self) -> str:
        return " · ".join(self.labels)


def matrix(experiment: Experiment, source: Source) -> list[MatrixCell]:
    """Combine tasks, solvers and models, in the order of the file.

    Args:
        experiment: The experiment.
        source: The experiment file, for line numbers in error messages.

    Raises:
        InvalidExperiment: Two cells are equal, an exclusion matches nothing, or no cell is left.
    """
    defaults = experiment.defaults
    sandbox = {} if experiment.sandbox is None else {"sandbox": experiment.sandbox}
    tasks = [(_with_args(task, sandbox | defaults.tasks), ("tasks", n)) for n, task in enumerate(experiment.tasks)]
    solvers: Sequence[tuple[Component | None, Place]] = [
        (_with_args(solver, defaults.solvers), ("solvers", n)) for n, solver in enumerate(experiment.solvers)
    ] or [(None, ())]
    models = [
        (model.model_copy(update={"config": defaults.models | model.config}), ("models", n))
        for n, model in enumerate(experiment.models)
    ]
    cells = [
        MatrixCell(task, solver, model, task_place, solver_place, model_place)
        for (task, task_place), (solver, solver_place), (model, model_place) in product(tasks, solvers, models)
    ]
    _reject_duplicates(cells, source)
    for number, exclusion in enumerate(experiment.exclude):
        if not any(_matches(cell, exclusion) for cell in cells):
            names = ", ".join(f"{key}={value}" for key, value in exclusion.model_dump(exclude_none=True).items())
            place = source.where(("exclude", number))
            raise InvalidExperiment(f"{place}: exclude {names} matches no run. Check the name, or remove the line.")
    remaining = [cell for cell in cells if not any(_matches(cell, exclusion) for exclusion in experiment.exclude)]
    if not remaining:
        place = source.where(("exclude",))
        raise InvalidExperiment(f"{place}: the matrix is empty because every run is excluded. Exclude fewer.")
    return remaining


def label(name: str, args: Mapping[str, Any]) -> str:
    """Format a name with its arguments."""
    values = ", ".join(f"{key}={value}" for key, value in args.items())
    return f"{name}({values})" if values else name


def _reject_duplicates(cells: Sequence[MatrixCell], source: Source) -> None:
    """Inspect distinguishes runs by task, solver and model, but ignores the `base_url` of a model."""
    seen: list[tuple[Component, Component | None, ModelSpec]] = []
    for cell in cells:
        identity = (cell.task, cell.solver, cell.model.model_copy(update={"base_url": None}))
        if identity in seen:
            raise InvalidExperiment(
                f"{source.where(cell.model_place)}: {cell} is in the matrix twice. Remove one. "
                "A different base_url does not make a different run."
            )
        seen.append(identity)


def _with_args(component: Component, defaults: dict[str, object]) -> Component:
    return component.model_copy(update={"args": defaults | component.args})


def _matches(cell: MatrixCell, exclusion: Exclusion) -> bool:
    solver = None if cell.solver is None else cell.solver.name
    return all(
        pattern in (None, name)
        for pattern, name in (
            (exclusion.task, cell.task.name),
            (exclusion.solver, solver),
            (exclusion.model, cell.model.name),
        )
    )
