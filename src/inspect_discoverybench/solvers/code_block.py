"""Fenced blocks of Python code in a model's text."""

import re
from dataclasses import dataclass
from textwrap import dedent

_OPENING_FENCE = re.compile(r"^[ \t]*+(`{3,}+|~{3,}+)[ \t]*+(\w*+)[^`~\n]*+\n", re.MULTILINE)
"""Matches the line that opens a fenced block: the fence, the name of the language, and what follows it."""

_PYTHON = re.compile(r"py(?:thon)?\d*|tool_code", re.IGNORECASE)
"""Matches the names of the language with which models label Python code."""


@dataclass(frozen=True)
class Block:
    """A fenced block of Python code.

    Attributes:
        code: The code.
        end: Where it ends in the text that it is in.
    """

    code: str
    end: int


def python_blocks(text: str, is_complete: bool = False) -> list[Block]:
    """The fenced blocks of Python code in a text, without empty ones, in time linear in its length.

    If none has the label of Python, the first one without a label counts, unless there is one of JSON: an answer.

    Args:
        text: The text.
        is_complete: Whether the text was not cut off: small models often end without closing the last block.
    """
    labelled = []
    unlabelled = []
    has_json = False
    end = 0
    while opening := _OPENING_FENCE.search(text, end):
        fence, language = opening.groups()
        is_python = _PYTHON.fullmatch(language)
        closing = re.compile(rf"^[ \t]*{fence}[`~]*[ \t\r]*$", re.MULTILINE).search(text, opening.end())
        if closing is not None:
            code = text[opening.end() : closing.start()]
            end = closing.end()
        elif is_python and is_complete:
            # The fence may stand after the last line of code.
            code = text[opening.end() :].partition(fence)[0]
            end = opening.end() + len(code)
        else:
            break

        block = Block(dedent(code), end)  # in a list, blocks are indented
        if language == "json":
            has_json = True
        elif is_python and code.strip():
            labelled.append(block)
        elif not language and code.strip():
            unlabelled.append(block)
    if labelled or has_json:
        return labelled
    return unlabelled[:1]
