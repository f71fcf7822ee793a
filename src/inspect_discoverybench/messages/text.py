"""Normalization of text written by models and people."""

import re
import unicodedata
from typing import Annotated

from pydantic import BeforeValidator


def fold(text: str) -> str:
    """Fold case and collapse white space."""
    return " ".join(text.casefold().split())


def escape(text: str) -> str:
    """Text from models and data as one line of plain text, so that its Markdown cannot imitate a verdict."""
    return re.sub(r"([*#`\[\]\\])", r"\\\1", " ".join(text.split()))


def quoted_reason(explanation: str) -> str:
    """The judge's explanation as a paragraph of Markdown; empty if there is none."""
    return f"\n\nJudge: {escape(explanation)}" if explanation.strip() else ""


def printable(text: str) -> str:
    """Text without control characters, so that what a model wrote cannot send commands to a terminal."""
    return "".join(character for character in text if character in "\n\t" or unicodedata.category(character) != "Cc")


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates by `?`.

    Models occasionally write half of a surrogate pair, and command lines can contain bytes that are not valid UTF-8.
    Such text can be neither logged nor sent.
    """
    return text.encode("utf-8", "replace").decode()


EncodableText = Annotated[
    str, BeforeValidator(lambda value: replace_surrogates(value) if isinstance(value, str) else value)
]
"""Text that can be encoded as UTF-8."""
