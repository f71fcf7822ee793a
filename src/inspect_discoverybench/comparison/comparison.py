"""Comparison of systems on their common tasks: all pairs, and a ranking."""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from inspect_discoverybench.comparison.comparability import incompatibilities, notes_on
from inspect_discoverybench.comparison.difference import KeyDifference, key_difference
from inspect_discoverybench.comparison.system import System
from inspect_discoverybench.dataset.published_study import GUESSED_STUDIES
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.results.coverage import describe_coverage
from inspect_discoverybench.results.result_row import claim_prompts
from inspect_discoverybench.results.task_result import TaskId, TaskResult, mean_score
from inspect_discoverybench.scorer.claim import CLAIM_KEY
from inspect_discoverybench.scorer.facets import SCORE_KEYS
from inspect_discoverybench.scorer.released_form import RELEASED
from inspect_discoverybench.statistics.mean import Estimate

SEPARATING_COLUMNS = {"task": "run.task", "split": "sample.split"}
"""Columns whose values may be why systems have no common sample. A user selects with the keys: `PATH:split=test`."""


@dataclass(frozen=True)
class SystemPair:
    """Two systems and their differences.

    Attributes:
        baseline: Name of the first system.
        candidate: Name of the second system.
        keys: The difference in each key of the score: HMS first, then its facets and, if both have them, `hms_released`
            and `claim`.
        common: Number of tasks that both systems ran.
        only_baseline: Number of tasks that only the baseline ran.
        only_candidate: Number of tasks that only the candidate ran.
        studies: The studies of the common tasks.
    """

    baseline: str
    candidate: str
    keys: Sequence[KeyDifference]
    common: int
    only_baseline: int
    only_candidate: int
    studies: str

    @property
    def hms(self) -> KeyDifference:
        """The difference in HMS."""
        return self.keys[0]


@dataclass(frozen=True)
class SystemRank:
    """A system's mean HMS on the tasks that all systems ran.

    Attributes:
        system: Name of the system.
        estimate: The mean over the tasks in which the system has a score. Its interval covers what missing scores could
            be.
        tasks: Number of tasks that all systems ran.
        missing: Number of samples of these tasks for which the system has no HMS, in all epochs.
    """

    system: str
    estimate: Estimate
    tasks: int
    missing: int


@dataclass(frozen=True)
class SystemComparison:
    """The comparison of two or more systems.

    Attributes:
        pairs: All pairs of systems. Intervals and p-values are adjusted for their number.
        ranking: The systems by their mean; empty if no task was run by all.
        coverage: The tasks that each system ran, by its name.
        warnings: Why the scores are not fully comparable.
        notes: Differences in the provenance that may matter.
        left_out: Why logs could not be used, by path.
    """

    pairs: Sequence[SystemPair]
    ranking: Sequence[SystemRank]
    coverage: Mapping[str, str]
    warnings: Sequence[str]
    notes: Sequence[str]
    left_out: Mapping[str, str]


def compare_systems(systems: Sequence[System], left_out: Mapping[str, str], anyway: bool = False) -> SystemComparison:
    """Compare at least two systems pairwise, and rank them. The first system of each pair is the baseline.

    Args:
        systems: The systems.
        left_out: Why logs could not be used, by path.
        anyway: Whether to compare systems that are not comparable.

    Raises:
        InvalidArgument: Two systems have no common task, or they are not comparable and `anyway` is false.
    """
    combinations = list(itertools.combinations(systems, 2))
    # The tasks are checked before the judges. Systems with different tasks often have different judges, too, and the
    # message should then be about the tasks.
    for baseline, candidate in combinations:
        if not baseline.tasks.keys() & candidate.tasks.keys():
            raise InvalidArgument(_no_common_sample(baseline, candidate, systems))

    warnings: list[str] = []
    for baseline, candidate in combinations:
        warnings += incompatibilities(baseline, candidate)
    if warnings and not anyway:
        raise InvalidArgument(f"{warnings[0]} Use comparable logs, or pass --anyway.")

    coverage = {}
    for system in systems:
        coverage[system.name] = describe_coverage(system.configuration.benchmark, system.results)
    pairs = [_pair(baseline, candidate, comparisons=len(combinations)) for baseline, candidate in combinations]
    return SystemComparison(
        pairs=pairs,
        ranking=_ranking(systems),
        coverage=coverage,
        warnings=warnings,
        notes=list(notes_on(systems)),
        left_out=left_out,
    )


