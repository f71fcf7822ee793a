"""Passages of a text that quotes stand for.

A quote is compared with the text word by word. White space between words, and quotation marks and Markdown emphasis
around words, do not count. The passage is always the author's own text, never the spelling of the quote.
"""

import re
from collections.abc import Sequence

from inspect_discoverybench.errors.exceptions import ReplyRejected
from inspect_discoverybench.scorer.prompt_values import prompt_values

MAX_QUOTES = 3
"""Maximum number of quotes. Words that are picked one by one could say what the author does not."""

MIN_WORDS = 4
"""Minimum length of a quote that is no whole line or sentence, for the same reason."""

_MARKS = r"*_`\"'\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb"
"""Quotation marks and the marks of Markdown emphasis."""

_STOPS = r"\u3000-\u303f\uff00-\uff0f\uff1a-\uff20"
"""Punctuation of scripts that are written without white space."""

_WORD = re.compile(
    rf"""
    [{_STOPS}]
    | (?:
        [^\s{_MARKS}{_STOPS}]
        | (?<=[^\W_]) [{_MARKS}]+ (?=[^\W_])  # within a word, as in a*b
        | (?<!\S) [{_MARKS}]+ (?!\S)          # alone, as in a * b
    )+
    """,
    re.VERBOSE,
)
"""Matches a word with its signs, units and punctuation, such as `−0.3%`, but without the marks around it."""

_SYMBOL = re.compile(r"[^\W_]+|.")
"""Matches a part of a word: letters and digits, or another character."""

_SENTENCE_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f]")
_SENTENCE_START = re.compile(r"[.!?\u2026\u3002\uff01\uff1f:;)\]\uff1a\uff1b\u300d\u3011]")
"""Matches what may stand before a sentence, such as the colon in "Hypothesis: "."""

_SEPARATOR = "\n"
"""Stands around each symbol of a text in one string. It is white space, so no symbol contains it."""

Symbol = tuple[str, int, int]
"""A part of a word, and where the whole word starts and ends."""


def passages(text: str, quotes: Sequence[str]) -> list[str]:
    """Find the passages of a text that quotes stand for.

    Args:
        text: The text.
        quotes: At most `MAX_QUOTES` quotes, in the order of the text. Each has `MIN_WORDS` words, or is a whole line
            or sentence.

    Returns:
        A passage for each quote, which starts and ends at the boundary of a word.

    Raises:
        ReplyRejected: A quote does not occur, is in the wrong place, or is too short; or there are too many.
    """
    if len(quotes) > MAX_QUOTES:
        raise ReplyRejected(f"there are {len(quotes)} quotes, but the maximum is {MAX_QUOTES}. Quote whole passages.")
    symbols = _symbols(text)
    joined_text = _join(symbols)
    found: list[str] = []
    position = 0
    for quote in quotes:
        shown = prompt_values(quote=quote[:200])["quote"]
        quote_symbols = _symbols(quote[: 2 * len(text)])  # a longer one does not occur
        joined_quote = _join(quote_symbols)
        index = joined_text.find(joined_quote, position)
        if index < 0 and joined_quote in joined_text:
            raise ReplyRejected(f"this quote is not in the order of the text: {shown}.")
        if index < 0 or not quote_symbols:
            raise ReplyRejected(f"this quote does not occur in the text: {shown}.")

        first = joined_text.count(_SEPARATOR, 0, index)
        _, start, _ = symbols[first]
        _, _, end = symbols[first + len(quote_symbols) - 1]
        if len(quote.split()) < MIN_WORDS and not _is_line_or_sentence(text, start, end):
            raise ReplyRejected(f"this quote is no whole line or sentence, nor {MIN_WORDS} words long: {shown}.")
        found.append(text[start:end])
        position = index + len(joined_quote) - len(_SEPARATOR)  # the one after a symbol is before the next, too
    return found


def _symbols(text: str) -> list[Symbol]:
    symbols: list[Symbol] = []
    for word in _WORD.finditer(text.replace("\u2019", "'")):
        symbols += [(symbol, word.start(), word.end()) for symbol in _SYMBOL.findall(word[0])]
    return symbols


def _join(symbols: Sequence[Symbol]) -> str:
    parts = [symbol for symbol, _, _ in symbols]
    return _SEPARATOR.join(["", *parts, ""])


def _is_line_or_sentence(text: str, start: int, end: int) -> bool:
    """Whether a passage is a line or a sentence, apart from marks and the marker of a list or heading."""
    line_before = text[:start].rpartition("\n")[2]
    sentence_before = _SENTENCE_START.split(line_before)[-1]
    line_after = text[end:].partition("\n")[0]
    sentence_after = _SENTENCE_END.split(line_after)[0]

    has_end = _SENTENCE_END.match(text, end - 1) is not None
    return not _has_words(sentence_before) and (has_end or not _has_words(sentence_after))


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)
