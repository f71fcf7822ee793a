"""`discoverybench/baseline` as the formaliser: it reads its own sentences and the gold hypotheses of the generator."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from inspect_discoverybench.offline.stated_expression import stated_expression

_NUMBER = r"(-?[\d.]+(?:e[-+]?\d+)?)"
_SIGNS = {"increases": "", "decreases": "-", "higher": "", "lower": "-"}


def formalise(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Answer a request of the scorer `prediction`: the function that follows from a sentence of the baseline."""
    for sentence, level_stated, expression in _FORMS:
        if match := re.search(sentence, values["hypothesis"]):
            return _answer(expression(*match.groups()), level_stated)
    stated = stated_expression(values["hypothesis"], [column["name"] for column in values["columns"]])
    if stated is not None:
        return _answer(stated, level_stated=True)
    reason = "discoverybench/baseline reads only its own sentences and those of the generator"
    return {"computable": False, "reason": reason, "level_stated": False, "code": ""}


def _answer(expression: str, level_stated: bool) -> Mapping[str, Any]:
    code = f"def predict(frame):\n    return {expression}\n"
    return {"computable": True, "reason": "", "level_stated": level_stated, "code": code}


def _column(name: str) -> str:
    """A column, or the ratio of two."""
    ratio = re.fullmatch(r"the ratio of (\w+) to (\w+)", name)
    return f"(frame[{ratio[1]!r}] / frame[{ratio[2]!r}])" if ratio else f"frame[{name!r}]"


def _linear(verb: str, x: str, size: str) -> str:
    return f"{_SIGNS[verb]}{size} * {_column(x)}"


def _quadratic(x: str, cut: str, slope: str) -> str:
    return f"{slope} * (frame[{x!r}] - {cut}) ** 2"


def _threshold(size: str, change: str, x: str, cut: str, mean: str) -> str:
    return f"{mean} - ({_SIGNS[change]}{size}) * (frame[{x!r}] <= {cut})"


def _difference(x: str, level: str, mean: str, elsewhere: str) -> str:
    return f"np.where(frame[{x!r}].astype(str) == {level!r}, {mean}, {elsewhere})"


def _subgroup(verb: str, x: str, by: str, level: str, size: str) -> str:
    return f"{_SIGNS[verb]}{size} * frame[{x!r}] * (frame[{by!r}].astype(str) == {level!r})"


def _interaction(verb: str, x: str, size: str, by: str, cut: str) -> str:
    return f"{_SIGNS[verb]}{size} * frame[{x!r}] * (frame[{by!r}] - {cut})"


_VERB, _CHANGE = "(increases|decreases)", "(higher|lower)"
_FORMS: tuple[tuple[str, bool, Callable[..., str]], ...] = (
    (rf"{_VERB} linearly with (the ratio of \w+ to \w+|\w+), by {_NUMBER} per unit", False, _linear),
    (rf"is quadratic in (\w+): it \w+ up to {_NUMBER} .*\(coefficient {_NUMBER}\)", False, _quadratic),
    (rf"is {_NUMBER} {_CHANGE} above a threshold of (\w+) at {_NUMBER} \(mean {_NUMBER}\)", True, _threshold),
    (
        rf"where (\w+) is (.+?) \(mean {_NUMBER}\) than elsewhere \(mean {_NUMBER}\)",
        True,
        _difference,
    ),
    (rf"{_VERB} with (\w+) only where (\w+) is (.+?), by {_NUMBER} per unit", False, _subgroup),
    (
        rf"{_VERB} with (\w+), by {_NUMBER} more for each unit of (\w+) above {_NUMBER}",
        False,
        _interaction,
    ),
)
"""The sentences of `analysis.py`, whether they state the level of the outcome, and what they compute."""
