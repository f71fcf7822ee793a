"""The matrix of an experiment: tasks × solvers × models, minus the exclusions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.redaction import public_settings
from inspect_discoverybench.experiment.definition import Component, Exclusion, Experiment, ModelSpec
from inspect_discoverybench.experiment.yaml_file import YamlFile


@dataclass(frozen=True)
class MatrixCell:
    """One combination, with `file:line` of its parts. Without a solver, the task uses its own."""

    task: Component
    solver: Component | None
    model: ModelSpec
    task_line: str = ""
    solver_line: str = ""
    model_line: str = ""

    @property
    def labels(self) -> tuple[str, str, str]:
        """Task, solver and model with their arguments, without secrets. Labels are unique within an experiment."""
        solver = "(the task's own)"
        if self.solver is not None:
            solver = _label(self.solver.name, self.solver.args)
        model = _label(self.model.name, {**self.model.config, **self.model.args})
        return _label(self.task.name, self.task.args), solver, model

    def matches(self, exclusion: Exclusion) -> bool:
        """Whether all names of an exclusion are those of the cell."""
        solver = None if self.solver is None else self.solver.name
        names = {"task": self.task.name, "solver": solver, "model": self.model.name}
        return all(names[part] == name for part, name in exclusion.names.items())


def _label(name: str, args: Mapping[str, Any]) -> str:
    if not args:
        return name
    values = ", ".join(f"{key}={value}" for key, value in public_settings(args).items())
    return f"{name}({values})"


def matrix(experiment: Experiment, file: YamlFile) -> list[MatrixCell]:
    """Combine tasks, solvers and models, in the order of the file.

    Raises:
        InvalidExperiment: Two cells are equal, an exclusion matches nothing, or no cell is left.
    """
    cells = _combine(experiment, file)
    _require_distinct_labels(cells)
    _require_matches(experiment.exclude, cells, file)

    remaining = [cell for cell in cells if not any(map(cell.matches, experiment.exclude))]
    if not remaining:
        where = file.where("exclude")
        raise InvalidExperiment(f"{where}: the matrix is empty because every run is excluded. Exclude fewer.")
    return remaining


def _combine(experiment: Experiment, file: YamlFile) -> list[MatrixCell]:
    solvers = experiment.solvers or (None,)
    sandbox = {} if experiment.sandbox is None else {"sandbox": experiment.sandbox}
    cells = []
    for (task_number, task), (solver_number, solver), (model_number, model) in product(
        enumerate(experiment.tasks), enumerate(solvers), enumerate(experiment.models)
    ):
        cell = MatrixCell(
            task.model_copy(update={"args": sandbox | task.args}),
            solver,
            model,
            task_line=file.where("tasks", task_number),
            solver_line=file.where("solvers", solver_number),
            model_line=file.where("models", model_number),
        )
        cells.append(cell)
    return cells


def _require_distinct_labels(cells: Sequence[MatrixCell]) -> None:
    counts = Counter(cell.labels for cell in cells)
    for cell in cells:
        if counts[cell.labels] > 1:  # Inspect ignores the `base_url` of a model
            raise InvalidExperiment(
                f"{cell.model_line}: {' · '.join(cell.labels)} is in the matrix twice. Remove one. "
                "A different base_url does not make a different run."
            )


def _require_matches(exclusions: Sequence[Exclusion], cells: Sequence[MatrixCell], file: YamlFile) -> None:
    for number, exclusion in enumerate(exclusions):
        if not any(cell.matches(exclusion) for cell in cells):
            names = ", ".join(f"{part}={name}" for part, name in exclusion.names.items())
            where = file.where("exclude", number)
            raise InvalidExperiment(f"{where}: exclude {names} matches no run. Check the name, or remove the line.")
