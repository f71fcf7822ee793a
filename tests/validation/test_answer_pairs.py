"""The pairs of message and expected quote of the judge audit are consistent with themselves."""

import re
from importlib.resources import files
from typing import Any

import pytest
import yaml

PAIRS = yaml.safe_load((files("inspect_discoverybench.validation") / "answer_pairs.yaml").read_text(encoding="utf-8"))


def folded(text: str) -> str:
    """The text without the characters of Markdown, and with single spaces."""
    return " ".join(re.sub(r"[*_`#>|\\]", "", text).split())


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["kind"])
def test_every_quote_occurs_and_only_an_assertion_has_a_hypothesis(pair: dict[str, Any]) -> None:
    assert set(pair) == {"kind", "goal", "text", "asserted", "hypothesis", "workflow"}
    for quote in pair["hypothesis"] + pair["workflow"]:
        assert folded(quote)
        assert folded(quote) in folded(pair["text"])
    assert pair["asserted"] is bool(pair["hypothesis"])
    assert pair["goal"].strip()
