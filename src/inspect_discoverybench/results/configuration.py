"""Configurations: a benchmark, an agent and a model, with everything else that distinguishes their runs."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_discoverybench.results.result import Result
from inspect_discoverybench.results.run_record import RunRecord

BENCHMARKS = {"real": "DB-REAL", "synth": "DB-SYNTH"}
"""Names of the tasks that have splits."""

ALL_SPLITS = "all"
"""Name of all splits together, in the task's argument and in the name of the benchmark."""

SELECTION_ARGUMENTS = ("split", "dataset", "domain", "question_type", "difficulty", "solvable", "goal", "aggregation")
"""Task arguments that select samples or are part of the judge's record. All others are hints."""

DETAILS = ("agent_arguments", "hints", "model_settings", "limits", "task_version", "data_commit")
"""What distinguishes configurations with the same benchmark, agent and model. A name shows those that vary."""

UNKNOWN_DATA = "unknown data"


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
    details = {run: _details(run) for run in {result.run for result in results}}
    keys = [(benchmark_of(result, pool_splits), result.run.agent, result.run.model) for result in results]

    seen: dict[tuple[str, str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for key, result in zip(keys, results, strict=True):
        for name, text in details[result.run].items():
            # Old logs do not record the commit of the data, which is the same for all.
            if text != UNKNOWN_DATA:
                seen[key][name].add(text)

    configurations = []
    for key, result in zip(keys, results, strict=True):
        varying = [text for name, text in details[result.run].items() if len(seen[key][name]) > 1]
        configurations.append(Configuration(*key, _hints(result.run), ", ".join(varying)))
    return configurations


def benchmark_of(result: Result, pool_splits: bool = False) -> str:
    """The name of a result's task, with its split."""
    benchmark = BENCHMARKS.get(result.run.task)
    if benchmark is None:
        return result.run.task
    is_pooled = pool_splits or _arguments(result.run).get("split") == ALL_SPLITS
    return f"{benchmark} {ALL_SPLITS if is_pooled else result.sample.split}"


def _details(run: RunRecord) -> dict[str, str]:
    """What distinguishes a run from others with the same benchmark, agent and model, as texts."""
    texts = {"hints": _hints(run) or "no hints", "task_version": f"task version {run.task_version}"}
    texts["data_commit"] = f"data {run.data_commit[:12]}" if run.data_commit else UNKNOWN_DATA
    for name in ("agent_arguments", "model_settings", "limits"):
        values = getattr(run, name)
        texts[name] = _listed(json.loads(values)) if values else f"default {name.replace('_', ' ')}"
    return {name: texts[name] for name in DETAILS}


def _hints(run: RunRecord) -> str:
    arguments = _arguments(run).items()
    return _listed({name: value for name, value in arguments if value and name not in SELECTION_ARGUMENTS})


def _arguments(run: RunRecord) -> dict[str, Any]:
    return json.loads(run.task_arguments) if run.task_arguments else {}


def _listed(values: Mapping[str, Any]) -> str:
    return ", ".join(name if value is True else f"{name}={value}" for name, value in values.items())
