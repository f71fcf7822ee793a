"""JSON as models write it: with lone backslashes, LaTeX, raw line ends and lone surrogates in its strings.

All parsing takes time and memory proportional to the length of the text.
"""

import json
import re
from collections.abc import Collection
from typing import Any

from inspect_discoverybench.errors.exceptions import ReplyRejected

_STRING = re.compile(r'"(?:[^"\\]++|\\.?+)*+"?+', re.DOTALL)
"""Matches a JSON string, even if it is cut off. No character is read twice."""

_BACKSLASH = re.compile(r'\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})?+')
"""Matches an escape in a JSON string, or a backslash that begins none."""

_SMALL_LETTER = re.compile("[a-z]")

_CONTROL = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
"""Control characters by the letters of their escapes."""


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates by `?`.

    Models occasionally write half of a surrogate pair, and command lines can contain bytes that are not valid UTF-8.
    Such text can be neither logged nor sent.
    """
    return text.encode("utf-8", "replace").decode()


def parse_json(text: str, *, latex: bool = False) -> Any:
    r"""Parse JSON as models write it: with raw line ends and lone backslashes in strings.

    A lone backslash begins no escape, as in `\alpha` or `\(`, and JSON does not allow it. It is kept as a backslash.
    Lone surrogates are replaced.

    Args:
        text: The text.
        latex: Whether to also keep the backslash of a LaTeX command that begins like an escape: `\beta` is then not
            read as a backspace and `eta`. `_double_latex` says which escapes are taken for commands.

    Raises:
        ReplyRejected: The text is not JSON, or a key occurs twice in an object.
    """

    def repair(string: re.Match[str]) -> str:
        if latex:
            return _double_latex(string[0])
        return _double_backslashes(string[0])

    repaired = _STRING.sub(repair, text)
    try:
        content = load_json(repaired, strict=False)
        # Only after parsing, because a lone surrogate can stand as an escape in the text, such as `\ud800`.
        without_surrogates = replace_surrogates(json.dumps(content, ensure_ascii=False))
        return json.loads(without_surrogates)
    except (ValueError, RecursionError) as error:
        raise ReplyRejected(f"it is not a JSON object ({error}).") from error


def load_json(text: str, *, strict: bool = True) -> Any:
    """Parse JSON in which every key occurs at most once in an object.

    Args:
        text: The text.
        strict: Whether control characters in strings, such as raw line ends, are refused.

    Raises:
        ValueError: The text is not JSON, is nested too deeply, or a key occurs twice.
    """
    try:
        return json.loads(text, object_pairs_hook=_without_repetition, strict=strict)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for key, value in pairs:
        if key in content:
            raise ValueError(f"the key {key[:80]!r} occurs twice in one object")
        content[key] = value
    return content


def restore_latex(text: str, letters: str = "bfrt") -> str:
    r"""Restore LaTeX such as `\beta` in a text that was read as JSON, in which `\b` has become a backspace.

    Args:
        text: The text.
        letters: The letters of the escapes. By default, `n` is not among them, because most line breaks in the
            arguments of a call are meant as line breaks, and not as the beginning of a command such as `\nu`.
    """
    # `json.dumps` writes a control character as its escape again.
    repaired = _double_latex(json.dumps(text), letters)
    restored: str = json.loads(repaired)
    return restored


def _double_latex(string: str, letters: str = "bfnrt") -> str:
    r"""Double the backslashes of LaTeX commands in a JSON string, also of those that begin like an escape.

    `\beta` begins like the escape of a backspace, and `\nu` like that of a line break. All occurrences of an escape are
    read alike. They are taken for the beginning of commands unless the string shows that it uses the control character:

    - by the control character itself, such as a raw line break for `\n`, or
    - by an occurrence of the escape that no small letter follows, so that it begins no command.

    Args:
        string: The string.
        letters: The letters of the escapes that may begin a command.
    """
    latex_escapes = {f"\\{letter}" for letter in letters if _CONTROL[letter] not in string}
    for escape in _BACKSLASH.finditer(string):
        if not _SMALL_LETTER.match(string, escape.end()):
            latex_escapes.discard(escape[0])
    return _double_backslashes(string, latex_escapes)


def _double_backslashes(string: str, latex_escapes: Collection[str] = ()) -> str:
    """Double the lone backslashes in a JSON string, and those of the escapes that are taken for LaTeX."""

    def double(escape: re.Match[str]) -> str:
        is_lone = escape[0] == "\\"
        if is_lone or escape[0] in latex_escapes:
            return f"\\{escape[0]}"
        return escape[0]

    return _BACKSLASH.sub(double, string)
