"""What real servers and small models do, through a loopback server: each trouble in both forms of acting."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSample
from inspect_ai.model import GenerateConfig, Model, get_model
from inspect_ai.solver import Solver

from inspect_discoverybench import demo
from inspect_discoverybench.solvers.codegen import codegen
from inspect_discoverybench.solvers.datavoyager import datavoyager
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.solvers.step import python_block
from tests.endpoint import Answer, Cut, Endpoint, NoChoices, Raw, Request, serve, tool_call
from tests.solvers.scripted import FORMS, observations, reason, submission, submitted

ANSWER = {"hypothesis": "In all rows, y rises with x.", "workflow": "1. load"}
OBJECT = json.dumps(ANSWER)
BLOCK = "I look at the data.\n\n```python\nprint(6 * 7)\n```"
CALL = json.dumps({"name": "python", "arguments": {"code": "print(6 * 7)"}})


def local_model(endpoint: Endpoint) -> Model:
    return get_model("openai-api/local/test", base_url=endpoint.url, api_key="test", memoize=False)


def anthropic_model(endpoint: Endpoint) -> Model:
    url = endpoint.url.removesuffix("/v1")
    config = GenerateConfig(max_tokens=4096)  # more would need streams
    return get_model("anthropic/test", config=config, base_url=url, api_key="test", memoize=False, streaming=False)


def run(
    solver: Solver,
    answer: Callable[[Request], Answer],
    model_of: Callable[[Endpoint], Model] = local_model,
) -> tuple[EvalSample, list[Request]]:
    """Run one demo task with a model of the server; return the sample and the agent's requests."""
    with serve(answer) as endpoint:
        model = model_of(endpoint)
        roles = {"grader": "discoverybench/lexical"}
        [log] = inspect_eval(demo(), model=model, model_roles=roles, solver=solver, limit=1)
    assert log.status == "success", log.error
    assert log.samples
    return log.samples[0], endpoint.requests


def score_metadata(sample: EvalSample) -> dict[str, Any]:
    assert sample.scores
    return sample.scores["HMS"].metadata or {}


def offered(request: Request) -> list[str]:
    return [tool["function"]["name"] for tool in request.get("tools") or []]


def in_turn(*answers: Answer) -> Callable[[Request], Answer]:
    """Give these answers, the last one repeatedly."""
    remaining = list(answers)
    return lambda _: remaining.pop(0) if len(remaining) > 1 else remaining[0]


def acting(form: str, *before: Answer) -> Callable[[Request], Answer]:
    """Give these answers first; then run code and submit in this form."""
    if form == "text":
        return in_turn(*before, BLOCK, OBJECT)
    return in_turn(*before, tool_call("python", code="print(6 * 7)"), tool_call("submit", **ANSWER))


def ignores_named_tools(request: Request) -> Answer:
    """A server such as llama.cpp's, which forces a call if one is required and ignores the choice of a certain tool."""
    if request.get("tool_choice") != "required":
        return "I would rather talk."
    [name] = offered(request)
    return tool_call("submit", **ANSWER) if name == "submit" else tool_call("python", code="print(6 * 7)")


@pytest.mark.parametrize("solver", [react(turns=1), codegen(), no_data_guess()])
def test_a_forced_call_needs_no_choice_of_a_certain_tool(solver: Solver) -> None:
    sample, _ = run(solver, ignores_named_tools)
    assert submitted(sample).source == "call"


def test_a_provider_that_needs_the_tools_of_earlier_calls_gets_them_in_requests_without_actions() -> None:
    """Anthropic refuses a conversation with calls whose tools are not listed."""
    verdict = {"assessment": "a", "answered": False, "progress": True, "next": "coder", "instruction": "count"}

    def team(request: Request) -> Answer:
        return json.dumps(verdict) if "You are the critic" in str(request["system"]) else "1. Count."

    _, requests = run(datavoyager(turns=1), team, anthropic_model)
    planner, critic, coder, analyst, _ = requests
    for request in (planner, critic):
        assert sorted(tool["name"] for tool in request["tools"]) == ["python", "submit"]
        assert request["tool_choice"] == {"type": "none"}
    assert [tool["name"] for tool in coder["tools"]] == ["python"]
    assert [tool["name"] for tool in analyst["tools"]] == ["submit"]
    assert coder["tool_choice"]["type"] == analyst["tool_choice"]["type"] == "any"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("reply", ["", NoChoices()], ids=["empty", "no choices"])
def test_an_empty_reply_is_requested_again(reply: Answer, form: str) -> None:
    sample, requests = run(react(actions=form), acting(form, reply, reply))
    assert len(requests) == 4
    assert submitted(sample).hypothesis == ANSWER["hypothesis"]
    assert observations(sample) == ["42"]


