"""Configurations: a benchmark, an agent and a model, with everything else that distinguishes their runs."""

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from inspect_discoverybench.dataset.splits import ALL, LITE
from inspect_discoverybench.dataset.task_text import NEUTRAL
from inspect_discoverybench.results.recorded_settings import Settings
from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.results.run_record import PLACEBO_SUFFIX, RunRecord

BENCHMARKS = {"real": "DB-REAL", "synth": "DB-SYNTH"}
"""Names of the benchmarks, by task. Only these tasks have splits."""

_PLACEBO = ", placebo "
"""What is between the name of a benchmark and the seed of its placebo."""


@dataclass(frozen=True)
class Configuration:
    """A configuration.

    Attributes:
        benchmark: Task and split, such as `DB-REAL test`.
        agent: Name of the solver.
        model: Name of the evaluated model.
        hints: Task arguments that are hints (`RunRecord.hints`), such as a framing. The name of custom data is one of
            them, so that runs with different data have different hints.
        agent_file_settings: Name and SHA-256 of the file with the agent, as far as they differ between the files with
            agents of this name; may be empty.
        settings: What its name adds to agent and model: hints, and all that distinguishes it from other configurations
            of the same benchmark; may be empty.
    """

    benchmark: str
    agent: str
    model: str
    hints: Settings
    agent_file_settings: Settings
    settings: str

    @property
    def framing(self) -> str:
        """What the task text says about null results."""
        for hint in self.hints:
            name, _, value = hint.partition("=")
            if name == "framing":
                return value
        return NEUTRAL

    @property
    def name(self) -> str:
        """Agent, model and settings."""
        name = f"{self.agent} · {self.model}"
        return f"{name} ({self.settings})" if self.settings else name


class _AgentFiles:
    """The files with agents, by name and by content, as far as logs record them.

    Two files may have agents of the same name, and a file may have been edited between two runs.
    """

    def __init__(self, results: Iterable[ResultRow]) -> None:
        self._names: dict[str, set[str]] = defaultdict(set)  # of files, by the agent's name
        self._digests: dict[tuple[str, str | None], set[str]] = defaultdict(set)  # by the agent's and the file's name
        for result in results:
            agent, run = result.sample.agent, result.run
            if run.agent_file:
                self._names[agent].add(run.agent_file)
            if run.agent_digest:
                self._digests[agent, run.agent_file].add(run.agent_digest)

    def settings(self, result: ResultRow) -> Settings:
        """What tells the file of a run from others with an agent of this name: its name, and the start of its SHA-256.

        What all these files have in common is left out.
        """
        agent, run = result.sample.agent, result.run
        settings = []
        if run.agent_file and len(self._names[agent]) > 1:
            settings.append(f"agent file {run.agent_file}")
        if run.agent_digest and len(self._digests[agent, run.agent_file]) > 1:
            settings.append(f"agent file sha256 {run.agent_digest[:8]}")
        return tuple(settings)


def configurations_of(results: Sequence[ResultRow], pool_splits: bool = False) -> list[Configuration]:
    """The configuration of each result.

    Args:
        results: Results of any logs.
        pool_splits: Whether the splits of a task are one benchmark, as with the task's argument `split=all`.
    """
    benchmarks = [benchmark_name(result.run, result.sample.split, pool_splits) for result in results]
    runs = {result.run.log: result.run for result in results}
    data_names = _data_names(runs.values())

    # The names of configurations leave out conditions that all results of a benchmark have.
    conditions = [_omittable_conditions(result.run, data_names) for result in results]
    conditions_in_names = _without_common_settings(conditions, groups=benchmarks)
    # The names also leave out settings of agent and model that all results with the same benchmark, agent and model
    # have.
    setups = [result.setup for result in results]
    systems = [
        (benchmark, result.sample.agent, result.run.model)
        for benchmark, result in zip(benchmarks, results, strict=True)
    ]
    setups_in_names = _without_common_settings(setups, groups=systems)
    agent_files = _AgentFiles(results)

    configurations = []
    for benchmark, result, conditions_in_name, setup_in_name in zip(
        benchmarks, results, conditions_in_names, setups_in_names, strict=True
    ):
        agent_file_settings = agent_files.settings(result)
        settings = [*_hints_in_name(result.run), *conditions_in_name, *setup_in_name, *agent_file_settings]
        # Reports pair configurations that have equal hints, such as those of an agent and of its controls.
        # Configurations with different data must not be paired. So the name of custom data counts as a hint, even if
        # the name of the configuration leaves the data out.
        hints = (*_data_settings(result.run, data_names), *result.run.hints)
        configuration = Configuration(
            benchmark=benchmark,
            agent=result.sample.agent,
            model=result.run.model,
            hints=hints,
            agent_file_settings=agent_file_settings,
            settings=", ".join(settings),
        )
        configurations.append(configuration)
    return configurations


