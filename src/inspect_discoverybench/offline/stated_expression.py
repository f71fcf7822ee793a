"""The expression that a generated gold hypothesis states in words (`synth/wording.py`), read back as Python."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

_STATEMENT = re.compile(r"the value of the (?P<target>[^,;]+?) is (?P<words>.+)", re.DOTALL)
_CONDITION = re.compile(r"the (?P<target>[^,;]+?) is true where (?P<words>.+)", re.DOTALL)
_EFFECTS = re.compile(r"; it (?:increases|decreases) with .*$|\.$", re.DOTALL)

_FUNCTIONS = {
    "the square of": "({0}) ** 2",
    "the cube of": "({0}) ** 3",
    "the square root of": "np.sqrt({0})",
    "the absolute value of": "np.abs({0})",
    "the natural logarithm of 1 plus": "np.log1p({0})",
    "the natural logarithm of": "np.log({0})",
    "the exponential of": "np.exp({0})",
    "the hyperbolic tangent of": "np.tanh({0})",
    "the sine of": "np.sin({0})",
    "the cosine of": "np.cos({0})",
}
_PAIRS = {
    "the smaller of": ("and", "np.minimum({0}, {1})"),
    "the larger of": ("and", "np.maximum({0}, {1})"),
    "the remainder of": ("divided by", "({0} % {1})"),
}
_SUMS = {"plus": "+", "minus": "-"}
_PRODUCTS = {"times": "*", "divided by": "/"}
_LOGIC = {"and": "&", "or": "|"}
_COMPARISONS = {
    "is above": ">",
    "is at least": ">=",
    "is below": "<",
    "is at most": "<=",
    "is not": "!=",
    "is": "==",
}
_OTHERS = (
    *("is between", "is one of", "is true", "is false", "limited to the range from", "to the power", "to"),
    *("where", ", and elsewhere", ",", "not", "(", ")"),
)


class Unreadable(Exception):
    """The hypothesis is not one that the generator writes."""


@dataclass
class _Reader:
    """Reads tokens from left to right; each method returns Python."""

    tokens: Sequence[str]
    columns: Mapping[str, str]
    place: int = 0

    def accept(self, *choices: str) -> str:
        """Read one of these tokens; empty if another follows."""
        token = self.tokens[self.place] if self.place < len(self.tokens) else ""
        if token not in choices:
            return ""
        self.place += 1
        return token

    def expect(self, token: str) -> None:
        """Read this token."""
        if not self.accept(token):
            raise Unreadable(f"{token!r} is missing")

    def choice(self) -> str:
        """A value, or one value where a condition holds and another elsewhere."""
        value = self.logic()
        if not self.accept("where"):
            return value
        condition = self.logic()
        self.expect(", and elsewhere")
        return f"np.where({condition}, {value}, {self.choice()})"

    def logic(self) -> str:
        """Conditions joined by `and` and `or`."""
        return self._joined(self.comparison, _LOGIC)

    def comparison(self) -> str:
        """A condition, or a value."""
        left = self._joined(self.product, _SUMS)
        if self.accept("is true"):
            return left
        if self.accept("is false"):
            return f"(~{left})"
        if self.accept("is between"):
            low = self.atom()
            self.expect("and")
            return f"(({left} >= {low}) & ({left} <= {self.atom()}))"
        if self.accept("is one of"):
            levels = [self.atom()]
            while self.accept(","):
                levels.append(self.atom())
            return f"{left}.isin([{', '.join(levels)}])"
        operator = self.accept(*_COMPARISONS)
        return f"({left} {_COMPARISONS[operator]} {self._joined(self.product, _SUMS)})" if operator else left

    def product(self) -> str:
        """A product or quotient."""
        return self._joined(self.phrase, _PRODUCTS)

    def phrase(self) -> str:
        """A function of an operand."""
        if name := self.accept(*_FUNCTIONS):
            return f"({_FUNCTIONS[name].format(self.atom())})"
        if name := self.accept(*_PAIRS):
            joint, form = _PAIRS[name]
            first = self.atom()
            self.expect(joint)
            return form.format(first, self.atom())
        if self.accept("minus"):
            return f"(-{self.atom()})"
        if self.accept("not"):
            return f"(~{self.atom()})"
        value = self.atom()
        if self.accept("to the power"):
            return f"({value} ** {self.atom()})"
        if self.accept("limited to the range from"):
            low = self.atom()
            self.expect("to")
            return f"np.clip({value}, {low}, {self.atom()})"
        return value

    def atom(self) -> str:
        """A number, column, label, or whatever stands in parentheses."""
        if self.accept("("):
            value = self.choice()
            self.expect(")")
            return f"({value})"
        if self.place == len(self.tokens):
            raise Unreadable("the hypothesis ends too early")
        token = self.tokens[self.place]
        self.place += 1
        if token in self.columns:
            return f"frame[{self.columns[token]!r}]"
        return token if re.fullmatch(r"-?[\d.]+(?:e[-+]?\d+)?", token) else repr(token)

    def _joined(self, part: Callable[[], str], operators: Mapping[str, str]) -> str:
        value = part()
        while operator := self.accept(*operators):
            value = f"({value} {operators[operator]} {part()})"
        return value


def stated_expression(hypothesis: str, columns: Sequence[str]) -> str | None:
    """The expression over `frame` that a gold hypothesis states; None if it is not one that the generator writes.

    Args:
        hypothesis: The hypothesis.
        columns: Names of the columns.
    """
    match = _STATEMENT.search(hypothesis) or _CONDITION.search(hypothesis)
    if match is None:
        return None
    labels = {f"the {name.replace('_', ' ')}": name for name in columns}
    reader = _Reader(_tokens(_EFFECTS.sub("", match["words"]), labels), labels)
    try:
        expression = reader.choice()
    except (Unreadable, RecursionError):
        return None
    return expression if reader.place == len(reader.tokens) else None


def _tokens(words: str, labels: Mapping[str, str]) -> list[str]:
    """Split words into columns, numbers, fixed phrases, and labels of categories, which are all other words."""
    fixed = (*labels, *_FUNCTIONS, *_PAIRS, *_SUMS, *_PRODUCTS, *_LOGIC, *_COMPARISONS, *_OTHERS)
    phrases = "|".join(
        re.escape(one) + (r"(?!\w)" if one[-1].isalnum() else "") for one in sorted(fixed, key=len, reverse=True)
    )
    known = re.compile(rf"\s*({phrases}|-?\d[\d.]*(?:e[-+]?\d+)?(?!\w))")
    tokens: list[str] = []
    label = place = 0
    while place < len(words):
        if match := known.match(words, place):
            tokens.append(match[1])
            place, label = match.end(), 0
            continue
        word = re.compile(r"\s*([^\s(),]+|\S)").match(words, place)
        if word is None:
            break
        if label:
            tokens[-1] += f" {word[1]}"
        else:
            tokens.append(word[1])
        place, label = word.end(), 1
    return tokens
