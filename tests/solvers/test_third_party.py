"""What counts as the submission of solvers that are not ours, and what the provider's own words mean."""

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import AgentSubmit, as_solver
from inspect_ai.agent import react as react_agent
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessageAssistant, ContentText, ModelOutput, StopDetails, get_model
from inspect_ai.scorer import Score
from inspect_ai.solver import Generate, Solver, TaskState, basic_agent, generate, solver

from inspect_discoverybench import demo
from inspect_discoverybench.solvers.codegen import codegen
from inspect_discoverybench.solvers.react import react
from tests.endpoint import Answer, Request, serve
from tests.solvers.playing import Script, calls, judged, play, python, scripted, submission, submit, submitted

H = "In all rows, y rises with x."


def score_of(sample: EvalSample) -> Score:
    assert sample.scores
    return sample.scores["HMS"]


def error_of(script: Script, agent: Solver) -> str:
    """The error of the sample, which has no score."""
    [log] = inspect_eval(demo(), model=scripted(script), solver=agent, limit=1, fail_on_error=False)
    assert log.samples
    [sample] = log.samples
    assert not sample.scores
    assert sample.error
    return sample.error.message


@solver
def completes(text: str, *, words: str = "") -> Solver:
    """Sets the completion by itself, with no choice or beside the words of one."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if words:
            state.output = ModelOutput.from_content("custom", words)
        state.output.completion = text
        return state

    return solve


@solver
def one_reply() -> Solver:
    """Keeps the model's reply as it is."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = await get_model().generate(state.messages)
        state.messages += [choice.message for choice in state.output.choices[:1]]
        return state

    return solve


@pytest.mark.parametrize(
    ("agent", "answer"),
    [
        (completes(H), H),
        (completes(f'{{"hypothesis": "{H}", "workflow": "w"}}'), H),
        (completes(H, words="I have written my answer to a file."), H),
    ],
)
def test_a_completion_that_a_solver_sets_is_the_answer(agent: Solver, answer: str) -> None:
    sample = play(["never"], agent)
    assert score_of(sample).answer == answer
    assert judged(sample)


def test_a_solver_that_does_nothing_submits_nothing() -> None:
    assert score_of(play(["never"], completes(""))).reason == "no_response"


def called(function: str, **arguments: object) -> ModelOutput:
    return ModelOutput.for_tool_call("mockllm/model", function, dict(arguments), content="So I am done.")


AGENTS: dict[str, tuple[Solver, ModelOutput]] = {
    "react()": (as_solver(react_agent()), called("submit", answer=H)),
    "react() that keeps the call": (
        as_solver(react_agent(submit=AgentSubmit(keep_in_messages=True))),
        called("submit", answer=H),
    ),
    "react() with another name": (
        as_solver(react_agent(submit=AgentSubmit(name="finish"))),
        called("finish", answer=H),
    ),
    "react() with another name that keeps the call": (
        as_solver(react_agent(submit=AgentSubmit(name="finish", keep_in_messages=True))),
        called("finish", answer=H),
    ),
    "react() with the answer only": (
        as_solver(react_agent(submit=AgentSubmit(name="finish", answer_only=True, keep_in_messages=True))),
        called("finish", answer=H),
    ),
    "react() with an object as the answer": (
        as_solver(react_agent(submit=AgentSubmit(name="finish", keep_in_messages=True))),
        called("finish", answer=f'{{"hypothesis": "{H}", "workflow": "w"}}'),
    ),
    "basic_agent()": (basic_agent(), called("submit", answer=H)),
    "basic_agent() with our arguments": (basic_agent(), called("submit", hypothesis=H, workflow="w")),
    "basic_agent() with another name": (basic_agent(submit_name="finish"), called("finish", answer=H)),
    "generate()": (generate(), called("submit", hypothesis=H, workflow="w")),
}


