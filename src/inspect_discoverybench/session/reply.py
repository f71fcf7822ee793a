"""The reply of a cell. The agent's code can forge it, so it is checked here before anything else reads it."""

import json
import re
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, ValidationError
from pydantic.dataclasses import dataclass

from inspect_discoverybench.json_text import replace_surrogates

NOTICE_BYTES = 100
"""Maximum length of the notice that replaces omitted output."""

JSON_CHARACTERS = 6
"""Maximum number of characters that JSON needs for one byte of output, as in `\\u0001`."""

OTHER_CHARACTERS = 1000
"""Upper bound for the characters of a reply besides the output: the names of the fields, and the other two values."""

_ESCAPE_SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def clean(text: str) -> str:
    """Remove escape sequences, and replace other control characters and lone surrogates. Surrogates cannot be logged.

    A carriage return becomes a line end, so each state of a progress bar is a line of its own.
    """
    lines = _ESCAPE_SEQUENCE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("\ufffd", replace_surrogates(lines))


@dataclass(frozen=True, config=ConfigDict(strict=True, extra="forbid"))
class CellResult:
    """The result of one cell.

    Attributes:
        status: `ok`; `error` (an exception, with the traceback in the output); `interrupted` (time limit, variables
            kept); `killed` (time limit, interrupt ignored, variables lost); `died` (the process ended, variables
            lost); `unusable` (the agent's code has damaged the session, variables lost; the cell may have run).
        output: Everything the cell printed, and the repr of its last expression; the reason if `unusable`.
        restarted: Whether an earlier kernel was lost, so that this cell ran in a new one.
    """

    status: Literal["ok", "error", "interrupted", "killed", "died", "unusable"]
    output: Annotated[str, AfterValidator(clean)]
    restarted: bool


def read_reply(text: str, output_bytes: int) -> CellResult | None:
    """Read the client's reply; return None if it is forged or incomplete.

    Args:
        text: What the client printed.
        output_bytes: Maximum output of the cell in bytes.
    """
    max_output = output_bytes + NOTICE_BYTES
    if len(text) > JSON_CHARACTERS * max_output + OTHER_CHARACTERS:
        return None
    try:
        reply = CellResult(**json.loads(text))
    # A deeply nested text exceeds the parser's recursion limit.
    except (ValueError, TypeError, RecursionError, ValidationError):
        return None
    # The client's output has at most `max_output` bytes, and each of its characters was at least one byte.
    if len(reply.output) > max_output:
        return None
    # The client never sends this status. Only the host sets it.
    if reply.status == "unusable":
        return None
    return reply
