"""The page on which annotators mark items one by one: a single HTML file that needs no server and no network."""

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from hashlib import sha256
from importlib.resources import files
from string import Template
from typing import Any


class Card(StrEnum):
    """What the page shows for one item. The value is the name of its files, `<value>_card.html` and `.js`."""

    VOTE = "vote"
    """Two predicted hypotheses, one of which is closer to the gold hypothesis."""

    LABEL = "label"
    """The judge's answers in each step, each of which is right or wrong."""


TITLES = {Card.VOTE: "Which hypothesis is closer?", Card.LABEL: "Is the judge right?"}


def page(card: Card, items: Sequence[Mapping[str, Any]]) -> str:
    """Render the page.

    Args:
        card: What it shows for one item.
        items: Contents of the cards, as JSON values.
    """
    rows = json.dumps(items)
    # Only "<" can end a script element or open a comment inside it.
    embedded = rows.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    start, _, body = _text(f"{card}_card.html").partition("<!-- card -->\n")
    return Template(_text("page.html")).substitute(
        title=TITLES[card],
        start=start.rstrip(),
        card=body.rstrip(),
        script=_text(f"{card}_card.js").rstrip(),
        items=embedded,
        sheet=sha256(rows.encode()).hexdigest()[:12],
    )


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
