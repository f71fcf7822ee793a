"""Comparison of systems on their common tasks, with confidence intervals and significance tests."""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.judge_record import differences
from inspect_discoverybench.report.systems import System
from inspect_discoverybench.scorer.facets import SCORE_KEYS
from inspect_discoverybench.statistics.mean import Estimate, estimate_mean
from inspect_discoverybench.statistics.paired import PairedDifference, compare_paired
from inspect_discoverybench.statistics.ranking import first_shares, holm

R = TypeVar("R", Estimate, PairedDifference)

TASK = ["task", "id"]
"""Columns that identify a task."""

COMPARED = {"data_commit": "data commits", "data_files": "data files", "target": "gold hypotheses or targets"}
"""Columns whose values must be equal for a common sample, with the plural nouns that messages use."""

PROVENANCE = {
    "package_version": "versions of inspect-discoverybench",
    "image": "sandbox images",
    "image_id": "ids of the sandbox images",
}
"""Columns whose differences are noted, with the plural nouns that messages use."""

FIRST_KEYS = tuple(SCORE_KEYS)
"""Keys of a score that come first; others follow in alphabetical order."""


@dataclass(frozen=True)
class KeyDifference:
    """The difference of two systems in one key of the score, such as HMS or one facet.

    Attributes:
        key: The key; empty if the score is a single number.
        baseline: Mean of the baseline over the common tasks.
        candidate: Mean of the candidate over the common tasks.
        paired: The candidate minus the baseline.
        worst: Smallest difference that the missing scores of common tasks allow; None if none is missing.
        best: Largest such difference.
        failures_lowest: The difference over the tasks that the baseline scored, if the candidate had the lowest score
            wherever it has none.
    """

    key: str
    baseline: Estimate
    candidate: Estimate
    paired: PairedDifference
    worst: float | None
    best: float | None
    failures_lowest: float


@dataclass(frozen=True)
class SystemPair:
    """Two systems and their differences.

    Attributes:
        baseline: Name of the baseline.
        candidate: Name of the candidate.
        keys: The difference in each key of the score, HMS first.
        common: Number of tasks that both systems scored.
        missing: Number of tasks that both systems ran, but that one of them did not score.
        only_baseline: Number of tasks that only the baseline ran.
        only_candidate: Number of tasks that only the candidate ran.
        p_value_holm: p-value of the first key, adjusted for the number of pairs (Holm).
    """

    baseline: str
    candidate: str
    keys: tuple[KeyDifference, ...]
    common: int
    missing: int
    only_baseline: int
    only_candidate: int
    p_value_holm: float


@dataclass(frozen=True)
class SystemRank:
    """The rank of a system among all.

    Attributes:
        system: Name of the system.
        estimate: Mean of the first key over the tasks that all systems scored.
        first_share: Share of bootstrap draws in which the system has the highest mean.
    """

    system: str
    estimate: Estimate
    first_share: float


