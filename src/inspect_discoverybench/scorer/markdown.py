"""Markdown of the explanation of a score."""

import re

_MARKS = re.compile(r"[*#`\[\]\\]|_(?=_)|(?<=_)_")


def escape_markdown(text: str) -> str:
    """Text from models and data as one line of plain text, so that its Markdown cannot imitate a verdict."""
    line = " ".join(text.split())
    return _MARKS.sub(r"\\\g<0>", line)


def judge_paragraph(explanation: str) -> str:
    """The judge's explanation as a paragraph that follows other text; empty if there is none."""
    if not explanation.strip():
        return ""
    return f"\n\nJudge: {escape_markdown(explanation)}"
