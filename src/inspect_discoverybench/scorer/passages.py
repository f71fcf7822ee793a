"""Passages of a text that quotes stand for.

A quote is compared with the text word by word. White space between words, and quotation marks and Markdown emphasis
around words, do not count. The passage is always the author's own text, never the spelling of the quote.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from inspect_discoverybench.errors.exceptions import ReplyRejected

MAX_QUOTES = 3
"""Maximum number of quotes. Words that are picked one by one could say what the author does not."""

MIN_WORDS = 4
"""Minimum length of a quote that is no whole line or sentence, for the same reason."""

_MARKS = "*_`\"'\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb"
"""Quotation marks and the marks of Markdown emphasis."""

_SYMBOL = re.compile(rf"(?P<word>[^\W_]+)|\s+|(?P<marks>[{re.escape(_MARKS)}]+)|(?P<other>.)")

_BREAK = re.compile(r"[\u3000-\u303f\uff00-\uff0f\uff1a-\uff20]")
"""Matches the punctuation of scripts that are written without white space."""

_SENTENCE_ENDS = (".", "!", "?", "\u2026", "\u3002", "\uff01", "\uff1f")
_LABEL_ENDS = (":", ";", ")", "]", "\uff1a", "\uff1b", "\u300d", "\u3011")
"""What may stand before a sentence, as the colon in "Hypothesis: ", in several scripts."""

_SEPARATOR = "\n"
"""Stands between the symbols of a text in one string. It is white space, so no symbol contains it."""


@dataclass(frozen=True)
class _Symbol:
    """A word or another visible character, with its place in a text."""

    text: str
    start: int
    end: int


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
    joined = _join(symbols)
    found: list[str] = []
    position = 0
    for quote in quotes:
        shown = json.dumps(quote[:200], ensure_ascii=False)
        quote_symbols = _symbols(quote)
        joined_quote = _join(quote_symbols)
        index = joined.find(joined_quote, position)
        if index < 0 and joined_quote in joined:
            raise ReplyRejected(f"this quote is not in the order of the text: {shown}.")
        if index < 0 or not quote_symbols:
            raise ReplyRejected(f"this quote does not occur in the text: {shown}.")

        first = joined.count(_SEPARATOR, 0, index)
        last = first + len(quote_symbols) - 1
        start, end = _whole_words(symbols, first, last)
        words = [symbol for symbol in quote_symbols if symbol.text[0].isalnum()]
        if len(words) < MIN_WORDS and not _is_line_or_sentence(text, start, end):
            raise ReplyRejected(
                f"this quote has fewer than {MIN_WORDS} words and is no whole line or sentence: {shown}."
            )
        found.append(text[start:end])
        position = index + len(joined_quote) - len(_SEPARATOR)  # the separator after a symbol is before the next
    return found


def _symbols(text: str) -> list[_Symbol]:
    """The words and other characters that count when texts are compared."""
    symbols: list[_Symbol] = []
    for match in _SYMBOL.finditer(text):
        symbol = match["word"] or match["other"]
        if match["marks"] and not _is_around_word(text, match.start(), match.end()):
            symbol = match["marks"].replace("\u2019", "'")
        if symbol:
            symbols.append(_Symbol(symbol, match.start(), match.end()))
    return symbols


def _is_around_word(text: str, start: int, end: int) -> bool:
    """Whether marks stand at one end of a word: not within it, as in `a*b`, and not alone, as in `a * b`."""
    before = text[start - 1 : start] or " "
    after = text[end : end + 1] or " "
    is_within_word = before.isalnum() and after.isalnum()
    is_alone = before.isspace() and after.isspace()
    return not is_within_word and not is_alone


def _join(symbols: Sequence[_Symbol]) -> str:
    parts = ["", *(symbol.text for symbol in symbols), ""]
    return _SEPARATOR.join(parts)


def _whole_words(symbols: Sequence[_Symbol], first: int, last: int) -> tuple[int, int]:
    """Where symbols start and end, with what adjoins them without a gap, such as signs and units: all of `−0.3%`."""
    while first > 0 and _adjoin(symbols[first - 1], symbols[first]):
        first -= 1
    while last < len(symbols) - 1 and _adjoin(symbols[last], symbols[last + 1]):
        last += 1
    return symbols[first].start, symbols[last].end


def _adjoin(before: _Symbol, after: _Symbol) -> bool:
    return before.end == after.start and not _BREAK.fullmatch(before.text) and not _BREAK.fullmatch(after.text)


def _is_line_or_sentence(text: str, start: int, end: int) -> bool:
    """Whether a range is a line or a sentence, apart from marks and the marker of a list or heading."""
    line_start = text.rfind("\n", 0, start) + 1
    before = text[line_start:start].rstrip(f"{_MARKS} \t")
    begins = before.endswith(_SENTENCE_ENDS + _LABEL_ENDS) or not any(character.isalnum() for character in before)

    line_end = text.find("\n", end)
    after = text[end:line_end] if line_end >= 0 else text[end:]
    ends = text[start:end].rstrip(_MARKS).endswith(_SENTENCE_ENDS) or not after.strip(f"{_MARKS} \t")
    return begins and ends
