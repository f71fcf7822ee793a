"""Which agent ran a sample: the solvers that worked on it after the setup of its task.

The header of a log does not always tell the agent. It has no solver if the solver is part of the task. In a log of
`inspect eval-retry`, it has the solver of the retry, although the retry kept the finished samples of the first run. So
each sample records the solvers that its transcript shows, and the agents of this package record their arguments.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from pathlib import PurePath
from typing import Any, ParamSpec

from inspect_ai.event import SpanBeginEvent
from inspect_ai.log import EvalLog, EvalPlanStep, EvalSample, EvalSpec, transcript
from inspect_ai.solver import Generate, Solver, TaskState
from inspect_ai.util import StoreModel, store_as
from pydantic import Field

from inspect_discoverybench.errors.redaction import public_settings
from inspect_discoverybench.public_names import SOLVERS, is_of_package, without_package

UNKNOWN = "unknown"
"""Name of an agent that the log does not tell."""

CHAIN = "chain"
"""Name of several solvers in a row. Inspect runs and records each solver of a chain as a step of its own. There is no
step for the chain."""

Parameters = ParamSpec("Parameters")


class AgentSteps(StoreModel):
    """The solvers that worked on a sample, kept in its log."""

    steps: list[str] | None = None
    """Names of the solvers after the setup, in the order in which they ran; None while the sample runs."""

    arguments: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """The arguments of each agent of this package, by the agent's name, without defaults and without secrets."""


@dataclass(frozen=True)
class AgentRecord:
    """An agent, or a solver of a chain.

    Attributes:
        name: Its name, without the prefix of this package.
        arguments: The arguments that distinguish it from other agents with this name, without secrets.
    """

    name: str
    arguments: Mapping[str, Any]


