"""Memory: guesses without data next to agents that saw the data (paper §5.2)."""

from typing import TYPE_CHECKING

from inspect_discoverybench.report.aggregates import KEYS
from inspect_discoverybench.report.differences import difference, difference_chart, formats
from inspect_discoverybench.report.section import Section

if TYPE_CHECKING:
    import pandas as pd

GUESSER = "no_data_guess"

NAMES = ("guess", "with data")


def memory_section(tasks: "pd.DataFrame") -> Section | None:
    """HMS of agents against guesses of the same model; None if there are no guesses to compare with.

    Args:
        tasks: The table of tasks.
    """
    import pandas as pd

    agents = tasks[~tasks.is_oracle & (tasks.agent != GUESSER)]
    guesses = {
        key: group.groupby("id").hms.mean()
        for key, group in tasks[tasks.agent == GUESSER].groupby(["benchmark", "model"], sort=False)
    }
    rows = []
    for (benchmark, model, configuration), group in agents.groupby(["benchmark", "model", "configuration"], sort=False):
        by_id = group.set_index("id")
        guess = guesses.get((benchmark, model))
        if guess is None:
            continue
        if compared := difference(guess, by_id.hms, by_id.gold_hypothesis, NAMES):
            rows.append({"benchmark": benchmark, "configuration": configuration, **compared})
    if not rows:
        return None
    table = pd.DataFrame(rows).sort_values(["benchmark", "with data HMS × 100"], ascending=[True, False], kind="stable")
    table = table.reset_index(drop=True)
    return Section(
        name="memory",
        title="Memory: guesses without data",
        text=(
            "HMS × 100 of no_data_guess, which sees only the goal and the descriptions of the data, next to agents "
            "with the same model that saw the data, paired by task. High scores of guesses suggest that the model "
            "remembers published results; the difference is what the data add."
        ),
        table=table,
        filters=KEYS,
        chart=difference_chart(table, table.configuration, NAMES),
        formats=formats(NAMES),
    )
