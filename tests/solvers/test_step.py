"""What real servers and small models do, through a loopback server: each trouble in both forms of acting."""

import json
from collections.abc import Callable
from itertools import pairwise
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
from inspect_discoverybench.solvers.reflexion import reflexion
from inspect_discoverybench.submission.submission import NO_RESPONSE
from tests.endpoint import Answer, Cut, Endpoint, NoChoices, Raw, Refused, Request, serve, tool_call
from tests.solvers.scripted import BOTH_FORMS, observations, reason, score, submitted, verdict

ANSWER = {"hypothesis": "In all rows, y rises with x.", "workflow": "1. load"}
OBJECT = json.dumps(ANSWER)
BLOCK = "I look at the data.\n\n```python\nprint(6 * 7)\n```"
CODE = "print(6 * 7)"
CALL = json.dumps({"name": "python", "arguments": {"code": CODE}})
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
    **options: Any,
) -> tuple[EvalSample, list[Request]]:
    """Run one demo task with a model of the server; return the sample and the agent's requests.

    Options are those of the eval.
    """
    with serve(answer) as endpoint:
        [log] = inspect_eval(
            demo(),
            model=model_of(endpoint),
            model_roles={"grader": "discoverybench/lexical"},
            solver=solver,
            limit=1,
            **options,
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


def require_code_and_answer(sample: EvalSample) -> None:
    """Fail unless the code has run, once, and the answer was submitted."""
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
    """Anthropic refuses a conversation with calls whose tools are not listed.

    So a request that allows no action lists all tools, here even before the first call.
    """

    def team(request: Request) -> Answer:
        is_critic = "You are the critic" in str(request["system"])
        return verdict() if is_critic else "1. Count."

    _, requests = run(datavoyager(turns=1), team, anthropic_model)
    assert [(request["tool_choice"]["type"], offered(request)) for request in requests] == [
        ("none", ["python", "submit"]),  # the planner
        ("none", ["python", "submit"]),  # the critic
        ("any", ["python"]),  # the coder
        ("any", ["submit"]),  # the analyst
        ("any", ["submit"]),  # the analyst again, who did not call `submit`
    ]


@pytest.mark.parametrize("agent", [datavoyager(turns=3), reflexion(trials=3)])
def test_a_provider_that_refuses_earlier_calls_without_tools_gets_the_tools(agent: Solver) -> None:
    """With the choice `none`, Inspect lists no tools, and Amazon Bedrock then refuses a conversation that has calls.

    The request is repeated with the choice `auto`, and lists the tools. Later requests have this choice from the start.
    """
    refused: list[Request] = []

    def bedrock(request: Request) -> Answer:
        has_calls = any(message["role"] == "tool" for message in request["messages"])
        if has_calls and not offered(request):
            refused.append(request)
            return Refused("The toolConfig field must be defined when using toolUse and toolResult content blocks.")
        if request.get("tool_choice") == "required":
            return running("calls", "print(6 * 7)") if offered(request) == ["python"] else submitting("calls")
        return verdict() if "You are the critic" in str(request["messages"][0]) else "I see 42."

    sample, _ = run(agent, bedrock)
    assert set(observations(sample)) == {"42"}
    assert len(refused) == 1
    assert submitted(sample).hypothesis == ANSWER["hypothesis"]


def with_submission(answer: dict[str, Any]) -> Answer:
    """A message with the calls of another one, and a call of `submit` beside them."""
    both = answer["tool_calls"] + tool_call("submit", **ANSWER)["tool_calls"]
    return answer | {"tool_calls": both}


BESIDE_CODE = {
    # The agent, and the number of its steps before the message with both.
    "react": (react(), 0),
    "react after the first step": (react(), 1),
    "codegen": (codegen(), 0),
}


@pytest.mark.parametrize("name", BESIDE_CODE)
def test_a_submission_beside_code_is_refused_with_the_reason(name: str) -> None:
    solver, earlier_steps = BESIDE_CODE[name]
    code = tool_call("python", code=CODE)
    earlier_answers = [code] * earlier_steps
    answers = [*earlier_answers, with_submission(code), submitting("calls")]
    sample, requests = run(solver, in_turn(*answers))
    assert len(requests) == len(answers)
    *_, output, refusal = requests[-1]["messages"]
    assert "42" in output["content"]
    assert "This submission was not taken: it came in the same message as code" in refusal["content"]
    assert observations(sample) == ["42"] * (earlier_steps + 1)
    assert submitted(sample).hypothesis == ANSWER["hypothesis"]


def written_call(name: str, arguments: str) -> dict[str, Any]:
    """A message with a call whose arguments are this text, which may be no JSON."""
    message = tool_call(name)
    message["tool_calls"][0]["function"]["arguments"] = arguments
    return message


UNESCAPED = {
    # the hypothesis as it is written in the arguments, and as it is submitted
    "LaTeX": (r"In all rows, \(y = \alpha x\).", r"In all rows, \(y = \alpha x\)."),
    # `\b` and `\t` are escapes of JSON, too, but `\beta` and `\times` are not meant as such. `\n` is.
    "LaTeX that begins like an escape": (
        r"\sigma = \beta \times 2.\nIn all rows.",
        "\\sigma = \\beta \\times 2.\nIn all rows.",
    ),
    "a path": (r"In C:\data\users, y rises with x.", r"In C:\data\users, y rises with x."),
    "a raw line break": ("In all rows,\ny rises with x.", "In all rows,\ny rises with x."),
}


@pytest.mark.parametrize("name", UNESCAPED)
def test_an_unescaped_backslash_or_line_break_in_a_call_is_that_character(name: str) -> None:
    written, hypothesis = UNESCAPED[name]
    call = written_call("submit", f'{{"hypothesis": "{written}", "workflow": "w"}}')
    sample, requests = run(no_data_guess(), in_turn(call))
    assert submitted(sample).hypothesis == hypothesis
    assert len(requests) == 1


def test_an_unescaped_backslash_in_code_is_that_character() -> None:
    # In JSON, `\d` is no escape, so it stays. `\\t` stands for the `\t` of the code, which is a tab.
    code = r"import re\nprint(re.findall(r'\d', 'a7'), 'a\\tb')"
    sample, _ = run(react(), in_turn(written_call("python", f'{{"code": "{code}"}}'), submitting("calls")))
    assert observations(sample) == ["['7'] a\tb"]


def test_arguments_that_were_cut_off_are_not_completed() -> None:
    # The backslash could be repaired, but the end of the arguments is missing.
    cut = written_call("submit", r'{"hypothesis": "In all rows, \alpha ri')
    sample, requests = run(no_data_guess(), in_turn(cut, submitting("calls")))
    assert "Error parsing the following tool call arguments" in str(requests[-1]["messages"])
    assert submitted(sample).hypothesis == ANSWER["hypothesis"]


REFUSALS = {
    # HTTP status, message
    "OpenRouter": (404, "No endpoints found that support the provided 'tool_choice' value."),
    "OpenRouter without tools": (404, "No endpoints found that support tool use."),
    "Ollama": (400, "registry.ollama.ai/library/gemma:2b does not support tools"),
    "vLLM": (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
    "llama.cpp": (500, "tools param requires --jinja flag"),
    "a gateway": (501, "tool_choice is not implemented"),
    "another": (422, "Extra inputs are not permitted: tools"),
}


def failure(solver: Solver, answer: Answer) -> str:
    """The message of the sample's error."""
    with serve(lambda _: answer) as endpoint:
        config = GenerateConfig(max_retries=0)
        # A server may repeat the name of the model. The `tool` in it must not be taken for a refusal of tools.
        model = get_model(
            "openai-api/local/toolmaker", base_url=endpoint.url, api_key="test", config=config, memoize=False
        )
        [log] = inspect_eval(demo(), model=model, solver=solver, limit=1)
    assert log.error
    return log.error.message


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("server", REFUSALS)
def test_a_server_that_refuses_tools_gets_the_remedy(server: str) -> None:
    status, message = REFUSALS[server]
    error = failure(codegen(), Refused(message, status=status))
    assert "The server refuses tools or a forced call" in error
    assert "pass `-T 'agent_args={actions: text}'` with `-T agent`, `-S actions=text` with `--solver`" in error
    # The server would refuse the same request again, so a retry is not recommended.
    assert "eval-retry" not in error


OTHER_FAILURES = {
    "an unknown model": (react(), Refused("The model `toolmaker` does not exist", status=404)),
    "no quota": (react(), Refused("Insufficient quota", status=402)),
    "an invalid call on Groq": (codegen(), Refused("{'message': 'Failed to call', 'code': 'tool_use_failed'}")),
    "without tools": (react(actions="text"), Refused("tools are not permitted", status=400)),
}


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("name", OTHER_FAILURES)
def test_a_failure_for_another_reason_keeps_the_usual_remedy(name: str) -> None:
    solver, answer = OTHER_FAILURES[name]
    error = failure(solver, answer)
    assert "actions=text" not in error
    assert "eval-retry" in error


NOTHING: dict[str, Answer] = {
    "empty": "",
    "white space": " \n\t",
    "null": {"role": "assistant", "content": None},
    "no calls": {"role": "assistant", "content": "", "tool_calls": []},
    "no choices": NoChoices(),
    "reasoning alone": "<think>Hm.</think>",
    "an end of turn": "<|im_end|>",
}


@pytest.mark.usefixtures("slow")
@BOTH_FORMS
def test_an_empty_reply_is_requested_again_twice(form: str) -> None:
    answers: list[Answer] = []
    for reply in NOTHING.values():
        answers += [reply, reply, running(form, CODE)]
    sample, requests = run(react(actions=form), in_turn(*answers, submitting(form)))
    assert len(requests) == 3 * len(NOTHING) + 1
    assert observations(sample) == ["42"] * len(NOTHING)


def test_an_empty_reply_is_requested_again_although_replies_are_cached() -> None:
    sample, requests = run(react(), acting("calls", NoChoices()), cache=True)
    assert len(requests) == 3
    require_code_and_answer(sample)


@BOTH_FORMS
def test_a_reply_that_repeats_itself_until_the_token_limit_gets_a_reminder(form: str) -> None:
    endless = Cut("```python\nx = 1\n" + "x = x + 1\n" * 200, tokens=1000)
    sample, requests = run(react(actions=form), acting(form, endless))
    assert "Your message contains no complete action." in last_message(requests[1])
    assert len(requests) == 3
    require_code_and_answer(sample)


@BOTH_FORMS
def test_an_empty_reply_that_the_token_limit_ended_gets_a_reminder_and_is_not_requested_again(form: str) -> None:
    sample, requests = run(react(actions=form), acting(form, Cut("", tokens=1000)))
    assert "Your message contains no complete action." in last_message(requests[1])
    assert len(requests) == 3
    require_code_and_answer(sample)
    for message in requests[-1]["messages"]:  # Mistral's server refuses empty messages
        assert message.get("content") or message.get("tool_calls")


OVERFLOWS: dict[str, Any] = {
    "TGI": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens",
    "SGLang": {"code": 400, "message": "Longer than the model's context length (4096).", "type": "BadRequest"},
    "llama.cpp": {"code": 400, "message": "request (9000 tokens)", "type": "exceed_context_size_error"},
    "vLLM": {"code": 400, "message": "too long", "type": "BadRequestError", "param": "input_tokens"},
    "OpenAI": {"code": "context_length_exceeded", "message": "too long", "type": "invalid_request_error"},
}


@pytest.mark.usefixtures("slow")
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


def test_a_task_that_does_not_fit_into_the_context_window_scores_0() -> None:
    body = json.dumps({"error": OVERFLOWS["vLLM"]})
    sample, _ = run(react(), in_turn(Raw(400, body.encode())))
    assert score(sample) == 0
    assert reason(sample) == NO_RESPONSE
    assert sample.scores
    assert "does not fit into the context window" in (sample.scores["HMS"].explanation or "")


@BOTH_FORMS
def test_a_repetition_does_not_fill_the_context_window(form: str) -> None:
    def small_window(request: Request) -> Answer:
        if len(str(request["messages"])) > 12_000:
            return Raw(400, json.dumps({"error": OVERFLOWS["vLLM"]}).encode())
        # Each step adds two messages to the system prompt and the task text.
        steps = (len(request["messages"]) - 2) // 2
        if steps < 2:
            return running(form, "print(6 * 7)")
        if steps == 2:
            return Cut("x = x + 1\n" * 1500, tokens=4000)  # 15,000 characters, more than the window has
        return submitting(form)

    sample, _ = run(react(actions=form), small_window)
    assert submitted(sample).hypothesis == ANSWER["hypothesis"]


def test_a_reflection_that_repeats_itself_is_cut() -> None:
    script = in_turn(BLOCK, OBJECT, Cut("so " * 5000, tokens=4000), BLOCK, OBJECT)
    _, requests = run(reflexion(trials=2, actions="text"), script)
    _code, _answer, _reflection, second_trial, *_ = requests
    # The task text and the reflection, of whose 15,000 characters 2000 are kept.
    assert len(last_message(second_trial)) < 5000


STRICT = {
    "datavoyager": datavoyager(turns=1),
    "reflexion": reflexion(trials=2, actions="text"),
    "react": react(turns=2, actions="text"),
}


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("agent", STRICT)
def test_no_request_has_two_neighbouring_user_messages(agent: str) -> None:
    """The chat templates of Gemma and Mistral refuse them."""
    # A trial, a reflection, and another trial. In DataVoyager, they are no valid replies of the critic, who is asked
    # again.
    script = in_turn(BLOCK, OBJECT, "I was wrong.", BLOCK, OBJECT)
    _, requests = run(STRICT[agent], script)
    for request in requests:
        roles = [message["role"] for message in request["messages"]]
        assert ("user", "user") not in pairwise(roles)


WRITTEN = {
    # test_chat_templates.py has the other forms of calls
    "code": BLOCK,
    "a call": CALL,
    "a token": "<|python_tag|>import pandas",
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_calls_written_as_text_do_not_run_and_the_sample_is_marked(written: str) -> None:
    # After two messages without an action, the agent asks for the submission alone, without the tool `python`.
    sample, _ = run(react(), in_turn(written, written, submitting("calls")))
    assert observations(sample) == []
    assert is_marked(sample)


def test_a_model_that_also_calls_tools_or_was_offered_no_python_is_not_marked() -> None:
    sample, _ = run(react(), acting("calls", BLOCK))
    assert not is_marked(sample)
    sample, _ = run(no_data_guess(), in_turn(BLOCK))
    assert not is_marked(sample)


@pytest.mark.parametrize("call", [CALL_IN_FENCE, tool_call("python", code=CODE)], ids=["in a fence", "native"])
def test_in_text_a_call_gets_a_reminder(call: Answer) -> None:
    """Some servers read calls from the text although no tool is offered."""
    sample, requests = run(react(actions="text"), acting("text", call))
    assert "Your message contains no complete action." in last_message(requests[1])
    assert not any("tool_calls" in message for message in requests[1]["messages"])
    assert not any(offered(request) for request in requests)
    require_code_and_answer(sample)


@pytest.mark.parametrize("answer", [OBJECT, f"```json\n{OBJECT}\n```"], ids=["object", "object in a fence"])
def test_what_follows_the_code_in_a_text_is_cut_off(answer: str) -> None:
    """The model wrote it without having seen the output."""
    invented = f"{BLOCK}\n\nIt prints 17.\n{answer}"
    sample, requests = run(react(actions="text"), in_turn(invented, OBJECT))
    *_, message, observation = requests[1]["messages"]
    assert message["content"] == BLOCK
    assert "42" in observation["content"]
    require_code_and_answer(sample)


def twice_in_json(message: dict[str, Any]) -> dict[str, Any]:
    """The call with its arguments as JSON text of JSON text."""
    function = message["tool_calls"][0]["function"]
    function["arguments"] = json.dumps(function["arguments"])
    return message


CALLS_OF_PYTHON = {
    "JSON in JSON": twice_in_json(tool_call("python", code=CODE)),
    "another key": tool_call("python", code=CODE, language="python"),
    "with its group and capitals": tool_call("functions.Python", Code=CODE),
    "a list of lines": tool_call("python", code=["x = 6", "print(x * 7)"]),
}


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("call", CALLS_OF_PYTHON.values(), ids=CALLS_OF_PYTHON)
def test_a_call_of_python_runs_in_each_form_that_models_write(call: dict[str, Any]) -> None:
    # JSON in JSON is also read in a call of `submit`.
    answer = twice_in_json(tool_call("submit", **ANSWER))
    sample, _ = run(codegen(), in_turn(call, answer))
    require_code_and_answer(sample)
    assert submitted(sample).workflow == ANSWER["workflow"]


@pytest.mark.parametrize("solver", [react(actions="text"), codegen(actions="text")])
def test_an_answer_without_any_code_is_sent_back(solver: Solver) -> None:
    sample, requests = run(solver, acting("text", OBJECT))
    assert "You have not run any code yet" in last_message(requests[1])
    require_code_and_answer(sample)


def test_a_second_answer_without_any_code_is_accepted() -> None:
    sample, requests = run(react(actions="text"), in_turn(OBJECT, OBJECT))
    assert len(requests) == 2
    assert submitted(sample).hypothesis == ANSWER["hypothesis"]


def test_code_whose_fence_is_not_closed_runs_unless_the_reply_was_cut() -> None:
    code = f"```python\n{CODE}"
    sample, _ = run(react(actions="text"), in_turn(code, OBJECT))
    require_code_and_answer(sample)
    # The code that was cut does not run. That of the next reply does.
    sample, _ = run(react(actions="text"), acting("text", Cut(code)))
    require_code_and_answer(sample)


def test_a_quoted_output_beside_an_answer_is_no_code() -> None:
    quoted = f"The output was:\n```\nmean 3.2\n```\nSo:\n```json\n{OBJECT}\n```"
    sample, _ = run(react(actions="text"), in_turn(BLOCK, quoted))
    require_code_and_answer(sample)


def test_an_answer_in_a_fence_without_a_label_is_no_code() -> None:
    # The object is no answer either, because a text follows the fence.
    answer = f"```\n{OBJECT}\n```\nThis is well supported."
    sample, requests = run(react(actions="text"), acting("text", answer))
    assert "Your message contains no complete action." in last_message(requests[1])
    require_code_and_answer(sample)

    # If no text follows the fence, the object is the answer.
    alone = f"```\n{OBJECT}\n```"
    sample, _ = run(react(actions="text"), in_turn(BLOCK, alone))
    require_code_and_answer(sample)


def test_a_program_that_an_answer_quotes_is_no_code() -> None:
    # The line breaks of the string are not escaped, so the quoted program looks like a block of code.
    quoting = '{"hypothesis": "A rises with B.", "workflow": "I ran\n```python\nraise SystemExit\n```\nand read it."}'
    sample, requests = run(react(actions="text"), in_turn(BLOCK, quoting))
    assert len(requests) == 2
    assert submitted(sample).hypothesis == "A rises with B."
    assert "raise SystemExit" in submitted(sample).workflow


def test_reasoning_without_its_opening_tag_is_not_shown_to_other_roles() -> None:
    plan = "SECRET</think>1. Count."
    # The planner, the critic, the coder and the analyst answer in turn.
    script = in_turn(plan, verdict(), running("calls", "1"), submitting("calls"))
    _, requests = run(datavoyager(turns=1), script)
    assert len(requests) == 4
    assert "SECRET" not in str(requests)


def test_a_program_in_several_blocks_runs_as_one() -> None:
    program = "Step 1:\n```python\nx = 6\n```\nStep 2:\n```python\nprint(x * 7)\n```"
    sample, _ = run(codegen(actions="text"), in_turn(program, OBJECT))
    require_code_and_answer(sample)
