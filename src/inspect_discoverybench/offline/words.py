"""Rule-based extraction of words, numbers and context phrases from a hypothesis."""

import re

STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        about above across affect affected after all among an and any are around as association at based be been before
        below between both but by can change changes depend depends did differ difference different do does during each
        effect every few for found from had has have how if impact in influence into is it its large many may more most
        much no nor not of on only or other over per rate relate related relation relationship same should show since
        small so some stay such than that the their them then there these they this those through throughout to under
        until up value values was were what when where whether which while who whose why will with within
        """,
    )
)
"""Words that do not identify a column."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NUMBER = re.compile(r"(?<![\w.])[-−+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\w)")
_ENDING = re.compile(r"(?<=\w{3})(?:ies|ing|ed|es|(?<!s)s|ly|e)$")

_END = r"(?=,(?!\d)|[;:()!?]|\.(?:\s|$)|$"
_YEAR = r"(?:(?:1\d|20)\d\d\b(?:\s*(?:BCE?|CE|AD)\b)?|\d{3,4}\s*(?:BCE?|CE|AD)\b)"
_CONTEXTS = (
    # The start of a sentence up to its first comma.
    r"(?:(?<=[.!?]\s)|^\s*)(?!for (?:each|every|an? additional)\b)(?:among|within|during|throughout|across|for|in|at|"
    r"on|over|from|between|when|where|if|after|before|since|until|under|only|around)\b[^.!?]+?(?=,\s)",
    rf"\b(?:when(?:ever)?|where|if|only (?:in|for|among|within|during|at|on|above|below))\s+.+?{_END})",
    rf"\b(?:among|within|during|throughout|across)\s+(?!each\b|every\b|one\b|an?\b).+?{_END}|\s(?:is|are|was|were|has|"
    r"have|does|do|by|with|than|but|(?:in|de)creases?|rises?|falls?|depends?|var(?:y|ies)|differs?|when|where|if)\b)",
    rf"\b(?:from|between|in|since|during|after|before|until|around)\s+(?:the\s+)?(?:years?\s+)?{_YEAR}"
    rf"(?:\s*(?:to|and|until|through|-|–)\s*{_YEAR})?",
    r"\bin\s+(?:the\s+)?(?-i:[A-Z])[\w'’-]+(?:\s+(?:of\s+|and\s+)?(?-i:[A-Z])[\w'’-]+)*",
)
"""Phrases that limit a statement to a group, condition, period or place."""


def content_stems(text: str) -> set[str]:
    """Approximate stems of the words, without stop words and single letters. `snake_case` names are split."""
    words = (word.lower() for word in _WORD.findall(text) if len(word) > 1 or word.isdigit())
    return {_ENDING.sub("", word) for word in words if word not in STOP_WORDS}


def numbers(text: str) -> list[float]:
    """The numbers in order, except those that are part of a word. `1,200` is one number."""
    return [float(number.replace(",", "").replace("−", "-")) for number in _NUMBER.findall(text)]


def context_phrases(text: str) -> list[str]:
    """Phrases that limit a statement, in order. Of overlapping phrases, only the first counts."""
    found = [match.span() for rule in _CONTEXTS for match in re.finditer(rule, text, re.IGNORECASE | re.DOTALL)]
    phrases, end = [], 0
    for start, stop in sorted(found, key=lambda span: (span[0], -span[1])):
        if start >= end:
            phrases.append(" ".join(text[start:stop].split()).rstrip(".?! "))
            end = stop
    return list(dict.fromkeys(filter(None, phrases)))
