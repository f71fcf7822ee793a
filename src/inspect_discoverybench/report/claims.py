"""The section on claims: how often a relationship is claimed with the data, and on a placebo, where there is none."""

import math
from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import pandas as pd

from inspect_discoverybench.comparison.difference import key_difference
from inspect_discoverybench.dataset.task_text import NEUTRAL
from inspect_discoverybench.report.charts import Chart, joined_points
from inspect_discoverybench.report.leaderboard import Leaderboard
from inspect_discoverybench.report.means import IntervalNames, Row, difference_columns, interval_columns
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.report.standing import Standing
from inspect_discoverybench.results.configuration import without_placebo
from inspect_discoverybench.results.result_row import ResultRow, claim_prompts
from inspect_discoverybench.results.task_result import TaskResult, mean_score
from inspect_discoverybench.scorer.claim import CLAIM_KEY
from inspect_discoverybench.scorer.sample_outcome import SampleOutcome
from inspect_discoverybench.statistics.partial_scores import bounds

DATA_RATE, PLACEBO_RATE = "claim rate", "false-claim rate"
"""Names of the rates with the data and on a placebo."""

DIFFERENCE = IntervalNames.of("difference")

RATE = "share of samples with a claim × 100"

Tasks = Mapping[str, TaskResult]
"""Tasks by the id of their sample."""


@dataclass
class _Pair:
    """The runs of one agent with the data, and on placebos with any seeds, under the same conditions.

    The samples of one task are averaged over the placebos, like epochs.
    """

    data: list[Standing] = field(default_factory=list)
    placebos: list[Standing] = field(default_factory=list)

    def row(self, benchmarks: Collection[str]) -> Row | None:
        """The row of the table; None if no claim was decided.

        Args:
            benchmarks: Names of the benchmarks in the report.
        """
        data = _tasks_with_claims(self.data)
        placebo = _tasks_with_claims(self.placebos)
        data_rate = mean_score([*data.values()], CLAIM_KEY)
        placebo_rate = mean_score([*placebo.values()], CLAIM_KEY)
        if data_rate is None and placebo_rate is None:
            return None

        standing = [*self.data, *self.placebos][0]  # a run with the data, if there is one
        # An agent that ran only on placebos is also listed under the benchmark of the data, beside the agents that ran
        # on the data. If no agent did, the report lacks this benchmark, and the row is under that of the placebo.
        benchmark = without_placebo(standing.configuration.benchmark)
        if benchmark not in benchmarks:
            benchmark = standing.configuration.benchmark

        # On a placebo, the judge is not asked about a claim if the gold hypothesis also holds on permuted columns,
        # because the claim may then be true. Samples that were scored without the question are left out, too.
        placebo_samples = sum(len(standing.results) for standing in self.placebos)
        asked_samples = sum(len(task.results) for task in placebo.values())

        return {
            **standing.key_columns,
            "benchmark": benchmark,
            "framing": standing.configuration.framing,
            **interval_columns(data_rate, IntervalNames.of(DATA_RATE)),
            **_bound_columns(DATA_RATE, data),
            **interval_columns(placebo_rate, IntervalNames.of(PLACEBO_RATE)),
            **_bound_columns(PLACEBO_RATE, placebo),
            **_difference(placebo=placebo, data=data),
            "kind": standing.kind,
            **_counts("data", data),
            **_counts("placebo", placebo),
            "placebo samples left out": placebo_samples - asked_samples,
        }


def claim_section(leaderboard: Leaderboard) -> Section | None:
    """Both rates of each agent and model by framing, and their difference; None if no claim was decided."""
    pairs: dict[Hashable, _Pair] = defaultdict(_Pair)
    for standing in leaderboard.standings:
        pair = pairs[_conditions(standing)]
        if standing.results[0].run.is_placebo:
            pair.placebos.append(standing)
        else:
            pair.data.append(standing)

    benchmarks = [benchmark.name for benchmark in leaderboard.benchmarks]
    rows = []
    for pair in pairs.values():
        row = pair.row(benchmarks)
        if row is not None:
            rows.append(row)
    if not rows:
        return None
    # The rows of a benchmark stand together. Among them, the order of the leaderboard stays.
    table = pd.DataFrame(rows).sort_values("benchmark", kind="stable")
    return Section("claims", table, _chart(table, leaderboard))


