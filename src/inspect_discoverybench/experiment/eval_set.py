"""An experiment as one call of Inspect's `eval_set`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from tempfile import TemporaryDirectory
from typing import Any

from inspect_ai import Task, eval_set, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model
from inspect_ai.solver import Solver
from inspect_ai.util import registry_create

from inspect_discoverybench.discovery import DEFAULT_JUDGE_KEY
from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.provider_failures import inspect_errors, named_model
from inspect_discoverybench.errors.redaction import remember_keys
from inspect_discoverybench.experiment.definition import Arguments, Component, Experiment, ModelSpec
from inspect_discoverybench.experiment.experiment_file import ExperimentFile
from inspect_discoverybench.experiment.matrix import MatrixCell, matrix
from inspect_discoverybench.experiment.options import eval_arguments, eval_set_options
from inspect_discoverybench.experiment.selection import Selection
from inspect_discoverybench.experiment.yaml_file import YamlFile
from inspect_discoverybench.public_names import SOLVERS, TASKS
from inspect_discoverybench.results.run_log import RunLabels, SampleKey, sample_keys
from inspect_discoverybench.results.run_record import is_discovery_task
from inspect_discoverybench.scorer.judge import GRADER, INHERITED_TIMEOUTS
from inspect_discoverybench.solvers.named_agent import named_agent

CONTINUE = "Remove the cause, then repeat the command. Finished samples are kept."
"""Remedy for a run that could not go on."""

GIVE_PRICES = "In an experiment, pass --set options.model_cost_config=FILE."
"""Remedy for missing prices, which a cost limit needs. Inspect's message names an option of `inspect eval`, which
`discoverybench run` lacks."""


@dataclass(frozen=True)
class PlannedRun:
    """A task with one solver and one model.

    Attributes:
        labels: Its labels, which are unique within an experiment.
        task: The task with the solver and the model.
        samples: The samples of each epoch, by id.
        epochs: Number of epochs.
    """

    labels: RunLabels
    task: Task
    samples: Mapping[int | str, Sample]
    epochs: int

    @property
    def sample_keys(self) -> set[SampleKey]:
        """The samples in all epochs."""
        return sample_keys([*self.samples], self.epochs)


@dataclass(frozen=True)
class EvalSet:
    """An experiment, ready to run.

    Attributes:
        experiment: The experiment.
        file: The file that describes it.
        runs: Its runs, in the order of the matrix.
        arguments: The arguments of Inspect's `eval_set` other than the tasks.
    """

    experiment: Experiment
    file: YamlFile
    runs: Sequence[PlannedRun]
    arguments: Arguments

    @property
    def log_dir(self) -> str:
        """The log directory."""
        return str(self.arguments["log_dir"])

    @property
    def models(self) -> list[Model]:
        """The evaluated models, one per run, and those of roles."""
        evaluated = [run.task.model for run in self.runs if run.task.model is not None]
        return [*evaluated, *self.arguments["model_roles"].values()]

    @property
    def judges(self) -> set[str]:
        """Names of the judges of its tasks."""
        grader = self.experiment.all_roles.get(GRADER)
        if grader is not None:
            return {grader.name}
        return _default_judges([run.task for run in self.runs])

    @property
    def _remedy(self) -> str:
        """What to do about a cost limit without prices, which Inspect refuses; empty if there is no such limit."""
        lacks_prices = "cost_limit" in self.arguments and "model_cost_config" not in self.arguments
        return GIVE_PRICES if lacks_prices else ""

    def check(self) -> None:
        """Let Inspect resolve every run, without running samples and without writing to the log directory.

        Raises:
            InvalidExperiment: Inspect refuses an argument.
        """
        with TemporaryDirectory() as folder, inspect_errors(InvalidExperiment, self.file.where(), self._remedy):
            # No sample runs, so there is nothing to show in the viewer (`log_realtime`) or to control (`ctl_server`).
            inspect_eval(
                [run.task for run in self.runs],
                **eval_arguments(self.arguments),
                log_dir=folder,
                log_realtime=False,
                ctl_server=False,
                display="none",
                run_samples=False,
            )

    def run(self) -> tuple[bool, list[EvalLog]]:
        """Run the samples that are missing in the log directory.

        Returns:
            Whether every run is complete, and the headers of the logs.
        """
        with inspect_errors(InvalidExperiment, self.file.where(), f"{self._remedy} {CONTINUE}".lstrip()):
            return eval_set([run.task for run in self.runs], **self.arguments)


def build_eval_set(experiment_file: ExperimentFile) -> EvalSet:
    """Read an experiment file and build every run, without starting it.

    Raises:
        InvalidExperiment: The file is invalid, a name is not registered, or a model cannot be called.
    """
    experiment, file = experiment_file.read()
    cells = matrix(experiment, file)
    options = eval_set_options(experiment.options, file)

    # The judge inherits timeouts from the config of the evaluated model. Inspect does not add settings of `eval_set` to
    # this config, so the timeouts among them are added here.
    timeouts = {name: options[name] for name in INHERITED_TIMEOUTS if name in options}
    tasks = []
    for cell in cells:
        model = _build_model(cell.model, cell.model_origin, timeouts)
        task = _build_task(cell, model)
        if experiment.is_batched(cell.model):
            # Inspect counts the hours of a batch as working time. So the working limit of the task is removed. A
            # working limit of the experiment still applies, because it is an argument of `eval_set`.
            task = task_with(task, working_limit=None)
        tasks.append(task)
    roles = _build_roles(experiment, file)
    if GRADER not in roles:
        _require_default_judges(tasks, file)

    selection = Selection.of(experiment, options, file)
    task_names = [task.name for task in tasks]
    runs = []
    for cell, task in zip(cells, tasks, strict=True):
        samples = selection.samples_of(task, task_names)  # shuffles the task's dataset, if the experiment asks for it
        runs.append(PlannedRun(cell.labels, task, samples, experiment.epochs))

    # Write every finished sample to the log immediately, so that a killed process loses none.
    arguments = {"log_buffer": 1, **options, **experiment.arguments_besides_options}
    arguments["log_dir"] = experiment.log_dir
    arguments["model_roles"] = roles
    return EvalSet(experiment, file, runs, arguments)


def _build_task(cell: MatrixCell, model: Model) -> Task:
    task = _task_with_solver(cell)
    metadata = {**(task.metadata or {}), "run": cell.labels._asdict()}
    return task_with(task, model=model, metadata=metadata)


def _task_with_solver(cell: MatrixCell) -> Task:
    """Create the task of a cell with the cell's solver. Without one, the task keeps its own."""
    if cell.solver is None:
        return _create_task(cell)

    # A discovery task builds the solver again. It is built here, too, so that the error about an invalid solver names
    # the origin of the solver, and not that of the task.
    solver = _build_solver(cell.solver, cell.solver_origin)
    if is_discovery_task(cell.task.name):
        # A discovery task gets the agent as task arguments, because `inspect eval-retry` passes task arguments again.
        # It would not restore a solver object.
        return _create_task(cell, agent=cell.solver.name, agent_args=cell.solver.args)
    return task_with(_create_task(cell), solver=solver)


