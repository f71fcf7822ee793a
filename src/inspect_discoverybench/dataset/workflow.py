"""Gold workflows: how many steps they have (paper §4.1)."""

import re

_NUMBER = re.compile(r"(?<![\w.,])(\d+)[.)](?!\d)")


def workflow_length(workflow: str) -> int | None:
    """Count the steps of a numbered workflow; None if the steps are not numbered.

    A number starts a step only if it continues the numbering. Other numbers are values.
    """
    steps = 0
    for number in _NUMBER.findall(workflow):
        if int(number) == steps + 1:
            steps += 1
    return steps or None


def length_category(length: int) -> str:
    """Category of a workflow length: `s` below 10 steps, `m` from 10 to 20, `l` above (paper, Figure 5c)."""
    if length < 10:
        return "s"
    if length <= 20:
        return "m"
    return "l"
