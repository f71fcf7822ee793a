"""Normalization of text written by models and people."""

import re


def normalized(text: str) -> str:
    """Fold case and collapse white space."""
    return " ".join(text.casefold().split())


def escape(text: str) -> str:
    """Text from models and data as one line of plain text, so that its Markdown cannot imitate a verdict."""
    return re.sub(r"([*#`\[\]\\])", r"\\\1", " ".join(text.split()))


def quoted_reason(explanation: str) -> str:
    """The judge's explanation as a paragraph of Markdown; empty if there is none."""
    return f"\n\nJudge: {escape(explanation)}" if explanation.strip() else ""
