"""From an experiment to a complete set of logs: everything is built and checked first, then `eval_set` runs it."""

from dataclasses import dataclass
from typing import Any, Literal

from inspect_ai import Task, eval_set, task_with
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model, get_model, get_model_info
from inspect_ai.util import registry_create
from pydantic import ValidationError

from inspect_discoverybench.errors import DiscoveryBenchError, InvalidExperiment, JudgeUnavailable, one_line
from inspect_discoverybench.experiment.form import Experiment, ModelSpec, Named
from inspect_discoverybench.experiment.matrix import Cell, matrix
from inspect_discoverybench.experiment.prices import Prices, as_costs
from inspect_discoverybench.experiment.source import Source
from inspect_discoverybench.scorer.judge import DEFAULT_JUDGE, Judge
from inspect_discoverybench.tasks import OFFLINE_JUDGE

# Their judge is the default one; the other tasks have one that needs no key, or none.
JUDGED_BY_DEFAULT = ("real", "synth", "custom")


RETRIES = 10
"""Default number of times that what failed is tried again, with growing pauses."""


@dataclass(frozen=True)
class Run:
    """A cell, ready to be run.

    Attributes:
        cell: What was asked for.
        task: The task with solver and model in it.
        samples: How many samples it has within the limit, epochs not counted.
    """

    cell: Cell
    task: Task
    samples: int


def runs(experiment: Experiment, source: Source, known: Prices) -> list[Run]:
    """Build every cell; nothing is run.

    Args:
        experiment: The experiment.
        source: Its source.
        known: Prices, which a limit of cost needs.

    Raises:
        InvalidExperiment: A name is not registered, an argument is not possible, or a model cannot be called.
        DiscoveryBenchError: A task says what is wrong itself.
    """
    cells = matrix(experiment, source)
    for number, spec in enumerate(experiment.models):
        _model(spec, source.where(("models", number)))
    roles(experiment, source)
    built = [_run(cell, experiment, source) for cell in cells]
    if any(judge_of(experiment, found) == DEFAULT_JUDGE for found in built) and named_judge(experiment) is None:
        try:
            Judge.of_eval(DEFAULT_JUDGE)
        except JudgeUnavailable as error:
            raise InvalidExperiment(
                f"{source.where(())}: no grader is named, and the default one cannot be called: {error.message} "
                "Here: grader: PROVIDER/MODEL."
            ) from error
    if experiment.limits.cost is not None:
        unknown = sorted(name for name in _asked(experiment) if name not in known or get_model_info(name) is None)
        if unknown:
            place = source.where(("limits", "cost"))
            raise InvalidExperiment(
                f"{place}: a limit of cost needs a price (--prices FILE) and a model of Inspect's own table; not so: "
                f"{', '.join(unknown)}. Limit tokens instead."
            )
    return built


def named_judge(experiment: Experiment) -> str | None:
    """The judge that an experiment names."""
    spec = experiment.grader or experiment.roles.get("grader")
    return spec.name if spec else None


def judge_of(experiment: Experiment, found: Run) -> str | None:
    """The judge of a run; None if it is not judged, or by rules of its own."""
    task = found.cell.task.name.rpartition("/")[2]
    if found.task.scorer is None or task == "judge_audit":
        return None
    return named_judge(experiment) or (DEFAULT_JUDGE if task in JUDGED_BY_DEFAULT else OFFLINE_JUDGE)


def roles(experiment: Experiment, source: Source) -> dict[str, Model]:
    """The judge and further roles.

    Raises:
        InvalidExperiment: One of them cannot be called.
    """
    found = {role: _model(spec, source.where(("roles", role))) for role, spec in experiment.roles.items()}
    if experiment.grader is not None:
        found["grader"] = _model(experiment.grader, source.where(("grader",)))
    return found


def run(
    experiment: Experiment, source: Source, built: list[Run], known: Prices, retries: int = RETRIES
) -> tuple[bool, list[EvalLog]]:
    """Run what is missing in the experiment's log folder.

    Args:
        experiment: The experiment.
        source: Its source.
        built: Its cells.
        known: Prices, for a limit of cost.
        retries: How often what failed is tried again.

    Returns:
        Whether everything is complete, and the logs.
    """
    limits = experiment.limits
    return eval_set(
        [found.task for found in built],
        log_dir=experiment.log_dir,
        model_roles=dict(roles(experiment, source)),
        limit=limits.samples,
        epochs=experiment.epochs,
        message_limit=limits.messages,
        token_limit=limits.tokens,
        time_limit=limits.time,
        cost_limit=limits.cost,
        model_cost_config=None if limits.cost is None else as_costs({name: known[name] for name in _asked(experiment)}),
        max_connections=experiment.max_connections,
        tags=[experiment.name, *experiment.tags],
        metadata={"experiment": experiment.name},
        # Every finished sample is in the log at once, whatever ends the process.
        log_buffer=1,
        retry_attempts=retries,
    )


def _asked(experiment: Experiment) -> set[str]:
    """Names of the models that an experiment names."""
    specs = [*experiment.models, *experiment.roles.values(), *([experiment.grader] if experiment.grader else [])]
    return {spec.name for spec in specs}


def _run(cell: Cell, experiment: Experiment, source: Source) -> Run:
    names = [task.name for task in experiment.tasks]
    task = _created("task", cell.task, source.where(("tasks", names.index(cell.task.name))))
    task = task_with(task, model=_model(cell.model, ""))
    if cell.solver is not None:
        # In the log, `eval.solver` is empty for a solver that stands in the task.
        task.metadata = {**(task.metadata or {}), "solver": cell.solver.name, "solver_args": cell.solver.args}
        names = [solver.name for solver in experiment.solvers]
        solver = _created("solver", cell.solver, source.where(("solvers", names.index(cell.solver.name))))
        task = task_with(task, solver=solver)
    most = experiment.limits.samples
    return Run(cell, task, min(len(task.dataset), most) if most else len(task.dataset))


def _created(kind: Literal["task", "solver"], part: Named, where: str) -> Any:
    try:
        return registry_create(kind, part.name, **part.args)
    except DiscoveryBenchError as error:
        raise InvalidExperiment(f"{where}: {error.message}") from error
    except (LookupError, ValueError) as error:
        raise InvalidExperiment(
            f"{where}: {kind} {part.name}: {one_line(error)}. Mend the name, or install the package that has it."
        ) from error
    except TypeError as error:
        raise InvalidExperiment(f"{where}: {kind} {part.name}: {one_line(error)}.") from error


def _model(spec: ModelSpec, where: str) -> Model:
    for key in spec.config:
        if key not in GenerateConfig.model_fields:
            raise InvalidExperiment(
                f"{where}: model {spec.name}: config: {key} is no setting of Inspect's GenerateConfig."
            )
    try:
        config = GenerateConfig.model_validate(spec.config)
        return get_model(  # inspect-evals-lint: ignore[IEBP001] -- an experiment names its models
            spec.name, base_url=spec.base_url, config=config, **spec.args
        )
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InvalidExperiment(f"{where}: model {spec.name}: config: {place}: {first['msg']}.") from error
    # Inspect's errors for a missing key, package or provider are no public names; nothing is hidden.
    except Exception as error:
        raise InvalidExperiment(f"{where}: model {spec.name} cannot be called: {one_line(error)}") from error
