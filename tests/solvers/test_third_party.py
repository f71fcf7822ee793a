"""What counts as the submission of third-party solvers, and replies without choices."""

import json

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import AgentSubmit, as_solver
from inspect_ai.agent import react as react_agent
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score
from inspect_ai.solver import Generate, Solver, TaskState, basic_agent, chain, generate, solver, use_tools
from inspect_ai.tool import Tool, ToolDef

from inspect_discoverybench import demo
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.react import react
from tests.endpoint import question, slots
from tests.scorer.judging import InProcessJudge
from tests.scorer.judging import scripted as scripted_judge
from tests.solvers.scripted import Turn, calls, play, scripted, submit, submitted

H = "In all rows, y rises with x."
OBJECT = json.dumps({"hypothesis": H, "workflow": "w"})
QUOTATION = json.dumps({"asserted": True, "hypothesis": [H], "workflow": []})


def score_of(sample: EvalSample) -> Score:
    assert sample.scores
    return sample.scores["HMS"]


def answer_to_judge(turns: list[Turn], agent: Solver) -> str | None:
    """What is judged of an agent's run, if the judge quotes the hypothesis from what it is shown."""
    judge = InProcessJudge(scripted_judge(answer=QUOTATION))
    sample = play(turns, agent, message_limit=20, model_roles={"grader": judge.model})
    assert judge.judge_requests()
    return score_of(sample).answer


@solver
def completes(text: str) -> Solver:
    """Sets a completion that differs from the text of its message."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("custom", "I have written my answer to a file.")
        state.output.completion = text
        return state

    return solve


def tool_call(function: str, **arguments: object) -> ModelOutput:
    """A call, and beside it a text that is no answer."""
    return ModelOutput.for_tool_call("mockllm/model", function, dict(arguments), content="Shall I stop now?")


def receiver(name: str) -> Tool:
    """A submit tool that returns a receipt instead of the answer."""

    async def execute(answer: str, steps: str = "") -> str:
        return "Wait?"

    parameters = {"answer": "The answer.", "steps": "What led to it."}
    return ToolDef(execute, name=name, description="Submit.", parameters=parameters).as_tool()


PUBLISH = AgentSubmit(tool=receiver("publish"), keep_in_messages=True)
SUBMITTED = tool_call("submit", hypothesis=H, workflow="w")
AGENTS: dict[str, tuple[Solver, list[Turn]]] = {
    "react()": (
        as_solver(react_agent()),
        [tool_call("submit", answer=H)],
    ),
    "react() with a tool that returns a receipt": (
        as_solver(react_agent(submit=PUBLISH)),
        [tool_call("publish", answer=H, steps="w")],
    ),
    "react() without a submit tool": (
        as_solver(react_agent(submit=False)),
        [OBJECT],
    ),
    "basic_agent()": (
        basic_agent(),
        [tool_call("submit", answer=H)],
    ),
    "generate()": (
        generate(),
        [SUBMITTED],
    ),
    "generate() with a submit tool of its own": (
        chain(use_tools(receiver("final_answer")), generate()),
        [tool_call("final_answer", answer=H, steps="w"), "Was it submitted?"],
    ),
    "a solver that sets a completion": (
        completes(H),
        ["never"],
    ),
}


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.usefixtures("slow")
def test_the_answer_of_another_agent_is_judged(name: str) -> None:
    agent, turns = AGENTS[name]
    assert answer_to_judge(turns, agent) == H


WITH_A_SUBMIT_TOOL = {
    # agent, and what the judge is shown of the arguments of its call: their values, one a line
    "react()": H,
    "react() with a tool that returns a receipt": f"{H}\nw",
    "basic_agent()": H,
    "generate() with a submit tool of its own": f"{H}\nw",
}


@pytest.mark.parametrize("name", WITH_A_SUBMIT_TOOL)
def test_the_judge_is_shown_the_values_of_a_call_once_without_the_names_of_the_arguments(name: str) -> None:
    agent, turns = AGENTS[name]
    judge = InProcessJudge(scripted_judge(answer=QUOTATION))
    play(turns, agent, message_limit=20, model_roles={"grader": judge.model})
    [text] = [slots(request)["text"] for request in judge.requests if question(request) == "answer"]
    assert WITH_A_SUBMIT_TOOL[name] in text
    assert text.count(H) == 1
    assert "answer:" not in text


@solver
def copies(*later: str) -> Solver:
    """Writes the model's reply into the conversation as a new message, and after it other texts."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = await get_model().generate(state.messages)
        for text in (state.output.completion, *later):
            state.messages.append(ChatMessageAssistant(content=text))
        return state

    return solve


