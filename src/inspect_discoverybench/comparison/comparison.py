"""Comparison of systems, which operands select, on their common tasks: differences, intervals and tests."""

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from inspect_discoverybench.errors.exceptions import DataMissing, InvalidArgument
from inspect_discoverybench.report.aggregates import ROUNDING
from inspect_discoverybench.report.report_columns import name_configurations, reducer_notes
from inspect_discoverybench.results.columns import differences
from inspect_discoverybench.results.frame import read_scores
from inspect_discoverybench.scorer.facets import SCORE_KEYS
from inspect_discoverybench.statistics.mean import Estimate, estimate_mean
from inspect_discoverybench.statistics.paired import PairedDifference, compare_paired, first_shares, holm
from inspect_discoverybench.submission.submission import SCORE_NAME

SELECTORS = (
    *("agent", "model", "task", "split", "domain", "study", "dataset", "goal_type", "difficulty", "score", "epoch"),
    *("reveals_gold", "hints", "task_version", "agent_arguments", "model_settings", "configuration", "log"),
)
"""Columns that can select samples."""

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


@dataclass(frozen=True)
class System:
    """The samples of one configuration: its name in the comparison, and rows of `read_scores` of one score.

    The column `other_scores` names the scores that the logs also have, if the user selected none.
    """

    name: str
    samples: pd.DataFrame


def read_systems(
    operands: Sequence[str], score: str | None, workers: int = 1
) -> tuple[Sequence[System], Mapping[str, str]]:
    """Read at least two systems, and the reason for each log that could not be used.

    Operands are logs, folders and selections (`PATH:column=value,…`), which distinguish systems with the same name. The
    score is `NAME` or `NAME.KEY`; by default HMS, or the only score.

    Raises:
        DataMissing: No log can be used, or no sample is selected.
        InvalidArgument: There are fewer than two systems, a column cannot select samples, or the score does not exist.
    """
    parsed = {text: _parse(text) for text in operands}
    results = {path: read_scores([path], workers) for path in dict.fromkeys(path for path, _ in parsed.values())}
    named = [
        (text, str(name), rows.reset_index(drop=True))
        for text in operands
        for samples in [_select(text, results[parsed[text][0]].samples, parsed[text][1], score)]
        for name, rows in samples.groupby("configuration", sort=False)
    ]
    if len(named) < 2:
        [(text, name, _)] = named
        raise InvalidArgument(
            f"{text} has a single configuration, {name}. Name at least two logs, folders or selections."
        )
    left_out = {log: reason for result in results.values() for log, reason in result.left_out.itertuples(index=False)}
    is_unique = len({name for _, name, _ in named}) == len(named)
    return [System(name if is_unique else f"{text}: {name}", rows) for text, name, rows in named], left_out


def _parse(text: str) -> tuple[str, Mapping[str, str]]:
    """The path and the required values by column of `PATH` or `PATH:column=value,…`."""
    columns = "|".join(SELECTORS)
    match = re.search(rf":(?=(?:{columns})=)", text)
    if match is None:
        if unknown := re.search(r":(\w+)=", text):
            raise InvalidArgument(f"{text}: '{unknown[1]}' does not select samples. Columns: {', '.join(SELECTORS)}.")
        return text, {}  # a colon may be part of the path, as in s3://
    # Values may contain commas and colons.
    parts = re.split(rf",\s*(?=(?:{columns})=)", text[match.end() :])
    pairs = (part.partition("=") for part in parts)
    return text[: match.start()], {column: value.strip() for column, _, value in pairs}


def _select(text: str, samples: pd.DataFrame, selection: Mapping[str, str], score: str | None) -> pd.DataFrame:
    """The selected samples with the values of one score."""
    samples = name_configurations(samples).assign(other_scores="")
    for column, value in selection.items():
        values = samples[column].map(_text)
        samples = samples[values == value]
        if samples.empty:
            known = ", ".join(sorted(values.unique())[:10])
            raise DataMissing(f"{text}: no sample has {column}={value}. Values in the logs: {known}.")
    names = sorted(samples.score.unique())
    if score is None:
        score = SCORE_NAME if SCORE_NAME in names else names[0]
        if score != SCORE_NAME and len(names) > 1:
            raise InvalidArgument(f"{text} has several scores: {', '.join(names)}. Select one with --score.")
        samples["other_scores"] = ", ".join(name for name in names if name != score)
    name, key = (score, "") if score in names else (score.rpartition(".")[0], score.rpartition(".")[2])
    if name not in names:
        raise InvalidArgument(f"{text} has no numeric score '{score}'. Numeric scores: {', '.join(names)}.")
    rows = samples[samples.score == name]
    keys = sorted(rows.key.unique())
    if key and key not in keys:
        raise InvalidArgument(f"{text}: the score '{name}' has no key '{key}'. Keys: {', '.join(keys)}.")
    if not key and len(keys) > 1 and "hms" not in keys:
        raise InvalidArgument(
            f"{text}: the score '{name}' has several keys: {', '.join(keys)}. Select one with --score {name}.KEY."
        )
    return rows[rows.key == key] if key else rows


