"""The length of a workflow: each step of the implementation counts as one unit (paper §4.1)."""

import re
from typing import Literal

Bucket = Literal["s", "m", "l"]

_NUMBER = re.compile(r"(?P<line_start>^[ \t]*)?(?<![\w.,])(?P<number>\d+)[.)](?!\d)", re.MULTILINE)


def workflow_length(workflow: str) -> int | None:
    """Count the steps of a numbered workflow; None if the steps are not numbered.

    A number at the start of a line starts a step. Within a line it may be a value, so it starts a step only if it
    continues the numbering.
    """
    steps, previous = 0, 0
    for match in _NUMBER.finditer(workflow):
        number = int(match["number"])
        if match["line_start"] is not None or (steps and number == previous + 1):
            steps, previous = steps + 1, number
    return steps or None


def bucket(length: int) -> Bucket:
    """Category of a workflow length: `s` below 10 steps, `m` from 10 to 20, `l` above (paper, Figure 5c)."""
    return "s" if length < 10 else "m" if length <= 20 else "l"
