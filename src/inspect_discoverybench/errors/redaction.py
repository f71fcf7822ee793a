"""Removal of keys and control characters from everything that is printed or logged."""

import json
import os
import re
import unicodedata
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

KEY_NAME = re.compile(r"KEY|TOKEN(?!S|I)|SECRET|PASSW|CREDENTIAL|AUTHORIZATION|(?:^|_)PAT(?:_|$)", re.IGNORECASE)
"""Matches the names of environment variables and model arguments with keys."""


MIN_KEY_LENGTH = 8
"""Shorter values are no secrets, and occur in other texts."""


_KEY_LIKE = re.compile(
    r"""\bBearer\s+[^\s"'\\\[]+|\bBasic\s+[\w+/]{16,}=*|\b(?:(?:sk|pk|rk|hf|gsk|xai)[-_]|AIza)[\w*•.-]{10,}""",
    re.IGNORECASE,
)
"""Matches keys by their format, including keys with masked characters and in base64."""


_argument_keys: dict[str, str] = {}
"""Keys that were given as arguments of models, with the names of the arguments."""


def hide_keys(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a model with `[name]` in place of each key, which `redact` knows from now on."""
    _argument_keys.update({str(value).strip(): name for name, value in arguments.items() if KEY_NAME.search(name)})
    return {
        name: f"[{name}]" if KEY_NAME.search(name) else hide_keys(value) if isinstance(value, Mapping) else value
        for name, value in arguments.items()
    }


def redact(text: str) -> str:
    """Text without keys, and without characters that could send commands to a terminal.

    The keys are those in the environment and in arguments of models, as they are, in URLs and in JSON, and whatever
    has the format of a key.
    """
    keys = {value.strip(): name for name, value in os.environ.items() if KEY_NAME.search(name)}
    forms = {
        form: name
        for key, name in (_argument_keys | keys).items()
        if len(key) >= MIN_KEY_LENGTH
        for form in (key, quote(key), quote(key, safe=""), json.dumps(key)[1:-1])
    }
    for form in sorted(forms, key=len, reverse=True):  # one may begin another
        text = text.replace(form, f"[{forms[form]}]")
    return printable(_KEY_LIKE.sub("[key]", text))


def printable(text: str) -> str:
    """Text without control characters, so that what a model wrote cannot send commands to a terminal."""
    return "".join(character for character in text if character in "\n\t" or unicodedata.category(character) != "Cc")
