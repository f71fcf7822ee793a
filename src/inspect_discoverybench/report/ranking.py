"""The rankings that the page begins with: who is best, and by how much."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspect_discoverybench.comparison.difference import key_difference
from inspect_discoverybench.dataset.task_text import NEUTRAL
from inspect_discoverybench.report.leaderboard import Benchmark
from inspect_discoverybench.report.published import PublishedScore, published_scores
from inspect_discoverybench.report.standing import BEST, Standing
from inspect_discoverybench.scorer.judge_record import is_offline
from inspect_discoverybench.statistics.mean import Estimate


@dataclass(frozen=True)
class Bar:
    """A mean with its 95 % interval, from 0 to 100. The ends are None without an interval."""

    mean: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, estimate: Estimate | None) -> "Bar | None":
        """The bar of an estimate of a score from 0 to 1."""
        if estimate is None:
            return None
        # An estimate from one gold hypothesis has no interval: its ends are NaN.
        has_interval = not math.isnan(estimate.low)
        return cls(
            mean=100 * estimate.mean,
            low=100 * estimate.low if has_interval else None,
            high=100 * estimate.high if has_interval else None,
        )


@dataclass(frozen=True)
class RankedRow:
    """A configuration as the ranking draws it.

    Attributes:
        standing: The configuration.
        hms: HMS × 100.
        facets: Mean of each facet × 100 by its name.
        released: HMS × 100 in the form of the released evaluator; None if no sample has it.
        published: The paper's scores of the same agent, which are in the form of the released evaluator. The list is
            empty if the configuration has no score in this form, if its framing is not neutral, or if the benchmark is
            no full split.
        tasks: Number of scored tasks.
    """

    standing: Standing
    hms: Bar | None
    facets: dict[str, Bar | None]
    released: Bar | None
    published: Sequence[PublishedScore]
    tasks: int


@dataclass(frozen=True)
class Ranking:
    """A benchmark as the beginning of the page shows it.

    Attributes:
        title: Its name, with the tasks that were run.
        rows: Its configurations in their order.
        floor: HMS × 100 of the floor; None if it was not run.
        sentences: Who is best, and by how much.
    """

    title: str
    rows: Sequence[RankedRow]
    floor: float | None
    sentences: Sequence[str]

    @classmethod
    def of(cls, benchmark: Benchmark) -> "Ranking":
        """Rank a benchmark."""
        floor = benchmark.floor
        return cls(
            title=benchmark.title,
            rows=[_row(benchmark, standing) for standing in benchmark.standings],
            floor=None if floor is None else 100 * floor,
            sentences=list(_sentences(benchmark)),
        )

    @property
    def has_released_form(self) -> bool:
        """Whether a row has HMS in the form of the released evaluator."""
        return any(row.released for row in self.rows)

    @property
    def has_published(self) -> bool:
        """Whether a row has published scores."""
        return any(row.published for row in self.rows)

    @property
    def has_missing(self) -> bool:
        """Whether samples of a row have no HMS."""
        return any(row.standing.missing for row in self.rows)


def _row(benchmark: Benchmark, standing: Standing) -> RankedRow:
    # The paper's tasks said nothing about null results, and neither does the neutral framing. An agent with another
    # framing is not compared with the paper's agents.
    is_comparable = standing.has_released_form and standing.configuration.framing == NEUTRAL
    published = published_scores(benchmark) if is_comparable else []
    scored_tasks = [task for task in standing.tasks if task.scores().known]
    return RankedRow(
        standing=standing,
        hms=Bar.of(standing.mean),
        facets={facet: Bar.of(mean) for facet, mean in standing.facets.items()},
        released=Bar.of(standing.released) if standing.has_released_form else None,
        published=[score for score in published if score.agent == standing.configuration.agent],
        tasks=len(scored_tasks),
    )


def _sentences(benchmark: Benchmark) -> Iterator[str]:
    """Who is best, and by how much. If the floor was not run, how to run it."""
    best = [standing for standing in benchmark.standings if standing.kind == BEST]
    names = " and ".join(standing.name for standing in best)
    if all(standing.hms is None for standing in benchmark.standings):
        yield "No sample is scored."
    elif not best:
        yield f"No best agent is marked, because {benchmark.reason_for_no_best}."
    elif len(best) > 1:
        yield f"Tied for the best: {names}."
    else:
        # A best agent is marked only among two or more competitors, so there is a second one.
        yield from _lead(best[0], second=benchmark.runners_up[0])

    # The floor is the score of a restated goal. It says nothing if a judge is not a language model: the offline judge
    # only compares words.
    if benchmark.floor is None and not any(is_offline(judge) for judge in benchmark.judges):
        yield "The *floor* was not run: add the solver `discoverybench/goal_echo`, which restates the goal."


def _lead(best: Standing, second: Standing) -> Iterator[str]:
    """The best agent, and the difference from the second-best one on the tasks that both scored."""
    yield f"Best: {best.name}, before {second.name}."
    difference = key_difference(baseline=second.tasks_by_id, candidate=best.tasks_by_id)
    if difference is None:
        return
    paired = difference.paired
    lead = f"On the tasks that both scored ({paired.tasks}), the difference is {100 * paired.difference:.1f}"
    if math.isnan(paired.low):  # all tasks have one gold hypothesis
        yield f"{lead}, without an interval."
        return

    if paired.low > 0:
        verdict = "so the first is better on tasks like these"
    elif paired.high < 0:
        # The first has the higher mean because of tasks that only one of them scored.
        verdict = "so the second is better on tasks like these"
    else:
        verdict = "so these tasks do not show which of them is better"
    yield f"{lead} (*95 % CI* {100 * paired.low:.1f} to {100 * paired.high:.1f}), {verdict}."
