"""Passages of a text that quotes stand for.

A quote is compared with the text word by word. White space between words, and quotation marks and Markdown emphasis
around words, do not count. The passage is always the author's own text, never the spelling of the quote.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from inspect_discoverybench.errors.exceptions import ReplyRejected
from inspect_discoverybench.scorer.prompt_values import prompt_values
from inspect_discoverybench.submission.text import has_words

MAX_QUOTES = 3
"""Maximum number of quotes. Words that are picked one by one could say what the author does not."""

MIN_WORDS = 4
"""Minimum length of a quote that is no whole line or sentence, for the same reason."""

_MARKS = "*_`\"'\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb"
"""Quotation marks and the marks of Markdown emphasis."""

_BREAKS = r"()\[\]{}<>\u2014\u3000-\u303f\uff00-\uff0f\uff1a-\uff20"
"""Brackets, the dash between clauses, and the punctuation of scripts that are written without white space."""

_STOPS = r".,:;!?\u2026"
"""Punctuation, except before a digit, as in 0.3."""

_WORD = re.compile(rf"[{_BREAKS}]|[{_STOPS}](?!\d)|(?:[^\s{_BREAKS}{_STOPS}]|[{_STOPS}](?=\d))+")
"""Matches a punctuation mark, or a word with its signs and units, such as `−0.3%`."""

_SENTENCE_END = re.compile(r"(?:[ \u00a0\u202f](?=[?!]))?(?:[.!?](?![=\d])|[\u2026\u3002\uff01\uff1f])")
"""Matches the end of a sentence, not an operator or a decimal point. French has a space before `?` and `!`."""

_LIST_MARKER = re.compile(r"^\W*\w{1,4}[)\]]")
"""Matches the marker of a list item, such as `(a)` or `1)`."""

_BEFORE_SENTENCE = re.compile(r"[.!?\u2026\u3002\uff01\uff1f:;\uff1a\uff1b\u300d\u3011]")
"""Matches what may stand before a sentence, such as the colon in "Hypothesis: "."""

_SEPARATOR = "\n"
"""Stands around each word of a text in one string. It is white space, so no word contains it."""


@dataclass(frozen=True)
class _Word:
    """A word or punctuation mark without the marks around it, and where it stands with them."""

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
        A passage for each quote, which starts and ends at the boundary of a word, with the end of its sentence.

    Raises:
        ReplyRejected: A quote does not occur, is in the wrong place, or is too short; or there are too many.
    """
    if len(quotes) > MAX_QUOTES:
        raise ReplyRejected(f"there are {len(quotes)} quotes, but the maximum is {MAX_QUOTES}. Quote whole passages.")
    words = _words(text)
    found = []
    for quote in quotes:
        shown = prompt_values(quote=quote[:200])["quote"]
        quote_words = _words(quote)
        first = _find(words, quote_words)
        if first is None:
            raise ReplyRejected(f"this quote does not occur in the text, or not after the quote before it: {shown}.")

        after = first + len(quote_words)
        start = words[first].start
        end = words[after - 1].end
        # Without its question mark, a question would become a statement.
        sentence_end = _SENTENCE_END.match(text, end)
        if sentence_end:
            end = sentence_end.end()

        word_count = sum(has_words(word.text) for word in quote_words)
        is_whole = word_count and _is_line_or_sentence(text, start, end)
        if word_count < MIN_WORDS and not is_whole:
            raise ReplyRejected(f"this quote is no whole line or sentence, nor {MIN_WORDS} words long: {shown}.")
        ends = f"{_MARKS},;"
        passage = text[start:end].strip(ends)
        found.append(passage)
        words = words[after:]
    return found


def _find(words: Sequence[_Word], quote: Sequence[_Word]) -> int | None:
    """The index of the first word of a quote; None if it does not occur."""
    if not quote:
        return None
    joined_words = _join(words)
    joined_quote = _join(quote)
    before, found, _ = joined_words.partition(joined_quote)
    if not found:
        return None
    return before.count(_SEPARATOR)


def _words(text: str) -> list[_Word]:
    words = []
    for match in _WORD.finditer(text):
        without_marks = match[0].strip(_MARKS)
        if without_marks:
            text_of_word = without_marks.replace("\u2019", "'")
            word = _Word(text_of_word, match.start(), match.end())
            words.append(word)
    return words


def _join(words: Sequence[_Word]) -> str:
    texts = [word.text for word in words]
    return _SEPARATOR.join(["", *texts, ""])


def _is_line_or_sentence(text: str, start: int, end: int) -> bool:
    """Whether a passage is a line or a sentence, apart from marks and the marker of a list or heading."""
    _, _, line_before = text[:start].rpartition("\n")
    without_marker = _LIST_MARKER.sub("", line_before)
    sentence_before = _BEFORE_SENTENCE.split(without_marker)[-1]
    if has_words(sentence_before):
        return False

    last_character = text[start:end].rstrip(_MARKS)[-1]
    if _SENTENCE_END.match(last_character):
        return True
    line_after, _, _ = text[end:].partition("\n")
    sentence_after, *_ = _SENTENCE_END.split(line_after)
    return not has_words(sentence_after)
