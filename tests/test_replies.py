"""Parsing replies: every text gives a valid reply or a named error, in time and memory linear in its length."""

import json
import time
import tracemalloc
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from inspect_ai.model import ChatMessage, ChatMessageUser, ModelOutput, StopReason

from inspect_discoverybench.errors.exceptions import ReplyRejected
from inspect_discoverybench.generator.growth import Distractors, Expansion
from inspect_discoverybench.generator.set_folder import Domains
from inspect_discoverybench.replies import MAX_REPLY_LENGTH, Reply, ask_until_valid, parse_reply
from inspect_discoverybench.scorer.contexts import Contexts, Match
from inspect_discoverybench.scorer.facets import Relationship, Variables
from inspect_discoverybench.scorer.quotation import Quotation
from inspect_discoverybench.scorer.released_form import Parts

REPLY_TYPES: list[type[Reply]] = [
    Contexts,
    Match,
    Variables,
    Relationship,
    Parts,
    Quotation,
]

# Keys and values of the judge's replies, also in the wrong places.
KEYS = st.sampled_from(["hypothesis", "context", "match", "sizeA", "sizeB", "intersection", "answer", "explanation"])
WORDS = st.sampled_from(["A", "C) different", "not very similar", "true", " 3 ", "1e3", "None"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**20),
    st.floats(),
    st.text(max_size=20),
    WORDS,
)


def lists_or_objects(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(values, max_size=4)
    objects = st.dictionaries(KEYS, values, max_size=5)
    return lists | objects


VALUES = st.recursive(SCALARS, lists_or_objects, max_leaves=12)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=7)
COUNTS = st.fixed_dictionaries({"sizeA": SCALARS, "sizeB": SCALARS, "intersection": SCALARS})
JSON = (OBJECTS | COUNTS).map(json.dumps)
BEFORE = st.sampled_from(["", "```json\n", "Here: ", "\ufeff", "<think>x</think>", "x</think>", "<think>"])
AFTER = st.sampled_from(["", "\n```", "}", " Done."])
DRESSED = st.tuples(BEFORE, JSON, AFTER).map("".join)


@given(st.text() | DRESSED, st.sampled_from(REPLY_TYPES))
@example("[" * 100_000, Match)  # deeper than a recursive parser can go
@example('{"sizeA": 1e400, "sizeB": 2, "intersection": 1}', Variables)  # infinity
@example('{"sizeA": 1, "sizeB": 10000000000000000000000, "intersection": 1}', Variables)  # more than 64 bits
@example('{"sizeA": 1, "sizeB": ' + "9" * 5000 + ', "intersection": 1}', Variables)  # Python reads at most 4300 digits
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
            reply.joined.encode()  # fails if the text has half of a surrogate pair


@pytest.mark.parametrize("before", ["", "\ufeff", "\ufeff\n", " \ufeff", "\r\n"])
@pytest.mark.parametrize("tag", ["</think>", "<think>x</think>", "<end_of_turn>"])
def test_tags_in_an_object_are_data_whatever_white_space_or_byte_order_mark_stands_before_it(
    before: str, tag: str
) -> None:
    text = json.dumps({"answer": "A", "explanation": f"HypoB ends with {tag}."})
    reply = parse_reply(f"{before}{text}", Relationship)
    assert reply.score == 1
    assert reply.explanation == f"HypoB ends with {tag}."


@pytest.mark.parametrize("stop_reason", ["content_filter", "max_tokens", "model_length"])
async def test_a_reply_that_a_filter_or_a_limit_ended_is_rejected_even_if_its_object_is_complete(
    stop_reason: StopReason,
) -> None:
    rejected = ModelOutput.from_content("mockllm/model", '{"match": false}', stop_reason=stop_reason)
    accepted = ModelOutput.from_content("mockllm/model", '{"match": true}')
    outputs = iter([rejected, accepted])
    requests = []

    async def send(messages: list[ChatMessage]) -> ModelOutput:
        requests.append(messages)
        return next(outputs)

    async def accept(text: str) -> Match:
        return parse_reply(text, Match)

    question = ChatMessageUser(content="Do they match?")
    reply = await ask_until_valid([question], send, accept, lambda reason: ChatMessageUser(content=reason))
    assert reply.match
    # The same question is asked again. The reply is not sent back, which would ask the model to correct it.
    assert requests == [[question], [question]]


HOSTILE: dict[str, tuple[str, str, str]] = {
    # what stands first, what is repeated, what stands last
    "unclosed code fences": ("", "```\n", ""),
    "code fences on a line": ("", "``` ", ""),
    "opening tags": ("", "<think>", ""),
    "white space": ("", " \n", "x"),
    "brackets": ('{"hypothesis": ', "[", ""),
    "quotes": ('{"asserted": true, "hypothesis": [', '"a",', '"a"]}'),
    "backslashes": ('{"hypothesis": "', "\\", ""),
    "LaTeX": ('{"hypothesis": "', "\\beta ", '"}'),
    "quotation marks": ('{"hypothesis": "', '\\"', ""),
    "one key": ("{", '"match": 1,', '"match": 1}'),
    "text between reasoning": ("", "\U0001f600aaaaaaaaaaaaaa<think></think>", ""),
}


def hostile(name: str) -> str:
    """A text that nearly has the maximum length."""
    first, repeated, last = HOSTILE[name]
    length = 0.9 * MAX_REPLY_LENGTH
    count = int(length) // len(repeated)
    return first + repeated * count + last


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.usefixtures("slow")
def test_parsing_takes_linear_time_and_memory(name: str) -> None:
    """It takes less than a second. A quadratic algorithm would take hours."""
    text = hostile(name)
    for reply_type in REPLY_TYPES:
        start = time.process_time()
        with suppress(ReplyRejected):
            parse_reply(text, reply_type)
        seconds = time.process_time() - start
        assert seconds < 3


WRONG_ITEMS: list[tuple[type[Reply], str]] = [
    (Contexts, '{"hypothesis": ['),
    (Quotation, '{"asserted": true, "hypothesis": ['),
    (Parts, '{"sub_hypo": ['),
    (Distractors, '{"columns": ['),
    (Expansion, '{"expression": "x", "children": ['),
    (Domains, '{"domains": ['),
]


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(("reply_type", "beginning"), WRONG_ITEMS)
def test_a_list_of_wrong_items_takes_little_memory(reply_type: type[Reply], beginning: str) -> None:
    """Validation ends at the first wrong item, because 90,000 errors would take much more memory than one."""
    text = beginning + "1," * 90_000 + "1]}"
    tracemalloc.start()
    with pytest.raises(ReplyRejected, match=r"^\w+\.0: "):
        parse_reply(text, reply_type)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * 2**20


def test_a_reply_above_the_maximum_length_is_rejected_with_that_reason() -> None:
    longest = '{"match": true}'.rjust(MAX_REPLY_LENGTH)
    assert parse_reply(longest, Match).match
    with pytest.raises(ReplyRejected, match=r"it has 1,000,001 characters; the maximum is 1,000,000\."):
        parse_reply(f" {longest}", Match)
    with pytest.raises(ReplyRejected, match="it has 1,000,001 characters"):
        parse_reply(f"{longest} ", Match)
    reasoning = "a" * MAX_REPLY_LENGTH
    with pytest.raises(ReplyRejected, match="the maximum is 1,000,000"):
        parse_reply(f'<think>{reasoning}</think>{{"match": true}}', Match)