def test_the_judge_is_shown_a_text_once_although_the_conversation_has_a_copy_of_the_reply() -> None:
    judge = InProcessJudge(scripted_judge(answer=QUOTATION))
    play([H], copies(), model_roles={"grader": judge.model})
    [text] = [slots(request)["text"] for request in judge.requests if question(request) == "answer"]
    assert text.count(H) == 1


def test_a_reply_before_the_last_text_is_not_the_answer() -> None:
    draft = json.dumps({"hypothesis": "y falls with x."})
    assert answer_to_judge([draft], copies(f"No. {H}")) == H


@solver
def keeps_the_submission_in_the_output() -> Solver:
    """Writes the model's first message into the conversation. The second message is only the output."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        tools = [receiver("look"), receiver("finish")]
        first = await get_model().generate(state.messages, tools)
        state.messages.append(first.message)
        state.output = await get_model().generate(state.messages, tools)
        return state

    return solve


def test_a_submission_is_found_although_the_call_before_it_has_the_same_id() -> None:
    """Some providers number the calls of each message anew, so the first call of every message has the id `call_0`.

    The conversation already has a call with this id. The submission is another call with this id, only in the output.
    """
    turns: list[Turn] = [
        ModelOutput.for_tool_call("mockllm/model", "look", {"file": "a.csv"}, tool_call_id="call_0", content=""),
        ModelOutput.for_tool_call("mockllm/model", "finish", {"hypothesis": H}, tool_call_id="call_0", content=""),
    ]
    assert answer_to_judge(turns, keeps_the_submission_in_the_output()) == H


@pytest.mark.parametrize("function", ["submit", "finish", "report_hypothesis"])
def test_a_last_call_with_our_arguments_is_a_submission_whatever_its_tool_is_called(function: str) -> None:
    judge = InProcessJudge(scripted_judge())
    call = tool_call(function, hypothesis=H, workflow="w")
    sample = play([call], generate("none"), model_roles={"grader": judge.model})
    score = score_of(sample)
    assert score.answer == H
    assert score.metadata
    assert score.metadata["workflow"] == "w"
    # The judge is not asked to find the answer in the agent's text.
    assert "answer" not in judge.judge_requests()


def test_the_output_of_code_is_not_the_answer() -> None:
    call = ModelOutput.for_tool_call("mockllm/model", "python", {"code": f"print('{H}')"}, content="")
    agent = chain(use_tools(python()), generate("single"))
    sample = play([call], agent)
    assert score_of(sample).reason == "no_response"


def test_an_accepted_submission_ends_the_loop_of_a_plain_solver() -> None:
    refused = submit(hypothesis="...", workflow="w")
    accepted = submit(hypothesis=H, workflow="w")
    sample = play([refused, accepted], generate(), message_limit=20)
    assert submitted(sample).hypothesis == H
    assert len(calls(sample)) == 2


NO_CHOICES = ModelOutput(model="mockllm/model", choices=[])

NO_CANDIDATES = ModelOutput.from_content("mockllm/model", "(no content)")
"""What Inspect makes of a reply of Google without candidates."""

NO_CANDIDATES.usage = ModelUsage(input_tokens=5, total_tokens=5)


WITHOUT_CHOICES = {
    "no choices": (react(turns=2), NO_CHOICES, "failed: replies without choices."),
    "no candidates": (react(turns=2), NO_CANDIDATES, "failed: replies without choices."),
    "no candidates, another agent": (generate(), NO_CANDIDATES, "failed: its last reply has no choices."),
}


@pytest.mark.parametrize("name", WITHOUT_CHOICES)
def test_replies_without_choices_are_an_error(name: str) -> None:
    agent, output, failure = WITHOUT_CHOICES[name]
    [log] = inspect_eval(demo(), model=scripted([output]), solver=agent, limit=1)
    assert log.error
    assert failure in log.error.message
