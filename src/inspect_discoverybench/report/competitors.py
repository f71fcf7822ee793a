"""Competitors: the configurations of a benchmark whose means can be ranked, and the best of them."""

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

MIN_COVERAGE = 0.9
"""Minimum number of scored tasks of a competitor, as a share of the largest number in its benchmark."""

ROUNDING = 1e-9

RULE = (
    "Only competitors are considered: configurations that are not oracles and have at least "
    f"{100 * MIN_COVERAGE:.0f} % as many scored tasks as the one with the most. If different judges scored them, there "
    "are no competitors."
)
"""The definition of a competitor, for readers of the report."""


def competes(tasks: "pd.DataFrame", judged: "pd.DataFrame") -> list[bool]:
    """Whether the configuration of each task competes.

    Means over few tasks, or by different judges, say nothing about which configuration is better.

    Args:
        tasks: One row per benchmark, configuration and task.
        judged: Their samples, with the scores of one judge each.
    """
    covered = covering(tasks[tasks.hms.notna() & ~tasks.is_oracle])
    scored = judged[judged.judge_record.notna() & judged.hms.notna()]
    scored = scored.loc[[name in covered for name in _names(scored)]]
    judges = scored.groupby("benchmark").judge.nunique()
    mixed = set(judges.index[judges > 1])
    return [name in covered and name[0] not in mixed for name in _names(tasks)]


def covering(tasks: "pd.DataFrame") -> set[tuple[str, str]]:
    """Benchmark and name of each configuration that covers enough tasks.

    Args:
        tasks: One row per benchmark, configuration and task.
    """
    counts = Counter(_names(tasks))
    most: dict[str, int] = {}
    for (benchmark, _), count in counts.items():
        most[benchmark] = max(count, most.get(benchmark, 0))
    return {name for name, count in counts.items() if count >= MIN_COVERAGE * most[name[0]]}


def best(means: "pd.Series[float]") -> list[str]:
    """Configurations with the highest mean; several if they are tied up to rounding.

    Args:
        means: Means by configuration.
    """
    return [str(name) for name in means.index[means >= means.max() - ROUNDING]]


def _names(frame: "pd.DataFrame") -> list[tuple[str, str]]:
    return [*zip(frame.benchmark, frame.configuration, strict=True)]
