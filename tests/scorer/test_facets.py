"""Every form of reply that judges have been seen to give: read, asked again, or unscored.

One eval judges all cases, each in a sample of its own.
"""

from collections.abc import Sequence

import pytest

from tests.endpoint import Request, question, truthful
from tests.scorer.judging import FULL, InProcessJudge, Result, case_number, evaluate, scores_of, scripted

Case = tuple[str, str]
"""A question and a reply to it."""

VALID: list[tuple[str, str, str, float]] = [
    # question, reply, facet, its score
    ("match", '{"match": "false"}', "context", 0),
    ("match", '```json\n{"match": false}\n```', "context", 0),
    ("match", '<think>it quotes </think>{"match": true} and goes on</think>{"match": false}', "context", 0),
    ("relationship", '{"answer": "B) similar but more general than HypoA"}', "relationship", 0.5),
    ("relationship", '{"answer": "Option A"}', "relationship", 1),
    ("relationship", '{"answer": "Answer: C) different"}', "relationship", 0),
    ("relationship", 'Here it is:\n```json\n{"answer": "B"}\n```\nI hope this helps.', "relationship", 0.5),
    ("relationship", '\ufeff{"answer": "B", "explanation": "first line\nsecond\tline\r\n"}', "relationship", 0.5),
    # A tag of reasoning within the object is data.
    ("relationship", '{"answer": "C", "explanation": "</think>{\\"answer\\": \\"A\\"}"}', "relationship", 0),
    # The score of the variables is F1: 2 * intersection / (sizeA + sizeB).
    ("variables", '{"sizeA": "3", "sizeB": 3.0, "intersection": 3, "explanation": ["a", "b"]}', "variables", 1),
    ("variables", '{"sizeA": 3, "sizeB": 0, "intersection": 0}', "variables", 0),
    # A prediction may name every column. Only the size of the gold hypothesis has a maximum, which is 50.
    ("variables", '{"sizeA": 1, "sizeB": 1999, "intersection": 1}', "variables", 2 / 2000),
    ("variables", '{"sizeA": 50, "sizeB": 51, "intersection": 50}', "variables", 100 / 101),
    ("variables", '{"sizeA": 2, "sizeB": "240", "intersection": 2}', "variables", 4 / 242),
    ("relationship", '{"answer": "Answer: Option A"}', "relationship", 1),
    ("relationship", '{"answer": "**A** = very similar"}', "relationship", 1),
    # End-of-turn tokens, which a server should have removed.
    ("relationship", '{"answer": "B"}<|im_end|>', "relationship", 0.5),
    ("match", '{"match": false}\n</s>', "context", 0),
    ("variables", '{"sizeA": 1, "sizeB": 1, "intersection": 1}<|eot_id|><|end_of_text|>', "variables", 1),
    # A backslash that begins no escape, in an explanation.
    (
        "relationship",
        r'{"answer": "B) similar but general than HypoA", "explanation": "\(y = \alpha x\); r"}',
        "relationship",
        0.5,
    ),
    ("relationship", r'{"answer": "A", "explanation": "see C:\users\data, it\'s \_marked\_"}', "relationship", 1),
    ("variables", r'{"sizeA": 1, "sizeB": 1, "intersection": 1, "explanation": "\usepackage\delta"}', "variables", 1),
    ("match", r'{"match": true, "explanation": "$\sigma$"}', "context", 1),
    # One object where a list is meant, as Listing 1 prints it; and half of a surrogate pair.
    ("extract", '{"hypothesis": {"text": "t", "context": "towns", "explanation": "half \\ud83d"}}', "context", 1),
    ("extract", '{"hypothesis": []}', "context", 1),
    # Null in fields that decide nothing.
    ("extract", '{"hypothesis": [{"text": null, "context": null, "explanation": null}]}', "context", 1),
    ("relationship", '{"answer": "B", "explanation": null}', "relationship", 0.5),
]

