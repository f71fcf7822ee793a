"""The section that compares agents with controls on the same tasks."""

import itertools

import pandas as pd

from inspect_discoverybench.comparison.difference import key_difference
from inspect_discoverybench.report.charts import dots
from inspect_discoverybench.report.leaderboard import AGENT, BEST, FLOOR, Leaderboard, Standing
from inspect_discoverybench.report.means import HIGH, HMS, LOW, IntervalNames, Row, bound_columns, difference_columns
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.configuration import without_placebo
from inspect_discoverybench.results.run_record import Settings

DIFFERENCE = IntervalNames("difference × 100", LOW, HIGH)

GUESSER = "no_data_guess"

DOMAIN_KNOWLEDGE = "domain_knowledge"
"""The hint that a task text contains domain knowledge."""


def control_section(leaderboard: Leaderboard) -> Section | None:
    """The paired differences between agents and their controls with the same judge; None if there are none."""
    rows = []
    agents = [standing for standing in leaderboard.standings if _is_compared(standing)]
    for standing, control in itertools.product(agents, leaderboard.standings):
        name = _control_name(agent=standing, other=control)
        if name is None or _measure(standing) != _measure(control):
            continue
        difference_row = _difference_row(agent=standing, control=control)
        if difference_row:
            rows.append({**standing.key_columns, "control": name, **difference_row})
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

    Controls are the floor, guesses of the same model without data (paper §5.2), the same agent without domain knowledge
    (paper §5.3), and the same agent on a placebo.
    """
    own = agent.configuration
    control = other.configuration
    has_same_hints = control.hints == own.hints
    is_same_agent = _setup(other) == _setup(agent)
    if control.benchmark != own.benchmark:
        is_placebo_of_benchmark = without_placebo(control.benchmark) == own.benchmark
        return control.benchmark if is_placebo_of_benchmark and is_same_agent and has_same_hints else None

    if other.kind == FLOOR:
        return other.name
    if control.agent == GUESSER and control.model == own.model and has_same_hints:
        return other.name
    if is_same_agent and _lacks_only_domain_knowledge(own.hints, control.hints):
        return f"without {DOMAIN_KNOWLEDGE}"
    return None


def _lacks_only_domain_knowledge(own: Settings, control: Settings) -> bool:
    """Whether a control has the same hints as an agent, except that the agent has domain knowledge."""
    others = tuple(hint for hint in own if hint != DOMAIN_KNOWLEDGE)
    return DOMAIN_KNOWLEDGE in own and control == others


def _measure(standing: Standing) -> tuple[set[str], str]:
    """What must be equal for scores to be comparable: the judges, and the number of the task's version."""
    return standing.judges, standing.results[0].run.version_number


def _setup(standing: Standing) -> tuple[str, ...]:
    """The agent with its model, settings and limits, without the task."""
    first = standing.results[0]
    return first.sample.agent, first.run.model, *first.run.limits, *first.setup


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
