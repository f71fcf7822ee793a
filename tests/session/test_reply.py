"""What is accepted as the reply of a cell."""

import base64
import json
import struct
import time
import zlib
from typing import Any

import pytest

from inspect_discoverybench.session.reply import read_reply

PNG = b"\x89PNG\r\n\x1a\n"


def reply(**changes: Any) -> str:
    return json.dumps({"status": "ok", "output": "1\n", "restarted": False, "figures": []} | changes)


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(width: int = 1, height: int = 1, *, pixels: bytes | None = None, depth: int = 8, extra: bytes = b"") -> bytes:
    header = struct.pack(">IIBBBBB", width, height, depth, 6, 0, 0, 0)
    data = zlib.compress(bytes((1 + 4 * width) * height) if pixels is None else pixels)
    return PNG + chunk(b"IHDR", header) + extra + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


FORGED = [
    *("", "[]", '"output"', "[" * 100_000),
    *(reply(status="fine"), reply(status="unusable"), reply(output=["1"]), reply(output="x" * 201)),
    *(reply(restarted=0), reply(figures=[encoded(png())]), reply(more=1), json.dumps({"status": "ok", "output": ""})),
]


@pytest.mark.parametrize("text", FORGED)
def test_a_forged_reply_is_not(text: str) -> None:
    assert read_reply(text, 100, figures=False) is None


def test_a_figure_is_written_again_from_what_draws_it() -> None:
    text = chunk(b"tEXt", b"Software\0any bytes of the agent")
    cell = read_reply(reply(figures=[encoded(png(720, 720, extra=text))] * 4), 100, figures=True)
    assert cell
    assert cell.figures == (encoded(png(720, 720)),) * 4


BAD_FIGURES = {
    "too many": [encoded(png())] * 5,
    "too wide": [encoded(png(721))],
    "empty": [encoded(png(0, 1))],
    "only a header": [encoded(png()[:24])],
    "no end": [encoded(png()[:-12])],
    "wrong checksum": [encoded(png()[:30] + b"0" + png()[31:])],
    "other pixels": [encoded(png(pixels=bytes(4)))],
    "a bomb": [encoded(png(pixels=bytes(50_000_000)))],
    "an unknown filter": [encoded(png(pixels=b"\5" + bytes(4)))],
    "another depth": [encoded(png(depth=16))],
    "another format": [encoded(b"<svg/>")],
    "a URL": ["data:image/png;base64," + encoded(png())],
    "a number": [1],
}


@pytest.mark.parametrize("figures", BAD_FIGURES.values(), ids=BAD_FIGURES)
def test_other_figures_are_forged(figures: list[Any]) -> None:
    assert read_reply(reply(figures=figures), 100, figures=True) is None


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
    cell = read_reply(reply(output=text), 100, figures=False)
    assert cell
    assert cell.output == cleaned
