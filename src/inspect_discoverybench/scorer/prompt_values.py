"""Values of the judge's prompts: hypotheses, contexts and descriptions, as JSON."""

import json
import re
from typing import Any

from inspect_discoverybench.chat_templates import Meaning, pattern

_INVISIBLE = (
    r"[\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Matches control characters from U+007F on, line separators, and Unicode's Default_Ignorable_Code_Point, which has all
bidirectional controls. JSON itself escapes the control characters below U+0020."""

_ESCAPED = re.compile(rf"(?={pattern(Meaning.TOKEN).pattern}).|{_INVISIBLE}")
"""Matches the first character of a token of chat templates, and each invisible character."""


def prompt_values(**values: Any) -> dict[str, str]:
    """Encode values of a prompt as JSON, so that quotes, braces, code fences and instructions in them remain data.

    Tokens of chat templates and invisible characters are escaped, because the tokenizer of a locally served judge may
    read them as its own. Other characters stay, because small judges misquote escapes.
    """
    texts = {}
    for name, value in values.items():
        text = json.dumps(value, ensure_ascii=False)
        texts[name] = _ESCAPED.sub(_escape, text)
    return texts


def _escape(match: re.Match[str]) -> str:
    # JSON escapes the code units of UTF-16. A character beyond U+FFFF has two.
    code_units = match[0].encode("utf-16-be").hex(sep=" ", bytes_per_sep=2).split()
    return "".join(f"\\u{digits}" for digits in code_units)
