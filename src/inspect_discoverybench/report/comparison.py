"""Comparison of systems on their common tasks, with confidence intervals and significance tests."""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.judge_record import differences
from inspect_discoverybench.report.aggregates import ROUNDING
from inspect_discoverybench.report.systems import System
from inspect_discoverybench.scorer.facets import SCORE_KEYS
from inspect_discoverybench.statistics.mean import Estimate, estimate_mean
from inspect_discoverybench.statistics.paired import PairedDifference, compare_paired
from inspect_discoverybench.statistics.ranking import first_shares, holm

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
    """The difference of two systems in one key of the score; the key is empty if the score is a single number.

    If common tasks have missing scores, the difference may be as small as `worst` and as large as `best`.
    `failures_lowest` is the difference over the tasks that the baseline scored, if the candidate had 0 wherever it has
    no score.
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
    """Two systems, their differences (HMS first), and numbers of tasks: `common` ones have a score of both systems.

    `p_value_holm` is the p-value of the first key, adjusted for the number of pairs (Holm).
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
    outside = system.samples.value[(system.samples.value < -ROUNDING) | (system.samples.value > 1 + ROUNDING)]
    if len(outside):
        raise InvalidArgument(f"{system.name} has the score {outside.iloc[0]:g}. Only scores in 0–1 can be compared.")
    samples = system.samples.assign(value=system.samples.value.clip(0, 1))
    scores = samples.pivot_table(index=TASK, columns="key", values="value", aggfunc="mean", dropna=False)
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
    groups = clusters[scored].tolist()
    a, b = baseline[scored].tolist(), candidate[scored].tolist()
    is_complete = bool(scored.all())
    return KeyDifference(
        key=key,
        baseline=estimate_mean(a, groups),
        candidate=estimate_mean(b, groups),
        paired=compare_paired(b, a, groups, seed),
        worst=None if is_complete else float((candidate.fillna(0) - baseline.fillna(1)).mean()),
        best=None if is_complete else float((candidate.fillna(1) - baseline.fillna(0)).mean()),
        failures_lowest=float((candidate.fillna(0) - baseline)[baseline.notna()].mean()),
    )


def _ranking(systems: Sequence[System], tables: Sequence[pd.DataFrame], seed: int) -> tuple[SystemRank, ...]:
    """Rank the systems on the tasks that all of them scored; empty if there are none."""
    key = tables[0].columns[0]
    common = pd.concat([scores[key] for scores in tables], axis=1, join="inner", keys=range(len(tables))).dropna()
    if common.empty:
        return ()
    clusters = _clusters(systems[0].samples, common.index).tolist()
    shares = first_shares(common.to_numpy().T, clusters, seed)
    ranks = [
        SystemRank(system.name, estimate_mean(common[number].tolist(), clusters), shares[number])
        for number, system in enumerate(systems)
    ]
    return tuple(sorted(ranks, key=lambda rank: -rank.estimate.mean))
