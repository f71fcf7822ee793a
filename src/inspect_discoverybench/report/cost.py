"""The section on cost: the usage of each configuration beside its HMS."""

from statistics import fmean

import pandas as pd

from inspect_discoverybench.report.charts import scatter
from inspect_discoverybench.report.leaderboard import Leaderboard
from inspect_discoverybench.report.means import HMS_INTERVAL, IntervalNames, Row
from inspect_discoverybench.report.section import Section

USAGE = {
    "cost": "USD per sample",
    "tokens": "tokens per sample",
    "seconds": "seconds per sample",
    "judge_cost": "judge USD per sample",
    "judge_tokens": "judge tokens per sample",
    "cells": "cells per sample",
}
"""Headings of the columns of mean usage, by the attribute of a `SampleRecord` that has the usage of one sample."""


def cost_section(leaderboard: Leaderboard) -> Section:
    """Mean usage per sample. The chart is of US dollars if the cost of every configuration is known, else of tokens."""
    rows = []
    for standing in leaderboard.standings:
        usage: Row = {}
        for name, heading in USAGE.items():
            values = [getattr(result.sample, name) for result in standing.results]
            # A mean of only those samples whose usage is known would be biased.
            usage[heading] = None if None in values else fmean(values)
        rows.append(standing.hms_columns | usage)

    table = pd.DataFrame(rows)
    unknown = [heading for heading in USAGE.values() if table[heading].isna().all()]
    table = table.drop(columns=unknown)
    measure = USAGE["cost"]
    if measure not in table or table[measure].isna().any():
        measure = USAGE["tokens"]
    measure_names = IntervalNames(measure, measure, measure)  # usage has no interval
    chart = scatter(table, [(measure_names, HMS_INTERVAL)], leaderboard.style)
    return Section("cost", table, chart)
