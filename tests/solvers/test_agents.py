"""What holds for every agent of the paper, in both forms: one eval per agent, one demo task per script."""

import json
from collections.abc import Callable

import pytest
from inspect_ai.model import ChatMessage, ModelOutput
from inspect_ai.solver import Solver

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.solvers.reflexion import reflexion
from tests.solvers.agents import AGENTS, USE_PYTHON
from tests.solvers.scripted import (
    FORMS,
    Script,
    Turn,
    calls,
    judged,
    observations,
    play_all,
    python,
    reason,
    submission,
    submit,
)

pytestmark = pytest.mark.usefixtures("sweep")

ANSWER = submit(hypothesis="In all rows, y rises with x.", workflow="1. load")


def worker(code: str) -> Script:
    """Runs this code whenever a program is asked for, submits in the end, and answers as critic and planner."""

    def turn(messages: list[ChatMessage], must: str) -> Turn:
        outputs = [message for message in messages if message.role == "tool" or "The code printed" in message.text]
        if must == "python":
            return python(code)
        if must == "submit":
            return ANSWER
        if "Draft the answer" in messages[-1].text:
            return json.dumps({"hypothesis": "In all rows, y rises with x.", "workflow": "1. load"})
        if "You are the critic" in messages[0].text:
            verdict = {"assessment": "r", "answered": len(outputs) >= 2, "progress": True, "next": "coder"}
            return json.dumps(verdict | {"instruction": f"part {len(outputs)}"})
        if any(message.text.startswith("It is the") for message in messages):
            return "1. Load the data."
        # ReAct may take any action.
        return python(code) if len(outputs) < 2 else ANSWER

    return turn


REFUSAL = ModelOutput.from_content(
    "mockllm/model", "I cannot help with that. Anything else?", stop_reason="content_filter"
)
WORKS = worker("print(6 * 7)")
TROUBLES: dict[str, Script] = {
    "works": WORKS,
    "code fails": worker("1 / 0"),
    "code never ends": worker("while True: pass"),
    "kernel dies": worker("import os; os._exit(1)"),
    "half a character": worker("print('\ud83d', 6 * 7)"),
    "empty": [""],
    "refuses": [REFUSAL],
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", AGENTS)
def test_failures_of_the_model_are_handled_by_every_agent(name: str, form: str) -> None:
    samples = play_all(TROUBLES, AGENTS[name](form))
    for trouble in ("works", "code fails", "code never ends", "kernel dies", "half a character"):
        assert submission(samples[trouble]) is not None, trouble
        assert judged(samples[trouble]), trouble
    assert (reason(samples["empty"]), judged(samples["empty"])) == ("no_response", False)
    assert (reason(samples["refuses"]), judged(samples["refuses"])) == ("refusal", True)
    if name in USE_PYTHON:
        assert "42" in observations(samples["half a character"])[0]
        assert "ZeroDivisionError" in observations(samples["code fails"])[0]
        assert "[Interrupted after the time limit of 1 s." in observations(samples["code never ends"])[0]
        assert "All variables are lost" in observations(samples["kernel dies"])[0]


@pytest.mark.parametrize("name", AGENTS)
def test_no_tools_are_offered_to_a_model_that_acts_in_text(name: str) -> None:
    [sample] = play_all({"works": WORKS}, AGENTS[name]("text")).values()
    assert [call for call in calls(sample) if call.tools] == []
    for call in calls(sample):
        texts = "\n".join(message.text for message in call.input)
        assert "`python`" not in texts
        assert "`submit`" not in texts


@pytest.mark.parametrize("name", AGENTS)
def test_a_submission_before_a_token_limit_is_scored(name: str) -> None:
    scripts = {f"call {number}": WORKS for number in range(9)}
    samples = play_all(scripts, AGENTS[name]("calls"), expensive=range(9), token_limit="output:500")
    limited = [sample for sample in samples.values() if sample.limit is not None]
    assert limited
    for sample in limited:
        assert sample.limit
        assert sample.limit.type == "token"
        has_submission = submission(sample) is not None
        assert judged(sample) == has_submission
        assert (reason(sample) is None) == has_submission
    # The limit ends this sample at its first call, before anything is submitted.
    assert submission(samples["call 0"]) is None
    assert any(submission(sample) is not None for sample in samples.values())


@pytest.mark.parametrize(("agent", "argument"), [(react, {"turns": 0}), (reflexion, {"trials": True})])
def test_arguments_must_be_positive_integers(agent: Callable[..., Solver], argument: dict[str, int]) -> None:
    [(name, value)] = argument.items()
    with pytest.raises(InvalidArgument, match=f"^{name} must be a positive integer, got {value}.$"):
        agent(**argument)


@pytest.mark.parametrize("name", AGENTS)
def test_another_form_is_refused(name: str) -> None:
    with pytest.raises(InvalidArgument, match="actions must be calls or text, got words"):
        AGENTS[name]("words")
