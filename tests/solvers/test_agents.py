"""What holds for every agent of the paper, in both forms: one eval per agent, one demo task per script."""

import json

import pytest
from inspect_ai.model import ChatMessage, ModelOutput

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.solvers.reflexion import reflexion
from tests.solvers.agents import AGENTS, USE_PYTHON
from tests.solvers.scripted import (
    FORMS,
    Script,
    Turn,
    calls,
    costly,
    judged,
    observations,
    play,
    play_all,
    python,
    reason,
    submission,
    submit,
)

pytestmark = pytest.mark.usefixtures("sweep")

HYPOTHESIS = "In all rows, y rises with x."
ANSWER = submit(hypothesis=HYPOTHESIS, workflow="1. load")
DRAFT = json.dumps({"hypothesis": HYPOTHESIS, "workflow": "1. load"})


def verdict(results: int) -> str:
    """The critic's reply after this number of results."""
    reply = {
        "assessment": "r",
        "answered": results >= 2,
        "progress": True,
        "next": "coder",
        "instruction": f"part {results}",
    }
    return json.dumps(reply)


def worker(code: str, expensive: int | None = None) -> Script:
    """Runs this code whenever a program is asked for, submits in the end, and answers as critic and planner.

    The turn of this number costs 1000 tokens.
    """
    turns = 0

    def turn(messages: list[ChatMessage], must: str) -> Turn:
        nonlocal turns
        turns += 1
        action = act(messages, must)
        return costly(action) if turns == expensive else action

    def act(messages: list[ChatMessage], must: str) -> Turn:
        results = [message for message in messages if message.role == "tool" or "The code printed" in message.text]
        if must == "python":
            return python(code)
        if must == "submit":
            return ANSWER
        if "Draft the answer" in messages[-1].text:
            return DRAFT
        if "You are the critic" in messages[0].text:
            return verdict(len(results))
        if any(message.text.startswith("It is the") for message in messages):
            return "1. Load the data."
        # ReAct may take any action.
        return python(code) if len(results) < 2 else ANSWER

    return turn


REFUSAL = ModelOutput.from_content(
    "mockllm/model", "I cannot help with that. Anything else?", stop_reason="content_filter"
)
FAILURES = {
    "code fails": ("1 / 0", "ZeroDivisionError"),
    "code never ends": ("while True: pass", "[Interrupted after the time limit of 1 s."),
    "kernel dies": ("import os; os._exit(1)", "All variables are lost"),
    "half a character": ("print('\ud83d', 6 * 7)", "42"),
}
"""Code, and what the model then reads."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", AGENTS)
def test_failures_of_code_are_shown_to_every_agent_which_then_submits(name: str, form: str) -> None:
    agent = AGENTS[name](form)
    scripts = {failure: worker(code) for failure, (code, _) in FAILURES.items()}
    for failure, sample in play_all(scripts, agent).items():
        assert submission(sample) is not None, failure
        assert judged(sample), failure
        if name in USE_PYTHON:
            _, output = FAILURES[failure]
            assert output in observations(sample)[0]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", AGENTS)
def test_every_agent_ends_if_the_model_says_nothing_or_refuses(name: str, form: str) -> None:
    agent = AGENTS[name](form)
    scripts: dict[str, Script] = {"empty": [""], "refuses": [REFUSAL]}
    samples = play_all(scripts, agent)
    empty, refuses = samples["empty"], samples["refuses"]
    assert reason(empty) == "no_response"
    assert not judged(empty)
    assert reason(refuses) == "refusal"
    assert judged(refuses)


@pytest.mark.parametrize("name", AGENTS)
def test_no_tools_are_offered_to_a_model_that_acts_in_text(name: str) -> None:
    sample = play(worker("print(1)"), AGENTS[name]("text"))
    for call in calls(sample):
        assert call.tools == []
        texts = "\n".join(message.text for message in call.input)
        assert "`python`" not in texts
        assert "`submit`" not in texts


@pytest.mark.parametrize("name", AGENTS)
def test_a_submission_before_a_token_limit_is_scored(name: str) -> None:
    scripts = {f"call {number}": worker("print(1)", expensive=number) for number in range(1, 10)}
    samples = play_all(scripts, AGENTS[name]("calls"), token_limit="output:500")
    limited = [sample for sample in samples.values() if sample.limit is not None]
    assert limited
    for sample in limited:
        has_submission = submission(sample) is not None
        assert judged(sample) == has_submission
        assert reason(sample) == (None if has_submission else "no_response")
    # The limit ends this sample at its first call, before anything is submitted.
    assert submission(samples["call 1"]) is None


def test_arguments_must_be_positive_integers() -> None:
    with pytest.raises(InvalidArgument, match=r"^turns must be a positive integer, got 0\.$"):
        react(turns=0)
    with pytest.raises(InvalidArgument, match=r"^trials must be a positive integer, got True\.$"):
        reflexion(trials=True)


@pytest.mark.parametrize("name", AGENTS)
def test_another_form_is_refused(name: str) -> None:
    with pytest.raises(InvalidArgument, match="actions must be calls or text, got words"):
        AGENTS[name]("words")
