"""The matrix of an experiment: tasks × solvers × models."""

from dataclasses import dataclass
from itertools import product

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.redaction import public_settings
from inspect_discoverybench.experiment.definition import Arguments, Component, Experiment, ModelSpec
from inspect_discoverybench.experiment.yaml_file import YamlFile
from inspect_discoverybench.results.run_log import RunLabels


@dataclass(frozen=True)
class MatrixCell:
    """A task, a solver and a model, and where each is from (`YamlFile.where`).

    If the solver is None, the task uses its own.
    """

    task: Component
    solver: Component | None
    model: ModelSpec
    task_origin: str
    solver_origin: str
    model_origin: str

    @property
    def labels(self) -> RunLabels:
        """Its labels, which are unique within an experiment."""
        task = _label(self.task.name, self.task.args)
        solver = "(the task's own)"
        if self.solver is not None:
            solver = _label(self.solver.name, self.solver.args)
        model = _label(self.model.name, {**self.model.settings, **self.model.args})
        return RunLabels(task, solver, model)


def _label(name: str, args: Arguments) -> str:
    if not args:
        return name
    values = [f"{key}={value}" for key, value in public_settings(args).items()]
    return f"{name}({', '.join(values)})"


def matrix(experiment: Experiment, file: YamlFile) -> list[MatrixCell]:
    """Combine tasks, solvers and models, in the order of the file.

    Raises:
        InvalidExperiment: Two cells have the same labels.
    """
    _refuse_useless_sandbox_option(experiment, file)
    cells = _combine(experiment, file)
    labels = set()
    for cell in cells:
        # Labels have no base URL, because Inspect cannot tell runs apart by it (`task_identifier`).
        if cell.labels in labels:
            run = " · ".join(cell.labels)
            raise InvalidExperiment(
                f"{cell.model_origin}: {run} is in the matrix twice. Remove one. "
                "A different base_url does not make a different run."
            )
        labels.add(cell.labels)
    return cells


def _refuse_useless_sandbox_option(experiment: Experiment, file: YamlFile) -> None:
    """Refuse `--set sandbox` if a task of the file has another sandbox in its `args`, which takes precedence."""
    if not file.is_overridden("sandbox"):
        return
    for number, task in enumerate(experiment.tasks):
        place = ("tasks", number, "args", "sandbox")
        sandbox = task.args.get("sandbox", experiment.sandbox)
        if sandbox == experiment.sandbox:
            continue
        if file.is_overridden(*place):  # the command line has set the task's own sandbox, too, so the user means both
            continue
        # `--set` names a value by its place in the file.
        setting = ".".join(map(str, file.place_in_file(place)))
        raise InvalidExperiment(
            f"{file.where('sandbox')} would not change {task.name}, which has sandbox: {sandbox} in its args. Set it "
            f"there: --set {setting}={experiment.sandbox or 'null'}"
        )


def _combine(experiment: Experiment, file: YamlFile) -> list[MatrixCell]:
    sandbox_argument = {} if experiment.sandbox is None else {"sandbox": experiment.sandbox}
    combinations = product(
        enumerate(experiment.tasks),
        enumerate(experiment.solvers or [None]),
        enumerate(experiment.models),
    )
    return [
        MatrixCell(
            task=task.model_copy(update={"args": sandbox_argument | task.args}),
            solver=solver,
            model=model,
            task_origin=file.where("tasks", task_number),
            solver_origin=file.where("solvers", solver_number),
            model_origin=file.where("models", model_number),
        )
        for (task_number, task), (solver_number, solver), (model_number, model) in combinations
    ]
