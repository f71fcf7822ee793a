"""The reply of a cell. The agent's code can forge it, so it is checked here before anything else reads it."""

import base64
import binascii
import json
import re
import struct
import zlib
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass

from inspect_discoverybench.replies import replace_surrogates
from inspect_discoverybench.session.kernel import FIGURE_PIXELS, MAX_FIGURES

NOTICE_BYTES = 100
"""Maximum length of the notice that replaces omitted output."""

MAX_FIGURE_BYTES = 4 * FIGURE_PIXELS**2 + 65_536
"""Size of a figure of pure noise with four channels, which cannot be compressed."""

_PNG = b"\x89PNG\r\n\x1a\n"
_ESCAPE_SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def clean(text: str) -> str:
    """Remove lone surrogates, which cannot be logged, and control sequences.

    Text that ends in a carriage return, such as each state of a progress bar, becomes a separate line.
    """
    lines = _ESCAPE_SEQUENCE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("\ufffd", replace_surrogates(lines))


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _checked_png(figure: str) -> str:
    """Decode a figure completely, and write it again without what is not needed to draw it.

    A provider that cannot decode an image refuses the whole request. Figures from matplotlib have four channels of
    eight bits and are not interlaced.
    """
    if len(figure) > 4 * MAX_FIGURE_BYTES // 3 + 4:
        raise ValueError("the figure is too large")
    try:
        content = base64.b64decode(figure, validate=True)
        width, height = struct.unpack_from(">II", content, 16)
        header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
        position, parts = 33, []
        while not content.startswith(b"IEND", position + 4):
            length, kind = struct.unpack_from(">I4s", content, position)
            part = content[position + 8 : position + 8 + length]
            if not content.startswith(_chunk(kind, part), position):
                raise ValueError("the figure is damaged")
            parts += [part] if kind == b"IDAT" else []
            position += 12 + length
        compressed = b"".join(parts)
        row = 1 + 4 * width  # the filter of the row, and its pixels
        if (
            not content.startswith(_PNG + _chunk(b"IHDR", header))
            or not 0 < min(width, height) <= max(width, height) <= FIGURE_PIXELS
        ):
            raise ValueError("the figure is not a PNG of a permitted size")
        decompressor = zlib.decompressobj()
        pixels = decompressor.decompress(compressed, row * height + 1)
    except (binascii.Error, struct.error, zlib.error) as error:
        raise ValueError("the figure is not an image") from error
    if len(pixels) != row * height or not decompressor.eof or decompressor.unused_data or max(pixels[::row]) > 4:
        raise ValueError("the figure has other pixels than its header says")
    chunks = _chunk(b"IHDR", header) + _chunk(b"IDAT", compressed) + _chunk(b"IEND", b"")
    return base64.b64encode(_PNG + chunks).decode()


@dataclass(frozen=True, config=ConfigDict(strict=True, extra="forbid"))
class CellResult:
    """The result of one cell.

    Attributes:
        status: `ok`; `error` (an exception, with the traceback in the output); `interrupted` (time limit, variables
            kept); `killed` (time limit, interrupt ignored, variables lost); `died` (the process ended, variables
            lost); `unusable` (the agent's code has damaged the session, variables lost; the cell may have run).
        output: Everything the cell printed, and the repr of its last expression; the reason if `unusable`.
        restarted: Whether an earlier kernel was lost, so that this cell ran in a new one.
        figures: Open matplotlib figures as base64-encoded PNG; empty unless requested.
    """

    status: Literal["ok", "error", "interrupted", "killed", "died", "unusable"]
    output: Annotated[str, AfterValidator(clean)]
    restarted: bool
    figures: Annotated[
        tuple[Annotated[str, AfterValidator(_checked_png)], ...], Field(max_length=MAX_FIGURES, strict=False)
    ] = ()


def read_reply(text: str, output_bytes: int, figures: bool) -> CellResult | None:
    """Read the client's reply; return None if it is forged or incomplete.

    Args:
        text: What the client printed.
        output_bytes: Maximum output of the cell in bytes.
        figures: Whether figures were requested.
    """
    # JSON writes a byte of output in at most six characters.
    if len(text) > 6 * (output_bytes + NOTICE_BYTES) + 1000 + figures * MAX_FIGURES * 2 * MAX_FIGURE_BYTES:
        return None
    try:
        fields = json.loads(text)
        # Every character of the output was at least one byte.
        if len(fields["output"]) > output_bytes + NOTICE_BYTES or (fields["figures"] and not figures):
            return None
        reply = CellResult(**fields)
    # A deeply nested text exceeds the parser's recursion limit.
    except (ValueError, TypeError, KeyError, RecursionError, ValidationError):
        return None
    return reply if reply.status != "unusable" else None
