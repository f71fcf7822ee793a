"""Several judges of the same samples: HMS by judge, agreement, and the ranking of configurations."""

import itertools
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from inspect_discoverybench.report.aggregates import HIGH, HMS, KEYS, LOW, estimate
from inspect_discoverybench.report.charts import IntervalColumns, dots
from inspect_discoverybench.report.competitors import MIN_COVERAGE, best, covering
from inspect_discoverybench.report.figures import stack
from inspect_discoverybench.report.losses import FACETS
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results import Outcome

if TYPE_CHECKING:
    import pandas as pd

VALUES = ("hms", *FACETS)

MIN_RANKED = 2
"""Minimum number of configurations for a ranking."""


def judge_sections(samples: "pd.DataFrame") -> list[Section]:
    """HMS by judge, agreement of judges by facet, and their rankings; empty if no sample has two judges.

    Only samples that several judges scored are compared. Samples without a submission score 0 with every judge.

    Args:
        samples: Labelled samples with all judges.
    """
    judged = _judged(samples)
    if judged.empty:
        return []
    agents = samples[~samples.is_oracle].drop_duplicates([*KEYS, "id"])
    ranked = covering(agents)
    is_ranked = [name in ranked for name in zip(judged.benchmark, judged.configuration, strict=True)]
    candidates = [
        _score_section(judged),
        _agreement_section(judged[judged.is_asked]),
        _ranking_section(judged[is_ranked]),
    ]
    return [section for section in candidates if section is not None]


def _score_section(frame: "pd.DataFrame") -> Section | None:
    import pandas as pd

    common = _common(frame)
    if common.empty:
        return None
    rows: list[dict[Hashable, Any]] = []
    for names, group in common.groupby([*KEYS, "judge"], sort=False):
        first = group.groupby("id")[["gold_hypothesis"]].first()
        means = first.assign(hms=group.groupby("id").hms.mean())
        rows.append({**dict(zip([*KEYS, "judge"], names, strict=True)), **estimate(means), "tasks": len(means)})
    table = pd.DataFrame(rows)
    judges = {judge: place for place, judge in enumerate(dict.fromkeys(frame.judge))}
    interval = IntervalColumns(HMS, LOW, HIGH, "HMS × 100, 95 % interval")
    return Section(
        name="judges",
        title="HMS by judge",
        text=(
            "HMS × 100 of the same samples by each judge. Only samples that all judges of a configuration scored are "
            "counted, so the numbers can differ from those above."
        ),
        table=table,
        filters=(*KEYS, "judge"),
        chart=stack(
            {
                str(benchmark): dots(rows, "configuration", interval, "judge", judges)
                for benchmark, rows in table.groupby("benchmark", sort=False)
            }
        ),
        formats=dict.fromkeys((HMS, LOW, HIGH), ".1f"),
    )


def _agreement_section(frame: "pd.DataFrame") -> Section:
    import pandas as pd

    rows: list[dict[Hashable, Any]] = []
    for (first, second), scores in _judge_pairs(frame):
        for value in VALUES:
            both = scores.dropna(subset=[f"{value}_a", f"{value}_b"])
            if not both.empty:
                agreement = _agreement(both[f"{value}_a"], both[f"{value}_b"])
                rows.append({"judge": first, "other judge": second, "value": value.replace("hms", "HMS"), **agreement})
    table = pd.DataFrame(rows)
    pairs = table.judge + " and " + table["other judge"]
    table["row"] = table.value if pairs.nunique() == 1 else table.value + " (" + pairs + ")"
    chart = dots(table, "row", IntervalColumns("kappa", "kappa", "kappa", "Cohen’s kappa"))
    return Section(
        name="judge_agreement",
        title="Agreement of judges",
        text=(
            "Share of samples on which two judges give the same verdict (0, partial or full), and Cohen’s kappa, which "
            "is 1 for perfect agreement and 0 for the agreement expected by chance. Kappa is not defined if both "
            "judges give one and the same verdict to all samples."
        ),
        table=table.drop(columns="row"),
        chart=chart,
        formats={"same verdict in %": ".1f", "mean difference × 100": ".1f", "kappa": ".2f"},
    )


def _ranking_section(frame: "pd.DataFrame") -> Section | None:
    import pandas as pd

    rows: list[dict[Hashable, Any]] = []
    for (first, second), pairs in _judge_pairs(frame):
        for benchmark, group in pairs.groupby("benchmark", sort=False):
            by_task = group.groupby(["configuration", "id"], sort=False)[["hms_a", "hms_b"]].mean()
            means = by_task.groupby("configuration", sort=False).mean()
            if len(means) >= MIN_RANKED:
                names: dict[Hashable, Any] = {"benchmark": benchmark, "judge": first, "other judge": second}
                rows.append({**names, **_ranking(means.hms_a, means.hms_b)})
    if not rows:
        return None
    return Section(
        name="judge_ranking",
        title="Rankings by judge",
        text=(
            "Kendall’s tau of the rankings of configurations by two judges: 1 is the same order, −1 the reverse. "
            "The last columns show whether the best configuration changes. Oracles are left out, and so are "
            f"configurations with fewer than {100 * MIN_COVERAGE:.0f} % as many tasks as the one with the most in "
            "their benchmark."
        ),
        table=pd.DataFrame(rows),
        filters=("benchmark",),
        formats={"Kendall’s tau": ".2f"},
    )


def _judged(samples: "pd.DataFrame") -> "pd.DataFrame":
    """Samples that several judges scored, one row per judge; `is_asked` says whether the judges read a submission.

    The judges are not asked about samples without a submission, so these have a row for each judge of their run.
    """
    import pandas as pd

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


def _common(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Samples that all judges of their configuration scored."""
    judges = frame.groupby(list(KEYS)).judge.transform("nunique")
    return frame[frame.groupby("uuid").judge.transform("nunique") == judges]


def _judge_pairs(frame: "pd.DataFrame") -> list[tuple[tuple[str, str], "pd.DataFrame"]]:
    """Each pair of judges with the samples that both scored."""
    columns = ["uuid", *VALUES]
    pairs = []
    for first, second in itertools.combinations(dict.fromkeys(frame.judge), 2):
        left = frame[frame.judge == first][[*columns, "benchmark", "configuration", "id"]]
        both = left.merge(frame[frame.judge == second][columns], on="uuid", suffixes=("_a", "_b"))
        if not both.empty:
            pairs.append(((first, second), both))
    return pairs


def _agreement(first: "pd.Series[float]", second: "pd.Series[float]") -> dict[Hashable, Any]:
    import numpy as np
    from statsmodels.stats.inter_rater import cohens_kappa

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


def _ranking(first: "pd.Series[float]", second: "pd.Series[float]") -> dict[Hashable, Any]:
    from scipy.stats import kendalltau

    names = [sorted(best(means)) for means in (first, second)]
    return {
        "configurations": len(first),
        "Kendall’s tau": float(kendalltau(first, second).statistic),
        "best by judge": ", ".join(names[0]),
        "best by other judge": ", ".join(names[1]),
        "best changes": "yes" if names[0] != names[1] else "no",
    }
