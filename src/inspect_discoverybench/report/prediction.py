"""Prediction: HMS compared with the skill of hypotheses on fresh rows, which needs no judge."""

import math
from typing import TYPE_CHECKING

from inspect_discoverybench.report.aggregates import HMS, KEYS
from inspect_discoverybench.report.configurations import by_task
from inspect_discoverybench.report.section import Section

if TYPE_CHECKING:
    import pandas as pd

PREDICTION = "prediction × 100"

CORRELATION = "Spearman’s rho"

MIN_TASKS = 3
"""Minimum number of tasks for which the correlation is computed."""


def prediction_section(samples: "pd.DataFrame") -> Section | None:
    """The correlation of HMS with the score `prediction`; None if no sample has both.

    Args:
        samples: Labelled samples with the scores of one judge.
    """
    import pandas as pd

    both = samples[samples.hms.notna() & samples.prediction.notna()]
    if both.empty:
        return None
    tasks = by_task(both, ["hms", "prediction"])
    rows = [
        {
            **dict(zip(KEYS, names, strict=True)),
            "tasks": len(group),
            HMS: 100 * group.hms.mean(),
            PREDICTION: 100 * group.prediction.mean(),
            CORRELATION: _spearman(group.hms, group.prediction),
        }
        for names, group in tasks.groupby([*KEYS], sort=False)
    ]
    return Section(
        name="prediction",
        title="HMS and prediction",
        text=(
            "HMS × 100 compared with the skill of the same hypotheses on fresh rows, × 100: 0 is the best constant and "
            "100 the gold expression. Spearman’s rank correlation over tasks shows how well the two measures agree. "
            f"It is not defined for fewer than {MIN_TASKS} tasks or if all values are equal."
        ),
        table=pd.DataFrame(rows),
        filters=KEYS,
        formats={HMS: ".1f", PREDICTION: ".1f", CORRELATION: ".2f"},
    )


def _spearman(first: "pd.Series[float]", second: "pd.Series[float]") -> float:
    from scipy.stats import spearmanr

    if len(first) < MIN_TASKS or first.nunique() < 2 or second.nunique() < 2:
        return math.nan
    return float(spearmanr(first, second).statistic)
