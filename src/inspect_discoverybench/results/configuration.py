"""Configurations: a benchmark, an agent and a model, with everything else that distinguishes their runs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from inspect_discoverybench.results.result import Result
from inspect_discoverybench.results.run_record import PLACEBO, RunRecord

BENCHMARKS = {"real": "DB-REAL", "synth": "DB-SYNTH"}
"""Names of the tasks that have splits."""

ALL_SPLITS = "all"
"""Name of all splits together, in the task's argument and in the name of the benchmark."""


@dataclass(frozen=True)
class Configuration:
    """A configuration.

    Attributes:
        benchmark: Task and split, such as `DB-REAL test`.
        agent: Name of the solver.
        model: Name of the evaluated model.
        hints: Task arguments that do not select samples, as text; empty if there are none.
        settings: What else distinguishes it from others with the same benchmark, agent and model; may be empty.
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
    common: dict[tuple[str, str, str], set[str]] = {}
    for result in results:
        run = result.run
        group = (benchmark_of(result, pool_splits), run.agent, run.model)
        groups.append(group)
        details = set(run.details)
        common[group] = details & common.get(group, details)

    configurations = []
    for group, result in zip(groups, results, strict=True):
        run = result.run
        settings = [text for text in run.details if text and text not in common[group]]
        configuration = Configuration(*group, run.hints, ", ".join(settings))
        configurations.append(configuration)
    return configurations


def benchmark_of(result: Result, pool_splits: bool = False) -> str:
    """The name of a result's task, with its split, and with the seed of a placebo."""
    return benchmark_name(result.run, result.sample.split, pool_splits)


def benchmark_name(run: RunRecord, split: str | None, pool_splits: bool = False) -> str:
    """The name of a run's task, as for `benchmark_of`, for a sample of this split."""
    arguments = json.loads(run.task_arguments)
    task = run.task.removesuffix(PLACEBO)
    name = BENCHMARKS.get(task, task)
    if task in BENCHMARKS:
        is_pooled = pool_splits or arguments.get("split") == ALL_SPLITS
        name += f" {ALL_SPLITS if is_pooled else split}"
    if task != run.task:
        name += f", placebo {arguments.get('placebo')}"
    return name