def _without_common_settings(settings: Sequence[Settings], groups: Sequence[Hashable]) -> list[list[str]]:
    """The settings of each result that not all results of its group have.

    Args:
        settings: The settings of each result.
        groups: The group of each result.
    """
    common: dict[Hashable, set[str]] = {}
    for settings_of_result, group in zip(settings, groups, strict=True):
        common.setdefault(group, set(settings_of_result))
        common[group] &= set(settings_of_result)

    remaining = []
    for settings_of_result, group in zip(settings, groups, strict=True):
        remaining.append([setting for setting in settings_of_result if setting not in common[group]])
    return remaining


def _data_names(runs: Iterable[RunRecord]) -> dict[str, str]:
    """Names of custom data without the folders that contain them, such as `path=study`, by the log of each run.

    Runs have the same data if they name the same paths, even if a study was edited between them. `task_result.py` tells
    the versions of edited samples apart. Runs also have the same data if the contents are equal, because a study can be
    named by its folder or by its metadata file, and has another path on another machine.
    """
    names: dict[str, str] = {}
    used: set[str] = set()
    for group in _runs_by_data(runs):
        # Different data in different folders may have the same short name. All but the first get a number.
        short_name = _short_name(group[0].data_paths)
        name = short_name
        number = 1
        while name in used:
            number += 1
            name = f"{short_name} ({number})"
        used.add(name)
        names |= dict.fromkeys([run.log for run in group], name)
    return names


def _runs_by_data(runs: Iterable[RunRecord]) -> list[list[RunRecord]]:
    """Divide the runs with custom data into those with the same data, in the order of the first run of each."""
    groups: list[list[RunRecord]] = []
    for run in runs:
        if not run.data_paths:
            continue
        matching = [group for group in groups if any(_have_same_data(run, member) for member in group)]
        if not matching:
            groups.append([run])
            continue
        # Two groups match if the run has the paths of one and the content of the other. They become one group.
        first_group, *further_groups = matching
        first_group.append(run)
        for group in further_groups:
            first_group.extend(group)
            groups.remove(group)
    return groups


def _have_same_data(run: RunRecord, other: RunRecord) -> bool:
    has_equal_content = run.data_checksum is not None and run.data_checksum == other.data_checksum
    return has_equal_content or run.data_paths == other.data_paths


def _short_name(data_paths: Mapping[str, Any]) -> str:
    """The name of custom data without the folders that contain them, such as `path=study`.

    Args:
        data_paths: The `data_paths` of a run, in the order of `DATA_ARGUMENTS`.
    """
    # The first argument is `path` or `data`, of which a run has only one. The answer key comes last, and is left out.
    argument, value = next(iter(data_paths.items()))
    texts = [value] if isinstance(value, str) else value
    paths = [PurePath(text) for text in texts]
    # Nearly all metadata files have the same name, so the name of the folder is shown, too.
    names = [f"{path.parent.name}/{path.name}" if path.suffix == ".json" else path.name for path in paths]
    return f"{argument}={' and '.join(names)}"


def _hints_in_name(run: RunRecord) -> Settings:
    """The hints that the name of a configuration always has, even if all runs have the same hints.

    Scores of DB-REAL and DB-SYNTH are shown beside published scores, which are without hints.
    """
    return run.hints if run.task in BENCHMARKS else ()


def _omittable_conditions(run: RunRecord, data_names: Mapping[str, str]) -> Settings:
    """The conditions that the name of a configuration leaves out if all results of its benchmark have them.

    Hints that the name always has are not among them.
    """
    always_in_name = _hints_in_name(run)
    conditions = (*_data_settings(run, data_names), *run.conditions)
    return tuple(condition for condition in conditions if condition not in always_in_name)


def _data_settings(run: RunRecord, data_names: Mapping[str, str]) -> Settings:
    """The name of a run's custom data, such as `path=study`; empty if the run has none."""
    return (data_names[run.log],) if run.log in data_names else ()


def benchmark_name(run: RunRecord, split: str | None, pool_splits: bool = False) -> str:
    """The name of a run's task, with the split if the task has splits, and with the seed of a placebo.

    Args:
        run: The run.
        split: The split of one of its samples; None if there is no split or no sample.
        pool_splits: Whether the splits of a task are one benchmark, as with the task's argument `split=all`.
    """
    arguments = json.loads(run.task_arguments)
    task = run.task.removesuffix(PLACEBO_SUFFIX)
    name = BENCHMARKS.get(task, task)
    if task in BENCHMARKS:
        if arguments.get("split") == LITE:
            # The goals of lite were drawn from test with unequal chances. So its results are never pooled with others.
            split = LITE
        elif pool_splits or arguments.get("split") == ALL:
            split = ALL
        if split is not None:
            name += f" {split}"
    if run.is_placebo:
        name += f"{_PLACEBO}{arguments.get('placebo')}"
    return name


def without_placebo(benchmark: str) -> str:
    """The name of the benchmark whose data a placebo permutes. The name of any other benchmark stays the same."""
    name, _, _ = benchmark.partition(_PLACEBO)
    return name
