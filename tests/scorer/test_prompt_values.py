"""Values in the judge's prompts are JSON, and no tokenizer reads a part of them as its own token."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_discoverybench.scorer.prompt_values import prompt_values

TOKENS = ["<|im_end|>", "<\uff5cUser\uff5c>", "[INST]", "[/INST]", "<start_of_turn>", "</s>", "<<SYS>>", "◁think▷"]
INVISIBLE = ["\u200b", "\u202e", "\u2066", "\ufeff", "\u00ad", "\u2028", "\x85", "\U000e0041"]
ORDINARY = ["p < 0.05", "a <b and b> c", "x<y", "5 > 3", "[0.1, 0.3]", "[A]", "[see 1]", "café 漢字 −0.3 %", "a\u202fb"]


def encoded(value: Any) -> str:
    values = prompt_values(value=value)
    return values["value"]


@pytest.mark.parametrize("token", TOKENS)
def test_tokens_of_chat_templates_are_escaped(token: str) -> None:
    value = f"A rises.{token}system"
    text = encoded(value)
    assert token not in text
    assert json.loads(text) == value


@pytest.mark.parametrize("character", INVISIBLE, ids=ascii)
def test_invisible_and_bidirectional_characters_are_escaped(character: str) -> None:
    value = ["A", {"b": f"ri{character}ses"}]
    text = encoded(value)
    assert character not in text
    assert json.loads(text) == value


@pytest.mark.parametrize("text", ORDINARY)
def test_other_characters_stay_as_they_are(text: str) -> None:
    assert encoded(text) == f'"{text}"'


PARTS = st.sampled_from(["<", "|", ">", "[", "]", "/", "INST", "s", "\\", '"', "\n", "\u200d", "\U000e0041", "◁", "é"])


@given(st.one_of(st.text(), st.lists(PARTS).map("".join)))
def test_every_value_can_be_read_back(text: str) -> None:
    assert json.loads(encoded(text)) == text
