"""Coverage: how many tasks of a benchmark were run, and which ones."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from inspect_discoverybench.results.configuration import without_placebo
from inspect_discoverybench.results.result_row import ResultRow

SPLIT_SIZES = {
    "DB-REAL train": 25,
    "DB-REAL test": 239,
    "DB-REAL lite": 48,
    "DB-REAL all": 264,
    "DB-SYNTH train": 550,
    "DB-SYNTH dev": 153,
    "DB-SYNTH test": 200,
    "DB-SYNTH all": 903,
}
"""Number of tasks of each split of the released data (paper, appendix).

The paper counts 551 tasks of DB-SYNTH train. One of them is the checkpoint file of an editor, and no task."""

SELECTIONS = {
    "all": "{} selected",  # all samples that arguments of the task, ids or a range selected
    "first": "first {} in file order",
    "shuffled": "{} drawn at random",
}
"""How runs select tasks."""


def task_count(benchmark: str, results: Sequence[ResultRow]) -> int:
    """Number of tasks of a benchmark: those of its released split.

    Without a released split, it is the number of tasks that the runs of these results could choose from. If the runs
    differ, it is the largest number. If no log has the number, it is that of the tasks that were run.
    """
    run_ids = {result.sample.id for result in results}
    available = [result.run.task_samples for result in results if result.run.task_samples is not None]
    return split_size(benchmark, max(available, default=len(run_ids)))


def split_size(benchmark: str, available: int) -> int:
    """Number of tasks of a benchmark: those of a released split, or else those that were available."""
    return SPLIT_SIZES.get(without_placebo(benchmark), available)


def describe_coverage(benchmark: str, results: Sequence[ResultRow]) -> str:
    """The tasks of results, such as `40 of 239 tasks (first 40 in file order: humanities 38, biology 2)`."""
    domains: dict[int | str, str | None] = {}
    selections = set()
    for result in results:
        domains[result.sample.id] = result.sample.domain
        selections.add(result.run.selection)
    return describe_tasks(domains, selections, task_count(benchmark, results))


def describe_tasks(domains: Mapping[int | str, str | None], selections: Collection[str], available: int) -> str:
    """Describe tasks by their domains, in the form that `describe_coverage` shows.

    Args:
        domains: The domain of each task, by id.
        selections: How the runs selected them: keys of `SELECTIONS`.
        available: Number of tasks that could have been run.
    """
    count = len(domains)
    if count >= available:
        return "the only task" if count == 1 else f"all {count} tasks"

    if len(selections) == 1:
        [selection] = selections
    else:
        # The selections differ, and "{} selected", the text of "all", is true of each of them.
        selection = "all"
    chosen = SELECTIONS[selection].format(count)
    domain_names = sorted(domain or "no domain" for domain in domains.values())
    # Domains with equal counts stay in alphabetical order.
    counts = Counter(domain_names).most_common()
    listed = ", ".join(f"{domain} {number}" for domain, number in counts)
    return f"{count} of {available} tasks ({chosen}: {listed})"
