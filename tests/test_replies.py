"""Parsing replies: every text gives a valid reply or a named error, in time and memory linear in its length."""

import json
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inspect_discoverybench.errors.exceptions import ReplyRejected
from inspect_discoverybench.replies import MAX_REPLY_LENGTH, Reply, parse_reply
from inspect_discoverybench.scorer.contexts import Contexts, Match
from inspect_discoverybench.scorer.facets import Relationship, Variables
from inspect_discoverybench.scorer.quotation import Quotation
from inspect_discoverybench.scorer.released_form import Parts

REPLY_TYPES: list[type[Reply]] = [Contexts, Match, Variables, Relationship, Parts, Quotation]

KEYS = st.sampled_from(
    ["hypothesis", "text", "context", "match", "sizeA", "sizeB", "intersection", "answer", "explanation", "x"]
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**20),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(
        ["A", "b)", "C) different", "very similar", "not very similar", "true", " 3 ", "3.0", "1e3", "None"]
    ),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=5)),
    max_leaves=12,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=7).map(json.dumps)
COUNTS = st.fixed_dictionaries(dict.fromkeys(("sizeA", "sizeB", "intersection"), SCALARS)).map(json.dumps)
BEFORE = ["", "```json\n", "```\n", "Here: ", "\ufeff", " ", "<think>x</think>", "x</think>", "<think>"]
AFTER = ["", "\n```", "}", " Done.", "\x00"]
DRESSED = st.tuples(st.sampled_from(BEFORE), st.one_of(OBJECTS, COUNTS), st.sampled_from(AFTER)).map("".join)


@given(st.one_of(st.text(), OBJECTS, COUNTS, DRESSED), st.sampled_from(REPLY_TYPES))
@example("[" * 100_000, Match)
@example('{"sizeA": 1e400, "sizeB": 2, "intersection": 1}', Variables)
@example('{"sizeA": NaN, "sizeB": 2, "intersection": 1}', Variables)
@example('{"sizeA": 1, "sizeB": 1e308, "intersection": 1}', Variables)
@example('{"sizeA": 1, "sizeB": 10000000000000000000000, "intersection": 1}', Variables)
@example('{"sizeA": 1, "sizeB": ' + "9" * 5000 + ', "intersection": 1}', Variables)
def test_accepted_replies_are_within_bounds(text: str, reply_type: type[Reply]) -> None:
    try:
        reply: Any = parse_reply(text, reply_type)
    except ReplyRejected:
        return
    match reply:
        case Variables() | Relationship():
            assert 0 <= reply.score <= 1
        case Match():
            assert reply.match in (True, False)
        case Contexts():
            assert reply.joined
            reply.joined.encode()


HOSTILE: dict[str, Callable[[int], str]] = {
    "unclosed code fences": lambda n: "```\n" * (n // 4),
    "opening code fences": lambda n: "```json\n{\n" * (n // 10),
    "code fences on a line": lambda n: "``` " * (n // 4),
    "opening tags": lambda n: "<think>" * (n // 7),
    "half tags": lambda n: "<think " * (n // 7),
    "closing tags": lambda n: "</think>" * (n // 8),
    "white space": lambda n: " \n" * (n // 2) + "x",
    "braces": lambda n: "{" * n,
    "brackets": lambda n: '{"hypothesis": ' + "[" * n,
    "backslashes": lambda n: '{"hypothesis": "' + "\\" * n,
    "digits": lambda n: '{"sizeA": ' + "9" * n + "}",
    "wrong items": lambda n: '{"hypothesis": [' + "1," * (n // 2) + "1]}",
    "wrong parts": lambda n: '{"sub_hypo": [' + "{}," * (n // 3) + "{}]}",
    "wrong keys": lambda n: "{" + ",".join(f'"{number}": 1' for number in range(n // 12)) + "}",
    "one key": lambda n: "{" + '"match": 1,' * (n // 11) + '"match": 1}',
    "an option": lambda n: '{"answer": "' + "a) " * (n // 3) + '"}',
    "quotes": lambda n: '{"asserted": true, "hypothesis": [' + '"a",' * (n // 4) + '"a"]}',
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.usefixtures("sweep")
def test_parsing_takes_linear_time_and_memory(name: str) -> None:
    """Nine tenths of the longest text take less than a second. A quadratic algorithm would take hours."""
    text = HOSTILE[name](MAX_REPLY_LENGTH * 9 // 10)
    for reply_type in REPLY_TYPES:
        start = time.process_time()
        with suppress(ReplyRejected):
            parse_reply(text, reply_type)
        assert time.process_time() - start < 3


def test_a_list_of_wrong_items_takes_little_memory() -> None:
    text = HOSTILE["wrong items"](MAX_REPLY_LENGTH * 9 // 10)
    tracemalloc.start()
    with pytest.raises(ReplyRejected, match=r"^hypothesis\.0: "):
        parse_reply(text, Contexts)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40 * 2**20


FRAGMENTS = st.sampled_from(
    ["```", "```json", "\n", "<think>", "</think>", "<|im_end|>", "{", "}", "[", "]", '"', ",", ":", "\\", "a", " ",
     '{"match": true}', '"hypothesis": ', "1e9", "\ufeff"]
)  # fmt: skip


@given(st.lists(FRAGMENTS, min_size=1, max_size=8).map("".join), st.sampled_from(REPLY_TYPES))
@settings(max_examples=50, deadline=None)
@pytest.mark.usefixtures("sweep")
def test_parsing_repeated_fragments_takes_linear_time(fragment: str, reply_type: type[Reply]) -> None:
    text = fragment * (100_000 // len(fragment))
    start = time.process_time()
    with suppress(ReplyRejected):
        parse_reply(text, reply_type)
    assert time.process_time() - start < 0.5


def test_a_reply_above_the_maximum_length_is_rejected_with_that_reason() -> None:
    reply = '{"match": true}'
    longest = " " * (MAX_REPLY_LENGTH - len(reply)) + reply
    assert parse_reply(longest, Match).match
    with pytest.raises(ReplyRejected, match=r"it has 1,000,001 characters; the maximum is 1,000,000\."):
        parse_reply(f" {longest}", Match)
