"""Reading replies: every reply of a judge gives a score in [0, 1] or a named error."""

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from inspect_discoverybench.errors.exceptions import ReplyRejected
from inspect_discoverybench.replies import Reply, parse_reply
from inspect_discoverybench.scorer.contexts import Contexts, Match
from inspect_discoverybench.scorer.facets import Relationship, Variables

CONTRACTS: list[type[Reply]] = [Contexts, Match, Variables, Relationship]
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
DRESSED = st.tuples(
    st.sampled_from(["", "```json\n", "```\n", "Here: ", "\ufeff", " ", "<think>x</think>", "x</think>", "<think>"]),
    st.one_of(OBJECTS, COUNTS),
    st.sampled_from(["", "\n```", "}", " Done.", "\x00"]),
).map("".join)


@given(st.one_of(st.text(), OBJECTS, COUNTS, DRESSED), st.sampled_from(CONTRACTS))
@example("[" * 100_000, Match)
@example('{"sizeA": 1e400, "sizeB": 2, "intersection": 1}', Variables)
@example('{"sizeA": NaN, "sizeB": 2, "intersection": 1}', Variables)
@example('{"sizeA": 10000000000000000000000, "sizeB": 2, "intersection": 1}', Variables)
@example('{"sizeA": ' + "9" * 5000 + ', "sizeB": 2, "intersection": 1}', Variables)
def test_accepted_replies_are_within_bounds(text: str, contract: type[Reply]) -> None:
    try:
        reply: Any = parse_reply(text, contract)
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
