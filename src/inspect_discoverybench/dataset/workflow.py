"""Gold workflows: how many steps they have (paper §4.1)."""

import re

from inspect_discoverybench.dataset.sample_metadata import LengthCategory

_STEP = re.compile(r"(?P<line_start>^[ \t]*)?(?<![\w.,])(?P<number>\d+)[.)](?!\d)", re.MULTILINE)


def workflow_length(workflow: str) -> int | None:
    """Count the steps of a numbered workflow; None if the steps are not numbered.

    A number at the start of a line starts a step. Within a line it may be a value, so it starts a step only if it
    continues the numbering, as in one released workflow that is a single line.
    """
    steps = 0
    previous = None
    for match in _STEP.finditer(workflow):
        number = int(match["number"])
        is_line_start = match["line_start"] is not None
        continues = previous is not None and number == previous + 1
        if is_line_start or continues:
            steps += 1
            previous = number
    return steps or None


def length_category(length: int) -> LengthCategory:
    """Category of a workflow length: `s` below 10 steps, `m` from 10 to 20, `l` above (paper, Figure 5c)."""
    if length < 10:
        return "s"
    if length <= 20:
        return "m"
    return "l"
