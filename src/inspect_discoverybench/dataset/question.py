"""Goals that ask the same question."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TypeVar

from inspect_discoverybench.text import fold

T = TypeVar("T")


def group_by_question(goals: Iterable[T], question: Callable[[T], str]) -> list[list[T]]:
    """Group goals that ask the same question, in the order of the first goal of each group."""
    groups: dict[str, list[T]] = defaultdict(list)
    for goal in goals:
        groups[fold(question(goal))].append(goal)
    return list(groups.values())
