"""The sections that compare two means of the same tasks: with domain knowledge, and with controls."""

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
    rows: list[Row] = []
    for hinted in leaderboard.standings:
        for plain in leaderboard.standings:
            if _without_hint(hinted) == _without_hint(plain) and _is_hinted(hinted) and not _is_hinted(plain):
                archaeology = [task for task in hinted.tasks if task.results[0].sample.domain in ARCHAEOLOGY]
                for name, tasks in (("archaeology", archaeology), ("all", hinted.tasks)):
                    key = hinted.key_columns | {"task set": name}
                    rows += _row(key, plain.tasks, tasks, ("without", "with"))
    return _section("domain_knowledge", rows, "task set", leaderboard)


def _is_hinted(standing: Standing) -> bool:
    return HINT in standing.configuration.hints


def _without_hint(standing: Standing) -> tuple[object, ...]:
    """What is equal in configurations that differ at most in domain knowledge."""
    configuration = standing.configuration
    run = standing.results[0].run
    hints = configuration.hints.replace(HINT, "").strip(", ")
    return configuration.benchmark, run.agent, run.model, run.agent_arguments, run.model_settings, run.limits, hints


def controls(leaderboard: Leaderboard) -> Section | None:
    """Agents compared with controls: the floor, guesses without data, and the same agent on a placebo."""
    rows: list[Row] = []
    for standing in leaderboard.standings:
        if standing.kind in (AGENT, BEST) and standing.configuration.agent != GUESSER:
            for control in leaderboard.standings:
                name = _control_name(standing, control)
                if name and standing.judges == control.judges:
                    key = standing.key_columns | {"control": name}
                    rows += _row(key, control.tasks, standing.tasks, ("control", "agent"))
    return _section("controls", rows, "control", leaderboard)


def _control_name(standing: Standing, other: Standing) -> str:
    """What a configuration is a control of for another one; empty if it is none."""
    own, control = standing.configuration, other.configuration
    is_same_model = (own.model, own.hints) == (control.model, control.hints)
    if own.benchmark == control.benchmark:
        is_guess = control.agent == GUESSER and is_same_model
        return other.name if is_guess or other.kind == FLOOR else ""
    is_placebo = control.benchmark.startswith(f"{own.benchmark}, placebo ")
    return control.benchmark if is_placebo and is_same_model and own.agent == control.agent else ""


def _row(key: Row, first: Sequence[Task], second: Sequence[Task], names: tuple[str, str]) -> Iterator[Row]:
    """The paired difference of HMS, second minus first, if the tasks have any in common."""
    difference = key_difference({task.id: task for task in first}, {task.id: task for task in second})
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
    labels = table.configuration + "\n" + table[reference]
    chart = dots(table.assign(label=labels), "label", (DIFFERENCE, LOW, HIGH), leaderboard.style)
    return Section(name, table, chart)
