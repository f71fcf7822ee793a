"""What only a model can decide: its reply is true, false or no value."""

import json
from functools import cache

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import get_model

from inspect_discoverybench import demo
from tests.endpoint import Request, serve
from tests.scanners.scanning import only, scanned, values
from tests.solvers.agents import AGENTS
from tests.solvers.scripted import python, scripted, submit

SCANNERS = ("environment_failure_as_finding", "judge_contradiction", "names_published_study")


@pytest.fixture
def log() -> EvalLog:
    hypothesis = "There are no observations after 1990, as the original study found."
    turns = [python("open('absent.csv')"), submit(hypothesis=hypothesis, workflow="Looked for the file.")]
    [result] = inspect_eval(demo(), model=scripted(turns), solver=AGENTS["react"](), limit=1)
    assert result.status == "success"
    return result


def reply(present: object, **more: object) -> str:
    return json.dumps({"explanation": "It says so.", "present": present, **more})


@cache
def invalid_replies() -> list[str]:
    return [reply("yes"), reply(1), reply(True, certain=True), '{"present": true}', "true", ""]


def test_the_model_decides(log: EvalLog) -> None:
    for present in (True, False):
        results = scanned(log, SCANNERS, model=scripted([reply(present)]))
        assert values(results) == dict.fromkeys(SCANNERS, present)
        row = only(results, "environment_failure_as_finding")
        assert row["explanation"].startswith("It says so. (1 of 1 outputs report a failure: FileNotFoundError")
    assert values(scanned(log, SCANNERS)) == dict.fromkeys(SCANNERS, None)


def test_an_invalid_reply_is_no_negative(log: EvalLog) -> None:
    invalid = invalid_replies()
    results = scanned(log, SCANNERS[:1], model=scripted(invalid))
    assert values(results) == {SCANNERS[0]: None}
    assert "no valid reply" in only(results, SCANNERS[0])["explanation"]
    # A corrected reply counts.
    assert values(scanned(log, SCANNERS[:1], model=scripted([invalid[0], reply(False)]))) == {SCANNERS[0]: False}


def test_the_question_over_http(log: EvalLog) -> None:
    def answer(request: Request) -> str:
        return reply("no data" in str(request["messages"][-1]["content"]))

    with serve(answer) as endpoint:
        model = get_model("openai/gpt-4o", base_url=endpoint.url, api_key="test", memoize=False)
        results = scanned(log, SCANNERS[:1], model=model)
    assert values(results) == {SCANNERS[0]: True}
    [request] = endpoint.requests
    content = str(request["messages"][-1]["content"])
    assert "open('absent.csv')" in content
    assert "FileNotFoundError" in content
