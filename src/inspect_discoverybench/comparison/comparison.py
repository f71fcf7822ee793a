"""Comparison of systems on their common tasks: differences, intervals and tests."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from inspect_discoverybench.comparison.comparability import incompatibilities, provenance_differences, reducer_notes
from inspect_discoverybench.comparison.system import System, TaskId
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.results.task import TaskScore
from inspect_discoverybench.statistics.mean import Estimate, estimate_mean
from inspect_discoverybench.statistics.paired import PairedDifference, compare_paired
from inspect_discoverybench.statistics.ranking import first_shares, holm


@dataclass(frozen=True)
class KeyDifference:
    """The difference of two systems in one key of the score, on the tasks that both scored.

    Attributes:
        key: The key; empty if the score is a single number.
        baseline: Mean of the baseline.
        candidate: Mean of the candidate.
        paired: The difference, candidate minus baseline.
        missing: Number of samples without a score among the common tasks, in all epochs of both systems.
        worst: The difference on all common tasks if missing scores were 0 for the candidate and 1 for the baseline;
            None if no score is missing.
        best: The difference if they were 1 for the candidate and 0 for the baseline.
        failures_lowest: The difference on the tasks that the baseline scored, if the candidate's missing scores were 0.
    """

    key: str
    baseline: Estimate
    candidate: Estimate
    paired: PairedDifference
    missing: int
    worst: float | None
    best: float | None
    failures_lowest: float


@dataclass(frozen=True)
class SystemPair:
    """Two systems and their differences, that of HMS or of the only key first.

    Attributes:
        baseline: Name of the first system.
        candidate: Name of the second system.
        keys: Their differences by key.
        common: Number of tasks that both systems ran.
        only_baseline: Number of tasks that only the baseline ran.
        only_candidate: Number of tasks that only the candidate ran.
        these_tasks_p_value_holm: The p-value of the first key on these tasks, adjusted for the number of pairs.
        new_studies_p_value_holm: The same on new studies; None if nothing can be said about them.
    """

    baseline: str
    candidate: str
    keys: tuple[KeyDifference, ...]
    common: int
    only_baseline: int
    only_candidate: int
    these_tasks_p_value_holm: float
    new_studies_p_value_holm: float | None = None


@dataclass(frozen=True)
class SystemRank:
    """A system's mean of the first key over the tasks that all systems scored.

    `first_share` is the share of bootstrap draws in which the system has the highest mean.
    """

    system: str
    estimate: Estimate
    first_share: float


@dataclass(frozen=True)
class SystemComparison:
    """The comparison of two or more systems: their pairs in order, and all ranked, if all scored a common task.

    Warnings say why the scores are not fully comparable; notes, differences in the provenance that may matter.
    """

    score: str
    pairs: tuple[SystemPair, ...]
    ranking: tuple[SystemRank, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    left_out: Mapping[str, str]


def compare(
    systems: Sequence[System], left_out: Mapping[str, str], anyway: bool = False, seed: int = 0
) -> SystemComparison:
    """Compare at least two systems pairwise, and rank them. The first system of each pair is the baseline.

    Args:
        systems: The systems.
        left_out: Why logs could not be used, by path.
        anyway: Whether to compare systems that are not comparable.
        seed: Random seed of the ranking's bootstrap.

    Raises:
        InvalidArgument: Two systems have no common task, or they are not comparable and `anyway` is false.
    """
    pairs = []
    warnings: list[str] = []
    notes: list[str] = []
    for a, b in itertools.combinations(systems, 2):
        warnings += incompatibilities(a, b)
        if warnings and not anyway:
            raise InvalidArgument(f"{warnings[0]} Use comparable logs, or pass --anyway.")
        notes += provenance_differences(a, b)
        pairs.append(_pair(a, b))

    for system in systems:
        notes += reducer_notes(system)
        if system.other_scores:
            others = ", ".join(system.other_scores)
            notes.append(
                f"{system.name}: only {system.score} is compared. The logs also have {others}; select a score with "
                "--score."
            )
    return SystemComparison(
        score=systems[0].score,
        pairs=tuple(_adjusted(pairs)),
        ranking=tuple(_ranking(systems, seed)),
        warnings=tuple(dict.fromkeys(warnings)),
        notes=tuple(notes),
        left_out=left_out,
    )


def _pair(a: System, b: System) -> SystemPair:
    a_tasks, b_tasks = a.tasks.keys(), b.tasks.keys()
    common = [task for task in a_tasks if task in b_tasks]
    if not common:
        raise InvalidArgument(
            f"{a.name} and {b.name} have no common sample. A paired comparison needs the same task and sample ids."
        )

    differences = []
    for key in a.keys:
        difference = _difference(a, b, key, common)
        if difference is not None:
            differences.append(difference)
    if not differences or differences[0].key != a.keys[0]:
        raise InvalidArgument(f"{a.name} and {b.name} have no common sample that both scored.")

    return SystemPair(
        baseline=a.name,
        candidate=b.name,
        keys=tuple(differences),
        common=len(common),
        only_baseline=len(a_tasks) - len(common),
        only_candidate=len(b_tasks) - len(common),
        these_tasks_p_value_holm=differences[0].paired.p_value,
    )


def _difference(a: System, b: System, key: str, common: Sequence[TaskId]) -> KeyDifference | None:
    """The difference in one key; None if no common task is scored by both."""
    a_scores, b_scores = a.scores(key), b.scores(key)
    both = [task for task in common if a_scores[task].scored and b_scores[task].scored]
    if not both:
        return None

    baseline = [a_scores[task].mean for task in both]
    candidate = [b_scores[task].mean for task in both]
    clusters, studies = _groups(a, both)
    missing = sum(a_scores[task].missing + b_scores[task].missing for task in common)
    return KeyDifference(
        key=key,
        baseline=estimate_mean(baseline, clusters, studies),
        candidate=estimate_mean(candidate, clusters, studies),
        paired=compare_paired(candidate, baseline, clusters, studies),
        missing=missing,
        worst=_bound(a_scores, b_scores, common, if_missing=(1, 0)) if missing else None,
        best=_bound(a_scores, b_scores, common, if_missing=(0, 1)) if missing else None,
        failures_lowest=_difference_if_failures_score_lowest(a_scores, b_scores, common),
    )


def _bound(
    a: Mapping[TaskId, TaskScore], b: Mapping[TaskId, TaskScore], tasks: Sequence[TaskId], if_missing: tuple[int, int]
) -> float:
    """The mean difference if the missing scores of the two systems had these values."""
    a_missing, b_missing = if_missing
    differences = [b[task].mean_if_missing(b_missing) - a[task].mean_if_missing(a_missing) for task in tasks]
    return float(np.mean(differences))


def _difference_if_failures_score_lowest(
    a: Mapping[TaskId, TaskScore], b: Mapping[TaskId, TaskScore], tasks: Sequence[TaskId]
) -> float:
    differences = [b[task].mean_if_missing(0) - a[task].mean for task in tasks if a[task].scored]
    return float(np.mean(differences))


def _groups(system: System, tasks: Sequence[TaskId]) -> tuple[list[str], list[str | None]]:
    """The cluster and the study of each task."""
    clusters = [system.tasks[task].cluster for task in tasks]
    studies = [system.tasks[task].study for task in tasks]
    return clusters, studies


def _adjusted(pairs: Sequence[SystemPair]) -> list[SystemPair]:
    """The pairs with p-values adjusted for their number by Holm's method."""
    new_studies = [pair.keys[0].paired.new_studies for pair in pairs]
    on_new_studies = iter(holm([new.p_value for new in new_studies if new]))
    on_these_tasks = holm([pair.these_tasks_p_value_holm for pair in pairs])

    adjusted = []
    for pair, new, p_value in zip(pairs, new_studies, on_these_tasks, strict=True):
        new_p_value = next(on_new_studies) if new else None
        adjusted.append(replace(pair, these_tasks_p_value_holm=p_value, new_studies_p_value_holm=new_p_value))
    return adjusted


def _ranking(systems: Sequence[System], seed: int) -> list[SystemRank]:
    """Rank the systems by the first key on the tasks that all of them scored; empty if there are none."""
    key = systems[0].keys[0]
    tables = [system.scores(key) for system in systems]
    common = [task for task in tables[0] if all(task in table and table[task].scored for table in tables)]
    if not common:
        return []

    clusters, _ = _groups(systems[0], common)
    scores = [[table[task].mean for task in common] for table in tables]
    shares = first_shares(np.array(scores), clusters, seed)
    ranks = [
        SystemRank(system.name, estimate_mean(values, clusters), share)
        for system, values, share in zip(systems, scores, shares, strict=True)
    ]
    return sorted(ranks, key=lambda rank: rank.estimate.mean, reverse=True)
