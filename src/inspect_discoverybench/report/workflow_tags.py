"""Workflow tags of DB-REAL and the categories that they belong to (paper §4.1)."""

from functools import cache
from importlib.resources import files

import yaml


def categories(tags: str | None) -> tuple[str, ...]:
    """The workflow categories of a task, without repetition.

    A tag that is not in any category is its own category, in its folded form.

    Args:
        tags: Workflow tags, separated by commas.
    """
    folded = [_fold(tag) for tag in (tags or "").split(",") if tag.strip()]
    return tuple(dict.fromkeys(_categories_by_tag().get(tag, tag) for tag in folded))


def _fold(tag: str) -> str:
    return " ".join(tag.casefold().replace("-", " ").replace("_", " ").split())


@cache
def _categories_by_tag() -> dict[str, str]:
    text = files(__package__).joinpath("workflow_categories.yaml").read_text("utf-8")
    table: dict[str, list[str]] = yaml.safe_load(text)
    return {tag: category for category, others in table.items() for tag in (category, *others)}
