"""Quantities: numbers that an answer claims, and what the numbers in an output support.

Signs are ignored, because answers put them into words ("falls by 0.4").
"""

import ast
import builtins
import re
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf

NO_CLAIMS = frozenset({0, 1, 90, 95, 99, 100, *range(1500, 2101)})
"""Whole numbers to which answers compare others ("a ratio above 1"), confidence levels, and years."""

MAX_CHANCE = 0.25
"""Arithmetic is evidence for a number only if it yields at most this share of the similar numbers, too."""
NEIGHBOURS = 50
"""How many numbers below and above a claim are similar to it."""
MAX_OPERANDS = 100
"""From more numbers, arithmetic yields nearly everything."""

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_ITEM = re.compile(r"^[ \t]*\d+[.)]\s|\(\d{1,2}\)", re.MULTILINE)
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d*\.\d+|\d+"
_CLAIM = re.compile(
    rf"""(?:(?P<bound>[<>≤≥])=?\s?)?
    (?<![\w.^/])(?<![A-Za-z]-)                      # no part of a name such as PM2.5 or covid-19, a power or a fraction
    (?P<number>{_NUMBER})
    (?:[eE](?P<exponent>[-+]?\d+)|\s?(?:[×x*·]|\\times)\s?10\^\{{?(?P<power>-?\d+)\}}?)?
    (?:\s?%)?
    (?![\d^/]|[.,]\d)""",
    re.VERBOSE,
)
_PRINTED = re.compile(rf"({_NUMBER})((?:[eE][-+]?\d+)?)(%?)")


@dataclass(frozen=True)
class Claim:
    """A number in an answer.

    Attributes:
        text: The number as written.
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
        low = 0 if self.bound in ("<", "≤") else self.value - self.unit / 2
        high = inf if self.bound in (">", "≥") else self.value + self.unit / 2
        for scale in (1, 100) if self.value >= 1 or self.text.endswith("%") else (1,):
            position = bisect_left(values, low / scale * (1 - 1e-9))
            if position < len(values) and values[position] <= high / scale * (1 + 1e-9):
                return True
        return False

    def follows_from(self, results: Sequence[float]) -> bool:
        """Whether the sorted results of arithmetic support this number, and would not support any other as well."""
        if not self.is_in(results):
            return False
        shifts = [n for n in range(-NEIGHBOURS, NEIGHBOURS + 1) if n and self.value + n * self.unit > 0]
        supported = sum(replace(self, value=self.value + n * self.unit).is_in(results) for n in shifts)
        return supported <= MAX_CHANCE * len(shifts)


def claims(answer: str) -> list[Claim]:
    """The numbers that an answer claims.

    Not counted are list numbering, parts of names, numbers that letters follow directly (2nd), fractions,
    and `NO_CLAIMS`.
    """
    text = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda match: "^" + match[0].translate(_SUPERSCRIPTS), answer.replace("−", "-"))
    text = _ITEM.sub(" ", text)
    found = []
    for match in _CLAIM.finditer(text):
        digits, power = match["number"].replace(",", ""), match["exponent"] or match["power"]
        is_whole = match["number"].isdigit() and not power
        if is_whole and (float(digits) in NO_CLAIMS or text[match.end() : match.end() + 1].isalpha()):
            continue
        factor = float(f"1e{power or 0}")  # infinite, not an error, if it is too large
        value, unit = float(digits) * factor, _last_place(digits) * factor
        found.append(Claim(match[0].strip(), value, unit, match["bound"] or ""))
    return list(dict.fromkeys(found))


def printed(output: str) -> list[float]:
    """The numbers in an output, without signs, sorted. A percentage also counts as a share.

    Commas may separate thousands or the items of a list, so both readings count.
    """
    values: list[float] = []
    for number, exponent, percent in _PRINTED.findall(output):
        for reading in {number.replace(",", ""), *number.split(",")}:
            value = float(reading + exponent)
            values += [value, value / 100] if percent else [value]
    return sorted(values)


def stated(code: str) -> set[float]:
    """The numbers that code states itself, in texts or as numbers, but for parameters.

    Numbers in comparisons and in calls are parameters of an analysis, such as a threshold, which an answer may repeat.
    This does not hold for calls of Python's own functions, such as `print` and `round`, and for mappings.
    """
    own: set[float] = set()
    parameters: set[float] = set()

    def visit(node: ast.AST, is_parameter: bool) -> None:
        match node:
            case ast.Constant(value=str() | int() | float() as value):
                (parameters if is_parameter else own).update(printed(str(value)))
            case ast.FormattedValue():  # without the format, such as `.2f`
                visit(node.value, is_parameter)
                return
            case ast.Call(func=ast.Name(id=name)) if hasattr(builtins, name):
                pass
            case ast.Dict():
                is_parameter = False
            case ast.Call():
                is_parameter = True
            case ast.Compare():
                is_parameter = True
        for child in ast.iter_child_nodes(node):
            visit(child, is_parameter)

    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        visit(ast.parse(code), is_parameter=False)
    return own - parameters


def derived(numbers: Sequence[float]) -> list[float]:
    """What simple arithmetic makes of numbers, sorted.

    These are the sum, difference, ratios and relative changes of two numbers; and of one number the thousandth, the
    millionth and the distance from 1, which is the change that a ratio means.
    """
    operands = sorted({number for number in numbers if 0 < number < inf})
    if len(operands) > MAX_OPERANDS:
        return []
    results = [result for a in operands for result in (a / 1e3, a / 1e6, abs(a - 1))]
    for low, high in combinations(operands, 2):
        results += [low + high, high - low, low / high, high / low, (high - low) / high, (high - low) / low]
    return sorted(results)


def without_support(checked: Sequence[Claim], outputs: Sequence[list[float]]) -> list[Claim]:
    """The claims that no output contains, and that arithmetic on one output or on all of them does not yield."""
    everything = sorted(number for output in outputs for number in output)
    missing = [claim for claim in checked if not claim.is_in(everything)]
    results = [derived(numbers) for numbers in (everything, *outputs)] if missing else []
    return [claim for claim in missing if not any(map(claim.follows_from, results))]


def _last_place(digits: str) -> float:
    """The unit of the last significant place. Zeros at the end count as rounded, except in the first two digits."""
    if "." in digits:
        return 10.0 ** -len(digits.partition(".")[2])
    zeros = len(digits) - len(digits.rstrip("0"))
    return 10.0 ** max(0, min(zeros, len(digits) - 2))