def _create_task(cell: MatrixCell, **agent_arguments: Any) -> Task:
    where = f"{cell.task_origin}: task {cell.task.name}"
    with inspect_errors(InvalidExperiment, where, _suggestion(cell.task.name, TASKS)):
        return registry_create("task", cell.task.name, **cell.task.args, **agent_arguments)


def _build_solver(component: Component, where: str) -> Solver:
    suggestion = _suggestion(component.name, SOLVERS)
    with inspect_errors(InvalidExperiment, f"{where}: solver {component.name}", suggestion):
        return named_agent(component.name, component.args)


def _suggestion(name: str, names: Iterable[str]) -> str:
    """The question "Did you mean …?" about a registry name that could not be used; empty if nothing can be suggested.

    Args:
        name: The registry name in the file.
        names: Names in this package, without `discoverybench/`.
    """
    name_in_package = name.rpartition("/")[2]
    nearest = get_close_matches(name_in_package, names, n=1)
    if not nearest:
        return ""
    suggested = f"discoverybench/{nearest[0]}"
    if suggested == name:  # the name is right, and something else failed
        return ""
    return f"Did you mean {suggested}?"


def _build_roles(experiment: Experiment, file: YamlFile) -> dict[str, Model]:
    roles = {}
    for role, spec in experiment.all_roles.items():
        origin = file.where("roles", role)
        if role == GRADER and experiment.grader is not None:
            origin = file.where("grader")
        # The timeouts of `options` are added only to the evaluated model, from which the judge inherits them.
        roles[role] = _build_model(spec, origin, timeouts={})
    return roles


def _build_model(spec: ModelSpec, where: str, timeouts: Arguments) -> Model:
    # Building the model can fail with a provider's error that contains the API key. Only a key that has been remembered
    # is hidden in the error.
    remember_keys(spec.model_dump(mode="json", exclude_none=True))
    with inspect_errors(InvalidExperiment, f"{where}: model {spec.name} cannot be called"):
        config = spec.config.merge(GenerateConfig(**timeouts))
        return named_model(spec.name, base_url=spec.base_url, config=config, **spec.args)


def _default_judges(tasks: Iterable[Task]) -> set[str]:
    """Names of the judges that tasks use if no role `grader` is set."""
    judges = {(task.metadata or {}).get(DEFAULT_JUDGE_KEY) for task in tasks}
    return {judge for judge in judges if judge}


def _require_default_judges(tasks: Iterable[Task], file: YamlFile) -> None:
    """Refuse an experiment whose default judges cannot be called."""
    remedy = "To use another judge, add grader: PROVIDER/MODEL to the file, or --set grader=PROVIDER/MODEL."
    for name in _default_judges(tasks):
        with inspect_errors(InvalidExperiment, f"{file.path}: the default judge {name} cannot be called", remedy):
            named_model(name)
