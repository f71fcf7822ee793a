"""Every form of reply that judges have been seen to give: read, asked again, or unscored.

One eval judges all cases of a kind, each in a sample of its own.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from math import isnan
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score

from inspect_discoverybench.scorer.scorer import hms
from tests.endpoint import Request, question, slots
from tests.scorer.judging import FULL, InProcessJudge, case_number, sample, scripted, writes_its_number

VALID = [
    ("match", '{"match": "false"}', "context", 0),
    ("match", '{"match": "True"}', "context", 1),
    ("match", '```json\n{"match": false}\n```', "context", 0),
    ("relationship", '{"answer": "a)"}', "relationship", 1),
    ("relationship", '{"answer": "A) very similar"}', "relationship", 1),
    ("relationship", '{"answer": "B) similar but general than HypoA"}', "relationship", 0.5),
    ("relationship", '{"answer": "B) similar but more general than HypoA"}', "relationship", 0.5),
    ("relationship", '{"answer": "Option A"}', "relationship", 1),
    ("relationship", '{"answer": "A - very similar"}', "relationship", 1),
    ("relationship", '{"answer": "Answer: C) different"}', "relationship", 0),
    ("relationship", 'Here it is:\n```json\n{"answer": "B"}\n```\nI hope this helps.', "relationship", 0.5),
    ("relationship", '{"answer": "Different"}', "relationship", 0),
    ("variables", '{"sizeA": "3", "sizeB": "3", "intersection": "3"}', "variables", 1),
    ("variables", '{"sizeA": 3, "sizeB": 3, "intersection": 0}', "variables", 0),
    ("variables", '{"sizeA": 3.0, "sizeB": 3, "intersection": 3, "explanation": ["a", "b"]}', "variables", 1),
    ("variables", '{"sizeA": 3, "sizeB": 0, "intersection": 0}', "variables", 0),
    ("relationship", '{"answer": "A", "explanation": "first line\nsecond\tline\r\n"}', "relationship", 1),
    ("relationship", '\ufeff{"answer": "B"}', "relationship", 0.5),
    ("relationship", '<think>Is it {"answer": "A"}? No.</think>\n{"answer": "C"}', "relationship", 0),
    (
        "relationship",
        '<Reasoning step="1">a < b</reasoning><reflection>ok</reflection>{"answer": "B"}',
        "relationship",
        0.5,
    ),
    ("relationship", 'The template holds the opening tag.</think>{"answer": "B"}', "relationship", 0.5),
    ("relationship", '{"answer": "C", "explanation": "</think>{\\"answer\\": \\"A\\"}"}', "relationship", 0),
    ("match", '<THINK>\n</Think>\n```json\n{"match": false}\n```', "context", 0),
    ("match", '\ufeff<think>the text says </think {"match": true}></think>{"match": false}', "context", 0),
    ("match", '<think>it quotes </think>{"match": true} and goes on</think>{"match": false}', "context", 0),
    # A prediction may name every column.
    ("variables", '{"sizeA": 1, "sizeB": 51, "intersection": 1}', "variables", 2 / 52),
    ("variables", '{"sizeA": 1, "sizeB": "1999", "intersection": 1}', "variables", 2 / 2000),
    ("variables", '{"sizeA": 1, "sizeB": 123456.0, "intersection": 0}', "variables", 0),
    # One object where a list is meant, as Listing 1 prints it.
    ("extract", '{"hypothesis": {"text": "t", "context": "towns", "explanation": "said so"}}', "context", 1),
    ("extract", '{"hypothesis": {"context": null}}', "context", 1),
    ("extract", '```json\n{"hypothesis": {"context": "In  Towns"}}\n```', "context", 1),
]

INVALID = [
    ("extract", "I see no context."),
    ("extract", '{"hypothesis": "towns"}'),
    ("extract", '{"contexts": []}'),
    ("extract", '{"hypothesis": [{"text": "no context key"}]}'),
    ("match", "null"),
    ("match", '{"match": 1}'),
    ("match", '{"match": "yes"}'),
    ("variables", '{"sizeA": 2, "sizeB": 2, "intersection": 3}'),
    ("variables", '{"sizeA": 0, "sizeB": 2, "intersection": 0}'),
    ("variables", '{"sizeA": 2, "sizeB": 0, "intersection": 1}'),
    ("variables", '{"sizeA": 2, "sizeB": -1, "intersection": 0}'),
    ("variables", '{"sizeA": 2, "sizeB": 2, "intersection": -1}'),
    ("variables", '{"sizeA": 51, "sizeB": 60, "intersection": 1}'),
    ("variables", '{"sizeA": 2.5, "sizeB": 2, "intersection": 1}'),
    ("variables", '{"sizeA": true, "sizeB": 2, "intersection": 1}'),
    ("variables", '{"sizeA": 2, "sizeB": 2}'),
    ("relationship", '{"answer": "A) different"}'),
    ("relationship", '```json\n{"answer": "A"}\n```\nor\n```json\n{"answer": "C"}\n```'),
    ("relationship", '{"answer": "not very similar"}'),
    ("relationship", '{"answer": "A or B"}'),
    ("relationship", '{"answer": "A", "explanation": "cut o'),
    ("relationship", '{"answer": "A"} I hope this helps.'),
    ("relationship", 'Here it is: {"answer": "A"}'),
    ("relationship", '<answer>{"answer": "A"}</answer>'),
    ("match", '<think>{"match": true}'),
    ("match", '{"match": false}<think></think>{"match": true}'),
    ("match", '{"match": false}</think>{"match": true}'),
    ("relationship", ""),
    ("relationship", '{"answer": "A", "answer": "C"}'),
    ("relationship", '{"answer": ' + "[" * 5_000),
    ("variables", '{"sizeA": "1_0", "sizeB": 2, "intersection": 1}'),
    ("extract", '{"hypothesis": [{"context": "half \\ud83d"}]}'),
]


def judge_all(
    cases: Sequence[tuple[Any, ...]], *, first_only: bool = False
) -> tuple[EvalLog, dict[int, list[Request]]]:
    """The log of an eval with a sample for each case, and the requests for each. The other questions are agreed with.

    Args:
        cases: Question and reply; other fields are ignored.
        first_only: Whether only the first reply is that of the case.
    """
    good = scripted()

    def answer(request: Request) -> str:
        name, reply, *_ = cases[case_number(request) - 1]
        if question(request) == name and not (first_only and len(request["messages"]) > 2):
            return str(reply)
        if question(request) == "extract" and name == "match":
            return json.dumps({"hypothesis": [{"context": slots(request)["hypothesis"]}]})
        return str(good(request))

    judge = InProcessJudge(answer)
    task = Task([sample(n) for n in range(1, len(cases) + 1)], solver=writes_its_number(), scorer=hms())
    log = inspect_eval(task, model="mockllm/model", model_roles={"grader": judge.model})[0]
    assert log.status == "success", log.error
    requests = defaultdict(list)
    for request in judge.requests:
        requests[case_number(request) - 1].append(request)
    return log, requests


def score_of_case(log: EvalLog, index: int) -> Score:
    sample = next(s for s in log.samples or [] if str(s.id).endswith(f"/{index + 1}"))
    return (sample.scores or {})["HMS"]


def test_a_valid_reply_determines_the_score() -> None:
    log, requests = judge_all(VALID)
    for index, (name, reply, facet, value) in enumerate(VALID):
        assert score_of_case(log, index).value == {**FULL, facet: value, "hms": value}, reply
        assert len(requests[index]) == (5 if name == "match" else 4), reply


def test_invalid_replies_are_sent_back_and_then_unscored() -> None:
    log, requests = judge_all(INVALID)
    for index, (name, reply) in enumerate(INVALID):
        score = score_of_case(log, index)
        decided = {"context", "variables", "relationship"} - {
            {"extract": "context", "match": "context"}.get(name, name)
        }
        assert isinstance(score.value, dict)
        # NaN is excluded from every metric. Decided facets keep their values, here 1.
        assert {key for key, value in score.value.items() if value == 1} == decided, reply
        assert isnan(float(str(score.value["hms"]))), reply
        assert score.reason == "grader_failed", reply
        assert "Not scored" in str(score.explanation), reply
        asked = [question(request) for request in requests[index]].count(name)
        assert asked == (6 if name == "extract" else 3), reply
        assert set((score.metadata or {})["facets"]) == decided, reply
    assert log.results
    [hms_mean] = [score for score in log.results.scores if score.name == "hms" and "mean" in score.metrics]
    assert (hms_mean.scored_samples, hms_mean.unscored_samples) == (0, len(INVALID))
    whole = next(score for score in log.results.scores if score.name == "HMS")
    values = {name: metric.value for name, metric in whole.metrics.items()}
    assert values == {"unscored": len(INVALID), "lower_bound": 0, "upper_bound": 1}


def test_a_valid_second_reply_is_accepted() -> None:
    cases = [next(case for case in INVALID if case[0] == name) for name in ("extract", "match", "variables")]
    log, requests = judge_all(cases, first_only=True)
    for index, (name, reply) in enumerate(cases):
        score = score_of_case(log, index)
        assert score.value == FULL
        assert (score.metadata or {})["asked_again"] == (2 if name == "extract" else 1)
        again = [request for request in requests[index] if len(request["messages"]) > 2]
        assert again
        for request in again:
            assert request["messages"][2]["content"] == reply
            assert "could not be used" in request["messages"][3]["content"]
