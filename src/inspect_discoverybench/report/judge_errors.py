"""The section on HMS corrected for the judge's errors (paper §4.3)."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.human_study.labels import LabelledSample
from inspect_discoverybench.report.leaderboard import Leaderboard
from inspect_discoverybench.report.means import HIGH, LOW, Row
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.report.standing import Standing
from inspect_discoverybench.statistics.corrected_mean import corrected_mean

MIN_LABELLED_CLUSTERS = 10
"""Minimum number of clusters with labels: with fewer, the variance of the judge's error between them is unreliable."""


class ScoreKey(NamedTuple):
    """What a label and the score that it rates have in common.

    Attributes:
        task_id: Inspect's id of the task, which a label has as `log`.
        sample_id: Id of the sample.
        epoch: Its epoch, which starts at 1.
        score_name: Name of the score.
    """

    task_id: str
    sample_id: str
    epoch: int
    score_name: str


TrueScores = Mapping[ScoreKey, float | None]
"""HMS according to the labels; None if they do not determine it."""


def judge_error_section(leaderboard: Leaderboard, labels: Sequence[LabelledSample]) -> Section:
    """HMS and corrected HMS of every configuration with enough labels.

    Raises:
        InvalidArgument: No label belongs to a sample in these logs, or there are too few labels.
    """
    true_scores = {}
    for label in labels:
        key = ScoreKey(task_id=label.log, sample_id=label.sample_id, epoch=label.epoch, score_name=label.score)
        true_scores[key] = label.true_hms

    rows = []
    for standing in leaderboard.standings:
        samples = _scored_samples(standing, true_scores)
        labelled = samples[samples.true_hms.notna()]
        if labelled.cluster.nunique() >= MIN_LABELLED_CLUSTERS:
            rows.append(standing.hms_columns | _corrected_columns(samples))
    if not rows:
        raise InvalidArgument(
            f"The correction requires labels of samples from at least {MIN_LABELLED_CLUSTERS} gold hypotheses of a "
            "configuration, but these logs have fewer. Label more samples, or pass the logs from which the sheet was "
            "drawn."
        )
    incomplete = sum(label.is_incomplete for label in labels)
    notes = [f"Labels that do not determine HMS are left out: {incomplete}."] if incomplete else []
    return Section("judge_errors", pd.DataFrame(rows), notes=notes)


def _scored_samples(standing: Standing, true_scores: TrueScores) -> pd.DataFrame:
    """The scored samples with HMS by the judge and by the labels. The weights of the epochs of a task add up to 1."""
    rows = []
    for task in standing.tasks:
        scored = [result for result in task.results if result.score.is_scored]
        for result in scored:
            key = ScoreKey(
                task_id=result.run.task_id,
                sample_id=result.sample.id,
                epoch=result.sample.epoch,
                score_name=result.score.score,
            )
            true_hms = true_scores.get(key)
            row = {
                "hms": result.score.value("hms"),
                "true_hms": math.nan if true_hms is None else true_hms,
                "cluster": task.cluster,
                "weight": 1 / len(scored),
                # Without a submission, the judge was not asked, and HMS is 0.
                "needs_label": not result.score.outcome.is_without_submission,
            }
            rows.append(row)
    return pd.DataFrame(rows, columns=["hms", "true_hms", "cluster", "weight", "needs_label"])


def _corrected_columns(samples: pd.DataFrame) -> Row:
    labelled = samples.true_hms.count()  # those that are not NaN
    # Sheets are drawn at random from all samples that need labels, so each of them had the same chance to be labelled.
    # The samples that need no label have the chance 0.
    chance = labelled / samples.needs_label.sum()
    corrected = corrected_mean(
        judged=samples.hms.to_numpy(),
        true=samples.true_hms.to_numpy(),
        clusters=list(samples.cluster),
        probabilities=(samples.needs_label * chance).to_numpy(),
        weights=samples.weight.to_numpy(),
    )
    return {
        "corrected": 100 * corrected.mean,
        f"corrected {LOW}": 100 * corrected.low,
        f"corrected {HIGH}": 100 * corrected.high,
        "labelled": labelled,
        "samples": len(samples),
    }
