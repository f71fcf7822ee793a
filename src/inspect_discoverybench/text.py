"""Normalization of text written by models and people."""

from typing import Annotated

from pydantic import BeforeValidator


def fold(text: str) -> str:
    """Fold case and collapse white space."""
    return " ".join(text.casefold().split())


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
