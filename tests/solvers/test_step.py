"""What real servers and small models do, through a loopback server: each trouble in both forms of acting."""

import json
from collections.abc import Callable

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
from tests.solvers.scripted import BOTH_FORMS, observations, submitted, verdict

ANSWER = {"hypothesis": "In all rows, y rises with x.", "workflow": "1. load"}
OBJECT = json.dumps(ANSWER)
BLOCK = "I look at the data.\n\n```python\nprint(6 * 7)\n```"
CALL = json.dumps({"name": "python", "arguments": {"code": "print(6 * 7)"}})
CALL_IN_FENCE = f"```json\n{CALL}\n```"

Script = Callable[[Request], Answer]


def local_model(endpoint: Endpoint) -> Model:
    return get_model("openai-api/local/test", base_url=endpoint.url, api_key="test", memoize=False)


def anthropic_model(endpoint: Endpoint) -> Model:
    return get_model(
        "anthropic/test",
        config=GenerateConfig(max_tokens=4096),  # more would need streams
        base_url=endpoint.url.removesuffix("/v1"),
        api_key="test",
        memoize=False,
        streaming=False,
    )


def run(
    solver: Solver,
    answer: Script,
    model_of: Callable[[Endpoint], Model] = local_model,
) -> tuple[EvalSample, list[Request]]:
    """Run one demo task with a model of the server; return the sample and the agent's requests."""
    with serve(answer) as endpoint:
        [log] = inspect_eval(
            demo(),
            model=model_of(endpoint),
            model_roles={"grader": "discoverybench/lexical"},
            solver=solver,
            limit=1,
        )
    assert log.status == "success", log.error
    assert log.samples
    return log.samples[0], endpoint.requests


def is_marked(sample: EvalSample) -> bool:
    """Whether the score says that the model wrote its calls as text."""
    assert sample.scores
    metadata = sample.scores["HMS"].metadata or {}
    return "wrote_calls_as_text" in metadata


def offered(request: Request) -> list[str]:
    """Names of the tools in a request, in the format of OpenAI or Anthropic."""
    names = []
    for tool in request.get("tools") or []:
        function = tool.get("function", tool)
        names.append(function["name"])
    return sorted(names)


def last_message(request: Request) -> str:
    message = request["messages"][-1]
    return str(message["content"])


def in_turn(*answers: Answer) -> Script:
    """Give these answers, the last one repeatedly."""
    remaining = list(answers)

    def answer(_: Request) -> Answer:
        if len(remaining) == 1:
            return remaining[0]
        return remaining.pop(0)

    return answer


def running(form: str, code: str) -> Answer:
    """Code to run, in a form."""
    if form == "text":
        return f"```python\n{code}\n```"
    return tool_call("python", code=code)


def submitting(form: str) -> Answer:
    """The answer, in a form."""
    if form == "text":
        return OBJECT
    return tool_call("submit", **ANSWER)


def acting(form: str, *before: Answer) -> Script:
    """Give these answers first; then run code and submit in this form."""
    code = running(form, "print(6 * 7)")
    return in_turn(*before, code, submitting(form))


def require_work(sample: EvalSample) -> None:
    """Fail unless the code of `acting` has run and the answer was submitted."""
    assert observations(sample) == ["42"]
    assert submitted(sample).hypothesis == ANSWER["hypothesis"]


def ignores_named_tools(request: Request) -> Answer:
    """A server such as llama.cpp's, which forces a call if one is required and ignores the choice of a certain tool."""
    if request.get("tool_choice") != "required":
        return "I would rather talk."
    if offered(request) == ["python"]:
        return running("calls", "1")
    return submitting("calls")


@pytest.mark.parametrize("solver", [react(turns=1), codegen(), no_data_guess()])
def test_a_forced_call_needs_no_choice_of_a_certain_tool(solver: Solver) -> None:
    sample, _ = run(solver, ignores_named_tools)
    assert submitted(sample).source == "call"


def test_a_provider_that_needs_the_tools_of_earlier_calls_gets_them_in_requests_without_actions() -> None:
    """Anthropic refuses a conversation with calls whose tools are not listed."""

    def team(request: Request) -> Answer:
        is_critic = "You are the critic" in str(request["system"])
        return verdict() if is_critic else "1. Count."

    _, requests = run(datavoyager(turns=1), team, anthropic_model)
    choices = [request["tool_choice"]["type"] for request in requests]
    assert choices == ["none", "none", "any", "any", "any"]
    assert [offered(request) for request in requests] == [
        ["python", "submit"],
        ["python", "submit"],
        ["python"],
        ["submit"],
        ["submit"],
    ]


