"""Formulas in descriptions of columns."""

import re
from collections.abc import Iterable
from unicodedata import category


def stated_formula(text: str, columns: Iterable[str]) -> str | None:
    """The first formula with a column in a text, such as "0.5 * weight" or "log(weight)"; None if there is none.

    The name may have spaces for underscores, be in the plural, in quotes or brackets, or as in pandas or LaTeX.
    """
    names = re.sub(r"\\?[ _-]", "[ _-]", re.escape("\n".join(columns))).replace("\\\n", "|")
    name, number = rf"(?:{names})s?", r"\d+(?:[.,]\d+)?"
    # A text of the same length, in which a mathematical symbol is a star, and a command of LaTeX a root.
    plain = re.sub(r"\\[A-Za-z]+", lambda command: "√".center(len(command[0])), text)
    plain = "".join(
        " "
        if mark in "()[]{}\"'`$"
        else "*"
        if (category(mark) in ("Sm", "Sk") and mark != "√") or mark in "*/·"
        else mark
        for mark in plain
    )
    value, symbol = rf"(?:{number}|{name})", r"\s*[*√][\s*√]*"
    formula = rf"{name}(?:(?:{symbol}|\s*%\s*|\s-\s){value}|[²³])|{value}{symbol}{name}|(?:{number}|√\s*){name}"
    function = rf"(?i)(?<!\w)[a-z]\w*\([^a-z()]*{name}\s*[^\w\s]"
    match = re.search(rf"(?i)(?<!\w)(?:{formula})(?!\w)", plain) or re.search(function, text)
    return text[slice(*match.span())] if match else None
