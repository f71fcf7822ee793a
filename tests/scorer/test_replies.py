"""Every form of reply that judges have been seen to give: read, asked again, or unscored.

One eval judges all cases of a kind, each in a sample of its own.
"""

import json
from collections.abc import Callable
from math import isnan
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score

from inspect_discoverybench.scorer.scorer import hms
from tests.endpoint import Answer, Request, question, slots
from tests.scorer.judging import FULL, InProcessJudge, case_number, sample, scripted, writes_its_number

INSIDE = [
    ("match", '{"match": "false"}', "context", 0),
    ("match", '{"match": "True"}', "context", 1),
    ("match", '```json\n{"match": false}\n```', "context", 0),
    ("match", '{"match": false, "why": "extra"}', "context", 0),
    ("relationship", '{"answer": "A"}', "relationship", 1),
    ("relationship", '{"answer": "a)"}', "relationship", 1),
    ("relationship", '{"answer": "A) very similar"}', "relationship", 1),
    ("relationship", '{"answer": "very similar"}', "relationship", 1),
    ("relationship", '{"answer": "B) similar but general than HypoA"}', "relationship", 0.5),
    ("relationship", '{"answer": "Similar but general than HypoA."}', "relationship", 0.5),
    ("relationship", '{"answer": "C. different"}', "relationship", 0),
    ("relationship", '{"answer": "B) similar but more general than HypoA"}', "relationship", 0.5),
    ("relationship", '{"answer": "Option A"}', "relationship", 1),
    ("relationship", '{"answer": "A - very similar"}', "relationship", 1),
    ("relationship", '{"answer": "Answer: C) different"}', "relationship", 0),
    ("relationship", 'Here it is:\n```json\n{"answer": "B"}\n```\nI hope this helps.', "relationship", 0.5),
    ("relationship", '{"answer": "(C)"}', "relationship", 0),
    ("relationship", '{"answer": "Different"}', "relationship", 0),
    ("variables", '{"sizeA": "3", "sizeB": "3", "intersection": "3"}', "variables", 1),
    ("variables", '{"sizeA": 3, "sizeB": 3, "intersection": 0}', "variables", 0),
    ("variables", '{"sizeA": 3.0, "sizeB": 3, "intersection": 3, "explanation": ["a", "b"]}', "variables", 1),
    ("variables", '{"sizeA": 3, "sizeB": 0, "intersection": 0}', "variables", 0),
    ("variables", '{"sizeA": "3", "sizeB": "0", "intersection": 0.0}', "variables", 0),
    ("relationship", '{"answer": "A", "explanation": "first line\nsecond\tline\r\n"}', "relationship", 1),
    ("relationship", '\ufeff{"answer": "B"}', "relationship", 0.5),
    ("relationship", '\ufeff```json\n{"answer": "B"}\n```', "relationship", 0.5),
    ("relationship", '<think>Is it {"answer": "A"}? No.</think>\n{"answer": "C"}', "relationship", 0),
    ("relationship", '<thinking>\nA, or B?\n</thinking>\n\n```json\n{"answer": "B"}\n```', "relationship", 0.5),
    (
        "relationship",
        '<Reasoning step="1">a < b</reasoning><reflection>ok</reflection>{"answer": "B"}',
        "relationship",
        0.5,
    ),
    ("relationship", 'The template holds the opening tag.</think>{"answer": "B"}', "relationship", 0.5),
    ("relationship", '{"answer": "C", "explanation": "</think>{\\"answer\\": \\"A\\"}"}', "relationship", 0),
    ("match", '<think>They differ.</think>{"match": false}', "context", 0),
]

OUTSIDE = [
    ("extract", "I see no context."),
    ("extract", '{"hypothesis": "towns"}'),
    ("extract", '{"contexts": []}'),
    ("extract", '{"hypothesis": [{"text": "no context key"}]}'),
    ("match", "They match."),
    ("match", "null"),
    ("match", '{"match": 1}'),
    ("match", '{"match": "yes"}'),
    ("variables", '{"sizeA": 2, "sizeB": 2, "intersection": 3}'),
    ("variables", '{"sizeA": 0, "sizeB": 2, "intersection": 0}'),
    ("variables", '{"sizeA": 2, "sizeB": 0, "intersection": 1}'),
    ("variables", '{"sizeA": 2, "sizeB": -1, "intersection": 0}'),
    ("variables", '{"sizeA": 2, "sizeB": 2, "intersection": -1}'),
    ("variables", '{"sizeA": 2.5, "sizeB": 2, "intersection": 1}'),
    ("variables", '{"sizeA": true, "sizeB": 2, "intersection": 1}'),
    ("variables", '{"sizeA": 2, "sizeB": 2}'),
    ("variables", "two, two and two"),
    ("variables", '{"sizeA": 2, "sizeB": 51, "intersection": 1}'),
    ("relationship", '{"answer": "A) different"}'),
    ("relationship", '```json\n{"answer": "A"}\n```\nor\n```json\n{"answer": "C"}\n```'),
    ("relationship", '{"answer": "not very similar"}'),
    ("relationship", '{"answer": "All differ"}'),
    ("relationship", '{"answer": "A or B"}'),
    ("relationship", '{"answer": "A", "explanation": "cut o'),
    ("relationship", '{"answer": "A"} I hope this helps.'),
    ("relationship", 'Here it is: {"answer": "A"}'),
    ("relationship", '<answer>{"answer": "A"}</answer>'),
    ("relationship", "A"),
    ("relationship", ""),
    ("relationship", '{"answer": "A", "answer": "C"}'),
    ("relationship", '{"answer": ' + "[" * 5_000),
    ("variables", '{"sizeA": "1_0", "sizeB": 2, "intersection": 1}'),
    ("extract", '{"hypothesis": [{"context": "half \\ud83d"}]}'),
]


