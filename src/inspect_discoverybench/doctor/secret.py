"""API keys and other secrets. Providers may repeat them in error messages; they must not be printed."""

import os
import re

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_KEY_LIKE = re.compile(r"\b(?:sk|pk|rk|key|hf|gsk|xai|AIza)[-_][\w*•.-]{6,}|Bearer\s+\S+", re.IGNORECASE)
"""Matches keys by their format, including keys with masked characters."""

MIN_SECRET = 6
"""Minimum length of a value to replace. Shorter values also occur in ordinary words."""


def redact(text: str) -> str:
    """Replace the values of environment variables that hold secrets, and anything that looks like a key."""
    for name, value in sorted(os.environ.items(), key=lambda item: -len(item[1])):
        if _SECRET_NAME.search(name) and len(value) >= MIN_SECRET:
            text = text.replace(value, f"[{name}]")
    return _KEY_LIKE.sub("[key]", text)
