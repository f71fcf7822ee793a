"""Values of the judge's prompts: hypotheses, contexts and descriptions, as JSON."""

import json
from typing import Any


def prompt_values(**values: Any) -> dict[str, str]:
    """Encode values of a prompt as JSON, so that quotes, braces, code fences and instructions in them remain data."""
    return {name: json.dumps(value, ensure_ascii=False) for name, value in values.items()}
