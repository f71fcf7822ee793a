"""HMS corrected for the judge's errors, based on human labels (paper §4.3)."""

from collections.abc import Iterator, Sequence
from math import isnan

import pandas as pd

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.report.configurations import main_judge
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results import Outcome
from inspect_discoverybench.statistics.calibration import MIN_LABELLED_CLUSTERS, corrected_mean
from inspect_discoverybench.statistics.mean import Estimate, estimate_mean
from inspect_discoverybench.validation.labels import LabelledSample
from inspect_discoverybench.validation.strata import UNDECIDED

LETTERS = {1.0: "A", 0.5: "B", 0.0: "C"}
ALL = "all of the sheet"


def judge_error_section(samples: pd.DataFrame, labels: Sequence[LabelledSample]) -> Section:
    """Raw and corrected HMS of every configuration with enough labels, and of all labelled logs together.

    Args:
        samples: The frame of samples with the columns of `label_configurations`.
        labels: Labelled samples whose labels determine HMS.

    Raises:
        InvalidArgument: No label belongs to a sample in these logs, or there are too few labels.
    """
    rows = _with_labels(main_judge(samples), labels)
    groups = [*_groups(rows, ["benchmark"]), *_groups(rows, ["benchmark", "configuration"])]
    table = pd.DataFrame([_row(*names, rows=group) for names, group in groups if _is_sufficient(group)])
    if table.empty:
        raise InvalidArgument(
            f"The correction requires labels of samples from at least {MIN_LABELLED_CLUSTERS} gold hypotheses, but "
            "these logs have fewer. Label more samples, or pass the logs from which the sheet was drawn."
        )
    return Section(
        name="judge_errors",
        title="HMS corrected for the judge’s errors",
        text=(
            "Mean HMS × 100 by the judge, and the same mean corrected by the judge’s mean error on human-labelled "
            "samples (prediction-powered inference), with 95 % intervals. Configurations with labels of fewer than "
            f"{MIN_LABELLED_CLUSTERS} gold hypotheses are left out."
        ),
        table=table,
        filters=("benchmark",),
        formats=dict.fromkeys(("HMS × 100", "low", "high", "corrected", "corrected low", "corrected high"), ".1f"),
    )


def _groups(rows: pd.DataFrame, columns: list[str]) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
    for names, group in rows.groupby(columns, sort=False):
        yield tuple(map(str, names)), group


def _with_labels(samples: pd.DataFrame, labels: Sequence[LabelledSample]) -> pd.DataFrame:
    """The scored samples of the logs of the sheet, with `true`, `stratum` and the `probability` of a label.

    Samples without a submission need no label: the judge was not asked, and their HMS is 0.
    """
    keys = ["task_id", "id", "epoch", "score"]
    true = {(label.log, label.sample_id, label.epoch, label.score): label.true_hms for label in labels}
    rows = samples[samples.task_id.isin({label.log for label in labels}) & samples.hms.notna()]
    rows = rows.assign(
        true=pd.to_numeric(
            pd.Series([true.get(key) for key in zip(*(rows[key] for key in keys), strict=True)], rows.index)
        ),
        stratum=[_stratum(*facets) for facets in rows[["context", "variables", "relationship"]].to_numpy()],
    )
    is_judged = rows.outcome == Outcome.SCORED
    share = rows[is_judged].groupby("stratum").true.agg(lambda values: values.notna().mean())
    probability = rows.stratum.map(share).where(is_judged, 1.0)
    # Drop strata without a complete label: no labelled sample represents them.
    covered = probability.fillna(0) > 0
    return rows.assign(true=rows.true.where(is_judged, 0.0), probability=probability, is_judged=is_judged)[covered]


def _stratum(context: float, variables: float, relationship: float) -> str:
    """The stratum as sheets name it, such as `1, partial, B`."""
    shares = "partial" if 0 < variables < 1 else _digit(variables)
    return f"{_digit(context)}, {shares}, {LETTERS.get(relationship, UNDECIDED)}"


def _digit(value: float) -> str:
    return UNDECIDED if isnan(value) else f"{value:.0f}"


def _is_sufficient(rows: pd.DataFrame) -> bool:
    labelled = rows[rows.true.notna() & rows.is_judged]
    return labelled.gold_hypothesis.nunique() >= MIN_LABELLED_CLUSTERS


def _row(benchmark: str, configuration: str = ALL, *, rows: pd.DataFrame) -> dict[str, object]:
    golds = rows.gold_hypothesis.tolist()
    labelled = rows.true.notna().to_numpy().nonzero()[0].tolist()
    raw = estimate_mean(rows.hms.tolist(), golds)
    corrected = corrected_mean(
        rows.hms.tolist(), labelled, rows.true.iloc[labelled].tolist(), golds, rows.probability.tolist()
    )
    return {
        "benchmark": benchmark,
        "configuration": configuration,
        **_percent(raw, "HMS × 100", "low", "high"),
        **_percent(corrected, "corrected", "corrected low", "corrected high"),
        "labelled": int((rows.true.notna() & rows.is_judged).sum()),
        "samples": len(rows),
    }


def _percent(estimate: Estimate, *names: str) -> dict[str, float]:
    return dict(zip(names, (100 * estimate.mean, 100 * estimate.low, 100 * estimate.high), strict=True))
