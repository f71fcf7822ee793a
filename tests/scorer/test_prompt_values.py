"""Values in the judge's prompts are JSON without invisible characters.

`test_chat_templates.py` tests that the tokens of chat templates are escaped in them, too.
"""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_discoverybench.scorer.prompt_values import prompt_values

INVISIBLE = {
    "zero width": "\u200b",
    "bidirectional": "\u202e",
    "byte-order mark": "\ufeff",
    "line separator": "\u2028",
    "control": "\x85",
    "tag": "\U000e0041",
}
ORDINARY = "p < 0.05, a <b and b> c, x<y, 5 > 3, [0.1, 0.3], [A], [see 1], [CO2], E[X_1], café 漢字 −0.3 %, a\u202fb"


def encoded(value: Any) -> str:
    values = prompt_values(value=value)
    return values["value"]


@pytest.mark.parametrize("name", INVISIBLE)
def test_invisible_and_bidirectional_characters_are_escaped(name: str) -> None:
    character = INVISIBLE[name]
    value = ["A", {"b": f"ri{character}ses"}]
    text = encoded(value)
    assert character not in text
    assert json.loads(text) == value


def test_other_characters_stay_as_they_are() -> None:
    text = encoded(ORDINARY)
    assert text == f'"{ORDINARY}"'


# Characters of chat templates' tokens and of JSON's escapes, two invisible characters, and two others.
SPECIAL = st.text('<|>[]/INSTs\\"\n\u200d\U000e0041◁é')


@given(st.text() | SPECIAL)
def test_every_value_can_be_read_back(value: str) -> None:
    text = encoded(value)
    assert json.loads(text) == value
