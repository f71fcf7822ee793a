"""Coverage: how many tasks of a benchmark were run, and which ones."""

from collections import Counter
from collections.abc import Sequence

from inspect_discoverybench.results.result import Result

SPLIT_SIZES = {
    "DB-REAL train": 25,
    "DB-REAL test": 239,
    "DB-REAL all": 264,
    "DB-SYNTH train": 550,
    "DB-SYNTH dev": 153,
    "DB-SYNTH test": 200,
    "DB-SYNTH all": 903,
}
"""Number of tasks of each split of the released data (paper, appendix; one file of DB-SYNTH train is no task)."""

SELECTIONS = {
    "all": "{} selected",  # by arguments of the task, or by id
    "first": "first {} in file order",
    "shuffled": "{} drawn at random",
}
"""How runs select tasks."""


def task_count(benchmark: str, results: Sequence[Result]) -> int:
    """Number of tasks of a benchmark, of which these results may be a part."""
    split, _, _ = benchmark.partition(",")  # without a placebo
    available = [result.run.task_samples or 0 for result in results]
    return SPLIT_SIZES.get(split, max(available))


def is_complete(benchmark: str, results: Sequence[Result]) -> bool:
    """Whether the results are of all tasks of the benchmark."""
    tasks = {result.sample.id for result in results}
    return len(tasks) >= task_count(benchmark, results)


def describe_coverage(benchmark: str, results: Sequence[Result]) -> str:
    """The tasks of results, such as `40 of 239 tasks (first 40 in file order: humanities 38, biology 2)`."""
    domains = {result.sample.id: result.sample.domain for result in results}
    count = len(domains)
    if is_complete(benchmark, results):
        return f"all {count} tasks"

    selections = {result.run.selection for result in results}
    selection = selections.pop() if len(selections) == 1 else "all"
    chosen = SELECTIONS[selection].format(count)
    counts = Counter(domains.values()).most_common()
    listed = ", ".join(f"{domain or 'no domain'} {number}" for domain, number in counts)
    return f"{count} of {task_count(benchmark, results)} tasks ({chosen}: {listed})"
