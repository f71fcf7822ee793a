"""Quantities: the numbers that a hypothesis claims, and the numbers that an output contains.

Signs are ignored, because hypotheses put them into words ("falls by 0.4").
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from inspect_discoverybench.scanners.spelled import spelled_numbers

Interval = tuple[float, float]

APPROXIMATION = 0.05
"""Relative deviation that words such as "about" allow."""

BOUND = 0.25
"""Relative distance of a value from a bound that it supports: 43 supports "more than 40"."""

YEARS = range(1500, 2101)

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SPACES = str.maketrans({"\u00a0": " ", "\u2009": " ", "\u202f": " ", "−": "-"})
_CLAIM = re.compile(
    r"""(?<![\w.^_/])(?P<number>
        \d{1,3}(?:,\d{3})+(?:\.\d+)? | \d{1,3}(?:[ ]\d{3})+(?![\d]) | \d+\.\d+ | \.\d+ | \d+ )
    (?:[eE](?P<exponent>[-+]?\d+) | [ ]?(?:[×x*·]|\\times)[ ]?10\^?\{?(?P<power>-?\d+)\}? | \^\{?(?P<tenth>-?\d+)\}?)?
    (?P<percent>[ -]?(?:%|percent\b|per[ ]cent\b|percentage\b|pp\b))?
    (?:[ ]?(?P<scale>thousand|million|billion|trillion|bn|[kKM])\b)?
    (?P<decade>s\b)?
    (?![A-Z_\d]|\.\d|,\d|(?:st|nd|rd|th)\b)""",
    re.VERBOSE,
)
_SCALES = {"k": 1e3, "thousand": 1e3, "M": 1e6, "million": 1e6, "billion": 1e9, "bn": 1e9, "trillion": 1e12}
_PRINTED = re.compile(r"(\d[\d,]*(?:\.\d*)?|\.\d+)((?:[eE][-+]?\d+)?)(%?)")
# Part of a name, such as covid-19 or PM-2.5, unless the name is a prefix of time or amount.
_NAME = re.compile(r"(?!.*\b(?:pre|post|mid|early|late|top|bottom|under|over|minus|non|approximately|p)-$).*[A-Za-z]-$")
_LABEL = re.compile(
    r"\b(?:table|figure|fig\.?|equation|model|hypothesis|section|appendix|step|no\.)\s*$", re.IGNORECASE
)
_ITEM = re.compile(r"(?:^|\n)\s*\(?$")
_CLOSED = re.compile(r"[.):](?:\s|$)")
_CURRENCY = r"\s*[$€£]?-?$"
_BELOW = re.compile(
    r"(?:<=?|≤|\b(?:less than|fewer than|lower than|smaller than|below|under|at most|up to|within))" + _CURRENCY,
    re.IGNORECASE,
)
_ABOVE = re.compile(
    r"(?:>=?|≥|\b(?:more than|greater than|higher than|larger than|over|above|at least|exceed(?:s|ing)?|beyond))"
    + _CURRENCY,
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:~|≈|\b(?:about|approximately|around|roughly|nearly|almost|some|close to|circa|ca\.|approx\.|an estimated))"
    + _CURRENCY,
    re.IGNORECASE,
)
_P_VALUE = re.compile(
    r"\bp(?:[ -]?values?)?(?:\s*(?:is|was|of|are|all))?\s*(?:<=?|≤|=|below|under|less than)\s*$", re.IGNORECASE
)
_CONVENTION_AFTER = re.compile(
    r"[ -]*(?:\(?(?:bootstrap(?:ped)? )?(?:CIs?\b|confidence|credible|prediction interval|significance|sig\.)|level\b)",
    re.IGNORECASE,
)
_CHANGE_BEFORE = re.compile(r"\bby(?: about| approximately| around| roughly| some| nearly| almost)?\s*$", re.IGNORECASE)
_CHANGE_AFTER = re.compile(
    r"\s*(?:more|less|higher|lower|fewer|greater|larger|smaller|increase|decrease|reduc|rise|drop|decline|gain|loss)",
    re.IGNORECASE,
)
_CONVENTION_BEFORE = re.compile(r"(?:\balpha|\u03b1|\bsignificance level)(?: of| =|=|:)?\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Quantity:
    """A number in a hypothesis.

    Attributes:
        text: The number as written.
        intervals: Values that support it, without signs; both ends included.
    """

    text: str
    intervals: tuple[Interval, ...]

    def supported_by(self, values: Sequence[float]) -> bool:
        """Whether one of the values, which must be sorted, supports this number."""
        for low, high in self.intervals:
            position = bisect_left(values, low * (1 - 1e-9))
            if position < len(values) and values[position] <= high * (1 + 1e-9):
                return True
        return False


def claimed(hypothesis: str) -> list[Quantity]:
    """The numbers that a hypothesis claims.

    Not counted as claims: parts of names (PM2.5, covid-19), ordinals, labels ("model 2"), the reference values 0 and 1
    of a comparison, conventional levels ("95% CI", "5% level"), and spelled numbers below ten without a unit ("two
    groups").
    """
    text = re.sub(r"([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)", lambda match: "^" + match[1].translate(_SUPERSCRIPTS), hypothesis)
    text = text.translate(_SPACES)
    quantities = [_quantity(match, text) for match in _CLAIM.finditer(text)]
    quantities += [
        Quantity(number.text, _variants(number.value, number.unit, number.percent, number.approximate))
        for number in spelled_numbers(text)
    ]
    return [quantity for quantity in quantities if quantity is not None]


def printed(text: str) -> list[float]:
    """The numbers in an output, without signs, sorted. A percentage also counts as a share."""
    return sorted(value for match in _PRINTED.finditer(text) for value in _printed_values(*match.groups()))


def _printed_values(digits: str, exponent: str, percent: str) -> Iterator[float]:
    """Readings of a printed number. Commas separate thousands or the items of a list."""
    *first, last = digits.split(",")
    readings = {"".join([*first, last]) + exponent, *first, last and last + exponent} - {""}
    for reading in readings:
        yield float(reading)
        if percent:
            yield float(reading) / 100


def _quantity(match: re.Match[str], text: str) -> Quantity | None:
    before, after = text[max(0, match.start() - 40) : match.start()], text[match.end() : match.end() + 30]
    digits = match["number"].replace(",", "").replace(" ", "")
    value, unit = float(digits), _last_place(match["number"])
    if match["exponent"] or match["power"]:
        factor = float(f"1e{match['exponent'] or match['power']}")  # infinite, not an error, if it is too large
        value, unit = value * factor, unit * factor
    elif match["tenth"]:
        if value != 10:
            return None  # a power such as 2^8 is not a printed number
        value = unit = float(f"1e{match['tenth']}")
    if not isfinite(value):
        return Quantity(match.group().strip(), ())
    bound = "below" if _BELOW.search(before) else "above" if _ABOVE.search(before) else None
    if _is_not_a_claim(value, match, before, after, bound):
        return None
    scale = _SCALES.get(match["scale"] or "", _SCALES.get((match["scale"] or "").casefold(), 1.0))
    variants: tuple[Interval, ...] = ()
    if _P_VALUE.search(before):
        variants += ((0.0, value),)
    if match["decade"]:
        unit = 10.0
    approximate = _ABOUT.search(before) is not None
    for factor in {1.0, scale}:
        variants += _variants(value * factor, unit * factor, bool(match["percent"]), approximate, bound)
    if match["percent"] and (_CHANGE_BEFORE.search(before) or _CHANGE_AFTER.match(after)):
        low, high = variants[0]
        variants += ((1 + low / 100, 1 + high / 100), (1 - high / 100, 1 - low / 100))
    return Quantity(match.group().strip(), variants)


def _is_not_a_claim(value: float, match: re.Match[str], before: str, after: str, bound: str | None) -> bool:
    is_label = _LABEL.search(before) or (_ITEM.search(before) and _CLOSED.match(after))
    is_reference = bound is not None and (value in (0.0, 1.0) or (match["percent"] is not None and value == 100))
    is_convention = _CONVENTION_BEFORE.search(before) or (
        value in (90, 95, 99, 10, 5, 1, 0.1, 0.05, 0.01, 0.001) and _CONVENTION_AFTER.match(after)
    )
    return value == 0 or is_reference or any((is_label, is_convention, _NAME.search(before)))


def _variants(
    value: float, unit: float, percent: bool, approximate: bool, bound: str | None = None
) -> tuple[Interval, ...]:
    """Intervals of the values that round or truncate to the number, and of the share if it is a percentage."""
    below, above = unit / 2, unit * (1 - 1e-6)
    if approximate:
        below, above = max(below, APPROXIMATION * value), max(above, APPROXIMATION * value)
    low = value - (BOUND * value if bound == "below" else below)
    high = value + (BOUND * value if bound == "above" else above)
    return ((low, high), (low / 100, high / 100)) if percent else ((low, high),)


def _last_place(number: str) -> float:
    """The unit of the last significant place. For round integers other than years, only the first two digits count."""
    digits = number.replace(",", "").replace(" ", "")
    if "." in digits:
        return 10.0 ** -len(digits.partition(".")[2])
    if digits == number and int(digits) in YEARS:
        return 1.0
    zeros = len(digits) - len(digits.rstrip("0"))
    return 10.0 ** max(0, min(zeros, len(digits) - 2))
