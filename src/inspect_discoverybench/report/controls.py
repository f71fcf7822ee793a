"""The section that compares agents with controls on the same tasks."""

import itertools
from collections.abc import Iterator, Sequence

import pandas as pd

from inspect_discoverybench.comparison.difference import key_difference
from inspect_discoverybench.report.charts import dots
from inspect_discoverybench.report.leaderboard import AGENT, BEST, FLOOR, Leaderboard, Standing
from inspect_discoverybench.report.means import HIGH, HMS, LOW, Row
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.task import Task

DIFFERENCE = "difference × 100"

GUESSER = "no_data_guess"

HINT = "domain_knowledge"


def control_section(leaderboard: Leaderboard) -> Section | None:
    """The paired differences between agents and their controls with the same judge; None if there are none."""
    rows: list[Row] = []
    pairs = itertools.product(leaderboard.standings, repeat=2)
    for standing, control in pairs:
        if standing.kind not in (AGENT, BEST) or standing.configuration.agent == GUESSER:
            continue
        name = _control_name(standing, control)
        if name and standing.judges == control.judges:
            key = standing.key_columns | {"control": name}
            rows += _difference(key, control.tasks, standing.tasks)
    if not rows:
        return None

    table = pd.DataFrame(rows)
    interval = (DIFFERENCE, LOW, HIGH)
    labels = table.configuration + "\n− " + table.control
    chart = dots(table.assign(pair=labels), "pair", interval, leaderboard.style)
    return Section("controls", table, chart)


def _control_name(standing: Standing, other: Standing) -> str:
    """What a configuration is a control of for another one; empty if it is none.

    Controls are the floor, guesses of the same model without data (paper §5.2), the same agent without domain knowledge
    (paper §5.3), and the same agent on a placebo.
    """
    own = standing.configuration
    control = other.configuration
    is_here = own.benchmark == control.benchmark
    if is_here and other.kind == FLOOR:
        return other.name
    if is_here and control.agent == GUESSER and own.model == control.model and own.hints == control.hints:
        return other.name

    if _setup(standing) != _setup(other):
        return ""
    without_hint = own.hints.replace(HINT, "").strip(", ")
    if is_here and own.hints != without_hint == control.hints:
        return f"without {HINT}"
    is_placebo = control.benchmark.startswith(f"{own.benchmark}, placebo ")
    return control.benchmark if is_placebo and own.hints == control.hints else ""


def _setup(standing: Standing) -> tuple[str, ...]:
    """The agent with its model and settings, without the task."""
    run = standing.results[0].run
    return run.agent, run.model, run.agent_arguments, run.model_settings, run.limits


def _difference(key: Row, control: Sequence[Task], agent: Sequence[Task]) -> Iterator[Row]:
    """The paired difference of HMS, if the tasks have any in common."""
    control_by_id = {task.sample.id: task for task in control}
    agent_by_id = {task.sample.id: task for task in agent}
    difference = key_difference(control_by_id, agent_by_id)
    if difference is None:
        return
    paired = difference.paired
    yield key | {
        "tasks": paired.tasks,
        f"control {HMS}": 100 * difference.baseline,
        f"agent {HMS}": 100 * difference.candidate,
        DIFFERENCE: 100 * paired.difference,
        LOW: 100 * paired.low,
        HIGH: 100 * paired.high,
        "these tasks p": paired.p_value,
        "wins": paired.wins,
        "losses": paired.losses,
        "ties": paired.ties,
    }