INVALID: list[Case] = [
    ("extract", "I see no context."),
    ("extract", '{"hypothesis": null}'),
    ("extract", '{"hypothesis": [{"text": "no context key"}]}'),
    ("match", '{"match": "yes"}'),
    # Reasoning that does not end, and reasoning between two objects.
    ("match", '<think>{"match": true}'),
    ("match", '{"match": false}<think></think>{"match": true}'),
    # Counts that contradict each other, or are out of range.
    ("variables", '{"sizeA": 2, "sizeB": 2, "intersection": 3}'),
    ("variables", '{"sizeA": 0, "sizeB": 2, "intersection": 0}'),
    ("variables", '{"sizeA": 2, "sizeB": 0, "intersection": 1}'),
    ("variables", '{"sizeA": 2, "sizeB": -1, "intersection": -1}'),
    ("variables", '{"sizeA": 51, "sizeB": 60, "intersection": 1}'),
    # Counts that are not whole numbers in digits. Python reads true as 1, and "1_0" as 10.
    ("variables", '{"sizeA": 2.5, "sizeB": 2, "intersection": 1}'),
    ("variables", '{"sizeA": true, "sizeB": 2, "intersection": 1}'),
    ("variables", '{"sizeA": "1_0", "sizeB": 2, "intersection": 1}'),
    ("variables", '{"sizeA": "0x3", "sizeB": 2, "intersection": 1}'),
    # A lone backslash is kept, so that these values are invalid.
    ("variables", r'{"sizeA": "\3", "sizeB": 2, "intersection": 1}'),
    ("match", r'{"match": "\true"}'),
    ("relationship", r'{"answer": "\A"}'),
    ("relationship", '{"answer": "A) different"}'),
    ("relationship", '{"answer": "not very similar"}'),
    ("relationship", '{"answer": "A or B"}'),
    # Without its marks, each of these would be an option.
    ("relationship", '{"answer": "\u2260 A"}'),
    ("relationship", '{"answer": "!A"}'),
    ("relationship", '{"answer": "\u00acvery similar"}'),
    ("relationship", '{"answer": "~~A~~"}'),
    # Two objects, text after the object, or an object that does not end.
    ("relationship", '```json\n{"answer": "A"}\n```\nor\n```json\n{"answer": "C"}\n```'),
    ("relationship", '{"answer": "A", "explanation": "cut o'),
    ("relationship", r'{"answer": "A", "explanation": "\alpha'),
    ("relationship", '```json\n{"answer": "A"}``` or ```json\n{"answer": "C"}```'),
    ("relationship", '{"answer": "A"} I hope this helps.'),
    ("relationship", '{"answer": "A"}</s>{"answer": "C"}'),
    ("relationship", '{"answer": "A"}</s> or C'),
    ("relationship", '{"answer": "A</s>'),
    ("relationship", '{"answer": "A", "answer": "C"}'),
    ("relationship", '{"answer": ' + "[" * 5_000),
]


def judge_all(cases: Sequence[Case]) -> list[Result]:
    """The scores of an eval with a sample for each case. The other questions are agreed with."""
    agreeing = scripted()

    def answer(request: Request) -> str:
        case = case_number(request) - 1
        name, reply = cases[case]
        if question(request) == name:
            return reply
        if question(request) == "extract" and name == "match":
            return truthful(request)  # two contexts that differ, or the judge would not be asked about their match
        return str(agreeing(request))

    judge = InProcessJudge(answer)
    numbers = range(1, len(cases) + 1)
    log = evaluate(judge.model, numbers=numbers)
    return scores_of(log)


def test_a_valid_reply_determines_the_score() -> None:
    cases = [(name, reply) for name, reply, _, _ in VALID]
    scores = judge_all(cases)
    for score, case in zip(scores, VALID, strict=True):
        _, reply, facet, value = case
        expected = {**FULL, facet: value, "hms": value}
        assert score.values == expected, reply
        assert score.record["asked_again"] == 0, reply
        assert "Judge: None" not in score.explanation, reply


FACETS = {
    "extract": "context",
    "match": "context",
    "variables": "variables",
    "relationship": "relationship",
}


@pytest.mark.usefixtures("slow")
def test_after_three_invalid_replies_the_facet_and_hms_are_unscored() -> None:
    scores = judge_all(INVALID)
    for score, case in zip(scores, INVALID, strict=True):
        name, reply = case
        facet = FACETS[name]
        # Decided facets keep their values.
        assert score.unscored == {"hms", facet}, reply
        assert score.reason == "grader_failed", reply
        assert "Not scored" in score.explanation, reply
        # Each question is asked again twice. There are two extractions.
        asked_again = 4 if name == "extract" else 2
        assert score.record["asked_again"] == asked_again, reply
