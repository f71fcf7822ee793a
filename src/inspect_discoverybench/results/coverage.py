"""Coverage: how many tasks of a benchmark were run, and which ones."""

from collections import Counter
from collections.abc import Sequence

from inspect_discoverybench.dataset.published_study import GUESSED_STUDIES
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

SELECTIONS = {"first": "first {} in file order", "shuffled": "{} drawn at random", "chosen": "{} chosen by id"}
"""How runs select tasks."""

SELECTED = "{} selected"
"""Any other way, such as filters in the task's arguments."""


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
    domains = {}
    ways = set()
    for result in results:
        domains[result.sample.id] = result.sample.domain or "no domain"
        ways.add(SELECTIONS.get(result.run.selection, SELECTED))

    count = len(domains)
    if is_complete(benchmark, results):
        return f"all {count} tasks"
    way = ways.pop() if len(ways) == 1 else SELECTED
    available = task_count(benchmark, results)
    parts = []
    for domain, number in Counter(domains.values()).most_common():
        parts.append(f"{domain} {number}")
    listed = ", ".join(parts)
    chosen = way.format(count)
    return f"{count} of {available} tasks ({chosen}: {listed})"


def describe_studies(studies: Sequence[str | None]) -> str:
    """The studies of tasks, such as `9 studies, the largest with 42 % of the tasks; guesses: nls`."""
    counts = Counter(studies)
    share = max(counts.values()) / len(studies)
    text = f"{len(counts)} studies, the largest with {share:.0%} of the tasks"
    guesses = sorted(GUESSED_STUDIES & counts.keys())
    if not guesses:
        return text
    return f"{text}; guesses: {', '.join(guesses)}"
