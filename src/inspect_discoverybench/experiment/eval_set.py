"""An experiment as one call of Inspect's `eval_set`."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from difflib import get_close_matches
from multiprocessing import get_context
from tempfile import TemporaryDirectory
from typing import Any, Literal

from inspect_ai import Task, eval_set, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model, get_model
from inspect_ai.util import registry_create

from inspect_discoverybench import TASKS
from inspect_discoverybench.discovery import DEFAULT_JUDGE_KEY
from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.provider_failures import inspect_errors
from inspect_discoverybench.errors.redaction import remember_keys
from inspect_discoverybench.experiment.definition import Arguments, Component, Experiment, ModelSpec
from inspect_discoverybench.experiment.experiment_file import ExperimentFile
from inspect_discoverybench.experiment.matrix import MatrixCell, matrix
from inspect_discoverybench.experiment.options import EVAL_OPTIONS, eval_set_options
from inspect_discoverybench.experiment.yaml_file import YamlFile
from inspect_discoverybench.public_names import SOLVERS
from inspect_discoverybench.scorer.judge import INHERITED


@dataclass(frozen=True)
class EvalSet:
    """An experiment, ready to run.

    Attributes:
        experiment: The experiment.
        file: The file that describes it.
        cells: The cells of the matrix.
        tasks: The task of each cell, with the solver and the model of the cell.
        arguments: The other arguments of Inspect's `eval_set`.
    """

    experiment: Experiment
    file: YamlFile
    cells: Sequence[MatrixCell]
    tasks: Sequence[Task]
    arguments: Arguments

    def dry_run(self) -> list[EvalLog]:
        """Let Inspect resolve every run without running samples.

        Returns:
            One log for each run. It has the effective settings and the ids of the samples that would run.
        """
        # These have side effects outside the log directory.
        accepted = EVAL_OPTIONS - {"notification", "acp_server", "display"}
        arguments = {name: value for name, value in self.arguments.items() if name in accepted}
        arguments["log_realtime"] = False
        arguments["ctl_server"] = False
        arguments["run_samples"] = False

        with TemporaryDirectory() as folder:
            arguments["log_dir"] = folder
            with inspect_errors(InvalidExperiment, str(self.file.path)):
                logs = inspect_eval(list(self.tasks), **arguments)

            # Without samples, which Inspect would try to read from the folder when it no longer exists.
            without_samples = {"samples": None, "reductions": None}
            return [log.model_copy(update=without_samples) for log in logs]

    def run(self) -> tuple[bool, list[EvalLog]]:
        """Run the samples that are missing in the log directory.

        Returns:
            Whether every run is complete, and the headers of the logs.
        """
        remedy = "Remove the cause, then repeat the command. Finished samples are kept."
        with inspect_errors(InvalidExperiment, str(self.file.path), remedy):
            return eval_set(list(self.tasks), **self.arguments)


def build_eval_set(experiment_file: ExperimentFile) -> EvalSet:
    """Read an experiment file and build every run, without starting it.

    Raises:
        InvalidExperiment: The file is invalid, a name is not registered, or a model cannot be called.
    """
    experiment, file = experiment_file.read()
    cells = matrix(experiment, file)
    options = eval_set_options(experiment.options, file)

    # Set on the evaluated models, from which the judge inherits them. Their configs lack settings of `eval_set`.
    timeouts = {name: options[name] for name in INHERITED if name in options}
    tasks = []
    for cell in cells:
        model = _build_model(cell.model, cell.model_line, timeouts)
        tasks.append(_build_task(cell, model))
    roles = _build_roles(experiment, file)
    if "grader" not in roles:
        _require_default_judges(tasks, file)

    # Write every finished sample to the log immediately, so that a killed process loses none.
    arguments = {"log_buffer": 1, **options, **experiment.arguments}
    arguments["log_dir"] = experiment.log_dir
    arguments["model_roles"] = roles
    return EvalSet(experiment, file, cells, tasks, arguments)


def dry_run_in_subprocess(experiment_file: ExperimentFile) -> list[EvalLog]:
    """Dry-run an experiment in a separate process.

    Inspect keeps the display of the first `eval` in a process, and a dry run has no display.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(dry_run, experiment_file).result()


def dry_run(experiment_file: ExperimentFile) -> list[EvalLog]:
    """Dry-run an experiment: one log for each run, without samples."""
    return build_eval_set(experiment_file).dry_run()


def _build_task(cell: MatrixCell, model: Model) -> Task:
    task: Task = _create("task", cell.task, cell.task_line)
    metadata = dict(task.metadata or {})
    metadata["run"] = cell.labels._asdict()
    if cell.solver is None:
        return task_with(task, model=model, metadata=metadata)

    solver = _create("solver", cell.solver, cell.solver_line)
    return task_with(task, model=model, metadata=metadata, solver=solver)


def _create(kind: Literal["task", "solver"], component: Component, where: str) -> Any:
    names = TASKS if kind == "task" else SOLVERS
    suggestion = _suggestion(component.name, names)
    with inspect_errors(InvalidExperiment, f"{where}: {kind} {component.name}", suggestion):
        return registry_create(kind, component.name, **component.args)


def _suggestion(name: str, names: Iterable[str]) -> str:
    """The registry name of this package that is most similar to a misspelled one, in a sentence."""
    own_name = name.rpartition("/")[2]
    nearest = get_close_matches(own_name, names, n=1)
    if not nearest:
        return ""
    full_name = f"discoverybench/{nearest[0]}"
    return "" if name == full_name else f"Did you mean {full_name}?"


def _build_roles(experiment: Experiment, file: YamlFile) -> dict[str, Model]:
    roles = {}
    for role, spec in experiment.all_roles.items():
        line = file.where("roles", role)
        if role not in experiment.roles:
            line = file.where("grader")
        roles[role] = _build_model(spec, line, timeouts={})
    return roles


def _build_model(spec: ModelSpec, where: str, timeouts: Arguments) -> Model:
    remember_keys(spec.model_dump(mode="json", exclude_none=True))
    with inspect_errors(InvalidExperiment, f"{where}: model {spec.name} cannot be called"):
        config = spec.config.merge(GenerateConfig(**timeouts))
        # inspect-evals-lint: ignore[IEBP001] -- an experiment names its models
        return get_model(spec.name, base_url=spec.base_url, config=config, **spec.args)


def _require_default_judges(tasks: Sequence[Task], file: YamlFile) -> None:
    """Refuse an experiment whose judges cannot be called: those that the tasks use if no role `grader` is set."""
    names = set()
    for task in tasks:
        metadata = task.metadata or {}
        if DEFAULT_JUDGE_KEY in metadata:
            names.add(metadata[DEFAULT_JUDGE_KEY])

    problem = f"{file.path}: the default judge cannot be called. Name one, such as grader: PROVIDER/MODEL"
    with inspect_errors(InvalidExperiment, problem):
        for name in names:
            get_model(name)  # inspect-evals-lint: ignore[IEBP001] -- checked before any run
