"""The sections that compare two means of the same tasks: with domain knowledge, and with controls."""

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

HINT = "domain_knowledge"

ARCHAEOLOGY = ("archaeology", "humanities")
"""Domains of the archaeology tasks. The released metadata call the domain humanities."""

GUESSER = "no_data_guess"


def domain_knowledge(leaderboard: Leaderboard) -> Section | None:
    """The same configuration without and with domain knowledge as a hint (paper §5.3)."""
    plain = {}
    for standing in leaderboard.standings:
        if not _is_hinted(standing):
            plain[_without_hint(standing)] = standing

    rows: list[Row] = []
    for hinted in filter(_is_hinted, leaderboard.standings):
        without = plain.get(_without_hint(hinted))
        if without is None:
            continue
        archaeology = [task for task in hinted.tasks if task.sample.domain in ARCHAEOLOGY]
        for name, tasks in (("archaeology", archaeology), ("all", hinted.tasks)):
            key = hinted.key_columns | {"task set": name}
            rows += _row(key, without.tasks, tasks, ("without", "with"))
    return _section("domain_knowledge", rows, "task set", leaderboard)


def _is_hinted(standing: Standing) -> bool:
    return HINT in standing.configuration.hints


def _without_hint(standing: Standing) -> tuple[object, ...]:
    """What is equal in configurations that differ at most in domain knowledge."""
    configuration = standing.configuration
    run = standing.results[0].run
    return (
        configuration.benchmark,
        configuration.agent,
        configuration.model,
        configuration.hints.replace(HINT, "").strip(", "),
        run.agent_arguments,
        run.model_settings,
        run.limits,
    )


def controls(leaderboard: Leaderboard) -> Section | None:
    """Agents compared with controls: the floor, guesses without data, and the same agent on a placebo."""
    rows: list[Row] = []
    pairs = itertools.product(leaderboard.standings, repeat=2)
    for standing, control in pairs:
        if standing.kind not in (AGENT, BEST) or standing.configuration.agent == GUESSER:
            continue
        name = _control_name(standing, control)
        if name and standing.judges == control.judges:
            key = standing.key_columns | {"control": name}
            rows += _row(key, control.tasks, standing.tasks, ("control", "agent"))
    return _section("controls", rows, "control", leaderboard)


def _control_name(standing: Standing, other: Standing) -> str:
    """What a configuration is a control of for another one; empty if it is none."""
    own = standing.configuration
    control = other.configuration
    is_here = own.benchmark == control.benchmark
    if is_here and other.kind == FLOOR:
        return other.name
    if own.model != control.model or own.hints != control.hints:
        return ""
    if is_here and control.agent == GUESSER:
        return other.name

    is_placebo = control.benchmark.startswith(f"{own.benchmark}, placebo ")
    if is_placebo and own.agent == control.agent:
        return control.benchmark
    return ""


def _row(key: Row, first: Sequence[Task], second: Sequence[Task], names: tuple[str, str]) -> Iterator[Row]:
    """The paired difference of HMS, second minus first, if the tasks have any in common."""
    first_by_id = {task.sample.id: task for task in first}
    second_by_id = {task.sample.id: task for task in second}
    difference = key_difference(first_by_id, second_by_id)
    if difference is None:
        return
    paired = difference.paired
    yield key | {
        "tasks": paired.tasks,
        f"{names[0]} {HMS}": 100 * difference.baseline.mean,
        f"{names[1]} {HMS}": 100 * difference.candidate.mean,
        DIFFERENCE: 100 * paired.difference,
        LOW: 100 * paired.low,
        HIGH: 100 * paired.high,
        "these tasks p": paired.p_value,
        "wins": paired.wins,
        "losses": paired.losses,
        "ties": paired.ties,
    }


def _section(name: str, rows: Sequence[Row], reference: str, leaderboard: Leaderboard) -> Section | None:
    if not rows:
        return None
    table = pd.DataFrame(rows)
    interval = (DIFFERENCE, LOW, HIGH)
    labels = table.configuration + "\n− " + table[reference]
    chart = dots(table.assign(pair=labels), "pair", interval, leaderboard.style)
    return Section(name, table, chart)