def recording_arguments(create: Callable[Parameters, Solver]) -> Callable[Parameters, Solver]:
    """Decorate the function of an agent: its samples record the agent's name, and its arguments without defaults."""

    @wraps(create)
    def recorded(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Solver:
        solve = create(*args, **kwargs)
        arguments = _changed_arguments(create, args, kwargs)

        async def record_and_solve(state: TaskState, generate: Generate) -> TaskState:
            store = store_as(AgentSteps)
            store.arguments = {**store.arguments, create.__name__: arguments}
            return await solve(state, generate)

        return record_and_solve

    return recorded


def _changed_arguments(create: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that differ from the defaults."""
    passed = signature(create).bind(*args, **kwargs).arguments
    parameters = signature(create).parameters
    changed = {name: value for name, value in passed.items() if value != parameters[name].default}
    return public_settings(changed)


def record_steps(state: TaskState) -> None:
    """Record the solvers of the sample that has just ended, whether it was scored or not."""
    # `state` is the state that the agent returned, perhaps the state of a fork. The log has the store of this state. So
    # the steps are written with the method `state.store_as`. The function `store_as` would write to the store of the
    # state with which the sample began.
    state.store_as(AgentSteps).steps = _without_setup(_top_solvers())


def _top_solvers() -> list[str]:
    """Names of the solvers of the running sample, without those that other solvers called."""
    # Not `transcript().history.resident_events`, which lacks the oldest events if the user sets
    # `INSPECT_TRANSCRIPT_BOUNDED`. Not `transcript().history.recent_events()`, which reads Inspect's database even if
    # all events are in memory.
    spans = [event for event in transcript().events if isinstance(event, SpanBeginEvent)]
    # Inspect runs the solvers of the plan in a span of the type `solvers`. A solver that another solver calls is in the
    # span of its caller.
    top_spans = [span.id for span in spans if span.type == "solvers"]
    return [span.name for span in spans if span.type == "solver" and span.parent_id in top_spans]


def _without_setup(solvers: Sequence[str]) -> list[str]:
    """The names after the last solver of the setup.

    The solvers of the setup are the solvers of this package that are not agents.
    """
    first_after_setup = 0
    for index, name in enumerate(solvers):
        if _is_of_setup(name):
            first_after_setup = index + 1
    return list(solvers[first_after_setup:])


def _is_of_setup(solver: str) -> bool:
    return is_of_package(solver) and agent_name(solver) not in SOLVERS


def agent_name(solver: str) -> str:
    """The name of an agent, from the name of its solver in a log (`inspect_ai/generate`, `mine.py@head_first`).

    If the log has only the file of an agent, the name is that of the file, without its folder. If an agent of another
    package has the name of one of ours, "of another package" is added to its name.
    """
    if is_of_package(solver):
        return without_package(solver)
    _, _, name = solver.rpartition("@")
    if name.endswith(".py"):
        return PurePath(name).name
    # Inspect leaves this prefix out in some places, so it is removed in all.
    name = name.removeprefix("inspect_ai/")
    return f"{name} of another package" if name in SOLVERS else name


class RunAgent:
    """Tells which agent ran each sample of a log, by the sample's own record and by the plan of the log's last run."""

    def __init__(self, log: EvalLog) -> None:
        self._task_id = log.eval.task_id
        # Earlier versions of this package recorded no steps.
        self._has_records = any(_recorded_steps(sample) is not None for sample in log.samples or [])
        planned_steps = _agent_steps(log)
        # A sample that recorded these names was run by `_planned_solvers`.
        self._planned_names = [step.solver for step in planned_steps]
        self._planned_solvers = [_planned_solver(step) for step in planned_steps]
        # If the user named a chain, or a function that returned a chain, the plan has only the names of the solvers in
        # the chain. The name that the user gave is in `log.eval`.
        self._agent_named_by_user = self._read_agent_named_by_user(log.eval)

    def of_sample(self, sample: EvalSample) -> AgentRecord:
        """The agent that ran a sample."""
        steps = _recorded_steps(sample)
        arguments = _recorded_arguments(sample)
        if steps is None:
            if self._was_copied_from_earlier_version(sample):
                return self._unknown  # the plan is that of the retry, and not that of the first run
            # No sample of the log has a record, or an error ended this one before it had one. Only the plan is left.
            return self._of_plan(arguments)

        # An error, a limit or a submission may have ended the sample before the last solver of a chain. So the sample
        # was run by the planned agent if the solvers of the sample are the first ones of the plan.
        if steps == self._planned_names[: len(steps)]:
            return self._of_plan(arguments)
        return _chained([self._unplanned(agent_name(step), arguments) for step in steps])

    def _read_agent_named_by_user(self, spec: EvalSpec) -> AgentRecord | None:
        """The agent that the user named as the solver of the eval, or as an argument of the task.

        None if the solvers of the plan alone tell the agent.
        """
        if spec.solver:
            # If the user named only a file, the plan has the name of the agent in the file.
            if spec.solver.endswith(".py") and len(self._planned_names) == 1:
                return None
            return AgentRecord(agent_name(spec.solver), public_settings(spec.solver_args_passed or {}))
        agent = str(spec.task_args_passed.get("agent") or "")
        # An agent of another package may be a function that returns several solvers. The plan then has their names,
        # and not that of the function.
        may_be_chain = len(self._planned_names) > 1 and not is_of_package(agent)
        if not agent or not may_be_chain:
            # The plan tells the agent, and is more reliable than the argument: a Python program may have replaced the
            # task's solver (`task_with`).
            return None
        arguments = spec.task_args_passed.get("agent_args") or {}
        return AgentRecord(agent_name(agent), public_settings(arguments))

    def _was_copied_from_earlier_version(self, sample: EvalSample) -> bool:
        """Whether a sample without a record was copied by a retry from a log of an earlier version.

        Earlier versions made no records. Later versions record every sample, except some that end with an error.
        """
        if sample.error is not None:
            return False
        # If other samples have records, a later version wrote the log. It did not run this sample, so it copied it.
        return self._has_records

    @property
    def _unknown(self) -> AgentRecord:
        # The unknown agents of two logs may be different agents. So the log is an argument that tells them apart.
        return AgentRecord(UNKNOWN, {"log": self._task_id})

    def _of_plan(self, recorded: Mapping[str, Any]) -> AgentRecord:
        """The agent of the run, with the arguments that the sample recorded for agents of this package."""
        solvers = [
            AgentRecord(solver.name, recorded.get(solver.name, solver.arguments)) for solver in self._planned_solvers
        ]
        if not solvers:
            # No solver of the plan comes after the setup. Only the solver that the user named can tell the agent.
            return self._agent_named_by_user or self._unknown

        agent = _chained(solvers)
        named = self._agent_named_by_user
        if named is None or named.name == agent.name:
            return agent
        if named.name == CHAIN:  # the chain has a single solver, whose name says more than "chain"
            return agent
        # The user named a function that returned the solvers of the plan. The agent has the name of the function, and
        # the arguments of the solvers and of the function.
        return AgentRecord(named.name, {**agent.arguments, **named.arguments})

    def _unplanned(self, name: str, recorded: Mapping[str, Any]) -> AgentRecord:
        """A solver of a sample that did not follow the plan of the log.

        A retry with another solver keeps finished samples of the first run, and its log has only the plan of the retry.
        """
        if name in recorded:
            return AgentRecord(name, recorded[name])
        # The arguments are unknown, and may differ between logs. So the log stands in for them, as in `_unknown`.
        return AgentRecord(name, {"arguments": f"not recorded in {self._task_id}"})


def recorded_agent(sample: EvalSample) -> AgentRecord:
    """The agent that a sample itself records: its name, and the arguments of agents of this package."""
    arguments = _recorded_arguments(sample)
    names = [agent_name(step) for step in _recorded_steps(sample) or []]
    if not names:
        return AgentRecord(UNKNOWN, {})
    return _chained([AgentRecord(name, arguments.get(name, {})) for name in names])


def _recorded_steps(sample: EvalSample) -> list[str] | None:
    steps: list[str] | None = sample.store.get("AgentSteps:steps")
    return steps


def _recorded_arguments(sample: EvalSample) -> dict[str, dict[str, Any]]:
    return sample.store.get("AgentSteps:arguments") or {}


def _agent_steps(log: EvalLog) -> list[EvalPlanStep]:
    """The steps of the log's plan after the setup of the task."""
    steps = log.plan.steps
    names_after_setup = _without_setup([step.solver for step in steps])
    after_setup = steps[len(steps) - len(names_after_setup) :]  # the last steps, as many as there are names
    # Before version 2, the setup also had Inspect's `use_tools`, which `_without_setup` does not know.
    return [step for step in after_setup if not _offers_our_tools(step)]


def _offers_our_tools(step: EvalPlanStep) -> bool:
    """Whether a step is Inspect's `use_tools` with our tools."""
    tools = step.params_passed.get("tools")
    # The plan of a user's task may have lists of tools in this list, so the name is looked for in the whole text.
    return step.solver == "use_tools" and "inspect_discoverybench/submit" in str(tools)


def _planned_solver(step: EvalPlanStep) -> AgentRecord:
    """A solver of the log's plan, with the arguments that distinguish it from others of the same name.

    For an agent of this package, these are only the arguments that were passed, because its samples record no defaults,
    either. For any other solver, these are all parameters that are not None. Defaults are included, so that it is the
    same solver whether a default was passed or not.
    """
    arguments = step.params_passed
    if not is_of_package(step.solver):
        arguments = {name: value for name, value in step.params.items() if value is not None}
    return AgentRecord(agent_name(step.solver), public_settings(arguments))


def _chained(solvers: Sequence[AgentRecord]) -> AgentRecord:
    """One agent for several solvers in a row. It has the arguments of all solvers, by place and name of the solver.

    A single solver is the agent itself.
    """
    if len(solvers) == 1:
        return solvers[0]
    arguments = {}
    for place, solver in enumerate(solvers, 1):
        values = ", ".join(f"{key}={value}" for key, value in solver.arguments.items())
        arguments[f"{place} {solver.name}"] = values
    return AgentRecord(CHAIN, arguments)
