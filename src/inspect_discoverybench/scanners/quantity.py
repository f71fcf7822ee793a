"""Quantities: numbers that an answer claims, and what the numbers in an output support.

Signs are ignored, because answers put them into words ("falls by 0.4").
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, pairwise
from math import inf

NO_CLAIMS = frozenset({0, 1, 0.05, 0.01, 0.001, 90, 95, 99, *(10.0**power for power in range(2, 7))})
"""Numbers to which answers compare others ("a ratio above 1"), levels of significance and confidence, and units."""
SMALL = 100
"""Smaller whole numbers are no less often results than indices or arguments, so that code does not disqualify them."""
UNITS = (10, 1e3, 1e5, 1e-3, 1e-6, 1e-9)
"""Factors between a printed number and the same number in other units ("per decade", "million")."""
MAX_CHANCE = 0.25
"""Arithmetic is evidence for a number only if it yields at most this share of the similar numbers, too."""
NEIGHBOURS = 50
"""How many numbers below and above a claim are similar to it."""
MAX_OPERANDS = 100
"""From more numbers, arithmetic yields nearly everything."""

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_POWER_OF_TEN = re.compile(r"(?:(\d)\s?(?:[×x*·]|\\times)\s?)?(?<![\d.^])10\^\{?(-?\d+)\}?")
_NO_NUMBER = re.compile(r"^[ \t]*\d+[.)]\s|\(\d{1,2}\)|(?<=\^)\{?-?[\d.]+", re.MULTILINE)  # items and exponents
_CLAIM = re.compile(
    r"""(?:(?P<bound>[<>≤≥])=?\s?|=\s?-?)?
    (?<![\w./])(?<![A-Za-z]-)                      # no part of a name such as PM2.5 or covid-19, or of a fraction
    (?P<number>[1-9]\d{0,2}(?:[,'’\s]\d{3})+(?:\.\d+)?(?!\d)|\d*\.\d+|\d+,\d+|\d+)
    (?:[eE](?P<power>[-+]?\d+))?(?P<percent>\s?%)?(?![\d^/]|[.,]\d)
    (?P<letters>[^\W\d_]*)""",
    re.VERBOSE,
)
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d*\.\d+|\d+"
_PRINTED = re.compile(rf"(?<![A-Za-z\d])(?<!\d\.)({_NUMBER})((?:[eE][-+]?\d+)?)(\s?%)?")


@dataclass(frozen=True)
class Claim:
    """A number in an answer.

    Attributes:
        text: The number as written, but for powers of ten.
        value: Its value, without the sign.
        unit: The unit of its last significant place.
        bound: The sign before it, such as "<", if it is a bound; otherwise empty.
    """

    text: str
    value: float
    unit: float
    bound: str = ""

    def is_in(self, values: Sequence[float]) -> bool:
        """Whether one of the sorted values rounds to this number, or to its hundredth, as shares do to percentages."""
        half = 0 if self.bound else self.unit / 2
        low = 0 if self.bound in ("<", "≤") else self.value - half
        high = inf if self.bound in (">", "≥") else self.value + half
        scales = (1, 100) if self.value >= 1 or self.text.endswith("%") else (1,)
        bounds = ((low / scale * (1 - 1e-9), high / scale * (1 + 1e-9)) for scale in scales)
        return any(a <= b and bisect_left(values, a) < bisect_right(values, b) for a, b in bounds)  # NaN is not in

    def follows_from(self, results: Sequence[float]) -> bool:
        """Whether the sorted results of arithmetic support this number, and would not support any other as well."""
        shifts = [n for n in range(-NEIGHBOURS, NEIGHBOURS + 1) if n and self.value + n * self.unit > 0]
        supported = sum(replace(self, value=self.value + n * self.unit).is_in(results) for n in shifts)
        return self.is_in(results) and supported <= MAX_CHANCE * len(shifts)


def claims(answer: str) -> list[Claim]:
    """The numbers that an answer claims.

    Not counted are list numbering, parts of names, ordinal numbers, single digits with letters (3D), fractions,
    exponents, and `NO_CLAIMS` as whole numbers or without a sign such as "=" or "<".
    """
    text = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda match: "^" + match[0].translate(_SUPERSCRIPTS), answer.replace("−", "-"))
    text = _NO_NUMBER.sub(" ", _POWER_OF_TEN.sub(lambda match: f"{match[1] or 1}e{match[2]}", text))
    found = []
    for match in _CLAIM.finditer(text):
        digits = re.sub(r"(?<!^0)[,'’\s](?=\d{3}(?!\d))", "", match["number"]).replace(",", ".")
        factor = float(f"1e{match['power'] or 0}")  # infinite, not an error, if it is too large
        value, unit = float(digits) * factor, _last_place(digits) * factor
        is_whole = digits.isdigit() and not match["power"]
        is_name = match["letters"] and (len(digits) == 1 or match["letters"] in ("st", "nd", "rd", "th", "s"))
        is_standard = value in NO_CLAIMS or (match["percent"] and value / 100 in NO_CLAIMS)
        if (is_whole and (is_name or is_standard)) or (is_standard and match[0].startswith(match["number"])):
            continue
        found.append(Claim(match[0].strip("= "), value, unit, match["bound"] or ""))
    return list(dict.fromkeys(found))


def printed(output: str) -> list[float]:
    """The numbers in an output, without signs, sorted, in all their readings."""
    return sorted(chain.from_iterable(_read(output)))


def evidence(calls: Sequence[tuple[str, str]]) -> list[list[float]]:
    """The numbers in the outputs of calls, given as code and output, but for those in code of this or an earlier call.

    Small whole numbers are evidence, too, and numbers that an output showed before code contained them, and labels of
    results: numbers in a line that has a number which is neither in code nor small, or in the last line before it.
    """
    in_code: set[float] = set()
    outputs: list[list[float]] = []
    for code, output in calls:
        stated = {round(number, places) for number in printed(code) for places in range(9)}
        in_code |= {number for number in stated if not _is_small(number)}.difference(*outputs)
        lines = [line for line in map(list, map(_read, output.splitlines())) if line]
        numbers: list[float] = []
        for line, following in pairwise([*lines, []]):
            results = [readings for readings in line + following if in_code.isdisjoint(readings)]
            is_labelled = not all(map(_is_small, chain(*results)))
            numbers += chain(*(readings for readings in line if is_labelled or in_code.isdisjoint(readings)))
        outputs.append(sorted(numbers))
    return outputs


def years(text: str) -> range:
    """From the first to the last year that a text contains."""
    found = [int(year) for year in re.findall(r"(?<![\d.])(?:1[5-9]|20)\d\d(?![\d.])", text)]
    return range(min(found, default=0), max(found, default=-1) + 1)


def derived(numbers: Sequence[float]) -> list[float]:
    """What simple arithmetic makes of numbers, sorted.

    These are the sum, difference, ratios and relative changes of two numbers; and of one number its value in other
    units, and the distance from 1, which is the change that a ratio means.
    """
    operands = sorted({number for number in numbers if 0 < number < inf})
    if len(operands) > MAX_OPERANDS:
        return []
    results = [result for a in operands for result in (abs(a - 1), *(a * unit for unit in UNITS))]
    for low, high in combinations(operands, 2):
        results += [low + high, high - low, low / high, high / low, (high - low) / high, (high - low) / low]
    return sorted(results)


def without_support(checked: Sequence[Claim], outputs: Sequence[list[float]]) -> list[Claim]:
    """The claims that no output contains, and that arithmetic on one output or on all of them does not yield."""
    everything = sorted(number for output in outputs for number in output)
    missing = [claim for claim in checked if not claim.is_in(everything)]
    results = [derived(numbers) for numbers in (everything, *outputs)] if missing else []
    return [claim for claim in missing if not any(map(claim.follows_from, results))]


def _read(text: str) -> Iterator[list[float]]:
    """The readings of each number: commas separate thousands or items of a list, and a percentage is also a share."""
    for number, exponent, percent in _PRINTED.findall(text):
        values = [float(reading + exponent) for reading in {number.replace(",", ""), *number.split(",")}]
        yield [*values, *(value / 100 for value in values)] if percent else values


def _is_small(number: float) -> bool:
    return number < SMALL and number == int(number)


def _last_place(digits: str) -> float:
    """The unit of the last significant place. Zeros at the end count as rounded, except in the first two digits."""
    decimals = digits.partition(".")[2]
    zeros = len(digits) - len(digits.rstrip("0"))
    return 10.0 ** (-len(decimals) if decimals else max(0, min(zeros, len(digits) - 2)))
