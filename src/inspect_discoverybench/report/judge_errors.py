"""The section on HMS corrected for the judge's errors (paper §4.3)."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.human_study.labels import LabelledSample
from inspect_discoverybench.report.leaderboard import Leaderboard, Standing
from inspect_discoverybench.report.means import HIGH, HMS, LOW, Row, estimate
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.result import Result
from inspect_discoverybench.results.sample_score import WITHOUT_SUBMISSION
from inspect_discoverybench.results.task import Task
from inspect_discoverybench.scorer.facets import FACET_KEYS
from inspect_discoverybench.statistics.corrected_mean import MIN_LABELLED_CLUSTERS, corrected_mean

UNLABELLED_LOG = "samples of logs without labels"
"""Stratum of the samples from whose logs no labels were drawn."""

ALL = "all of the sheet"
"""Name of the row of all configurations of a benchmark."""

TrueScores = Mapping[tuple[str, str, int, str], float | None]
"""HMS by the labels: by the id of the run, the id and epoch of the sample, and the name of the score."""


@dataclass(frozen=True)
class ScoredSample:
    """A scored sample of a configuration with labels.

    Attributes:
        hms: HMS by the judge.
        true_hms: HMS by the labels; NaN if it is not labelled.
        cluster: Its gold hypothesis.
        weight: A task has a weight of 1, which its scored epochs share.
        stratum: The judge's verdicts, by which labels were drawn; None without a submission: the judge was not asked,
            and HMS is 0.
    """

    hms: float
    true_hms: float
    cluster: str
    weight: float
    stratum: str | None

    @property
    def is_labelled(self) -> bool:
        """Whether people have labelled it."""
        return not math.isnan(self.true_hms)


def judge_error_section(leaderboard: Leaderboard, labels: Sequence[LabelledSample]) -> Section:
    """HMS and corrected HMS of every configuration with enough labels, and of all of them together.

    Raises:
        InvalidArgument: No label belongs to a sample in these logs, or there are too few labels.
    """
    logs = {label.log for label in labels}
    true = {(label.log, label.sample_id, label.epoch, label.score): label.true_hms for label in labels}
    standings = [standing for standing in leaderboard.standings if _runs(standing) & logs]
    samples = {standing: _samples(standing.tasks, logs, true) for standing in standings}
    shares = _labelled_shares([sample for drawn in samples.values() for sample in drawn])

    rows: list[Row] = []
    for benchmark in leaderboard.benchmarks:
        with_labels = [standing for standing in benchmark.standings if standing in samples]
        tasks = [task for standing in with_labels for task in standing.tasks]
        together = [sample for standing in with_labels for sample in samples[standing]]
        groups = [(ALL, tasks, together)]
        groups += [(standing.name, list(standing.tasks), samples[standing]) for standing in with_labels]
        for name, group_tasks, group_samples in groups:
            if _has_enough_labels(group_samples):
                key: Row = {"benchmark": benchmark.name, "configuration": name}
                rows.append(key | _corrected(group_tasks, group_samples, shares))
    if not rows:
        raise InvalidArgument(
            f"The correction requires labels of samples from at least {MIN_LABELLED_CLUSTERS} gold hypotheses, but "
            "these logs have fewer. Label more samples, or pass the logs from which the sheet was drawn."
        )
    return Section("judge_errors", pd.DataFrame(rows), notes=_notes(samples, shares))


def _runs(standing: Standing) -> set[str]:
    return {result.run.task_id for result in standing.results}


def _samples(tasks: Sequence[Task], logs: set[str], true: TrueScores) -> list[ScoredSample]:
    samples = []
    for task in tasks:
        scored = [result for result in task.results if result.score.is_scored]
        for result in scored:
            key = (result.run.task_id, result.sample.id, result.sample.epoch, result.score.score)
            true_hms = true.get(key)
            sample = ScoredSample(
                hms=result.score.value("hms"),
                true_hms=math.nan if true_hms is None else true_hms,
                cluster=task.cluster,
                weight=1 / len(scored),
                stratum=_stratum(result, logs),
            )
            samples.append(sample)
    return samples


def _stratum(result: Result, logs: set[str]) -> str | None:
    if result.score.outcome in WITHOUT_SUBMISSION:
        return None
    if result.run.task_id not in logs:
        return UNLABELLED_LOG
    verdicts = []
    for facet in FACET_KEYS:
        value = result.score.value(facet)
        # Sheets are drawn with all partial scores of the variables as one outcome.
        verdicts.append(f"{facet} partial" if 0 < value < 1 else f"{facet} {value:g}")
    return ", ".join(verdicts)


def _labelled_shares(samples: Sequence[ScoredSample]) -> dict[str, float]:
    """Share of the samples of each stratum that are labelled."""
    sizes = Counter(sample.stratum for sample in samples)
    labelled = Counter(sample.stratum for sample in samples if sample.is_labelled)
    return {stratum: labelled[stratum] / size for stratum, size in sizes.items() if stratum is not None}


def _has_enough_labels(samples: Sequence[ScoredSample]) -> bool:
    clusters = {sample.cluster for sample in samples if sample.is_labelled}
    return len(clusters) >= MIN_LABELLED_CLUSTERS


def _corrected(tasks: Sequence[Task], samples: Sequence[ScoredSample], shares: Mapping[str, float]) -> Row:
    judged = estimate(tasks)
    corrected = corrected_mean(
        [sample.hms for sample in samples],
        [sample.true_hms for sample in samples],
        [sample.cluster for sample in samples],
        # A sample that no label represents keeps the judge's score.
        [shares.get(sample.stratum or "", 0.0) for sample in samples],
        [sample.weight for sample in samples],
    )
    return {
        HMS: 100 * judged.mean,
        LOW: 100 * judged.low,
        HIGH: 100 * judged.high,
        "corrected": 100 * corrected.mean,
        f"corrected {LOW}": 100 * corrected.low,
        f"corrected {HIGH}": 100 * corrected.high,
        "labelled": sum(sample.is_labelled for sample in samples),
        "left out": sum(shares.get(sample.stratum or "") == 0 for sample in samples),
        "samples": len(samples),
    }


def _notes(samples: Mapping[Standing, Sequence[ScoredSample]], shares: Mapping[str, float]) -> list[str]:
    """A note for each stratum without labels."""
    sizes = Counter(sample.stratum for drawn in samples.values() for sample in drawn)
    unlabelled = [(stratum, size) for stratum, size in sizes.most_common() if shares.get(stratum or "") == 0]
    return [f"Left out, because none of them is labelled: {size} × {stratum}." for stratum, size in unlabelled]