@pytest.mark.parametrize(("agent", "turn"), AGENTS.values(), ids=AGENTS)
@pytest.mark.usefixtures("sweep")
def test_the_answer_of_another_agents_tool_is_judged(agent: Solver, turn: ModelOutput) -> None:
    sample = play([turn, "I have submitted it."], agent, message_limit=8)
    assert score_of(sample).answer == H
    assert judged(sample)


@pytest.mark.parametrize(
    "arguments", [{"hypothesis": H, "workflow": None}, {"Hypothesis": [H]}, {"hypothesis": H, "p": 1}]
)
def test_a_rejected_call_of_another_agent_is_read_from_the_log(arguments: dict[str, object]) -> None:
    sample = play([called("submit", **arguments), "I could not submit it."], generate())
    assert submission(sample) is None
    assert score_of(sample).answer == H


def test_a_message_before_a_limit_is_not_a_submission() -> None:
    sample = play([python("1", thought="Hypothesis: a first look.")], as_solver(react_agent()), message_limit=6)
    assert score_of(sample).reason == "no_response"


REFUSAL = "I can't help with that."
FLAGGED = {
    "content": ModelOutput.from_content("mockllm/model", [ContentText(text=REFUSAL, refusal=True)]),
    "stop details": ModelOutput.from_content(
        "mockllm/model", REFUSAL, stop_details=StopDetails(type="refusal", explanation=REFUSAL)
    ),
    "stop reason": ModelOutput.from_content("mockllm/model", REFUSAL, stop_reason="content_filter"),
}


@pytest.mark.parametrize("flagged", FLAGGED.values(), ids=FLAGGED)
@pytest.mark.parametrize("agent", [one_reply(), codegen(), react(turns=2)], ids=["other", "codegen", "react"])
@pytest.mark.usefixtures("sweep")
def test_a_flagged_refusal_is_not_a_submission(agent: Solver, flagged: ModelOutput) -> None:
    sample = play([flagged], agent)
    score = score_of(sample)
    assert score.reason == "no_response"
    assert score.metadata == {"refusal": True}
    assert "flagged the last reply as a refusal" in str(score.explanation)
    assert not judged(sample)
    assert not any("contained no hypothesis" in call.input[-1].text for call in calls(sample))


def test_a_refusal_of_the_openai_api_is_not_a_submission(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(request: Request) -> Answer:
        return {"role": "assistant", "content": None, "refusal": REFUSAL}

    with serve(refuses) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        [log] = inspect_eval(demo(), model="openai/gpt-4o", solver=generate(), limit=1)
    assert log.samples
    assert score_of(log.samples[0]).metadata == {"refusal": True}
    assert score_of(log.samples[0]).reason == "no_response"


@pytest.mark.parametrize("text", ["I cannot determine this without data.", "I'm sorry, but I can't help with that."])
def test_a_refusal_in_plain_text_is_judged_and_flagged(text: str) -> None:
    for sample in (play([text], one_reply()), play([submit(hypothesis=text)], react(turns=1))):
        score = score_of(sample)
        assert judged(sample)
        assert score.answer == text
        assert score.metadata
        assert score.metadata["refusal"] is True


def test_an_answer_is_not_flagged_as_a_refusal() -> None:
    metadata = score_of(play([H], one_reply())).metadata
    assert metadata
    assert "refusal" not in metadata


NO_CHOICES = ModelOutput(model="mockllm/model", choices=[])


@pytest.mark.parametrize("agent", [one_reply(), codegen(), react(turns=2)], ids=["other", "codegen", "react"])
def test_replies_without_choices_are_an_error(agent: Solver) -> None:
    assert "without choices" in error_of([NO_CHOICES], agent) or "has no choices" in error_of([NO_CHOICES], agent)


def test_a_reply_without_choices_is_requested_again() -> None:
    sample = play([NO_CHOICES, NO_CHOICES, submit(hypothesis=H)], react(turns=4))
    assert submitted(sample).hypothesis == H


def test_an_empty_message_is_not_a_provider_failure() -> None:
    empty = ModelOutput.from_message(ChatMessageAssistant(content=""))
    assert score_of(play([empty], one_reply())).reason == "no_response"
