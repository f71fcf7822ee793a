"""Questions that differ in case and white space only are the same question."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def fold(text: str) -> str:
    """A text without its differences in case and white space."""
    return " ".join(text.casefold().split())


def group_by_question(goals: Iterable[T], question: Callable[[T], str]) -> list[list[T]]:
    """Goals in groups that ask the same, in the order of the first of each group."""
    groups: dict[str, list[T]] = defaultdict(list)
    for goal in goals:
        groups[fold(question(goal))].append(goal)
    return list(groups.values())
