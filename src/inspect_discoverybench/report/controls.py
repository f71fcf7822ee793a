"""The section that compares agents with controls on the same tasks."""

import itertools

import pandas as pd

from inspect_discoverybench.comparison.difference import key_difference
from inspect_discoverybench.report.charts import dots
from inspect_discoverybench.report.leaderboard import AGENT, BEST, FLOOR, Leaderboard, Standing
from inspect_discoverybench.report.means import HIGH, HMS, LOW, IntervalNames, Row, bound_columns, difference_columns
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.configuration import without_placebo

DIFFERENCE = IntervalNames("difference × 100", LOW, HIGH)

GUESSER = "no_data_guess"

HINT = "domain_knowledge"


def control_section(leaderboard: Leaderboard) -> Section | None:
    """The paired differences between agents and their controls with the same judge; None if there are none."""
    rows = []
    agents = [standing for standing in leaderboard.standings if _is_compared(standing)]
    for standing, control in itertools.product(agents, leaderboard.standings):
        name = _control_name(standing, control)
        if name is None or _measure(standing) != _measure(control):
            continue
        difference = _comparison_columns(control, standing)
        if difference:
            row = standing.key_columns
            row["control"] = name
            row |= difference
            rows.append(row)
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
    """The name of another configuration as a control of an agent; None if it is no control.

    Controls are the floor, guesses of the same model without data (paper §5.2), the same agent without domain knowledge
    (paper §5.3), and the same agent on a placebo.
    """
    own = agent.configuration
    control = other.configuration
    is_same_benchmark = control.benchmark == own.benchmark
    has_same_hints = control.hints == own.hints
    if is_same_benchmark and other.kind == FLOOR:
        return other.name
    if is_same_benchmark and has_same_hints and control.agent == GUESSER and control.model == own.model:
        return other.name

    is_same_agent = _setup(other) == _setup(agent)
    is_its_placebo = not is_same_benchmark and without_placebo(control.benchmark) == own.benchmark
    if is_same_agent and has_same_hints and is_its_placebo:
        return control.benchmark
    hints_without_it = tuple(hint for hint in own.hints if hint != HINT)
    lacks_hint = not has_same_hints and control.hints == hints_without_it
    if is_same_agent and is_same_benchmark and lacks_hint:
        return f"without {HINT}"
    return None


def _measure(standing: Standing) -> tuple[set[str], str]:
    """What must be equal for scores to be comparable: the judges, and the number of the task's version."""
    return standing.judges, standing.results[0].run.version_number


def _setup(standing: Standing) -> tuple[str, ...]:
    """The agent with its model, settings and limits, without the task."""
    first = standing.results[0]
    return first.sample.agent, first.run.model, *first.run.limits, *first.setup


def _comparison_columns(control: Standing, agent: Standing) -> Row:
    """The paired difference of HMS; empty if they have no scored task in common."""
    difference = key_difference(control.tasks_by_id, agent.tasks_by_id)
    if difference is None:
        return {}
    return {
        "tasks": difference.paired.tasks,
        f"control {HMS}": 100 * difference.baseline,
        f"agent {HMS}": 100 * difference.candidate,
        **difference_columns(difference.paired, DIFFERENCE),
        **bound_columns(difference.worst, difference.best),
    }