@BOTH_FORMS
@pytest.mark.parametrize("reply", ["", NoChoices()], ids=["empty", "no choices"])
def test_an_empty_reply_is_requested_again_twice(reply: Answer, form: str) -> None:
    sample, requests = run(react(actions=form), acting(form, reply, reply))
    assert len(requests) == 4
    require_work(sample)


@BOTH_FORMS
def test_a_reply_that_repeats_itself_until_the_token_limit_gets_a_reminder(form: str) -> None:
    endless = Cut("```python\nx = 1\n" + "x = x + 1\n" * 200, tokens=1000)
    sample, requests = run(react(actions=form), acting(form, endless))
    assert len(requests) == 3
    require_work(sample)


OVERFLOWS = {
    "llama.cpp": {"code": 400, "message": "request (9000 tokens)", "type": "exceed_context_size_error"},
    "vLLM": {"code": 400, "message": "too long", "type": "BadRequestError", "param": "input_tokens"},
    "OpenAI": {"code": "context_length_exceeded", "message": "too long", "type": "invalid_request_error"},
}


@BOTH_FORMS
@pytest.mark.parametrize("server", OVERFLOWS)
def test_after_a_context_overflow_the_agent_submits_from_a_shorter_conversation(server: str, form: str) -> None:
    body = json.dumps({"error": OVERFLOWS[server]})

    def small_window(request: Request) -> Answer:
        if len(str(request["messages"])) > 12_000:
            return Raw(400, body.encode())
        if "No hypothesis has been submitted" in last_message(request):
            return submitting(form)
        return running(form, "print('x' * 3000)")

    sample, _ = run(react(actions=form), small_window)
    assert submitted(sample).hypothesis == ANSWER["hypothesis"]


@pytest.mark.parametrize("written", [BLOCK, CALL_IN_FENCE], ids=["code", "a call"])
def test_calls_written_as_text_do_not_run_and_the_sample_is_marked(written: str) -> None:
    sample, _ = run(react(), in_turn(written, written, submitting("calls")))
    assert observations(sample) == []
    assert is_marked(sample)


def test_a_model_that_also_calls_tools_or_was_offered_no_python_is_not_marked() -> None:
    sample, _ = run(react(), acting("calls", BLOCK))
    assert not is_marked(sample)
    sample, _ = run(no_data_guess(), in_turn(BLOCK))
    assert not is_marked(sample)


def test_in_text_a_call_written_as_an_object_gets_a_reminder() -> None:
    sample, requests = run(react(actions="text"), acting("text", CALL_IN_FENCE))
    assert "Your message contains no action." in last_message(requests[1])
    require_work(sample)


def test_what_follows_the_code_in_a_text_is_cut_off() -> None:
    """The model wrote it without having seen the output."""
    invented = f"{BLOCK}\n\nIt prints 17.\n{OBJECT}"
    sample, requests = run(react(actions="text"), in_turn(invented, OBJECT))
    *_, message, observation = requests[1]["messages"]
    assert message["content"] == BLOCK
    assert "42" in observation["content"]
    require_work(sample)


@pytest.mark.parametrize("solver", [react(actions="text"), codegen(actions="text")])
def test_an_answer_before_any_code_is_sent_back(solver: Solver) -> None:
    sample, requests = run(solver, acting("text", OBJECT))
    assert "You have not run any code yet" in last_message(requests[1])
    require_work(sample)


def test_a_second_answer_before_any_code_is_submitted() -> None:
    sample, requests = run(react(actions="text"), in_turn(OBJECT))
    assert len(requests) == 2
    assert submitted(sample).hypothesis == ANSWER["hypothesis"]


def test_a_block_is_found_in_linear_time() -> None:
    assert python_block("```python\nx = '```'\n```\nmore") is not None
    assert python_block("```python\r\nx = 1\r\n```\r\nmore") is not None
    assert python_block("```python\n" * 200_000) is None
    assert python_block("```json\n{}\n```") is None
