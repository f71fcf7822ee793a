"""Every form of reply that judges have been seen to give: read, asked again, or unscored.

One eval judges all cases, each in a sample of its own.
"""

from collections import defaultdict
from collections.abc import Sequence

from inspect_ai.log import EvalLog

from tests.endpoint import Request, question, truthful
from tests.scorer.judging import ALL_QUESTIONS, FULL, InProcessJudge, case_number, evaluate, scores_of, scripted

Case = tuple[str, str]
"""A question and a reply to it."""

VALID: list[tuple[str, str, str, float]] = [
    # question, reply, facet, its score
    ("match", '{"match": "false"}', "context", 0),
    ("match", '```json\n{"match": false}\n```', "context", 0),
    ("match", '<THINK>\n</Think>\n```json\n{"match": false}\n```', "context", 0),
    ("match", '<think>it quotes </think>{"match": true} and goes on</think>{"match": false}', "context", 0),
    ("relationship", '{"answer": "a)"}', "relationship", 1),
    ("relationship", '{"answer": "A) very similar"}', "relationship", 1),
    ("relationship", '{"answer": "B) similar but general than HypoA"}', "relationship", 0.5),
    ("relationship", '{"answer": "B) similar but more general than HypoA"}', "relationship", 0.5),
    ("relationship", '{"answer": "Option A"}', "relationship", 1),
    ("relationship", '{"answer": "Answer: C) different"}', "relationship", 0),
    ("relationship", '{"answer": "Different"}', "relationship", 0),
    ("relationship", 'Here it is:\n```json\n{"answer": "B"}\n```\nI hope this helps.', "relationship", 0.5),
    ("relationship", '\ufeff{"answer": "B", "explanation": "first line\nsecond\tline\r\n"}', "relationship", 0.5),
    ("relationship", 'The template holds the opening tag.</think>{"answer": "B"}', "relationship", 0.5),
    ("relationship", '{"answer": "C", "explanation": "</think>{\\"answer\\": \\"A\\"}"}', "relationship", 0),
    ("variables", '{"sizeA": "3", "sizeB": 3.0, "intersection": 3, "explanation": ["a", "b"]}', "variables", 1),
    ("variables", '{"sizeA": 3, "sizeB": 0, "intersection": 0}', "variables", 0),
    # A prediction may name every column.
    ("variables", '{"sizeA": 1, "sizeB": 1999, "intersection": 1}', "variables", 2 / 2000),
    # One object where a list is meant, as Listing 1 prints it.
    ("extract", '{"hypothesis": {"text": "t", "context": "towns", "explanation": "half \\ud83d"}}', "context", 1),
    ("extract", '{"hypothesis": {"context": null}}', "context", 1),
]

INVALID: list[Case] = [
    ("extract", "I see no context."),
    ("extract", '{"hypothesis": "towns"}'),
    ("extract", '{"hypothesis": [{"text": "no context key"}]}'),
    ("match", "null"),
    ("match", '{"match": "yes"}'),
    ("match", '<think>{"match": true}'),
    ("match", '{"match": false}<think></think>{"match": true}'),
    ("variables", '{"sizeA": 2, "sizeB": 2, "intersection": 3}'),
    ("variables", '{"sizeA": 0, "sizeB": 2, "intersection": 0}'),
    ("variables", '{"sizeA": 2, "sizeB": 0, "intersection": 1}'),
    ("variables", '{"sizeA": 2, "sizeB": -1, "intersection": -1}'),
    ("variables", '{"sizeA": 51, "sizeB": 60, "intersection": 1}'),
    ("variables", '{"sizeA": 2.5, "sizeB": 2, "intersection": 1}'),
    ("variables", '{"sizeA": true, "sizeB": 2, "intersection": 1}'),
    ("variables", '{"sizeA": 2, "sizeB": 2}'),
    ("relationship", '{"answer": "A) different"}'),
    ("relationship", '{"answer": "not very similar"}'),
    ("relationship", '{"answer": "A or B"}'),
    ("relationship", '```json\n{"answer": "A"}\n```\nor\n```json\n{"answer": "C"}\n```'),
    ("relationship", '{"answer": "A", "explanation": "cut o'),
    ("relationship", '{"answer": "A"} I hope this helps.'),
    ("relationship", '{"answer": "A", "answer": "C"}'),
    ("relationship", '{"answer": ' + "[" * 5_000),
]


def judge_all(cases: Sequence[Case]) -> tuple[EvalLog, dict[int, list[Request]]]:
    """The log of an eval with a sample for each case, and the requests for each, by its index.

    The other questions are agreed with.
    """
    agreeing = scripted()

    def answer(request: Request) -> str:
        name, reply = cases[case_number(request) - 1]
        if question(request) == name:
            return reply
        if question(request) == "extract" and name == "match":
            return truthful(request)  # two contexts that differ
        return str(agreeing(request))

    judge = InProcessJudge(answer)
    log = evaluate(judge.model, numbers=range(1, len(cases) + 1))
    requests = defaultdict(list)
    for request in judge.requests:
        index = case_number(request) - 1
        requests[index].append(request)
    return log, requests


def test_a_valid_reply_determines_the_score() -> None:
    log, requests = judge_all([(name, reply) for name, reply, _, _ in VALID])
    scores = scores_of(log)
    for index, (name, reply, facet, value) in enumerate(VALID):
        assert scores[index].values == {**FULL, facet: value, "hms": value}, reply
        questions = {question(request) for request in requests[index]}
        # The contexts are identical, except where the match is what is tested.
        expected = set(ALL_QUESTIONS) if name == "match" else set(ALL_QUESTIONS) - {"match"}
        assert questions == expected, reply
        assert len(requests[index]) == 1 + len(expected), reply


FACETS = {"extract": "context", "match": "context", "variables": "variables", "relationship": "relationship"}


def test_invalid_replies_are_sent_back_and_then_unscored() -> None:
    log, requests = judge_all(INVALID)
    scores = scores_of(log)
    for index, (name, reply) in enumerate(INVALID):
        score = scores[index]
        facet = FACETS[name]
        decided = {"context", "variables", "relationship"} - {facet}
        # Decided facets keep their values, here 1.
        assert score.unscored == {"hms", facet}, reply
        assert score.reason == "grader_failed", reply
        assert "Not scored" in score.explanation, reply
        assert set(score.record["facets"]) == decided, reply
        tries = [question(request) for request in requests[index]].count(name)
        assert tries == (6 if name == "extract" else 3), reply
