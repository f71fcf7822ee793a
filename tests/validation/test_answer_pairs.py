"""The pairs of message and expected quote of the judge audit are consistent with themselves."""

import re
from importlib.resources import files
from typing import Any

import pytest
import yaml

PAIRS = yaml.safe_load((files("inspect_discoverybench.validation") / "answer_pairs.yaml").read_text(encoding="utf-8"))

KINDS = {
    "rejected hypothesis": 3,
    "rejected, another asserted": 3,
    "several hypotheses, one asserted": 3,
    "closing remark": 3,
    "H0 and H1": 2,
    "another language": 5,
    "refusal": 2,
    "plan": 2,
    "request": 2,
    "placeholder": 2,
    "null result": 2,
    "long report with sections": 2,
    "table": 2,
}
"""How many pairs of each kind there are at least."""

LANGUAGES = {
    "German": r"\b(und|nicht|der)\b",
    "Chinese": r"^[^\u3040-\u30ff]*[\u4e00-\u9fff][^\u3040-\u30ff]*$",
    "Arabic": r"[\u0600-\u06ff]",
    "Spanish": r"\b(los|las|más)\b",
    "Japanese": r"[\u3040-\u30ff]",
}


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


def test_all_kinds_and_five_languages_are_present() -> None:
    assert len(PAIRS) >= 36
    assert len({pair["text"] for pair in PAIRS}) == len(PAIRS)
    kinds = [pair["kind"] for pair in PAIRS]
    assert set(kinds) == set(KINDS)
    assert {kind: count for kind, count in KINDS.items() if kinds.count(kind) < count} == {}
    foreign = [pair["text"] for pair in PAIRS if pair["kind"] == "another language"]
    assert {name for name, letters in LANGUAGES.items() if any(re.search(letters, text) for text in foreign)} == set(
        LANGUAGES
    )
