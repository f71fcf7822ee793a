"""Passages of a text that quotes stand for.

Text and quote are compared as sequences of tokens: words and punctuation marks. White space between them, and
quotation marks and Markdown emphasis around them, do not count. The passage is always the author's own text, never the
spelling of the quote.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspect_discoverybench.errors.exceptions import ReplyRejected
from inspect_discoverybench.json_text import restore_latex
from inspect_discoverybench.replies import has_words
from inspect_discoverybench.scorer.prompt_values import prompt_values

MAX_QUOTES = 3
"""Maximum number of quotes. From many short quotes, a statement could be composed that the author does not make."""

MIN_WORDS = 4
"""Minimum number of words of a quote that is no whole line or sentence. From shorter quotes, even if they are few, a
statement could be composed that the author does not make."""

_MARKS = "*_`\"'\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb"
"""Quotation marks and the marks of Markdown emphasis."""

_BREAKS = r"()\[\]{}<>\u2014\u3000-\u303f\uff00-\uff0f\uff1a-\uff20"
"""Brackets, the dash between clauses, and the punctuation of scripts that are written without white space."""

_STOPS = r".,:;!?\u2026"
"""Punctuation, except before a digit, as in 0.3."""

_TOKEN = re.compile(rf"[{_BREAKS}]|[{_STOPS}](?!\d)|(?:[^\s{_BREAKS}{_STOPS}]|[{_STOPS}](?=\d))+")
"""Matches a punctuation mark, or a word with its signs and units, such as `−0.3%`."""

_ENDS = r"\u2026\u3002\uff01\uff1f"
"""The ellipsis, and the stops of scripts that are written without white space. Unlike `.` and `!`, they always end a
sentence: they occur in no number such as 0.3, and in no operator such as `!=`."""

_SENTENCE_END = re.compile(rf"(?:[ \u00a0\u202f](?=[?!]))?(?:[.!?](?![=\d])|[{_ENDS}])")
"""Matches the end of a sentence, not a decimal point or `!=`. French has a space before `?` and `!`."""

_SENTENCE_START = re.compile(rf"[.!?:;{_ENDS}\uff1a\uff1b\u300d\u3011]")
"""Matches what may stand before a sentence on its line, such as the colon in "Hypothesis: "."""

_LIST_MARKER = re.compile(r"^\W*\w{1,4}[)\]]")
"""Matches the marker of a list item, such as `(a)` or `1)`."""


@dataclass(frozen=True)
class _Token:
    """A word or punctuation mark of a text.

    Attributes:
        text: The token without the marks around it.
        start: Where the token begins in the text, with these marks.
        end: Where it ends, with these marks.
    """

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class _Passage:
    """A part of a text, from `start` up to `end`."""

    text: str
    start: int
    end: int

    @property
    def content(self) -> str:
        """The author's words, without the marks around them."""
        return self.text[self.start : self.end].strip(f"{_MARKS},;")

    @property
    def is_line_or_sentence(self) -> bool:
        """Whether this is a whole line or sentence, apart from marks and the marker of a list or heading."""
        return self._begins_sentence and self._ends_sentence

    @property
    def _begins_sentence(self) -> bool:
        """Whether no word stands before the passage in its sentence, on its line."""
        line_start = self.text.rfind("\n", 0, self.start) + 1
        before_on_line = _LIST_MARKER.sub("", self.text[line_start : self.start])
        before_in_sentence = _SENTENCE_START.split(before_on_line)[-1]
        return not has_words(before_in_sentence)

    @property
    def _ends_sentence(self) -> bool:
        """Whether no word stands after the passage in its sentence, on its line."""
        last_character = self.text[self.start : self.end].rstrip(_MARKS)[-1]
        if _SENTENCE_END.match(last_character):  # what follows belongs to the next sentence
            return True
        after_on_line = self.text[self.end :].partition("\n")[0]
        after_in_sentence = _SENTENCE_END.split(after_on_line, maxsplit=1)[0]
        return not has_words(after_in_sentence)


def passages(text: str, quotes: Sequence[str]) -> list[str]:
    """Find the passages of a text that quotes stand for. This takes time linear in the length of the text.

    Args:
        text: The text.
        quotes: At most `MAX_QUOTES` quotes, in the order of the text. Each has at least `MIN_WORDS` words, or is a
            whole line or sentence.

    Returns:
        A passage for each quote. It starts and ends at the boundary of a word. If it ends with the last word of a
        sentence, it includes the punctuation mark after this word.

    Raises:
        ReplyRejected: A quote does not occur, is in the wrong place, or is too short; or there are too many.
    """
    if len(quotes) > MAX_QUOTES:
        raise ReplyRejected(f"there are {len(quotes)} quotes, but the maximum is {MAX_QUOTES}. Quote whole passages.")
    contents = []
    remaining_tokens = [*_tokens(text)]  # those after the quotes that have been found
    for quote in quotes:
        # A rejection is sent back to the judge, so the quote in it is encoded as in a prompt.
        shown = prompt_values(quote=quote[:200])["quote"]
        quote_tokens = [*_tokens(quote)]
        index = _find(remaining_tokens, quote_tokens)
        if index is None:
            # The judge may have copied LaTeX without escaping its backslashes. In JSON, the first two characters of
            # `\nu` are then a line break, and those of `\beta` a backspace.
            quote_tokens = [*_tokens(restore_latex(quote, letters="bfnrt"))]
            index = _find(remaining_tokens, quote_tokens)
        if index is None:
            raise ReplyRejected(f"this quote does not occur in the text, or not after the quote before it: {shown}.")

        index_after = index + len(quote_tokens)
        start = remaining_tokens[index].start
        end = remaining_tokens[index_after - 1].end
        # Without its question mark, a question would become a statement.
        sentence_end = _SENTENCE_END.match(text, end)
        if sentence_end:
            end = sentence_end.end()
        passage = _Passage(text, start, end)

        word_count = sum(has_words(token.text) for token in quote_tokens)
        is_whole = word_count > 0 and passage.is_line_or_sentence
        if word_count < MIN_WORDS and not is_whole:
            raise ReplyRejected(f"this quote is no whole line or sentence, nor {MIN_WORDS} words long: {shown}.")
        contents.append(passage.content)
        remaining_tokens = remaining_tokens[index_after:]
    return contents


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        without_marks = match[0].strip(_MARKS)
        if without_marks:
            with_plain_apostrophe = without_marks.replace("\u2019", "'")
            yield _Token(with_plain_apostrophe, match.start(), match.end())


def _find(tokens: Sequence[_Token], quote: Sequence[_Token]) -> int | None:
    """The index of the first token of a quote; None if it does not occur.

    Tokens and quote are compared as strings. Python finds a string in another one in linear time, but has no search for
    a list in a list.
    """
    if not quote:
        return None
    text = _one_token_a_line(tokens)
    before, occurrence, _ = text.partition(_one_token_a_line(quote))
    if not occurrence:
        return None
    # Each token before the quote has one line break before it, so this is the number of these tokens.
    return before.count("\n")


def _one_token_a_line(tokens: Sequence[_Token]) -> str:
    """The tokens with a line break before and after each: a quote can begin and end only at the boundary of a token."""
    return "\n".join(["", *(token.text for token in tokens), ""])
