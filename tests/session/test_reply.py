"""What is accepted as the reply of a cell."""

import json
import time
from typing import Any

import pytest

from inspect_discoverybench.session.reply import read_reply


def reply(**changes: Any) -> str:
    fields = {"status": "ok", "output": "1\n", "restarted": False}
    return json.dumps(fields | changes)


# Read with a limit of 100 bytes of output.
FORGED = {
    "empty": "",
    "a string": '"output"',
    "deeply nested": "[" * 100_000,
    "unknown status": reply(status="fine"),
    # Only the host calls a session unusable.
    "a status of the host": reply(status="unusable"),
    # A notice of up to 100 bytes may replace what is omitted from the output.
    "output above its limit": reply(output="x" * 201),
    "a number as boolean": reply(restarted=0),
    "an additional field": reply(more=1),
}


@pytest.mark.parametrize("text", FORGED.values(), ids=FORGED)
def test_a_forged_reply_is_refused(text: str) -> None:
    assert read_reply(text, 100) is None


def test_a_long_reply_is_not_decoded() -> None:
    text = reply(output="x" * 20_000_000)
    started = time.process_time()
    assert read_reply(text, 100) is None
    assert time.process_time() - started < 0.1


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("plain\ttext\n漢 😀\n", "plain\ttext\n漢 😀\n"),
        ("half \ud83d", "half ?"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07\x1b]8;;http://x\x1b\\link", "link"),
        ("10 %\r20 %\r\n", "10 %\n20 %\n"),
        ("bell\x07 \x9b2J \x00", "bell\ufffd \ufffd2J \ufffd"),
    ],
)
def test_what_acts_on_a_terminal_is_removed(text: str, cleaned: str) -> None:
    cell = read_reply(reply(output=text), 100)
    assert cell
    assert cell.output == cleaned
