"""Blocks between code fences in a model's text. All functions take time linear in its length."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent

from inspect_discoverybench.chat_templates import Meaning, pattern

_OPENING = re.compile(r"^[ \t]*+(`{3,}+|~{3,}+)[ \t{.]*+(\w*+)[^`~\n]*+\n", re.MULTILINE)
"""Matches the line that opens a block: the fence, the label, and what follows it."""

_OPENING_AT_LINE_END = re.compile(rf"{_OPENING.pattern}|(?<!`)(`{{3,}}+)()[ \t]*+\n", re.MULTILINE)
"""Matches, too, a fence without a label at the end of a line, as in "Here it is: ```"."""


@dataclass(frozen=True)
class Block:
    """A block between code fences.

    Attributes:
        label: The name of the language; empty without one.
        contents: What stands between the fences.
        end: Where the block ends in its text, with the closing fence.
        is_closed: Whether a line with the closing fence follows the contents.
    """

    label: str
    contents: str
    end: int
    is_closed: bool = True

    @property
    def code(self) -> str:
        """The contents without common indentation, because blocks in a list are indented."""
        return dedent(self.contents)


def fenced_blocks(text: str, *, at_line_ends: bool = False) -> list[Block]:
    """Find the blocks in a text, without empty ones.

    Fences stand on lines of their own. If no such line closes the last block, the block ends where its fence occurs
    next, as in "x = 1```". If the fence does not occur again, the block ends with the text.

    With `at_line_ends`, for blocks of JSON, fences that models often misplace count as well:

    - A fence without a label at the end of any line opens a block, as in "Here it is: ```".
    - A fence at the end of any line closes a block, as in "}```".
    - A fence at the beginning of a line closes a block, even with a label, as in "```json". No line of JSON begins so.

    A block that no such fence closes ends with the text.

    Args:
        text: The text.
        at_line_ends: Whether to read misplaced fences.
    """
    return [block for block in _all_blocks(text, at_line_ends) if block.contents.strip()]


def _all_blocks(text: str, at_line_ends: bool) -> Iterator[Block]:
    opening_pattern = _OPENING_AT_LINE_END if at_line_ends else _OPENING
    end = 0
    while opening := opening_pattern.search(text, end):
        # Each alternative of the pattern has its own groups for fence and label. Only those of one have matched.
        fence, label = [group for group in opening.groups() if group is not None]
        start = opening.end()
        closing = _closing_pattern(fence, at_line_ends).search(text, start)
        if closing is None:
            yield _unclosed_block(text, start, fence, label, at_line_ends)
            return

        end = closing.end()
        yield Block(label, text[start : closing.start()], end)


def _closing_pattern(fence: str, at_line_ends: bool) -> re.Pattern[str]:
    if at_line_ends:
        return re.compile(rf"^[ \t]*+{fence}(?=[^`\n]*+$)|(?<![`~]){fence}[`~]*+[ \t\r]*+$", re.MULTILINE)
    return re.compile(rf"^[ \t]*+{fence}[`~]*+[ \t\r]*+$", re.MULTILINE)


def _unclosed_block(text: str, start: int, fence: str, label: str, at_line_ends: bool) -> Block:
    """The block whose contents begin at `start`, and which no line with its fence closes."""
    if at_line_ends:
        return Block(label, text[start:], end=len(text), is_closed=False)
    contents, closing_fence, _ = text[start:].partition(fence)
    return Block(label, contents, end=start + len(contents) + len(closing_fence), is_closed=False)


def without_fence(text: str) -> str:
    """The contents of a text that begins with a fence and is a single block, even if no fence closes it.

    Any other text is returned as it is.
    """
    stripped = text.strip()
    opening = _OPENING.match(stripped)
    if opening is None:
        return text
    contents = stripped[opening.end() :]
    fence = opening[1]
    return contents.removesuffix(fence).rstrip()


def python_blocks(text: str, is_complete: bool = False) -> list[Block]:
    """The blocks of Python code in a text, without empty ones.

    If none has the label of Python or JSON, the first one counts if it has no label and is no object, which would be an
    answer.

    Args:
        text: The text.
        is_complete: Whether the text was not cut off. Small models often end without closing the last block, which then
            counts if it has a label.
    """
    blocks = [block for block in fenced_blocks(text) if block.is_closed or (is_complete and block.label)]
    labelled = [block for block in blocks if pattern(Meaning.PYTHON).fullmatch(block.label)]
    has_json = any(block.label.lower() == "json" for block in blocks)
    if labelled:
        return labelled
    if has_json or not blocks:
        return []

    first = blocks[0]
    is_object = first.contents.lstrip().startswith("{")
    if first.label or is_object:
        return []
    return [first]
