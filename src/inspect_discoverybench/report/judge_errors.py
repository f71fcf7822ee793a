"""HMS corrected for the judge's errors, based on human labels (paper §4.3)."""

from collections.abc import Sequence

import pandas as pd

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.hypothesis import Facet
from inspect_discoverybench.report.aggregates import HIGH, HMS, KEYS, LOW
from inspect_discoverybench.report.samples import main_judge
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results import Outcome
from inspect_discoverybench.statistics.calibration import MIN_LABELLED_CLUSTERS, corrected_mean
from inspect_discoverybench.statistics.mean import estimate_mean
from inspect_discoverybench.validation.labels import LabelledSample


def judge_error_section(samples: pd.DataFrame, labels: Sequence[LabelledSample]) -> Section:
    """Raw and corrected HMS of every configuration with enough labels, and of all labelled logs together.

    Args:
        samples: The frame of samples after `label_samples`.
        labels: Labelled samples whose labels determine HMS.

    Raises:
        InvalidArgument: No label belongs to a sample in these logs, or there are too few labels.
    """
    rows = _with_labels(main_judge(samples), labels)
    both = pd.concat([rows.assign(configuration="all of the sheet"), rows])
    table = pd.DataFrame(
        [
            _row(str(benchmark), str(configuration), group)
            for (benchmark, configuration), group in both.groupby([*KEYS], sort=False)
            if group[group.is_labelled].gold_hypothesis.nunique() >= MIN_LABELLED_CLUSTERS
        ]
    )
    if table.empty:
        raise InvalidArgument(
            f"The correction requires labels of samples from at least {MIN_LABELLED_CLUSTERS} gold hypotheses, but "
            "these logs have fewer. Label more samples, or pass the logs from which the sheet was drawn."
        )
    return Section.described("judge_errors", table, clusters=MIN_LABELLED_CLUSTERS)


def _with_labels(samples: pd.DataFrame, labels: Sequence[LabelledSample]) -> pd.DataFrame:
    """The scored samples of the logs of the sheet, with `true`, `is_labelled` and the `probability` of a label.

    Samples without a submission need no label: the judge was not asked, and their HMS is 0.
    """
    true = {(label.log, label.sample_id, label.epoch, label.score): label.true_hms for label in labels}
    rows = samples[samples.task_id.isin({label.log for label in labels}) & samples.hms.notna()].copy()
    keys = zip(rows.task_id, rows.id, rows.epoch, rows.score, strict=True)
    rows["true"] = pd.Series([true.get(key) for key in keys], rows.index, dtype=float)
    is_judged = rows.outcome == Outcome.SCORED
    rows["is_labelled"] = is_judged & rows.true.notna()
    # The strata from which the sheet was drawn: all partial scores of the variables are one outcome.
    strata = [rows[facet].mask(rows[facet].between(0, 1, inclusive="neither"), 0.5).fillna(-1) for facet in Facet]
    share = rows.is_labelled.where(is_judged).astype(float).groupby(strata).transform("mean")
    rows["probability"] = share.where(is_judged, 1.0)
    rows["true"] = rows.true.where(is_judged, 0.0)
    # Strata without a complete label are left out: no labelled sample represents them.
    return rows[rows.probability > 0]


def _row(benchmark: str, configuration: str, rows: pd.DataFrame) -> dict[str, object]:
    golds = rows.gold_hypothesis.tolist()
    labelled = rows.true.notna().to_numpy().nonzero()[0].tolist()
    raw = estimate_mean(rows.hms.tolist(), golds)
    corrected = corrected_mean(
        rows.hms.tolist(), labelled, rows.true.iloc[labelled].tolist(), golds, rows.probability.tolist()
    )
    return {
        "benchmark": benchmark,
        "configuration": configuration,
        HMS: 100 * raw.mean,
        LOW: 100 * raw.low,
        HIGH: 100 * raw.high,
        "corrected": 100 * corrected.mean,
        "corrected low": 100 * corrected.low,
        "corrected high": 100 * corrected.high,
        "labelled": int(rows.is_labelled.sum()),
        "samples": len(rows),
    }
