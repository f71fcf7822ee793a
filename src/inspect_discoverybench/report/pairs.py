"""The sections that compare two means of the same tasks: domain knowledge, variants, and guesses without data."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from inspect_discoverybench.report.charts import PANEL, dots
from inspect_discoverybench.report.leaderboard import AGENT, BEST, Leaderboard, Standing
from inspect_discoverybench.report.means import HIGH, HMS, LOW, Row
from inspect_discoverybench.report.section import Section, descriptions
from inspect_discoverybench.results.task import Task
from inspect_discoverybench.statistics.paired import compare_paired

DIFFERENCE = "difference × 100"

HINT = "domain_knowledge"

ARCHAEOLOGY = ("archaeology", "humanities")
"""Domains of the archaeology tasks. The released metadata call the domain humanities."""

GUESSER = "no_data_guess"

Tasks = Mapping[str, Task]
"""Tasks by what pairs them, such as their id."""


@dataclass(frozen=True)
class Pair:
    """Two sets of tasks to compare: the row's key columns, its label in the chart, and the agent."""

    key: Row
    label: str
    agent: str
    first: Tasks
    second: Tasks


def pair_sections(leaderboard: Leaderboard) -> Iterator[Section]:
    """The sections that have data."""
    yield from _section("domain_knowledge", leaderboard, domain_knowledge_pairs(leaderboard))
    yield from _section("variants", leaderboard, variant_pairs(leaderboard))
    yield from _section("memory", leaderboard, guess_pairs(leaderboard))


def _section(name: str, leaderboard: Leaderboard, pairs: Iterator[Pair]) -> Iterator[Section]:
    """The means and differences of pairs with common tasks."""
    rows = []
    details = []
    for pair in pairs:
        difference = _difference(pair, descriptions()[name].means or ("", ""))
        if difference:
            rows.append(pair.key | difference)
            details.append({"label": pair.label, "agent": pair.agent})
    if not rows:
        return

    table = pd.DataFrame(rows)
    shown = table.join(pd.DataFrame(details))
    shown[PANEL] = shown.benchmark.map(leaderboard.titles)
    chart = dots(shown, "label", (DIFFERENCE, LOW, HIGH), leaderboard.colors)
    yield Section(name, table, chart)


def _difference(pair: Pair, means: tuple[str, str]) -> Row | None:
    """The paired difference of HMS, second minus first; None if no task has both."""
    common = []
    for key, task in pair.first.items():
        other = pair.second.get(key)
        if other is not None and task.score().scored and other.score().scored:
            common.append((task.score().mean, other.score().mean, task.cluster))
    if not common:
        return None

    first, second, clusters = (list(values) for values in zip(*common, strict=True))
    paired = compare_paired(second, first, clusters)
    return {
        "tasks": paired.tasks,
        f"{means[0]} {HMS}": 100 * math.fsum(first) / len(first),
        f"{means[1]} {HMS}": 100 * math.fsum(second) / len(second),
        DIFFERENCE: 100 * paired.difference,
        LOW: 100 * paired.low,
        HIGH: 100 * paired.high,
        "these tasks p": paired.p_value,
        "wins": paired.wins,
        "losses": paired.losses,
        "ties": paired.ties,
    }


def domain_knowledge_pairs(leaderboard: Leaderboard) -> Iterator[Pair]:
    """The same configuration without and with domain knowledge as a hint (paper §5.3)."""
    for benchmark in leaderboard.benchmarks:
        without = {_settings(standing): standing for standing in benchmark.standings if not _is_hinted(standing)}
        for hinted in filter(_is_hinted, benchmark.standings):
            plain = without.get(_settings(hinted))
            if plain is None:
                continue
            archaeology = [task for task in hinted.tasks if task.results[0].sample.domain in ARCHAEOLOGY]
            for name, tasks in (("archaeology", archaeology), ("all", hinted.tasks)):
                key = hinted.key_columns | {"task set": name}
                label = f"{name} · {hinted.name}"
                yield Pair(key, label, hinted.configuration.agent, _by_id(plain.tasks), _by_id(tasks))


def _is_hinted(standing: Standing) -> bool:
    return HINT in standing.configuration.hints.split(", ")


def _settings(standing: Standing) -> tuple[str, ...]:
    """What is equal in configurations that differ at most in domain knowledge."""
    configuration = standing.configuration
    hints = [hint for hint in configuration.hints.split(", ") if hint not in (HINT, "")]
    run = standing.results[0].run
    settings = (run.agent_arguments, run.model_settings, run.limits, run.task_version)
    return (configuration.agent, configuration.model, *hints, *settings)


def variant_pairs(leaderboard: Leaderboard) -> Iterator[Pair]:
    """The same questions on processed and on raw data (paper §4.1)."""
    for standing in leaderboard.standings:
        by_id = _by_id(standing.tasks)
        hard = {}
        for task in standing.tasks:
            easy = task.results[0].sample.variant_of
            if easy is not None:
                hard[easy] = task
        yield Pair(standing.key_columns, standing.name, standing.configuration.agent, by_id, hard)


def guess_pairs(leaderboard: Leaderboard) -> Iterator[Pair]:
    """Guesses without data, and agents with the same model and hints that saw the data (paper §5.2)."""
    for benchmark in leaderboard.benchmarks:
        guesses = [standing for standing in benchmark.standings if standing.configuration.agent == GUESSER]
        for standing in benchmark.standings:
            configuration = standing.configuration
            if standing.kind not in (AGENT, BEST) or standing in guesses:
                continue
            for guess in guesses:
                is_same = (guess.configuration.model, guess.configuration.hints) == (
                    configuration.model,
                    configuration.hints,
                )
                if is_same:
                    key = standing.key_columns | {"guesses": guess.name}
                    yield Pair(key, standing.name, configuration.agent, _by_id(guess.tasks), _by_id(standing.tasks))


def _by_id(tasks: Sequence[Task]) -> Tasks:
    return {task.id: task for task in tasks}