@pytest.mark.parametrize("form", FORMS)
def test_three_empty_replies_are_the_agents_own(form: str) -> None:
    sample, requests = run(no_data_guess(actions=form), in_turn(""))
    assert reason(sample) == "no_response"
    # The last step is repeated once.
    assert len(requests) == 6


@pytest.mark.parametrize("form", FORMS)
def test_a_reply_that_repeats_itself_until_the_token_limit_gets_a_reminder(form: str) -> None:
    endless = Cut("```python\nx = 1\n" + "x = x + 1\n" * 200, tokens=1000)
    sample, requests = run(react(actions=form), acting(form, endless))
    assert len(requests) == 3
    assert observations(sample) == ["42"]
    assert submitted(sample).hypothesis == ANSWER["hypothesis"]


OVERFLOWS = {
    "llama.cpp": {"code": 400, "message": "request (9000 tokens)", "type": "exceed_context_size_error"},
    "vLLM": {"code": 400, "message": "too long", "type": "BadRequestError", "param": "input_tokens"},
    "OpenAI": {"code": "context_length_exceeded", "message": "too long", "type": "invalid_request_error"},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("error", OVERFLOWS.values(), ids=OVERFLOWS)
def test_after_a_context_overflow_the_agent_submits_from_a_shorter_conversation(
    error: dict[str, Any], form: str
) -> None:
    overflow = Raw(400, json.dumps({"error": error}).encode())
    work = acting(form)

    def small(request: Request) -> Answer:
        if len(json.dumps(request["messages"])) > 12_000:
            return overflow
        is_last = "No hypothesis has been submitted" in str(request["messages"][-1])
        if is_last:
            return OBJECT if form == "text" else tool_call("submit", **ANSWER)
        return work(request) if len(request["messages"]) < 3 else longer

    code = "print('x' * 3000)"
    longer = f"```python\n{code}\n```" if form == "text" else tool_call("python", code=code)
    sample, _ = run(react(actions=form), small)
    assert submitted(sample).hypothesis == ANSWER["hypothesis"]


@pytest.mark.parametrize("written", [BLOCK, f"```json\n{CALL}\n```"], ids=["code", "a call"])
def test_calls_written_as_text_do_not_run(written: str) -> None:
    sample, _ = run(react(), in_turn(written, written, tool_call("submit", **ANSWER)))
    assert observations(sample) == []
    assert submitted(sample).hypothesis == ANSWER["hypothesis"]
    assert score_metadata(sample)["wrote_calls_as_text"] is True


@pytest.mark.parametrize(
    ("solver", "answer"),
    [
        (react(), acting("calls")),
        (react(), acting("calls", BLOCK)),
        (react(actions="text"), acting("text")),
        (react(), in_turn("I am not sure.", "y rises.", tool_call("submit", **ANSWER))),
        (no_data_guess(), in_turn(f"```json\n{OBJECT}\n```")),
    ],
    ids=["calls", "code once in text", "text", "words", "no python offered"],
)
def test_other_samples_are_not_marked(solver: Solver, answer: Callable[[Request], Answer]) -> None:
    sample, _ = run(solver, answer)
    assert "wrote_calls_as_text" not in score_metadata(sample)


def test_in_text_a_call_written_as_an_object_gets_a_reminder() -> None:
    sample, requests = run(react(actions="text"), acting("text", f"```json\n{CALL}\n```"))
    assert "Your message contains no action." in requests[1]["messages"][-1]["content"]
    assert observations(sample) == ["42"]


def test_what_follows_the_code_in_a_text_is_cut_off() -> None:
    """The model wrote it without having seen the output."""
    sample, requests = run(react(actions="text"), in_turn(f"{BLOCK}\n\nIt prints 17.\n{OBJECT}", OBJECT))
    assert requests[1]["messages"][-2]["content"] == BLOCK
    assert "42" in requests[1]["messages"][-1]["content"]
    assert len(requests) == 2
    assert submitted(sample).source == "object"


@pytest.mark.parametrize("solver", [react(actions="text"), codegen(actions="text")])
def test_an_answer_before_any_code_is_sent_back_once(solver: Solver) -> None:
    sample, requests = run(solver, acting("text", OBJECT))
    assert "You have not run any code yet" in requests[1]["messages"][-1]["content"]
    assert observations(sample) == ["42"]
    assert submission(sample)


def test_a_second_answer_before_any_code_is_submitted() -> None:
    sample, requests = run(react(actions="text"), in_turn(OBJECT))
    assert len(requests) == 2
    assert submitted(sample).hypothesis == ANSWER["hypothesis"]


def test_a_block_is_found_in_linear_time() -> None:
    assert python_block("```python\nx = '```'\n```\nmore") is not None
    assert python_block("```python\n" * 200_000) is None
    assert python_block("```json\n{}\n```") is None
