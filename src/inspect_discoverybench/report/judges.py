"""Judges: several of the same samples compared, and HMS corrected for the judge's errors (paper §4.3)."""

import itertools
from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from statsmodels.stats.inter_rater import cohens_kappa

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.human_study.labels import LabelledSample
from inspect_discoverybench.report.aggregates import HIGH, HMS, KEYS, LOW, means, task_table
from inspect_discoverybench.report.charts import dots, panels
from inspect_discoverybench.report.report_columns import SCORES
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.sample_score import Outcome
from inspect_discoverybench.scorer.facets import FACET_KEYS
from inspect_discoverybench.statistics.corrected_mean import MIN_LABELLED_CLUSTERS, corrected_mean


def judge_sections(samples: pd.DataFrame) -> list[Section]:
    """HMS by judge, and agreement of judges by score; empty if no sample has two judges.

    Only samples that several judges scored are compared. Samples without a submission score 0 with every judge.
    """
    judged = _judged(samples)
    if judged.empty:
        return []
    judges = judged.groupby(KEYS).judge.transform("nunique")
    common = judged[judged.groupby("uuid").judge.transform("nunique") == judges]
    agreement = _agreement(judged[judged.is_asked])
    return [agreement] if common.empty else [_scores(common), agreement]


def _scores(common: pd.DataFrame) -> Section:
    """HMS by judge of the samples that all judges of their configuration scored."""
    groups = common.groupby([*KEYS, "judge", "id"], sort=False)
    tasks = groups.agg(hms=("hms", "mean"), gold_hypothesis=("gold_hypothesis", "first")).reset_index()
    table = means(tasks, [*KEYS, "judge"]).drop(columns="gold hypotheses")
    draw = partial(dots, row="configuration", mark="judge", marks=common.judge.unique())
    return Section("judges", table, partial(panels, draw=draw))


def _agreement(judged: pd.DataFrame) -> Section:
    """How often each pair of judges agrees on the samples that both scored, by score."""
    by_judge = judged.pivot(index="uuid", columns="judge", values=[*SCORES])
    table = pd.DataFrame(
        {"judge": first, "other judge": second, "value": score.replace("hms", "HMS"), **_kappa(*both.to_numpy().T)}
        for first, second in itertools.combinations(judged.judge.unique(), 2)
        for score in SCORES
        if not (both := by_judge[score][[first, second]].dropna()).empty
    )
    names = table.judge + " and " + table["other judge"]
    labels = table.value if names.nunique() == 1 else table.value + " (" + names + ")"
    return Section(
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
    """HMS and corrected HMS of every configuration with enough labels, and of all of them together.

    Raises:
        InvalidArgument: No label belongs to a sample in these logs, or there are too few labels.
    """
    main = samples[samples.is_main]
    rows = _with_labels(main, labels)
    tasks = task_table(main).merge(rows[KEYS].drop_duplicates(), on=KEYS)
    corrected = [
        _corrected(str(benchmark), str(configuration), group)
        for (benchmark, configuration), group in _and_all(rows).groupby(KEYS, sort=False)
        if group[group.true.notna()].gold_hypothesis.nunique() >= MIN_LABELLED_CLUSTERS
    ]
    if not corrected:
        raise InvalidArgument(
            f"The correction requires labels of samples from at least {MIN_LABELLED_CLUSTERS} gold hypotheses, but "
            "these logs have fewer. Label more samples, or pass the logs from which the sheet was drawn."
        )
    table = pd.DataFrame(corrected).merge(means(_and_all(tasks))[[*KEYS, HMS, LOW, HIGH]], on=KEYS)
    names = [*KEYS, HMS, LOW, HIGH, *(name for name in corrected[0] if name not in KEYS)]
    left_out = rows[rows.is_left_out].stratum.value_counts().items()
    notes = [f"Left out, because none of them is labelled: {count} × {stratum}." for stratum, count in left_out]
    return Section("judge_errors", table[names], notes=notes, values={"clusters": MIN_LABELLED_CLUSTERS})


def _and_all(rows: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([rows.assign(configuration="all of the sheet"), rows])


def _with_labels(samples: pd.DataFrame, labels: Sequence[LabelledSample]) -> pd.DataFrame:
    """The scored samples of labelled configurations: their `weight`, the `true` HMS and the `probability` of a label.

    A task has a weight of 1, which its scored epochs share. Samples without a submission need no label: the judge was
    not asked, and their HMS is 0. Samples that no label represents keep the judge's score (`is_left_out`, and the
    `stratum` from which no label was drawn).
    """
    true = {(label.log, label.sample_id, label.epoch, label.score): label.true_hms for label in labels}
    in_sheet = samples.task_id.isin({label.log for label in labels})
    names = pd.MultiIndex.from_frame(samples[KEYS])
    rows = samples[names.isin(names[in_sheet]) & samples.hms.notna()].copy()
    keys = rows[["task_id", "id", "epoch", "score"]].itertuples(index=False, name=None)
    labelled = pd.Series([*map(true.get, keys)], rows.index, dtype=float)
    # The strata from which the sheet was drawn: all partial scores of the variables are one outcome.
    texts = {name: rows[name].map(lambda value: "partial" if 0 < value < 1 else f"{value:g}") for name in FACET_KEYS}
    facets = pd.DataFrame(texts).apply(lambda row: ", ".join(f"{name} {text}" for name, text in row.items()), axis=1)
    rows["stratum"] = facets.where(in_sheet[rows.index], "samples of logs without labels")
    is_judged = rows.outcome == Outcome.SCORED
    rows["true"] = labelled.where(is_judged)
    share = rows.true.notna().where(is_judged).astype(float).groupby(rows.stratum).transform("mean")
    rows["is_left_out"] = is_judged & (share == 0)
    rows["probability"] = share.where(is_judged, 0.0)
    rows["weight"] = 1 / rows.groupby([*KEYS, "id"]).id.transform("size")
    return rows


def _corrected(benchmark: str, configuration: str, rows: pd.DataFrame) -> dict[str, object]:
    names = ("hms", "true", "gold_hypothesis", "probability", "weight")
    corrected = corrected_mean(*(rows[name].tolist() for name in names))
    return {
        "benchmark": benchmark,
        "configuration": configuration,
        "corrected": 100 * corrected.mean,
        f"corrected {LOW}": 100 * corrected.low,
        f"corrected {HIGH}": 100 * corrected.high,
        "labelled": int(rows.true.notna().sum()),
        "left out": int(rows.is_left_out.sum()),
        "samples": len(rows),
    }