@dataclass(frozen=True)
class SystemComparison:
    """The comparison of two or more systems.

    Attributes:
        score: Name of the score.
        pairs: Each pair of systems, in the order of the systems.
        ranking: All systems, the highest mean first; empty if no task was scored by all.
        warnings: Why the scores are not fully comparable; empty if they are.
        notes: Differences in the provenance that may matter.
        left_out: The reason for each log that could not be used.
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
    """Compare systems pairwise, and rank them.

    Args:
        systems: At least two systems. The first of each pair is the baseline.
        left_out: The reason for each log that could not be used.
        anyway: Compare although tasks, data or judges differ.
        seed: Random seed of bootstraps and permutation tests.

    Raises:
        InvalidArgument: Two systems have no common task, or they are not comparable and `anyway` is false.
    """
    combinations = list(itertools.combinations(systems, 2))
    warnings = [line for pair in combinations for line in _incomparable(*pair)]
    if warnings and not anyway:
        raise InvalidArgument(f"{warnings[0]} Use comparable logs, or pass --anyway.")
    tables = [_task_scores(system) for system in systems]
    pairs = [
        _pair(a, b, *scores, seed)
        for (a, b), scores in zip(combinations, itertools.combinations(tables, 2), strict=True)
    ]
    adjusted = holm([pair.p_value_holm for pair in pairs])
    return SystemComparison(
        score=str(systems[0].samples.score.iloc[0]),
        pairs=tuple(replace(pair, p_value_holm=value) for pair, value in zip(pairs, adjusted, strict=True)),
        ranking=_ranking(systems, tables, seed),
        warnings=tuple(dict.fromkeys(warnings)),
        notes=tuple(line for pair in combinations for line in _provenance_differences(*pair)),
        left_out=left_out,
    )


def _task_scores(system: System) -> pd.DataFrame:
    """Scores by task, averaged over epochs: one row per task, one column per key, NaN where nothing was scored."""
    scores = system.samples.pivot_table(index=TASK, columns="key", values="value", aggfunc="mean", dropna=False)
    ran = pd.MultiIndex.from_frame(system.samples[TASK].drop_duplicates())
    keys = sorted(scores.columns, key=lambda key: FIRST_KEYS.index(key) if key in FIRST_KEYS else len(FIRST_KEYS))
    return scores.reindex(ran)[keys]


def _incomparable(a: System, b: System) -> Iterator[str]:
    """Reasons why two systems' scores are not comparable, one line each. Values that are not recorded are ignored."""
    names = f"{a.name} and {b.name}"
    versions = [sorted({version.partition("-")[0] for version in s.samples.task_version}) for s in (a, b)]
    if versions[0] != versions[1]:
        yield f"{names}: the task versions differ ({', '.join(versions[0])} and {', '.join(versions[1])})."
    for column, noun in COMPARED.items():
        values = [s.samples.dropna(subset=column).drop_duplicates(TASK).set_index(TASK)[column] for s in (a, b)]
        both = pd.concat(values, axis=1, join="inner", keys=["a", "b"])
        differing = both.index[both.a != both.b]
        if len(differing):
            yield f"{names}: the {noun} of the sample {differing[0][1]} differ."
    records = [[json.loads(record) for record in s.samples.judge_record.dropna().unique()] for s in (a, b)]
    if all(records):
        first, *others = [*records[0], *records[1]]
        if lines := dict.fromkeys(line for other in others for line in differences(first, other)):
            yield f"{names} were judged differently: {'; '.join(lines)}."


def _provenance_differences(a: System, b: System) -> Iterator[str]:
    """Differences in the provenance of two systems, one line each. Values that a log does not record are ignored."""
    names = f"{a.name} and {b.name}"
    for column, noun in PROVENANCE.items():
        x, y = (sorted(map(str, system.samples[column].dropna().unique())) for system in (a, b))
        if x and y and x != y:
            yield f"{names}: the {noun} differ ({', '.join(x)} and {', '.join(y)})."
    prompts = [[json.loads(text) for text in s.samples.prompts.dropna().unique() if text] for s in (a, b)]
    if all(prompts):
        first, *others = [*prompts[0], *prompts[1]]
        common = [name for name in first if all(name in other for other in others)]
        if differing := [name for name in common if any(other[name] != first[name] for other in others)]:
            yield f"{names}: these prompts differ: {', '.join(differing)}."


def _pair(a: System, b: System, a_scores: pd.DataFrame, b_scores: pd.DataFrame, seed: int) -> SystemPair:
    shared = a_scores.index.intersection(b_scores.index, sort=False)
    if shared.empty:
        raise InvalidArgument(
            f"{a.name} and {b.name} have no common sample. A paired comparison needs the same task and sample ids."
        )
    clusters = _clusters(a.samples, shared)
    scores = {key: (a_scores[key][shared], b_scores[key][shared]) for key in a_scores if key in b_scores}
    keys = [
        _difference(str(key), x, y, clusters, seed) for key, (x, y) in scores.items() if (x.notna() & y.notna()).any()
    ]
    if not keys or keys[0].key != a_scores.columns[0]:
        raise InvalidArgument(f"{a.name} and {b.name} have no common sample that both scored.")
    first = keys[0].paired
    return SystemPair(
        baseline=a.name,
        candidate=b.name,
        keys=tuple(keys),
        common=first.tasks,
        missing=len(shared) - first.tasks,
        only_baseline=len(a_scores) - len(shared),
        only_candidate=len(b_scores) - len(shared),
        p_value_holm=first.p_value,
    )


