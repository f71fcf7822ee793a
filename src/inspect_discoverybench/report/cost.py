"""The section on cost: the usage of each configuration, and the Pareto front of usage and HMS."""

import math
from collections.abc import Sequence

import pandas as pd

from inspect_discoverybench.report.charts import PANEL, Chart, scatter
from inspect_discoverybench.report.leaderboard import Leaderboard, Standing
from inspect_discoverybench.report.means import HIGH, HMS, LOW, USAGE, estimate, mean_usage
from inspect_discoverybench.report.section import Section


def cost_section(leaderboard: Leaderboard) -> Section:
    """Mean usage per sample; cost in US dollars is compared where it is known, otherwise tokens."""
    standings = [standing for standing in leaderboard.standings if not math.isnan(standing.hms)]
    costs = [mean_usage(standing.results, "cost") for standing in standings]
    field = "tokens" if any(math.isnan(cost) for cost in costs) else "cost"
    measure = USAGE[field]
    front = f"Pareto front ({measure.removesuffix(' per sample')})"

    rows = []
    for benchmark in leaderboard.benchmarks:
        on_front = _pareto_front(benchmark.standings, field)
        for standing in benchmark.standings:
            mean = estimate(standing.tasks)
            row = standing.key_columns | {HMS: 100 * mean.mean, LOW: 100 * mean.low, HIGH: 100 * mean.high}
            for name, heading in USAGE.items():
                row[heading] = mean_usage(standing.results, name)
            row[front] = "yes" if standing in on_front else ""
            rows.append(row)
    table = pd.DataFrame(rows).dropna(axis="columns", how="all")
    return Section("cost", table, _chart(leaderboard, table, measure, front))


def _chart(leaderboard: Leaderboard, table: pd.DataFrame, measure: str, front: str) -> Chart | None:
    if measure not in table:
        return None
    details = [(standing.configuration.agent, standing.configuration.model) for standing in leaderboard.standings]
    shown = table.join(pd.DataFrame(details, columns=["agent", "model"]))
    shown[PANEL] = shown.benchmark.map(leaderboard.titles)
    known = shown.dropna(subset=[measure, HMS])
    if known.empty:
        return None
    return scatter(known, (measure, measure, measure), (HMS, LOW, HIGH), leaderboard.colors, front)


def _pareto_front(standings: Sequence[Standing], field: str) -> list[Standing]:
    """Competitors that no other beats: with a lower usage and at least the HMS, or the same and a higher one."""
    competitors = [standing for standing in standings if standing.competes]
    usage = {standing: mean_usage(standing.results, field) for standing in competitors}
    front = []
    for standing in competitors:
        beaten = False
        for other in competitors:
            is_cheaper = usage[other] < usage[standing] and other.hms >= standing.hms
            is_better = usage[other] == usage[standing] and other.hms > standing.hms
            beaten = beaten or is_cheaper or is_better
        if not beaten and not math.isnan(usage[standing]):
            front.append(standing)
    return front
