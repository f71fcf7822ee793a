"""Answers that are not one JSON object: the judge quotes the hypothesis that the author asserts."""

import json
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ChatMessageUser, Model, ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall

from inspect_discoverybench.judge_audit.texts import AnswerText, answer_texts
from inspect_discoverybench.scorer.scorer import hms
from inspect_discoverybench.submission.submission import MAX_TEXT
from tests.endpoint import question, slots
from tests.scorer.judging import ZEROS, InProcessJudge, Result, sample, score_of, scripted

QUOTE = "BMI rises with age."
TEXT = f"**Hypothesis:** {QUOTE}\n\n**Final Answer:** Yes, the relationship is significant."


def said(text: str) -> ChatMessageAssistant:
    return ChatMessageAssistant(content=text)


def called(tool: str, text: str = "", **arguments: Any) -> ChatMessageAssistant:
    call = ToolCall(id="1", function=tool, arguments=arguments)
    return ChatMessageAssistant(content=text, tool_calls=[call])


def result(tool: str, text: str) -> ChatMessageTool:
    return ChatMessageTool(content=text, function=tool, tool_call_id="1")


USER = ChatMessageUser(content="Go on.")
Message = ChatMessageAssistant | ChatMessageTool | ChatMessageUser


@solver
def leaves(messages: list[Message], completion: str | None) -> Solver:
    """An agent of another package that leaves these messages, and possibly a completion that is none of them."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.messages += messages
        written = [message for message in messages if isinstance(message, ChatMessageAssistant)]
        if completion is not None:
            state.output = ModelOutput.from_content("stranger", completion)
        elif written:
            last = written[-1].model_copy()
            state.output = ModelOutput.from_message(last)
        return state

    return solve


def judged(
    *replies: dict[str, Any], messages: list[Message] | None = None, completion: str | None = None
) -> tuple[Result, InProcessJudge]:
    """The score of an answer. The replies are those to the answer question, the last one repeated."""
    texts = [json.dumps(reply) for reply in replies]
    judge = InProcessJudge(scripted(answer=texts) if texts else scripted())
    if messages is None:
        messages = [said(TEXT)]
    agent = leaves(messages, completion)
    task = Task([sample()], solver=agent, scorer=hms())
    roles: dict[str, str | Model] = {"grader": judge.model}
    [log] = inspect_eval(task, model="mockllm/model", model_roles=roles)
    return score_of(log), judge


def quoting(*quotes: str, asserted: bool = True, workflow: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "asserted": asserted,
        "hypothesis": list(quotes),
        "workflow": list(workflow),
        "explanation": "why",
    }


def answer_questions(judge: InProcessJudge) -> int:
    questions = judge.judge_requests()
    return questions.count("answer")


def text_asked_about(judge: InProcessJudge) -> str:
    values = slots(judge.requests[0])
    return str(values["text"])


def hypothesis_compared(judge: InProcessJudge) -> str:
    [request] = [request for request in judge.requests if question(request) == "variables"]
    values = slots(request)
    return str(values["HypoB"])


def test_the_authors_text_that_is_quoted_is_judged_and_the_question_comes_first() -> None:
    quote = "\u201c**BMI** rises  with\nage.\u201d"
    workflow = "Yes, the relationship is significant."
    score, judge = judged(quoting(quote, workflow=(workflow,)))
    assert score.answer == QUOTE
    assert hypothesis_compared(judge) == QUOTE
    assert score.record["submission_source"] == "quoted"
    assert score.record["workflow"] == workflow
    assert judge.judge_requests()[0] == "answer"
    assert answer_questions(judge) == 1
    assert slots(judge.requests[0]) == {"goal": "What raises yield?", "text": TEXT}


INVALID = [
    quoting("BMI falls with age."),
    quoting(QUOTE, workflow=("I made this all up",)),
    quoting(),
    {"asserted": "perhaps", "hypothesis": [QUOTE]},
]


@pytest.mark.parametrize("reply", INVALID)
def test_an_invalid_reply_is_sent_back_and_the_whole_text_is_judged_in_the_end(reply: dict[str, Any]) -> None:
    score, judge = judged(reply)
    assert score.answer == TEXT
    assert hypothesis_compared(judge) == TEXT
    assert answer_questions(judge) == 3
    assert score.record["submission_source"] == "whole"

    score, judge = judged(reply, quoting(QUOTE))
    assert score.answer == QUOTE
    assert answer_questions(judge) == 2


def test_a_text_that_asserts_nothing_scores_0_with_the_reason() -> None:
    score, judge = judged(quoting(asserted=False), messages=[said("I will look at the data next.")])
    assert score.values == ZEROS
    assert score.reason == "refusal"
    assert "why" in score.explanation
    assert "look at the data next" in score.explanation
    assert judge.judge_requests() == ["answer"]
    assert score.record["refusal"] is True
    assert score.record["judge"] == "mockllm/judge"


TEXTS: dict[str, tuple[list[Message], str]] = {
    # messages, the text that the judge is asked about
    "all texts at the end": ([said("First."), USER, said("Second.")], "First.\n\nSecond."),
    "texts after the last result": ([said("A."), called("bash"), result("bash", "B."), said("C.")], "C."),
    "the last text": ([said("A."), called("python", code="1"), result("python", "1")], "A."),
    "the arguments of the last call": (
        [called("finish", answer="C."), result("finish", "ok"), said("<think>B.</think>Done.")],
        "C.\n\nDone.",
    ),
}


@pytest.mark.parametrize(("messages", "expected"), TEXTS.values(), ids=TEXTS)
def test_the_judge_is_asked_about_what_the_agent_wrote_last(messages: list[Message], expected: str) -> None:
    _, judge = judged(messages=messages)
    assert text_asked_about(judge) == expected


@pytest.mark.parametrize("messages", [[], [said("A.")]], ids=["no message", "another message"])
def test_a_completion_that_is_no_message_is_the_text(messages: list[Message]) -> None:
    _, judge = judged(messages=messages, completion="C.")
    assert text_asked_about(judge) == "C."


OBJECT = json.dumps({"hypothesis": QUOTE, "workflow": "w"})
PARSED: dict[str, list[Message]] = {
    "a last text": [said("I am done."), USER, said(OBJECT)],
    "the arguments of a call": [called("finish", "I am done.", hypothesis=QUOTE, workflow="w")],
    "an argument of a call": [called("finish", answer=OBJECT)],
}


@pytest.mark.parametrize("messages", PARSED.values(), ids=PARSED)
def test_a_json_object_is_read_without_the_judge(messages: list[Message]) -> None:
    score, judge = judged(messages=messages)
    assert answer_questions(judge) == 0
    assert score.answer == QUOTE
    assert score.record["submission_source"] == "object"


def test_of_a_very_long_text_the_end_is_read() -> None:
    end = QUOTE.rjust(MAX_TEXT, "x")
    _, judge = judged(messages=[said(f"beginning {end}")])
    assert text_asked_about(judge) == end


AUDIT_TEXTS = {f"{number} {item.kind}": item for number, item in enumerate(answer_texts(), 1)}


@pytest.mark.parametrize("item", AUDIT_TEXTS.values(), ids=AUDIT_TEXTS)
def test_each_text_of_the_audit_is_quoted_as_expected(item: AnswerText) -> None:
    """With a judge that gives the expected reply. None of the texts is a JSON object, which code would parse."""
    reply = quoting(*item.hypothesis, asserted=item.asserted, workflow=item.workflow)
    score, judge = judged(reply, messages=[said(item.text)])
    assert answer_questions(judge) == 1
    if item.asserted:
        expected = " ".join(item.hypothesis)
        assert str(score.answer).split() == expected.split()
    else:
        assert score.reason == "refusal"
