"""The matrix of an experiment: tasks × solvers × models, less what is excluded."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from inspect_discoverybench.errors import InvalidExperiment
from inspect_discoverybench.experiment.form import Excluded, Experiment, ModelSpec, Named
from inspect_discoverybench.experiment.source import Source


@dataclass(frozen=True)
class Cell:
    """One run.

    Attributes:
        task: Task with all of its arguments.
        solver: Solver with all of its arguments; None for the task's own.
        model: Model with all of its settings.
    """

    task: Named
    solver: Named | None
    model: ModelSpec


def matrix(experiment: Experiment, source: Source) -> list[Cell]:
    """Every cell, in the order of the file; the source tells where a mistake stands.

    Raises:
        InvalidExperiment: Two cells are the same, an exclusion excludes nothing, or nothing is left.
    """
    defaults = experiment.defaults
    sandbox = {} if experiment.sandbox is None else {"sandbox": experiment.sandbox}
    tasks = [_with(task, sandbox | defaults.tasks) for task in experiment.tasks]
    solvers: Sequence[Named | None] = [_with(solver, defaults.solvers) for solver in experiment.solvers] or [None]
    models = [model.model_copy(update={"config": defaults.models | model.config}) for model in experiment.models]
    cells = [Cell(*parts) for parts in product(tasks, solvers, models)]
    # Inspect tells runs apart by all of this, but not by a model's address.
    apart = [(cell.task, cell.solver, cell.model.model_copy(update={"base_url": None})) for cell in cells]
    for number, cell in enumerate(cells):
        if apart[number] in apart[:number]:
            raise InvalidExperiment(
                f"{source.where(())}: {describe(cell)} stands in the matrix twice; drop one "
                "(a base_url makes no difference)."
            )
    for number, excluded in enumerate(experiment.exclude):
        if not any(_is(cell, excluded) for cell in cells):
            names = ", ".join(f"{key}={value}" for key, value in excluded.model_dump(exclude_none=True).items())
            place = source.where(("exclude", number))
            raise InvalidExperiment(f"{place}: exclude {names} excludes nothing; mend the name, or drop it.")
    kept = [cell for cell in cells if not any(_is(cell, excluded) for excluded in experiment.exclude)]
    if not kept:
        place = source.where(("exclude",))
        raise InvalidExperiment(f"{place}: the matrix is empty, as everything is excluded; exclude less.")
    return kept


def describe(cell: Cell) -> str:
    """A cell in one line."""
    return " · ".join([shown(cell.task), *([] if cell.solver is None else [shown(cell.solver)]), cell.model.name])


def _with(part: Named, defaults: dict[str, object]) -> Named:
    return part.model_copy(update={"args": defaults | part.args})


def _is(cell: Cell, excluded: Excluded) -> bool:
    solver = None if cell.solver is None else cell.solver.name
    return all(
        wanted in (None, name)
        for wanted, name in (
            (excluded.task, cell.task.name),
            (excluded.solver, solver),
            (excluded.model, cell.model.name),
        )
    )


def shown(part: Named) -> str:
    """A task or a solver with its arguments."""
    args = ", ".join(f"{key}={value}" for key, value in part.args.items())
    return f"{part.name}({args})" if args else part.name
