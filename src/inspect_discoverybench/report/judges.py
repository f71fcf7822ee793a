"""Judges: several of the same samples compared, and HMS corrected for the judge's errors (paper §4.3)."""

import itertools
from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from statsmodels.stats.inter_rater import cohens_kappa

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.report.aggregates import HIGH, HMS, KEYS, LOW, means
from inspect_discoverybench.report.charts import dots, panels
from inspect_discoverybench.report.samples import SCORES, main_judge
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results import Outcome
from inspect_discoverybench.scorer.facets import FACET_KEYS
from inspect_discoverybench.statistics.calibration import MIN_LABELLED_CLUSTERS, corrected_mean
from inspect_discoverybench.statistics.mean import estimate_mean
from inspect_discoverybench.validation.labels import LabelledSample


def judge_sections(samples: pd.DataFrame) -> list[Section]:
    """HMS by judge, and agreement of judges by score; empty if no sample has two judges.

    Only samples that several judges scored are compared. Samples without a submission score 0 with every judge.
    """
    judged = _judged(samples)
    if judged.empty:
        return []
    candidates = [_scores(judged), _agreement(judged[judged.is_asked])]
    return [section for section in candidates if section is not None]


def _scores(judged: pd.DataFrame) -> Section | None:
    """HMS by judge of the samples that all judges of their configuration scored."""
    judges = judged.groupby([*KEYS]).judge.transform("nunique")
    common = judged[judged.groupby("uuid").judge.transform("nunique") == judges]
    if common.empty:
        return None
    groups = common.groupby([*KEYS, "judge", "id"], sort=False)
    tasks = groups.agg(hms=("hms", "mean"), gold_hypothesis=("gold_hypothesis", "first")).reset_index()
    return Section.described(
        "judges",
        means(tasks, [*KEYS, "judge"]).drop(columns="gold hypotheses"),
        partial(panels, draw=partial(dots, row="configuration", mark="judge", marks=judged.judge.unique())),
    )


def _agreement(judged: pd.DataFrame) -> Section:
    rows: list[dict[Hashable, Any]] = []
    for first, second, pairs in _judge_pairs(judged):
        for score in SCORES:
            both = pairs[[f"{score}_a", f"{score}_b"]].dropna()
            if not both.empty:
                name = score.replace("hms", "HMS")
                rows.append({"judge": first, "other judge": second, "value": name, **_kappa(*both.to_numpy().T)})
    table = pd.DataFrame(rows)
    names = table.judge + " and " + table["other judge"]
    labels = table.value if names.nunique() == 1 else table.value + " (" + names + ")"
    return Section.described(
        "judge_agreement",
        table,
        lambda table: dots(table.assign(row=labels), "row", interval=("kappa", "kappa", "kappa")),
    )


def _judged(samples: pd.DataFrame) -> pd.DataFrame:
    """Samples that several judges scored, one row per judge; `is_asked` says whether the judges read a submission.

    The judges are not asked about samples without a submission, so these have a row for each judge of their run.
    """
    scored = samples[samples.hms.notna()]
    is_silent = scored.outcome.isin((Outcome.NO_SUBMISSION, Outcome.LIMIT))
    submitted = scored[~is_silent & scored.judge_record.notna()].drop_duplicates(["uuid", "judge_record"])
    judges = submitted[["run", "judge_record", "judge"]].drop_duplicates()
    silent = scored[is_silent].drop_duplicates("uuid").drop(columns=["judge_record", "judge"]).merge(judges, on="run")
    judged = pd.concat(
        [submitted.assign(is_asked=True), silent.assign(is_asked=False)[[*submitted.columns, "is_asked"]]]
    )
    counts = judged.groupby("uuid").judge_record.transform("size")
    is_compared = (counts > 1) & judged.run.isin(judged.run[(counts > 1) & judged.is_asked])
    return judged[is_compared].reset_index(drop=True)


def _judge_pairs(judged: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Each pair of judges with the samples that both scored."""
    columns = ["uuid", *SCORES]
    pairs = []
    for first, second in itertools.combinations(judged.judge.unique(), 2):
        left = judged.loc[judged.judge == first, columns]
        both = left.merge(judged.loc[judged.judge == second, columns], on="uuid", suffixes=("_a", "_b"))
        if not both.empty:
            pairs.append((first, second, both))
    return pairs


def _kappa(first: "np.ndarray[Any, Any]", second: "np.ndarray[Any, Any]") -> dict[Hashable, Any]:
    """Agreement of verdicts, which are 0, partial or 1."""
    a, b = (np.digitize(values, (1e-9, 1 - 1e-9)) for values in (first, second))
    counts = np.zeros((3, 3))
    np.add.at(counts, (a, b), 1)
    is_defined = len({*a.tolist(), *b.tolist()}) > 1
    return {
        "samples": len(first),
        "same verdict in %": 100 * float((a == b).mean()),
        "mean difference × 100": 100 * float((second - first).mean()),
        "kappa": float(cohens_kappa(counts, return_results=False)) if is_defined else float("nan"),
    }


def judge_error_section(samples: pd.DataFrame, labels: Sequence[LabelledSample]) -> Section:
    """Raw and corrected HMS of every configuration with enough labels, and of all labelled logs together.

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
    strata = [rows[facet].mask(rows[facet].between(0, 1, inclusive="neither"), 0.5).fillna(-1) for facet in FACET_KEYS]
    share = rows.is_labelled.where(is_judged).astype(float).groupby(strata).transform("mean")
    rows["probability"] = share.where(is_judged, 1.0)
    rows["true"] = rows.true.where(is_judged, 0.0)
    # Strata without a complete label are left out: no labelled sample represents them.
    return rows[rows.probability > 0]


def _row(benchmark: str, configuration: str, rows: pd.DataFrame) -> dict[str, object]:
    golds = rows.gold_hypothesis.tolist()
    raw = estimate_mean(rows.hms.tolist(), golds)
    corrected = corrected_mean(rows.hms.tolist(), rows.true.tolist(), golds, rows.probability.tolist())
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