def _text(value: object) -> str:
    if value is None or value != value:  # NaN
        return "none"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


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

    `these_tasks_p_value_holm` is the p-value of the first key on these tasks, and `new_studies_p_value_holm` that on
    new studies, both adjusted for the number of pairs (Holm).
    """

    baseline: str
    candidate: str
    keys: tuple[KeyDifference, ...]
    common: int
    missing: int
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

    Raises:
        InvalidArgument: Two systems have no common task, or they are not comparable and `anyway` is false.
    """
    combinations = list(itertools.combinations(systems, 2))
    warnings = [line for pair in combinations for line in _incomparable(*pair)]
    if warnings and not anyway:
        raise InvalidArgument(f"{warnings[0]} Use comparable logs, or pass --anyway.")
    tables = [_task_scores(system) for system in systems]
    pairs = [_pair(*a, *b) for a, b in itertools.combinations(zip(systems, tables, strict=True), 2)]
    new_studies = [pair.keys[0].paired.new_studies for pair in pairs]
    new_p_values = iter(holm([new.p_value for new in new_studies if new]))
    return SystemComparison(
        score=str(systems[0].samples.score.iloc[0]),
        pairs=tuple(
            replace(pair, these_tasks_p_value_holm=value, new_studies_p_value_holm=next(new_p_values) if new else None)
            for pair, value, new in zip(
                pairs, holm([pair.these_tasks_p_value_holm for pair in pairs]), new_studies, strict=True
            )
        ),
        ranking=_ranking(systems, tables, seed),
        warnings=tuple(dict.fromkeys(warnings)),
        notes=(
            *(line for pair in combinations for line in _provenance_differences(*pair)),
            *(line for system in systems for line in reducer_notes(system.samples)),
            *(
                f"{system.name}: only {system.samples.score.iloc[0]} is compared. The logs also have "
                f"{others}; select a score with --score."
                for system in systems
                if (others := system.samples.other_scores.iloc[0])
            ),
        ),
        left_out=left_out,
    )


def _task_scores(system: System) -> pd.DataFrame:
    """Scores by task, averaged over epochs: one row per task, one column per key, NaN where nothing was scored.

    The keys of HMS come first, and others follow in alphabetical order.
    """
    values = system.samples.value
    if len(outside := values[(values < -ROUNDING) | (values > 1 + ROUNDING)]):
        raise InvalidArgument(f"{system.name} has the score {outside.iloc[0]:g}. Only scores in 0–1 can be compared.")
    samples = system.samples.assign(value=values.clip(0, 1))
    scores = samples.pivot_table(index=TASK, columns="key", values="value", aggfunc="mean", dropna=False)
    first = [key for key in SCORE_KEYS if key in scores]
    ran = pd.MultiIndex.from_frame(system.samples[TASK].drop_duplicates())
    return scores.reindex(ran)[[*first, *scores.columns.difference(first)]]


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
        if differing := [
            name for name in first if any(other.get(name, first[name]) != first[name] for other in others)
        ]:
            yield f"{names}: these prompts differ: {', '.join(differing)}."


def _pair(a: System, a_scores: pd.DataFrame, b: System, b_scores: pd.DataFrame) -> SystemPair:
    shared = a_scores.index.intersection(b_scores.index, sort=False)
    if shared.empty:
        raise InvalidArgument(
            f"{a.name} and {b.name} have no common sample. A paired comparison needs the same task and sample ids."
        )
    scores = {key: (a_scores[key][shared], b_scores[key][shared]) for key in a_scores if key in b_scores}
    keys = [_difference(str(key), x, y, a.samples) for key, (x, y) in scores.items() if (x.notna() & y.notna()).any()]
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
        these_tasks_p_value_holm=first.p_value,
    )


def _groups(samples: pd.DataFrame, index: "pd.Index[Any]") -> tuple[list[Any], list[Any]]:
    """The cluster of each task, its gold hypothesis or else the task itself; and its study, or None."""
    first = samples.drop_duplicates(TASK).set_index(TASK).loc[index]
    golds = first.gold_hypothesis.fillna(pd.Series(index.map(str), index=index))
    return golds.tolist(), first.study.astype(object).where(first.study.notna(), None).tolist()


def _difference(
    key: str, baseline: "pd.Series[float]", candidate: "pd.Series[float]", samples: pd.DataFrame
) -> KeyDifference:
    scored = baseline.notna() & candidate.notna()
    groups = _groups(samples, scored.index[scored])
    a, b = baseline[scored].tolist(), candidate[scored].tolist()
    return KeyDifference(
        key=key,
        baseline=estimate_mean(a, *groups),
        candidate=estimate_mean(b, *groups),
        paired=compare_paired(b, a, *groups),
        worst=None if scored.all() else float((candidate.fillna(0) - baseline.fillna(1)).mean()),
        best=None if scored.all() else float((candidate.fillna(1) - baseline.fillna(0)).mean()),
        failures_lowest=float((candidate.fillna(0) - baseline)[baseline.notna()].mean()),
    )


def _ranking(systems: Sequence[System], tables: Sequence[pd.DataFrame], seed: int) -> tuple[SystemRank, ...]:
    """Rank the systems on the tasks that all of them scored; empty if there are none."""
    key = tables[0].columns[0]
    common = pd.concat([scores[key] for scores in tables], axis=1, join="inner", keys=range(len(tables))).dropna()
    if common.empty:
        return ()
    clusters, _ = _groups(systems[0].samples, common.index)
    shares = enumerate(first_shares(common.to_numpy().T, clusters, seed))
    ranks = [SystemRank(systems[n].name, estimate_mean(common[n].tolist(), clusters), share) for n, share in shares]
    return tuple(sorted(ranks, key=lambda rank: -rank.estimate.mean))
