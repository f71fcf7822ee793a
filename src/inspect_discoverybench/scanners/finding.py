"""The result of a scanner: true, false or no value, always with the reason."""

from collections.abc import Iterable, Sequence

from inspect_scout import Reference, Result

from inspect_discoverybench.scanners.call import Call

MAX_QUOTED = 300
"""Maximum length of a quotation in an explanation, in characters."""


def present(explanation: str, items: Sequence[str] = (), calls: Iterable[Call] = ()) -> Result:
    """The scanner found what it looks for.

    Args:
        explanation: One or more sentences for readers.
        items: What was found, one entry each.
        calls: The calls to link to.
    """
    references = [
        Reference(type="event", id=call.event, cite=f"[E{number}]")
        for number, call in enumerate(calls, 1)
        if call.event is not None
    ]
    answer = ", ".join(items) or None
    return Result(
        value=True, answer=answer, explanation=explanation, metadata={"items": list(items)}, references=references
    )


def absent(explanation: str) -> Result:
    """The scanner did not find what it looks for."""
    return Result(value=False, explanation=explanation)


def undecided(explanation: str, **metadata: object) -> Result:
    """The scanner cannot decide. This is never reported as false."""
    return Result(value=None, explanation=explanation, metadata=metadata or None)


NOT_SUBMITTED = "Nothing was submitted."


def quote(text: str) -> str:
    """A text on one line, truncated in the middle."""
    line = " ".join(text.split())
    half = MAX_QUOTED // 2
    return line if len(line) <= MAX_QUOTED else f"{line[:half]} … {line[-half:]}"
