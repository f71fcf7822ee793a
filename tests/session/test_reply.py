"""What is accepted as the reply of a cell."""

import base64
import json
import struct
import time
from typing import Any

import pytest

from inspect_discoverybench.session.reply import clean, read_reply

PNG = b"\x89PNG\r\n\x1a\n"


def reply(**changes: Any) -> str:
    return json.dumps({"status": "ok", "output": "1\n", "restarted": False, "figures": []} | changes)


def png(width: int, height: int, rest: bytes = b"") -> str:
    return base64.b64encode(PNG + struct.pack(">I4sII", 13, b"IHDR", width, height) + rest).decode()


def test_a_reply_is_read() -> None:
    cell = read_reply(reply(output="é\n"), 10, figures=False)
    assert cell
    assert (cell.status, cell.output, cell.restarted, cell.figures) == ("ok", "é\n", False, ())


FORGED = [
    *("", "[]", '"output"', "[" * 100_000),
    *(reply(status="fine"), reply(status="unusable"), reply(output=["1"]), reply(output="x" * 201)),
    *(reply(restarted=0), reply(figures=[png(1, 1)]), reply(more=1), json.dumps({"status": "ok", "output": ""})),
]


@pytest.mark.parametrize("text", FORGED)
def test_a_forged_reply_is_not(text: str) -> None:
    assert read_reply(text, 100, figures=False) is None


@pytest.mark.parametrize(
    ("figures", "accepted"),
    [
        ([png(720, 720)] * 4, True),
        ([png(1, 1)] * 5, False),
        ([png(721, 1)], False),
        ([png(0, 1)], False),
        ([png(1, 1, bytes(3_000_000))], False),
        ([base64.b64encode(b"<svg/>").decode()], False),
        (["data:image/png;base64," + png(1, 1)], False),
        ([1], False),
    ],
)
def test_figures_are_small_png_images(figures: list[Any], accepted: bool) -> None:
    assert (read_reply(reply(figures=figures), 100, figures=True) is not None) == accepted


def test_a_long_reply_is_not_decoded() -> None:
    text = reply(figures=["QUJD" * 5_000_000])
    started = time.process_time()
    assert read_reply(text, 100, figures=False) is None
    assert read_reply(text, 100, figures=True) is None
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
    assert clean(text) == cleaned
