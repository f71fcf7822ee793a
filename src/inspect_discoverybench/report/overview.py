"""HMS by agent and model (paper, Figure 4 left)."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from inspect_discoverybench.report.aggregates import (
    FORMATS,
    HIGH,
    HMS,
    KEYS,
    LOW,
    aggregate,
    estimate,
    usage,
)
from inspect_discoverybench.report.charts import IntervalColumns, dots
from inspect_discoverybench.report.competitors import RULE
from inspect_discoverybench.report.cost import MEASURES
from inspect_discoverybench.report.figures import Chart, stack
from inspect_discoverybench.report.published import published
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results import Outcome

if TYPE_CHECKING:
    import pandas as pd

KINDS = AGENT, BEST, ORACLE, PAPER = "agent", "best agent", "oracle", "paper"

SOLVABLE = "solvable HMS × 100"
"""HMS over the solvable tasks. The others cannot be solved because their target column has a single value."""

SOLVABLE_ENDS = ("solvable low", "solvable high")

TRIALS = {"last trial": "last_trial_hms", "best trial": "best_trial_hms"}
"""Trials of an oracle, each with its column in the table of tasks."""


def overview_section(tasks: "pd.DataFrame", notes: Sequence[str] = ()) -> Section:
    """HMS of every configuration with counts, usage, and HMS over solvable tasks.

    Args:
        tasks: The table of tasks.
        notes: Notes on its judges.
    """
    table = _table(tasks)
    return Section(
        name="hms",
        title="HMS by agent and model",
        text=" ".join([_text(table), *_unmarked(tasks), *notes]),
        table=table,
        filters=KEYS,
        chart=_chart(table),
        formats={
            **FORMATS,
            **dict.fromkeys((SOLVABLE, *SOLVABLE_ENDS), ".1f"),
            "tokens per sample": ".0f",
            "USD per sample": ".4f",
            "seconds per sample": ".1f",
        },
    )


def oracle_section(tasks: "pd.DataFrame") -> Section | None:
    """Best and last trial of oracles; None if no oracle ran several trials.

    Args:
        tasks: The table of tasks.
    """
    import pandas as pd

    oracles = tasks[tasks.is_oracle & tasks.best_trial_hms.notna() & tasks.last_trial_hms.notna()]
    if oracles.empty:
        return None
    rows: list[dict[Hashable, Any]] = [
        {
            "benchmark": benchmark,
            "configuration": configuration,
            "trial": trial,
            **estimate(group, column),
            "tasks": len(group),
        }
        for (benchmark, configuration), group in oracles.groupby(["benchmark", "configuration"], sort=False)
        for trial, column in TRIALS.items()
    ]
    table = pd.DataFrame(rows)
    interval = IntervalColumns(HMS, LOW, HIGH, "HMS × 100, 95 % interval")
    return Section(
        name="oracles",
        title="Oracles: last and best trial",
        text=(
            "Reflexion sees the HMS of each trial, so its results are not comparable with those of other agents. "
            "HMS is the score of the last trial. The best trial shows the score that the oracle could have kept."
        ),
        table=table,
        filters=KEYS,
        chart=stack(
            {
                str(benchmark): dots(rows, "configuration", interval, "trial")
                for benchmark, rows in table.groupby("benchmark", sort=False)
            }
        ),
        formats=FORMATS,
    )


def published_section(tasks: "pd.DataFrame") -> Section | None:
    """The paper's results for the benchmarks of the report; None if it has none.

    Args:
        tasks: The table of tasks.
    """
    table = _published(tasks.benchmark.unique().tolist())
    if table.empty:
        return None
    return Section(
        name="published",
        title="The paper’s results",
        text=(
            f"HMS × 100 as published ({published().source}). The paper used a different judge and different models "
            "and does not name the split, so small differences from this report are not meaningful."
        ),
        table=table.pivot(index=["benchmark", "agent"], columns="model", values=HMS)
        .reset_index()
        .rename_axis(columns=None),
        formats=dict.fromkeys(table.model.unique(), ".1f"),
    )


def _table(tasks: "pd.DataFrame") -> "pd.DataFrame":
    table = aggregate(tasks)
    oracles = set(tasks[tasks.is_oracle].configuration)
    best = set(tasks.loc[tasks.is_best, [*KEYS]].itertuples(index=False, name=None))
    table.insert(
        2,
        "kind",
        [
            ORACLE if name in oracles else BEST if (benchmark, name) in best else AGENT
            for benchmark, name in zip(table.benchmark, table.configuration, strict=True)
        ],
    )
    keys: list[Hashable] = [*KEYS]
    if (tasks.solvable == False).any():  # noqa: E712 - None is neither
        solvable = aggregate(tasks[tasks.solvable == True])  # noqa: E712
        columns = dict(zip((HMS, LOW, HIGH, "tasks"), (SOLVABLE, *SOLVABLE_ENDS, "solvable tasks"), strict=True))
        table = table.merge(solvable[[*keys, *columns]].rename(columns=columns), on=keys, how="left")
    table = table.merge(usage(tasks, MEASURES), on=keys, how="left")
    table["_oracle"] = table.kind == ORACLE
    table = table.sort_values(["benchmark", "_oracle", HMS], ascending=[True, True, False], kind="stable")
    return table.drop(columns="_oracle").reset_index(drop=True)


def _published(benchmarks: list[str]) -> "pd.DataFrame":
    import pandas as pd

    rows = [
        (benchmark, agent, model, hms)
        for benchmark, agents in published().scores.items()
        for agent, models in agents.items()
        for model, hms in models.items()
        if benchmark in benchmarks
    ]
    return pd.DataFrame(rows, columns=["benchmark", "agent", "model", HMS])


def _chart(table: "pd.DataFrame") -> Chart | None:
    import pandas as pd

    paper = _published(table.benchmark.unique().tolist())
    paper["configuration"] = paper.agent + " · " + paper.model + ", paper"
    paper = paper.assign(kind=PAPER).sort_values(HMS, ascending=False)
    places = {kind: place for place, kind in enumerate(KINDS) if kind in {*table.kind, *paper.kind}}
    panels: dict[str, Chart | None] = {}
    for benchmark, rows in table.groupby("benchmark", sort=False):
        published = paper[paper.benchmark == benchmark]
        both = rows if published.empty else pd.concat([rows, published])
        both = both.astype(dict.fromkeys((HMS, LOW, HIGH), float))
        both[LOW], both[HIGH] = both[LOW].fillna(both[HMS]), both[HIGH].fillna(both[HMS])
        interval = IntervalColumns(HMS, LOW, HIGH, "HMS × 100, 95 % interval")
        panels[str(benchmark)] = dots(both, "configuration", interval, "kind", places)
    return stack(panels)


def _unmarked(tasks: "pd.DataFrame") -> list[str]:
    """A note on the benchmarks without a best agent."""
    agents = tasks[~tasks.is_oracle & tasks.hms.notna()]
    names = [str(benchmark) for benchmark, rows in agents.groupby("benchmark", sort=False) if not rows.is_best.any()]
    if not names:
        return []
    return [f"No best agent is marked for {' and '.join(names)}, because different judges scored the samples."]


def _text(table: "pd.DataFrame") -> str:
    text = (
        "Mean hypothesis match score (HMS × 100) over tasks, with its 95 % interval clustered by gold hypothesis. "
        "Oracles see the gold hypothesis or scores. The best agent of each benchmark is marked, or several if they are "
        f"tied. {RULE} Samples without a submission score 0, including those that a limit ended."
    )
    if table[[Outcome.UNSCORED, Outcome.ERROR]].any(axis=None):
        text += (
            " Unscored samples and errors are left out of the mean; where there are any, the table gives the mean if "
            "all of them had scored 0 and if all had scored 1."
        )
    return text
