"""Configurations: a benchmark, an agent and a model, with everything else that distinguishes their runs."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_discoverybench.results.result import Result
from inspect_discoverybench.results.run_record import PLACEBO, RunRecord

BENCHMARKS = {"real": "DB-REAL", "synth": "DB-SYNTH"}
"""Names of the tasks that have splits."""

ALL_SPLITS = "all"
"""Name of all splits together, in the task's argument and in the name of the benchmark."""

SELECTION_ARGUMENTS = (
    "split",
    "dataset",
    "domain",
    "question_type",
    "difficulty",
    "solvable",
    "goal",
    "aggregation",
    "placebo",
)
"""Task arguments that select samples or are part of the benchmark or the judge's record. All others are hints."""

Group = tuple[str, str, str]
"""Benchmark, agent and model."""

Details = tuple[str, ...]
"""What distinguishes runs of a group, as texts; empty where a run has the default."""


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
    runs = {result.run for result in results}
    details = {run: _details(run) for run in runs}
    groups = []
    occurring: dict[Group, set[Details]] = defaultdict(set)
    for result in results:
        run = result.run
        benchmark = benchmark_of(result, pool_splits)
        group = (benchmark, run.agent, run.model)
        groups.append(group)
        occurring[group].add(details[run])

    varying = {group: _varying(rows) for group, rows in occurring.items()}
    configurations = []
    for group, result in zip(groups, results, strict=True):
        texts = details[result.run]
        settings = [texts[place] for place in varying[group]]
        listed = ", ".join(filter(None, settings))
        configuration = Configuration(*group, _hints(result.run), listed)
        configurations.append(configuration)
    return configurations


def _varying(rows: set[Details]) -> list[int]:
    """The places at which details differ."""
    distinct = [set(texts) for texts in zip(*rows, strict=True)]
    return [place for place, texts in enumerate(distinct) if len(texts) > 1]


def benchmark_of(result: Result, pool_splits: bool = False) -> str:
    """The name of a result's task, with its split, and with the seed of a placebo."""
    task = result.run.task.removesuffix(PLACEBO)
    arguments = _arguments(result.run)
    name = BENCHMARKS.get(task, task)
    if task in BENCHMARKS:
        is_pooled = pool_splits or arguments.get("split") == ALL_SPLITS
        name += f" {ALL_SPLITS if is_pooled else result.sample.split}"
    if task != result.run.task:
        name += f", placebo {arguments.get('placebo')}"
    return name


def _details(run: RunRecord) -> Details:
    """What distinguishes a run from others with the same benchmark, agent and model, as texts."""
    settings = (run.agent_arguments, run.model_settings, run.limits)
    listed = [_listed(json.loads(text or "{}")) for text in settings]
    version = f"task version {run.task_version}"
    return (_hints(run), *listed, version)


def _hints(run: RunRecord) -> str:
    arguments = dict(_arguments(run))
    for name in SELECTION_ARGUMENTS:
        arguments.pop(name, None)
    return _listed({name: value for name, value in arguments.items() if value})


def _arguments(run: RunRecord) -> Mapping[str, Any]:
    arguments: Mapping[str, Any] = json.loads(run.task_arguments or "{}")
    return arguments


def _listed(values: Mapping[str, Any]) -> str:
    texts = []
    for name, value in values.items():
        text = name if value is True else f"{name}={value}"
        texts.append(text)
    return ", ".join(texts)
