"""Failures that every agent of the paper must handle: one eval per agent, one demo task per failure."""

import json
from collections.abc import Callable

import pytest
from inspect_ai.model import ChatMessage, ModelOutput
from inspect_ai.solver import Solver

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.solvers.reflexion import reflexion
from inspect_discoverybench.submission.submission import SubmissionState
from tests.solvers.agents import AGENTS, USE_PYTHON
from tests.solvers.scripted import Script, Turn, judged, observations, play_all, python, reason, submission, submit

pytestmark = pytest.mark.usefixtures("sweep")

HANDED_IN = submit(hypothesis="In all rows, y rises with x.", workflow="1. load")
VERDICT = {"reason": "r", "answered": False, "progress": True, "next": "coder", "instruction": "go on"}


def worker(code: str) -> Script:
    """Runs this code whenever a program is asked for, submits in the end, and answers as critic and planner."""

    def turn(messages: list[ChatMessage], must: str) -> Turn:
        if must == "python":
            return python(code)
        if must == "submit":
            return HANDED_IN
        if messages[0].role == "system" and "You are the critic" in messages[0].text:
            calls = sum(message.role == "tool" for message in messages)
            return json.dumps(VERDICT | {"answered": calls >= 2, "instruction": f"part {calls}"})
        if any(message.text.startswith("It is the") for message in messages):
            return "1. Load the data."
        # ReAct may call any tool.
        calls = sum(message.role == "tool" for message in messages)
        return python(code) if calls < 2 else HANDED_IN

    return turn


REFUSAL = ModelOutput.from_content(
    "mockllm/model", "I cannot help with that. Anything else?", stop_reason="content_filter"
)
TROUBLES: dict[str, Script] = {
    "works": worker("print(6 * 7)"),
    "code fails": worker("1 / 0"),
    "code never ends": worker("while True: pass"),
    "kernel dies": worker("import os; os._exit(1)"),
    "empty": [""],
    "refuses": [REFUSAL],
    "half a character": worker("print('\ud83d', 6 * 7)"),
}


@pytest.mark.parametrize("name", AGENTS)
def test_failures_of_the_model_are_handled_by_every_agent(name: str) -> None:
    samples = play_all(TROUBLES, AGENTS[name]())
    for trouble in ("works", "code fails", "code never ends", "kernel dies", "half a character"):
        assert submission(samples[trouble]) is not None, trouble
        assert judged(samples[trouble]), trouble
    for trouble in ("empty", "refuses"):
        assert reason(samples[trouble]) == ("refusal" if trouble == "refuses" else "no_response"), trouble
        assert judged(samples[trouble]) == (trouble == "refuses"), trouble
    if name in USE_PYTHON:
        assert "42" in observations(samples["half a character"])[0]
        assert "ZeroDivisionError" in observations(samples["code fails"])[0]
        assert "[Interrupted after the time limit of 1 s." in observations(samples["code never ends"])[0]
        assert "All variables are lost" in observations(samples["kernel dies"])[0]


@pytest.mark.parametrize("name", AGENTS)
def test_a_submission_before_a_token_limit_is_scored(name: str) -> None:
    scripts = {f"call {number}": TROUBLES["works"] for number in range(8)}
    samples = play_all(scripts, AGENTS[name](), expensive=range(8), token_limit="output:500")
    limited = [sample for sample in samples.values() if sample.limit is not None]
    assert limited
    for sample in limited:
        assert sample.limit
        assert sample.limit.type == "token"
        assert judged(sample) == (sample.store_as(SubmissionState).submission is not None)
        assert (reason(sample) is None) == judged(sample)
    # The limit ends this sample at its first call, before anything is submitted.
    assert submission(samples["call 0"]) is None
    assert any(submission(sample) is not None for sample in samples.values())


@pytest.mark.parametrize(("agent", "argument"), [(react, {"turns": 0}), (reflexion, {"trials": True})])
def test_arguments_must_be_positive_integers(agent: Callable[..., Solver], argument: dict[str, int]) -> None:
    [(name, value)] = argument.items()
    with pytest.raises(InvalidArgument, match=f"^{name} must be a positive integer, got {value}.$"):
        agent(**argument)
