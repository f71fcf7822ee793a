"""The section on HMS corrected for the judge's errors (paper §4.3)."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.human_study.labels import LabelledSample
from inspect_discoverybench.report.leaderboard import Leaderboard, Standing
from inspect_discoverybench.report.means import HIGH, HMS, LOW, Row, interval_columns
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.result import Result
from inspect_discoverybench.results.sample_score import WITHOUT_SUBMISSION
from inspect_discoverybench.scorer.facets import FACET_KEYS
from inspect_discoverybench.statistics.corrected_mean import MIN_LABELLED_CLUSTERS, corrected_mean

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
        stratum: The judge's verdicts, by which labels were drawn; empty without a submission: the judge was not asked,
            and HMS is 0.
    """

    hms: float
    true_hms: float
    cluster: str
    weight: float
    stratum: str

    @property
    def is_labelled(self) -> bool:
        """Whether people have labelled it."""
        return not math.isnan(self.true_hms)


def judge_error_section(leaderboard: Leaderboard, labels: Sequence[LabelledSample]) -> Section:
    """HMS and corrected HMS of every configuration with enough labels.

    Raises:
        InvalidArgument: No label belongs to a sample in these logs, or there are too few labels.
    """
    logs = set()
    true = {}
    for label in labels:
        key = (label.log, label.sample_id, label.epoch, label.score)
        true[key] = label.true_hms
        logs.add(label.log)

    samples: dict[Standing, list[ScoredSample]] = {}
    for standing in leaderboard.standings:
        if logs & {result.run.task_id for result in standing.results}:
            samples[standing] = _scored_samples(standing, true)

    shares = _labelled_shares(samples)
    rows = []
    for standing, scored in samples.items():
        labelled_clusters = {sample.cluster for sample in scored if sample.is_labelled}
        if len(labelled_clusters) >= MIN_LABELLED_CLUSTERS:
            judged = interval_columns(standing.tasks, "hms", (HMS, LOW, HIGH))
            corrected = _corrected(scored, shares)
            rows.append(standing.key_columns | judged | corrected)
    if not rows:
        raise InvalidArgument(
            f"The correction requires labels of samples from at least {MIN_LABELLED_CLUSTERS} gold hypotheses of a "
            "configuration, but these logs have fewer. Label more samples, or pass the logs from which the sheet was "
            "drawn."
        )
    incomplete = sum(label.is_incomplete for label in labels)
    notes = [f"Labels that do not determine HMS are left out: {incomplete}."] if incomplete else []
    return Section("judge_errors", pd.DataFrame(rows), notes=notes)


def _scored_samples(standing: Standing, true: TrueScores) -> list[ScoredSample]:
    samples = []
    for task in standing.tasks:
        scored = [result for result in task.results if result.score.is_scored]
        for result in scored:
            sample = result.sample
            key = (result.run.task_id, sample.id, sample.epoch, result.score.score)
            true_hms = true.get(key)
            scored_sample = ScoredSample(
                hms=result.score.value("hms"),
                true_hms=math.nan if true_hms is None else true_hms,
                cluster=task.cluster,
                weight=1 / len(scored),
                stratum=_stratum(result),
            )
            samples.append(scored_sample)
    return samples


def _stratum(result: Result) -> str:
    if result.score.outcome in WITHOUT_SUBMISSION:
        return ""
    verdicts = []
    for facet in FACET_KEYS:
        value = result.score.value(facet)
        is_partial = 0 < value < 1
        # Sheets are drawn with all partial scores as one outcome.
        verdicts.append("partial" if is_partial else f"{value:g}")
    return ", ".join(verdicts)


def _labelled_shares(samples: Mapping[Standing, Sequence[ScoredSample]]) -> dict[str, float]:
    """Share of the samples of each stratum that are labelled; 0 for those that need no label."""
    sizes: Counter[str] = Counter()
    labelled: Counter[str] = Counter()
    for scored in samples.values():
        sizes.update(sample.stratum for sample in scored)
        labelled.update(sample.stratum for sample in scored if sample.is_labelled)
    return {stratum: labelled[stratum] / size for stratum, size in sizes.items()}


def _corrected(samples: Sequence[ScoredSample], shares: Mapping[str, float]) -> Row:
    corrected = corrected_mean(
        [sample.hms for sample in samples],
        [sample.true_hms for sample in samples],
        [sample.cluster for sample in samples],
        # A sample that no label represents keeps the judge's score.
        [shares[sample.stratum] for sample in samples],
        [sample.weight for sample in samples],
    )
    left_out = [sample for sample in samples if sample.stratum and shares[sample.stratum] == 0]
    return {
        "corrected": 100 * corrected.mean,
        f"corrected {LOW}": 100 * corrected.low,
        f"corrected {HIGH}": 100 * corrected.high,
        "labelled": sum(sample.is_labelled for sample in samples),
        "left out": len(left_out),
        "samples": len(samples),
    }