def _clusters(samples: pd.DataFrame, index: "pd.Index[Any]") -> "pd.Series[Any]":
    """The cluster of each task: its gold hypothesis; each task without one is its own cluster."""
    first = samples.drop_duplicates(TASK).set_index(TASK)
    return first.gold_hypothesis.fillna(pd.Series(first.index.map(str), index=first.index))[index]


def _difference(
    key: str, baseline: "pd.Series[float]", candidate: "pd.Series[float]", clusters: "pd.Series[Any]", seed: int
) -> KeyDifference:
    scored = baseline.notna() & candidate.notna()
    scale = Scale.of(pd.concat([baseline, candidate], axis=1))
    groups = clusters[scored].tolist()
    a, b = (scale.to_unit(values[scored]).tolist() for values in (baseline, candidate))
    missing = len(baseline) - int(scored.sum())
    return KeyDifference(
        key=key,
        baseline=scale.estimate(a, groups),
        candidate=scale.estimate(b, groups),
        paired=scale.from_unit(compare_paired(b, a, groups, seed), "difference", "low", "high", "smallest_detectable"),
        worst=float((candidate.fillna(scale.low) - baseline.fillna(scale.high)).mean()) if missing else None,
        best=float((candidate.fillna(scale.high) - baseline.fillna(scale.low)).mean()) if missing else None,
        failures_lowest=float((candidate.fillna(scale.low) - baseline)[baseline.notna()].mean()),
    )


@dataclass(frozen=True)
class Scale:
    """The range of scores: 0 to 1, or from the lowest to the highest score if some are outside."""

    low: float
    high: float

    @classmethod
    def of(cls, scores: pd.DataFrame) -> "Scale":
        """The range of these scores; NaN is ignored."""
        low, high = float(np.nanmin(scores)), float(np.nanmax(scores))
        if low >= 0 and high <= 1:
            return cls(0.0, 1.0)
        return cls(low, high if high > low else low + 1)

    def to_unit(self, values: "pd.Series[float]") -> "pd.Series[float]":
        """Scores as a share of the range, in [0, 1]."""
        # Keep rounding errors inside the range.
        return ((values - self.low) / (self.high - self.low)).clip(0, 1)

    def from_unit(self, result: R, *names: str, low: float = 0.0) -> R:
        """A result whose named values are shares of the range, in the scores' own unit."""
        width = self.high - self.low
        return replace(result, **{name: low + getattr(result, name) * width for name in names})

    def estimate(self, shares: Sequence[float], clusters: Sequence[Any]) -> Estimate:
        """The mean of shares of the range, in the scores' own unit."""
        return self.from_unit(estimate_mean(shares, clusters), "mean", "low", "high", low=self.low)


def _ranking(systems: Sequence[System], tables: Sequence[pd.DataFrame], seed: int) -> tuple[SystemRank, ...]:
    """Rank the systems on the tasks that all of them scored; empty if there are none."""
    key = tables[0].columns[0]
    common = pd.concat([scores[key] for scores in tables], axis=1, join="inner", keys=range(len(tables))).dropna()
    if common.empty:
        return ()
    clusters = _clusters(systems[0].samples, common.index).tolist()
    scale = Scale.of(common)
    unit = common.apply(scale.to_unit)
    shares = first_shares(unit.to_numpy().T, clusters, seed)
    ranks = [
        SystemRank(system.name, scale.estimate(unit[number].tolist(), clusters), shares[number])
        for number, system in enumerate(systems)
    ]
    return tuple(sorted(ranks, key=lambda rank: -rank.estimate.mean))
