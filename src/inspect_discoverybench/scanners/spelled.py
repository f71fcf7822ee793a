"""Numbers in English words, such as "twenty-one percent" or "two thirds"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SMALL = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
UNITS = {word: number for number, word in enumerate(_SMALL)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
"""Values of the words below one hundred that are one word."""

_POWERS = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_PARTS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "tenth": 10}

_WORD = "(?:" + "|".join([*UNITS, *_POWERS]) + ")"
_NUMBER = re.compile(
    rf"(?<!\d )(?<!\d-)\b(?:a (?=hundred|thousand|million))?"
    rf"({_WORD}(?:(?:[ -]|,? and ){_WORD})*(?: point(?: {_WORD})+)?)\b"
    r"(?P<percent>[ -](?:percent|per cent|percentage)\b)?(?P<unit>[ -]?(?:times|fold|standard deviations?|points?)\b)?",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    r"\b(?P<count>an?|one|two|three|four|nine)[ -](?P<part>half|third|quarter|fourth|fifth|tenth)s?(?= of\b)"
    r"|\b(?P<half>half) of\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class SpelledNumber:
    """A number in words.

    Attributes:
        text: The words.
        value: Its value.
        unit: The unit of its last place.
        percent: Whether it is a percentage.
        approximate: Whether the number is probably approximate, as fractions and round numbers are.
    """

    text: str
    value: float
    unit: float
    percent: bool
    approximate: bool


def spelled_numbers(text: str) -> Iterator[SpelledNumber]:
    """Find numbers in words: from ten, or with a unit such as "percent"; and fractions of something."""
    for match in _NUMBER.finditer(text):
        words, _, decimals = match[1].casefold().partition(" point ")
        value = _whole(words)
        places = [str(UNITS.get(word, 0)) for word in decimals.split()]
        number = float(f"{value}.{''.join(places)}") if places else float(value)
        if number >= 10 or places or match["percent"] or match["unit"]:
            unit = 10.0 ** -len(places) if places else _place(words)
            yield SpelledNumber(match.group(), number, unit, bool(match["percent"]), approximate=unit > 1)
    for match in _FRACTION.finditer(text):
        count = 1 if match["half"] or match["count"].casefold() in ("a", "an") else UNITS[match["count"].casefold()]
        share = count / _PARTS[(match["half"] or match["part"]).casefold()]
        yield SpelledNumber(match.group(), 100 * share, 1.0, percent=True, approximate=True)


def _whole(words: str) -> int:
    total = part = 0
    for word in re.findall(r"[a-z]+", words):
        if word in UNITS:
            part += UNITS[word]
        elif word == "hundred":
            part = max(part, 1) * 100
        elif word in _POWERS:
            total, part = total + max(part, 1) * _POWERS[word], 0
    return total + part


def _place(words: str) -> float:
    last = re.findall(r"[a-z]+", words)[-1]
    return float(_POWERS.get(last, 1))
