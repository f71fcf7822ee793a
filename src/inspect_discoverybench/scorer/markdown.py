"""Markdown of the explanation of a score."""

import re

_MARKS = re.compile(r"[*#`~$\[\]\\]|_(?=_)|(?<=_)_|(?<!\w)_|_(?!\w)")
"""Matches the marks of Markdown, and of mathematics in Inspect's viewer. A single underscore within a word, as in
`income_2020`, is no mark."""

_LIST_ITEM = re.compile(r"^(?P<number>\d{0,9})(?P<mark>[-+.)])(?=[ -]|$)")
"""Matches the beginning of a list item, such as "- " or "2. ", or of a line of hyphens."""

_HTML = re.compile(r"<(?=[A-Za-z/!?])|&(?=#?\w+;)|^(?=>)")
"""Matches what begins a tag or a character reference, and the place before a quotation."""

_WORD_JOINER = "\u2060"


def escape_markdown(text: str) -> str:
    """Text from models and data as one line of plain text, so that its Markdown cannot imitate or hide a verdict."""
    line = " ".join(text.split())
    line = _MARKS.sub(r"\\\g<0>", line)
    line = _LIST_ITEM.sub(r"\g<number>\\\g<mark>", line)
    # No backslash escapes `<`, `>` and `&`: Inspect's viewer replaces them by character references before it reads the
    # Markdown, and would show the backslash. An invisible character beside them works with and without that step.
    return _HTML.sub(rf"\g<0>{_WORD_JOINER}", line)


def judge_paragraph(explanation: str) -> str:
    """The judge's explanation as a paragraph that follows other text; empty if there is none."""
    if not explanation.strip():
        return ""
    return f"\n\nJudge: {escape_markdown(explanation)}"
