"""The section that compares agents with controls on the same tasks."""

import itertools

import pandas as pd

from inspect_discoverybench.comparison.difference import key_difference
from inspect_discoverybench.report.charts import dots
from inspect_discoverybench.report.leaderboard import Leaderboard
from inspect_discoverybench.report.means import HIGH, HMS, LOW, IntervalNames, Row, bound_columns, difference_columns
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.report.standing import AGENT, BEST, FLOOR, Standing
from inspect_discoverybench.results.configuration import without_placebo
from inspect_discoverybench.results.recorded_settings import Settings

DIFFERENCE = IntervalNames("difference × 100", LOW, HIGH)

GUESSER = "no_data_guess"

DOMAIN_KNOWLEDGE = "domain_knowledge"
"""The hint of configurations whose task texts contain domain knowledge."""


def control_section(leaderboard: Leaderboard) -> Section | None:
    """The paired differences between agents and their controls with the same judge; None if there are none."""
    rows = []
    agents = [standing for standing in leaderboard.standings if _is_compared(standing)]
    for agent, other in itertools.product(agents, leaderboard.standings):
        name = _control_name(agent, other)
        if name is None or _judges_and_version(agent) != _judges_and_version(other):
            continue
        difference_row = _difference_row(agent, control=other)
        if difference_row:
            rows.append({**agent.key_columns, "control": name, **difference_row})
    if not rows:
        return None

    table = pd.DataFrame(rows)
    labels = table.configuration + " − " + table.control
    labelled = table.assign(label=labels)
    chart = dots(labelled, "label", DIFFERENCE, leaderboard.style)
    return Section("controls", table, chart)


def _is_compared(standing: Standing) -> bool:
    """Whether a configuration is an agent, and no control itself."""
    return standing.kind in (AGENT, BEST) and standing.configuration.agent != GUESSER


def _control_name(agent: Standing, other: Standing) -> str | None:
    """The name under which another configuration is shown as a control of an agent; None if it is no control of it.

    The controls of an agent are:
    - the floor: `goal_echo`, which only restates the goal
    - the same model when it guesses without the data (paper §5.2)
    - the same agent without domain knowledge (paper §5.3)
    - the same agent on a placebo
    """
    benchmark = agent.configuration.benchmark
    other_benchmark = other.configuration.benchmark
    if other_benchmark == benchmark:
        return _control_name_in_benchmark(agent, other)

    is_on_its_placebo = without_placebo(other_benchmark) == benchmark
    has_same_hints = other.configuration.hints == agent.configuration.hints
    if is_on_its_placebo and has_same_hints and _agent_settings(other) == _agent_settings(agent):
        return other_benchmark
    return None


def _control_name_in_benchmark(agent: Standing, other: Standing) -> str | None:
    """As `_control_name`, for a configuration of the agent's benchmark."""
    if other.kind == FLOOR:
        return other.name

    hints = agent.configuration.hints
    other_hints = other.configuration.hints
    has_same_model = other.configuration.model == agent.configuration.model
    if other.configuration.agent == GUESSER and has_same_model and other_hints == hints:
        return other.name
    has_same_settings = _agent_settings(other) == _agent_settings(agent)
    if has_same_settings and _lacks_only_domain_knowledge(other_hints, complete_hints=hints):
        return f"without {DOMAIN_KNOWLEDGE}"
    return None


def _lacks_only_domain_knowledge(hints: Settings, complete_hints: Settings) -> bool:
    """Whether the complete hints are these hints and domain knowledge."""
    without_knowledge = tuple(hint for hint in complete_hints if hint != DOMAIN_KNOWLEDGE)
    return DOMAIN_KNOWLEDGE in complete_hints and hints == without_knowledge


def _judges_and_version(standing: Standing) -> tuple[set[str], str]:
    """The judges, and the number of the task's version. Scores are comparable only if both are equal."""
    return standing.judges, standing.results[0].run.version_number


def _agent_settings(standing: Standing) -> tuple[str, ...]:
    """The agent with its model, settings and limits, without the task."""
    # All results of a configuration have the same agent, model, limits and setup.
    first = standing.results[0]
    return (
        first.sample.agent,
        *standing.configuration.agent_file_settings,
        first.run.model,
        *first.run.limits,
        *first.setup,
    )


def _difference_row(agent: Standing, control: Standing) -> Row:
    """The paired difference of HMS, agent minus control; empty if no task is scored by both."""
    difference = key_difference(baseline=control.tasks_by_id, candidate=agent.tasks_by_id)
    if difference is None:
        return {}
    return {
        "tasks": difference.paired.tasks,
        f"control {HMS}": 100 * difference.baseline,
        f"agent {HMS}": 100 * difference.candidate,
        **difference_columns(difference.paired, DIFFERENCE),
        **bound_columns(difference.worst, difference.best),
    }