def _conditions(standing: Standing) -> Hashable:
    """What is equal in all configurations of a pair: everything but whether they are on a placebo, and its seed."""
    # All results of a configuration have the same agent, model, limits, setup and number of the task version.
    first = standing.results[0]
    return (
        without_placebo(standing.configuration.benchmark),
        standing.configuration.hints,
        first.sample.agent,
        standing.configuration.agent_file_settings,
        first.run.model,
        first.run.limits,
        first.setup,
        first.run.version_number,
        tuple(sorted(standing.judges)),
        tuple(sorted(claim_prompts(standing.results))),
    )


def _tasks_with_claims(standings: Sequence[Standing]) -> Tasks:
    """The tasks for which the judge is asked about claims, each with its results in all epochs and placebos."""
    results: dict[str, list[ResultRow]] = defaultdict(list)
    for standing in standings:
        for task in standing.tasks:
            if task.is_asked_about(CLAIM_KEY):
                results[task.sample.id] += task.results
    return {sample_id: TaskResult(rows) for sample_id, rows in results.items()}


def _bound_columns(name: str, tasks: Tasks) -> Row:
    """The lowest and the highest rate that undecided claims allow. If all claims are decided, both are NaN."""
    lowest, highest = f"lowest {name} × 100", f"highest {name} × 100"
    scores = [task.scores(CLAIM_KEY) for task in tasks.values()]
    if not any(score.missing for score in scores):  # the rate is exact
        return {lowest: math.nan, highest: math.nan}
    possible = bounds(scores)
    return {lowest: 100 * fmean(possible.lowest), highest: 100 * fmean(possible.highest)}


def _difference(placebo: Tasks, data: Tasks) -> Row:
    """The claim rate minus the false-claim rate, paired by task; NaN if no task has both."""
    difference = key_difference(baseline=placebo, candidate=data, key=CLAIM_KEY)
    if difference is None:
        return {"common tasks": 0, **dict.fromkeys(DIFFERENCE, math.nan)}
    return {"common tasks": difference.paired.tasks, **difference_columns(difference.paired, DIFFERENCE)}


def _counts(name: str, tasks: Tasks) -> Row:
    outcomes: list[SampleOutcome] = []
    for task in tasks.values():
        outcomes += [result.score.outcome_of(CLAIM_KEY) for result in task.results]
    return {
        f"{name} tasks": len(tasks),
        f"{name} samples": len(outcomes),
        f"{name} samples without an answer": sum(not outcome.is_scored for outcome in outcomes),
    }


def _chart(table: pd.DataFrame, leaderboard: Leaderboard) -> Chart:
    """Both rates of each row, joined by a line."""
    # The names of these columns become the texts of the legend. The factor is left out: the title of the axis has it.
    without_factor = {f"{name} × 100": name for name in (DATA_RATE, PLACEBO_RATE)}
    points = (
        table.assign(label=_labels(table))
        .rename(columns=without_factor)
        .melt(["benchmark", "agent", "label"], [DATA_RATE, PLACEBO_RATE], var_name="rate_of", value_name=RATE)
        .dropna(subset=RATE)
    )
    return joined_points(points, row="label", value=RATE, kind="rate_of", style=leaderboard.style)


def _labels(table: pd.DataFrame) -> list[str]:
    """The names of the configurations. A framing other than the neutral one is added if the name lacks it."""
    labels = []
    for name, framing in zip(table.configuration, table.framing, strict=True):
        if framing == NEUTRAL or f"framing={framing}" in name:
            labels.append(name)
        else:
            labels.append(f"{name} (framing={framing})")
    return labels
