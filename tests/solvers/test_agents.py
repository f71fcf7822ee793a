"""What holds for every agent of the paper, in both forms: one eval per agent, one demo task per script."""

import json

import pytest
from inspect_ai.model import ChatMessage, ModelOutput

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.solvers.named_agent import named_agent
from inspect_discoverybench.solvers.react import react
from tests.solvers.agents import AGENTS, USE_PYTHON
from tests.solvers.scripted import (
    BOTH_FORMS,
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
    verdict,
)

pytestmark = pytest.mark.usefixtures("slow")

EACH_AGENT = pytest.mark.parametrize("name", AGENTS)

HYPOTHESIS = "In all rows, y rises with x."
ANSWER = submit(hypothesis=HYPOTHESIS, workflow="1. load")
DRAFT = json.dumps({"hypothesis": HYPOTHESIS, "workflow": "1. load"})


def worker(code: str, expensive: int | None = None) -> Script:
    """Runs this code whenever a program is asked for, submits in the end, and answers as critic and planner.

    Args:
        code: The code.
        expensive: Number of the turn that costs 1000 tokens, from 1 on.
    """
    turns = 0

    def turn(messages: list[ChatMessage], required: str) -> Turn:
        nonlocal turns
        turns += 1
        action = act(messages, required)
        return costly(action) if turns == expensive else action

    def act(messages: list[ChatMessage], required: str) -> Turn:
        results = [message for message in messages if message.role == "tool" or "The code printed" in message.text]
        if required == "python":
            return python(code)
        if required == "submit":
            return ANSWER
        if "Draft the answer" in messages[-1].text:
            return DRAFT
        if "You are the critic" in messages[0].text:
            return verdict("coder", f"part {len(results)}", answered=len(results) >= 2)
        # DataVoyager's planner.
        if any(message.text.startswith("It is the") for message in messages):
            return "1. Load the data."
        # ReAct may take any action.
        return python(code) if len(results) < 2 else ANSWER

    return turn


# The offline judge says of a text that ends with a question mark that it asserts no hypothesis.
REFUSAL = ModelOutput.from_content(
    "mockllm/model",
    "I cannot help with that. Anything else?",
    stop_reason="content_filter",
)
FAILURES = {
    "code fails": ("1 / 0", "ZeroDivisionError"),
    "kernel dies": ("import os; os._exit(1)", "All variables are lost"),
    "half a character": ("print('\ud83d', 6 * 7)", "42"),
}
"""Code, and what the model then reads."""


@BOTH_FORMS
@EACH_AGENT
def test_failures_of_code_are_shown_to_every_agent_which_then_submits(name: str, form: str) -> None:
    agent = AGENTS[name](form)
    scripts = {failure: worker(code) for failure, (code, _) in FAILURES.items()}
    for failure, sample in play_all(scripts, agent).items():
        assert submission(sample) is not None, failure
        assert judged(sample), failure
        if name in USE_PYTHON:
            _, output = FAILURES[failure]
            assert output in observations(sample)[0]


@BOTH_FORMS
@EACH_AGENT
def test_every_agent_ends_if_the_model_says_nothing_or_refuses(name: str, form: str) -> None:
    agent = AGENTS[name](form)
    scripts: dict[str, Script] = {"empty": [""], "refuses": [REFUSAL]}
    samples = play_all(scripts, agent)
    assert reason(samples["empty"]) == "no_response"
    assert not judged(samples["empty"])
    assert reason(samples["refuses"]) == "refusal"
    assert judged(samples["refuses"])


@EACH_AGENT
def test_no_tools_are_offered_to_a_model_that_acts_in_text(name: str) -> None:
    sample = play(worker("print(1)"), AGENTS[name]("text"))
    for call in calls(sample):
        assert call.tools == []
        texts = "\n".join(message.text for message in call.input)
        assert "`python`" not in texts
        assert "`submit`" not in texts


@EACH_AGENT
def test_a_submission_before_a_token_limit_is_scored(name: str) -> None:
    # Agents make different numbers of calls. One that submits in an earlier call than the expensive one never reaches
    # the limit.
    scripts = {f"call {number}": worker("print(1)", expensive=number) for number in range(1, 10)}
    samples = play_all(scripts, AGENTS[name]("calls"), token_limit="output:500")
    for sample in samples.values():
        has_submission = submission(sample) is not None
        assert judged(sample) == has_submission
        assert reason(sample) == (None if has_submission else "no_response")
    # The limit ends this sample at its first call, before anything is submitted.
    assert samples["call 1"].limit
    assert submission(samples["call 1"]) is None


def test_arguments_out_of_range_are_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"^turns must be a positive integer, got 0\.$"):
        react(turns=0)
    with pytest.raises(InvalidArgument, match=r"^actions must be calls or text, got words\.$"):
        react(actions="words")


@pytest.mark.parametrize("name", USE_PYTHON)
@pytest.mark.parametrize("seconds", [0, -1, "fast"])
def test_a_time_limit_of_cells_that_is_no_positive_number_is_refused(name: str, seconds: int | str) -> None:
    with pytest.raises(InvalidArgument, match=rf"^cell_seconds must be a positive integer, got {seconds}\.$"):
        named_agent(f"discoverybench/{name}", {"cell_seconds": seconds})
