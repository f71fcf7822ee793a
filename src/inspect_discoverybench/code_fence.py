"""Blocks between code fences in a model's text. All functions take time linear in its length."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent

from inspect_discoverybench.chat_templates import Meaning, pattern

_OPENING = re.compile(r"^[ \t]*+(?P<fence>`{3,}+|~{3,}+)[ \t{.]*+(?P<label>\w*+)[^`~\n]*+\n", re.MULTILINE)
"""Matches the line that opens a block: the fence, the label, which may be in braces, and what follows it."""

_OPENING_AT_LINE_END = re.compile(rf"{_OPENING.pattern}|(?<!`)(`{{3,}}+)()[ \t]*+\n", re.MULTILINE)
"""Matches what `_OPENING` matches, and a fence at the end of any line, as in "Here it is: ```". A fence at the end of a
line has no label, so its group for the label is always empty."""


@dataclass(frozen=True)
class Block:
    """A block between code fences.

    Attributes:
        label: The name of the language; empty without one.
        contents: What stands between the fences.
        end: Position in the text after the block and its closing fence, if it has one.
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


def fenced_blocks(text: str, *, accept_misplaced: bool = False) -> list[Block]:
    """Find the blocks in a text, without empty ones.

    Fences stand on lines of their own. If no such line closes the last block, the block ends where its fence occurs
    next, as in "x = 1```". If the fence does not occur again, the block ends with the text.

    With `accept_misplaced`, for blocks of JSON, fences that models often misplace count as well:

    - A fence without a label at the end of any line opens a block, as in "Here it is: ```".
    - A fence at the end of any line closes a block, as in "}```".
    - A fence at the beginning of a line closes a block, even with a label, as in "```json". No line of JSON begins so.

    A block that no such fence closes ends with the text.

    Args:
        text: The text.
        accept_misplaced: Whether to read misplaced fences.
    """
    return [block for block in _all_blocks(text, accept_misplaced) if block.contents.strip()]


def _all_blocks(text: str, accept_misplaced: bool) -> Iterator[Block]:
    opening_pattern = _OPENING_AT_LINE_END if accept_misplaced else _OPENING
    end = 0
    while opening := opening_pattern.search(text, end):
        # Each alternative of the pattern has a group for the fence and a group for the label. The groups of the
        # alternative that did not match are None.
        fence, label = [group for group in opening.groups() if group is not None]
        start = opening.end()
        closing = _closing_pattern(fence, accept_misplaced).search(text, start)
        if closing is None:
            yield _unclosed_block(text, start, fence, label, accept_misplaced)
            return

        end = closing.end()
        yield Block(label, text[start : closing.start()], end)


def _closing_pattern(fence: str, accept_misplaced: bool) -> re.Pattern[str]:
    """Match the fence that closes a block. It may be longer than the one that opened the block."""
    if not accept_misplaced:
        return re.compile(rf"^[ \t]*+{fence}[`~]*+[ \t\r]*+$", re.MULTILINE)
    # What follows the fence on its line, such as the label in "```json", is not matched: it is text after the block. If
    # another backtick follows on the line, the line may be inline code, as in "```x``` is", and closes nothing. So a
    # longer fence of backticks closes a block only without a label. It is then matched by `at_line_end`.
    at_line_start = rf"^[ \t]*+{fence}(?=[^`\n]*+$)"
    at_line_end = rf"(?<![`~]){fence}[`~]*+[ \t\r]*+$"
    return re.compile(f"{at_line_start}|{at_line_end}", re.MULTILINE)


def _unclosed_block(text: str, start: int, fence: str, label: str, accept_misplaced: bool) -> Block:
    """The block whose contents begin at `start`, if no fence closes it.

    With `accept_misplaced`, for blocks of JSON, the block ends with the text, because a fence in JSON is usually in a
    string. Otherwise, the block ends where its fence occurs next, as in "x = 1```". This fence may be a part of the
    code, so the block does not count as closed.
    """
    if accept_misplaced:
        return Block(label, text[start:], end=len(text), is_closed=False)
    contents, closing_fence, _ = text[start:].partition(fence)
    return Block(label, contents, end=start + len(contents) + len(closing_fence), is_closed=False)


def without_fence(text: str) -> str:
    """Remove the fence at the beginning of a text and, if there is one, the same fence at its end.

    A text that does not begin with a fence is returned as it is.
    """
    stripped = text.strip()
    opening = _OPENING.match(stripped)
    if opening is None:
        return text
    contents = stripped[opening.end() :]
    fence = opening["fence"]
    return contents.removesuffix(fence).rstrip()


def python_blocks(text: str, is_complete: bool = False) -> list[Block]:
    """The blocks of Python code in a text, without empty ones.

    These are the blocks with a label of Python. If there is none, the first block of the text counts as Python, unless

    - any block has the label of JSON,
    - the first block has another label, or
    - the first block begins with a brace: it is an object, and so an answer.

    Args:
        text: The text.
        is_complete: Whether the text was not cut off. Small models often end a complete text without closing the last
            block. Such a block counts if it has a label. In a text that was cut off, an unclosed block does not count.
    """
    blocks = [block for block in fenced_blocks(text) if block.is_closed or (is_complete and block.label)]
    labelled = [block for block in blocks if pattern(Meaning.PYTHON).fullmatch(block.label)]
    if labelled:
        return labelled

    has_json = any(block.label.lower() == "json" for block in blocks)
    if has_json or not blocks:
        return []

    first = blocks[0]
    is_object = first.contents.lstrip().startswith("{")
    if first.label or is_object:
        return []
    return [first]