class Judged:
    """The log of an eval over the cases, numbered from 1, and the requests to the judge for each."""

    def __init__(self, log: EvalLog, requests: list[Request]) -> None:
        assert log.status == "success", log.error
        self.log = log
        self.requests = requests

    def score(self, index: int) -> Score:
        assert self.log.samples
        sample = next(s for s in self.log.samples if str(s.id).endswith(f"/{index + 1}"))
        assert sample.scores
        return sample.scores["HMS"]

    def requests_of(self, index: int) -> list[Request]:
        return [request for request in self.requests if case_number(request) == index + 1]


@pytest.fixture(scope="module")
def judge_all(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Judged]:
    """Judge one sample per case, with a scripted judge."""

    def judged(count: int, answer: Callable[[Request], Answer]) -> Judged:
        judge = InProcessJudge(answer)
        task = Task([sample(n) for n in range(1, count + 1)], solver=writes_its_number(), scorer=hms())
        folder = tmp_path_factory.mktemp("judged")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("INSPECT_CACHE_DIR", str(folder / "cache"))
            log = inspect_eval(
                task,
                model="mockllm/model",
                model_roles={"grader": judge.model},
                log_dir=str(folder / "logs"),
                display="none",
            )[0]
        return Judged(log, judge.requests)

    return judged


def agreeing(cases: list[tuple[Any, ...]]) -> Callable[[Request], str]:
    """A judge that agrees with everything. Contexts differ only in the cases about the match."""
    good = scripted()

    def answer(request: Request) -> str:
        if question(request) == "extract" and cases[case_number(request) - 1][0] == "match":
            return json.dumps({"hypothesis": [{"context": slots(request)["hypothesis"]}]})
        return str(good(request))

    return answer


@pytest.fixture(scope="module")
def inside(judge_all: Callable[..., Judged]) -> Judged:
    def answer(request: Request) -> Answer:
        name, reply, *_ = INSIDE[case_number(request) - 1]
        return reply if question(request) == name else agreeing(INSIDE)(request)

    return judge_all(len(INSIDE), answer)


@pytest.fixture(scope="module")
def outside(judge_all: Callable[..., Judged]) -> Judged:
    def answer(request: Request) -> Answer:
        name, reply = OUTSIDE[case_number(request) - 1]
        return reply if question(request) == name else agreeing(OUTSIDE)(request)

    return judge_all(len(OUTSIDE), answer)


@pytest.fixture(scope="module")
def corrected(judge_all: Callable[..., Judged]) -> Judged:
    """The first reply is outside the contract, the second one inside."""

    def answer(request: Request) -> Answer:
        name, reply = OUTSIDE[case_number(request) - 1]
        first = question(request) == name and len(request["messages"]) == 2
        return reply if first else agreeing(OUTSIDE)(request)

    return judge_all(len(OUTSIDE), answer)


@pytest.mark.parametrize("index", range(len(INSIDE)), ids=[f"{name}-{reply}" for name, reply, *_ in INSIDE])
def test_a_valid_reply_determines_the_score(inside: Judged, index: int) -> None:
    name, _, facet, value = INSIDE[index]
    assert inside.score(index).value == {**FULL, facet: value, "hms": value}
    assert len(inside.requests_of(index)) == (5 if name == "match" else 4)


@pytest.mark.parametrize("index", range(len(OUTSIDE)), ids=[f"{name}-{reply[:60]}" for name, reply in OUTSIDE])
def test_invalid_replies_are_sent_back_and_then_unscored(outside: Judged, index: int) -> None:
    name, score = OUTSIDE[index][0], outside.score(index)
    decided = {"context", "variables", "relationship"} - {{"extract": "context", "match": "context"}.get(name, name)}
    assert isinstance(score.value, dict)
    # NaN is excluded from every metric. Decided facets keep their values, here 1.
    assert {key for key, value in score.value.items() if value == 1} == decided
    assert isnan(float(str(score.value["hms"])))
    assert score.reason == "grader_failed"
    assert "Not scored" in str(score.explanation)
    assert [question(request) for request in outside.requests_of(index)].count(name) == (6 if name == "extract" else 3)
    assert score.metadata
    assert set(score.metadata["facets"]) == decided


def test_unscored_samples_are_counted(outside: Judged) -> None:
    assert outside.log.results
    [hms_mean] = [score for score in outside.log.results.scores if score.name == "hms" and "mean" in score.metrics]
    assert (hms_mean.scored_samples, hms_mean.unscored_samples) == (0, len(OUTSIDE))
    bounds = next(score for score in outside.log.results.scores if score.name == "HMS")
    values = {name: metric.value for name, metric in bounds.metrics.items()}
    assert values == {"unscored": len(OUTSIDE), "lower_bound": 0, "upper_bound": 1}


@pytest.mark.parametrize("index", range(len(OUTSIDE)), ids=[f"{name}-{reply[:60]}" for name, reply in OUTSIDE])
def test_a_valid_second_reply_is_accepted(corrected: Judged, index: int) -> None:
    (name, reply), score = OUTSIDE[index], corrected.score(index)
    assert score.value == FULL
    assert score.metadata
    assert score.metadata["asked_again"] == (2 if name == "extract" else 1)
    again = [request for request in corrected.requests_of(index) if len(request["messages"]) > 2]
    assert len(again) == score.metadata["asked_again"]
    for request in again:
        assert request["messages"][2]["content"] == reply
        assert "could not be used" in request["messages"][3]["content"]
