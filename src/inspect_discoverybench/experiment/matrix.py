"""The matrix of an experiment: tasks × solvers × models, minus the exclusions."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from inspect_discoverybench.errors import InvalidExperiment
from inspect_discoverybench.experiment.definition import Component, Exclusion, Experiment, ModelSpec
from inspect_discoverybench.experiment.experiment_source import Source


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
        settings = self.model.config | self.model.args
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
            where, name = source.where("models", cell.numbers[2]), " · ".join(cell.labels)
            remedy = "Remove one. A different base_url does not make a different run."
            raise InvalidExperiment(f"{where}: {name} is in the matrix twice. {remedy}")
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
