"""Configurations: a benchmark, an agent and a model, with everything else that distinguishes their runs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from inspect_discoverybench.dataset.splits import ALL
from inspect_discoverybench.results.result import Result
from inspect_discoverybench.results.run_record import PLACEBO, RunRecord

BENCHMARKS = {"real": "DB-REAL", "synth": "DB-SYNTH"}
"""Names of the tasks that have splits."""


@dataclass(frozen=True)
class Configuration:
    """A configuration.

    Attributes:
        benchmark: Task and split, such as `DB-REAL test`.
        agent: Name of the solver.
        model: Name of the evaluated model.
        hints: Task arguments that do not select samples, as text; empty if there are none.
        settings: Hints, and what else distinguishes it from others of the same benchmark; may be empty.
    """

    benchmark: str
    agent: str
    model: str
    hints: str
    settings: str

    @property
    def name(self) -> str:
        """Agent, model and settings."""
        name = f"{self.agent} · {self.model}"
        return f"{name} ({self.settings})" if self.settings else name


def configurations_of(results: Sequence[Result], pool_splits: bool = False) -> list[Configuration]:
    """The configuration of each result.

    Args:
        results: Results of any logs.
        pool_splits: Whether the splits of a task are one benchmark, as with the task's argument `split=all`.
    """
    groups = []
    common_conditions: dict[str, set[str]] = {}
    common_setup: dict[tuple[str, str, str], set[str]] = {}
    for result in results:
        run = result.run
        benchmark = benchmark_name(run, result.sample.split, pool_splits)
        group = (benchmark, run.agent, run.model)
        groups.append(group)
        conditions = set(run.conditions)
        common_conditions[benchmark] = conditions & common_conditions.get(benchmark, conditions)
        setup = set(run.setup)
        common_setup[group] = setup & common_setup.get(group, setup)

    configurations = []
    for group, result in zip(groups, results, strict=True):
        run = result.run
        benchmark, _, _ = group
        common = common_conditions[benchmark]
        if run.task in BENCHMARKS:  # published scores are without hints, so they are named even if all runs have them
            common = common - {run.hints}
        settings = [text for text in run.conditions if text and text not in common]
        settings += [text for text in run.setup if text and text not in common_setup[group]]
        configuration = Configuration(*group, run.hints, ", ".join(settings))
        configurations.append(configuration)
    return configurations


def benchmark_name(run: RunRecord, split: str | None, pool_splits: bool = False) -> str:
    """The name of a run's task for a sample of this split, with the split, and with the seed of a placebo."""
    arguments = json.loads(run.task_arguments)
    task = run.task.removesuffix(PLACEBO)
    name = BENCHMARKS.get(task, task)
    if task in BENCHMARKS:
        is_pooled = pool_splits or arguments.get("split") == ALL
        name += f" {ALL if is_pooled else split}"
    if task != run.task:
        name += f", placebo {arguments.get('placebo')}"
    return name
