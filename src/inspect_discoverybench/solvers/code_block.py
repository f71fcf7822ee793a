"""Fenced blocks of Python code in a model's text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent

_OPENING_FENCE = re.compile(r"^[ \t]*+(`{3,}+|~{3,}+)[ \t{.]*+(\w*+)[^`~\n]*+\n", re.MULTILINE)
"""Matches the line that opens a fenced block: the fence, the name of the language, and what follows it."""

_PYTHON = re.compile(r"i?py(?:thon)?\d*|python_code|tool_code", re.IGNORECASE)
"""Matches the names of the language with which models label Python code."""


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        language: Its label; empty without one.
        code: Its contents.
        end: Where it ends in the text that it is in.
    """

    language: str
    code: str
    end: int


def python_blocks(text: str, is_complete: bool = False) -> list[Block]:
    """The fenced blocks of Python code in a text, without empty ones, in time linear in its length.

    If none has the label of Python or JSON, the first one counts if it has no label and is no object: an answer.

    Args:
        text: The text.
        is_complete: Whether the text was not cut off: small models often end without closing the last block.
    """
    blocks = [block for block in _fenced_blocks(text, is_complete) if block.code.strip()]
    labelled = [block for block in blocks if _PYTHON.fullmatch(block.language)]
    has_json = any(block.language.lower() == "json" for block in blocks)
    if labelled or has_json or not blocks:
        return labelled

    first = blocks[0]
    is_object = first.code.lstrip().startswith("{")
    if first.language or is_object:
        return []
    return [first]


def _fenced_blocks(text: str, is_complete: bool) -> Iterator[Block]:
    """Each block. One that is not closed ends the text, and counts only if it has a label and the text is complete."""
    end = 0
    while opening := _OPENING_FENCE.search(text, end):
        fence, language = opening.groups()
        start = opening.end()
        closing = re.compile(rf"^[ \t]*{fence}[`~]*[ \t\r]*$", re.MULTILINE).search(text, start)
        if closing is None:
            if is_complete and language:
                # The fence may stand after the last line of code.
                code = text[start:].partition(fence)[0]
                yield Block(language, dedent(code), start + len(code))
            return

        end = closing.end()
        code = text[start : closing.start()]
        yield Block(language, dedent(code), end)  # in a list, blocks are indented
