"""Memory: guesses without data compared with agents that saw the data (paper §5.2)."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from inspect_discoverybench.report.aggregates import KEYS
from inspect_discoverybench.report.differences import difference, difference_chart, formats
from inspect_discoverybench.report.section import Section

if TYPE_CHECKING:
    import pandas as pd

GUESSER = "no_data_guess"

NAMES = ("guess", "with data")

RUN = ["benchmark", "model", "hints", "configuration"]
"""Columns that identify a configuration, including those whose values it must share with the guesses."""


def memory_section(tasks: "pd.DataFrame") -> Section | None:
    """HMS of agents compared with guesses by the same model with the same hints; None if there are no such pairs.

    Args:
        tasks: The table of tasks.
    """
    import pandas as pd

    agents = tasks[~tasks.is_oracle & (tasks.agent != GUESSER)]
    guesses = tasks[tasks.agent == GUESSER]
    rows = [
        {**dict(zip((*KEYS, "guesses"), (benchmark, configuration, guesser), strict=True)), **compared}
        for (benchmark, model, hints, configuration), group in agents.groupby(RUN, sort=False)
        for (*_, guesser), guess in guesses[_is_run(guesses, benchmark, model, hints)].groupby(RUN, sort=False)
        if (compared := _compared(guess, group)) is not None
    ]
    if not rows:
        return None
    table = pd.DataFrame(rows).sort_values(["benchmark", "with data HMS × 100"], ascending=[True, False], kind="stable")
    table = table.reset_index(drop=True)
    return Section(
        name="memory",
        title="Memory: guesses without data",
        text=(
            "HMS × 100 of no_data_guess, which sees only the goal and the descriptions of the data, compared with "
            "agents with the same model and hints that saw the data, paired by task. High scores of guesses suggest "
            "that the model remembers published results. The difference shows what access to the data adds."
        ),
        table=table,
        filters=KEYS,
        chart=difference_chart(table, _labels(table), NAMES),
        formats=formats(NAMES),
    )


def _is_run(guesses: "pd.DataFrame", benchmark: object, model: object, hints: object) -> "pd.Series[bool]":
    return (guesses.benchmark == benchmark) & (guesses.model == model) & (guesses.hints == hints)


def _compared(guess: "pd.DataFrame", agent: "pd.DataFrame") -> dict[Hashable, Any] | None:
    with_data = agent.set_index("id")
    return difference(guess.set_index("id").hms, with_data.hms, with_data.gold_hypothesis, NAMES)


def _labels(table: "pd.DataFrame") -> "pd.Series[str]":
    """The configuration, with the guesses it is compared with if there are several."""
    several = table.groupby([*KEYS]).guesses.transform("nunique") > 1
    return table.configuration.where(~several, table.configuration + " against " + table.guesses)