def _no_common_sample(baseline: System, candidate: System, systems: Sequence[System]) -> str:
    """The message that two of the systems have no common sample, and what to do."""
    sentences = [
        f"{baseline.name} and {candidate.name} have no common sample: they ran {baseline.configuration.benchmark} and "
        f"{candidate.configuration.benchmark}. A paired comparison needs the same task and sample ids."
    ]
    for name, column in SEPARATING_COLUMNS.items():
        baseline_values = _values(baseline, column)
        candidate_values = _values(candidate, column)
        are_recorded = bool(baseline_values and candidate_values)
        if are_recorded and baseline_values.isdisjoint(candidate_values):
            sentences.append(_advice(name, [_values(system, column) for system in systems]))
            break

    if baseline.results[0].run.is_placebo != candidate.results[0].run.is_placebo:
        sentences.append("A placebo is compared with the data by `discoverybench report`.")
    return " ".join(sentences)


def _values(system: System, column: str) -> set[str]:
    """The recorded values of a column in the results of a system."""
    value_of = attrgetter(column)
    return {value_of(result) for result in system.results} - {None}


def _advice(name: str, values_of_systems: Sequence[set[str]]) -> str:
    """Advice on systems that differ in a column: select a value that two or more of them have.

    If there is no such value, the advice is to name logs that have one value.

    Args:
        name: Name of the column.
        values_of_systems: The values of the column in each system.
    """
    counts: Counter[str] = Counter()
    for values in values_of_systems:
        counts.update(values)
    shared = sorted(value for value, count in counts.items() if count > 1)
    if not shared:
        return f"Name logs of one {name}."
    listed = " or ".join(f"PATH:{name}={value}" for value in shared)
    return f"Select one {name}: {listed}."


def _pair(baseline: System, candidate: System, comparisons: int) -> SystemPair:
    keys = [*SCORE_KEYS, RELEASED]
    # Claims are not compared if the judges were asked about them with different prompts.
    if len(claim_prompts([*baseline.results, *candidate.results])) < 2:
        keys.append(CLAIM_KEY)
    # HMS is the first of `SCORE_KEYS`.
    hms, *others = [
        key_difference(_tasks_with(key, baseline), _tasks_with(key, candidate), key, comparisons) for key in keys
    ]
    if hms is None:
        raise InvalidArgument(f"{baseline.name} and {candidate.name} have no common sample that both scored.")

    common = baseline.tasks.keys() & candidate.tasks.keys()
    return SystemPair(
        baseline=baseline.name,
        candidate=candidate.name,
        keys=[hms, *(difference for difference in others if difference is not None)],
        common=len(common),
        only_baseline=len(baseline.tasks) - len(common),
        only_candidate=len(candidate.tasks) - len(common),
        studies=_describe_studies([baseline.tasks[task_id].sample.study for task_id in common]),
    )


def _tasks_with(key: str, system: System) -> Mapping[TaskId, TaskResult]:
    """The tasks for which the judge is asked about a key of the score."""
    return {task_id: task for task_id, task in system.tasks.items() if task.is_asked_about(key)}


def _describe_studies(studies: Sequence[str | None]) -> str:
    """Describe the studies of tasks, such as `9 studies, the largest with 42% of the tasks; guesses: nls`.

    Guesses are the studies that may be several published works (`GUESSED_STUDIES`).

    Args:
        studies: The study of each task.
    """
    counts = Counter(studies)
    largest = max(counts.values())
    share = largest / len(studies)
    text = "1 study" if len(counts) == 1 else f"{len(counts)} studies, the largest with {share:.0%} of the tasks"
    guessed = GUESSED_STUDIES & counts.keys()
    if guessed:
        listed = ", ".join(sorted(guessed))
        text += f"; guesses: {listed}"
    return text


def _ranking(systems: Sequence[System]) -> list[SystemRank]:
    """Rank the systems by their mean HMS on the tasks that all of them ran.

    A system that scored none of these tasks has no rank.
    """
    common = set.intersection(*(set(system.tasks) for system in systems))
    ranks = []
    for system in systems:
        tasks = [task for task_id, task in system.tasks.items() if task_id in common]
        estimate = mean_score(tasks)
        if estimate is not None:
            missing = sum(task.scores().missing for task in tasks)
            ranks.append(SystemRank(system.name, estimate, tasks=len(tasks), missing=missing))
    return sorted(ranks, key=attrgetter("estimate.mean"), reverse=True)
