"""Answers that are not one JSON object: the judge quotes the hypothesis that the author asserts."""

import json
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ChatMessageUser, Model, ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall

from inspect_discoverybench.scorer.scorer import hms
from inspect_discoverybench.submission.submission import MAX_TEXT
from tests.endpoint import slots
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


Message = ChatMessageAssistant | ChatMessageTool | ChatMessageUser
USER = ChatMessageUser(content="Go on.")
ANSWER: list[Message] = [said(TEXT)]


@solver
def leaves(messages: list[Message]) -> Solver:
    """An agent of another package that leaves these messages, the last one of which is its output."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.messages += messages
        written = [message for message in messages if isinstance(message, ChatMessageAssistant)]
        last = written[-1].model_copy()
        state.output = ModelOutput.from_message(last)
        return state

    return solve


def judged(messages: list[Message], *replies: str) -> tuple[Result, InProcessJudge]:
    """The score of an answer, and its judge with these replies to the answer question, the last one repeated."""
    answer = scripted(answer=[*replies])
    judge = InProcessJudge(answer)
    agent = leaves(messages)
    task = Task([sample()], solver=agent, scorer=hms())
    roles: dict[str, str | Model] = {"grader": judge.model}
    [log] = inspect_eval(task, model="mockllm/model", model_roles=roles)
    score = score_of(log)
    return score, judge


def quoting(*quotes: str, asserted: bool = True, workflow: str | None = None) -> str:
    reply = {
        "asserted": asserted,
        "hypothesis": quotes,
        "workflow": workflow,
        "explanation": "why",
    }
    return json.dumps(reply)


def answer_questions(judge: InProcessJudge) -> int:
    questions = judge.judge_requests()
    return questions.count("answer")


def text_asked_about(judge: InProcessJudge) -> str:
    values = slots(judge.requests[0])
    return str(values["text"])


def test_the_judge_is_asked_for_quotes_first_and_the_quoted_text_of_the_author_is_judged() -> None:
    quote = "\u201c**BMI** rises  with\nage.\u201d"
    workflow = "Yes, the relationship is significant."
    reply = quoting(quote, workflow=workflow)
    score, judge = judged(ANSWER, reply)
    assert score.answer == QUOTE
    assert score.record["submission_source"] == "quoted"
    assert score.record["workflow"] == workflow

    first, *others = judge.judge_requests()
    assert first == "answer"
    assert "answer" not in others
    assert slots(judge.requests[0]) == {"goal": "What raises yield?", "text": TEXT}


INVALID = [
    quoting("BMI falls with age."),
    quoting(QUOTE, workflow="I made this all up"),
    quoting(),
    '{"asserted": "perhaps"}',
]


@pytest.mark.parametrize("reply", INVALID)
def test_after_three_invalid_replies_the_whole_text_is_judged(reply: str) -> None:
    score, judge = judged(ANSWER, reply)
    assert score.answer == TEXT
    assert score.record["submission_source"] == "whole"
    assert answer_questions(judge) == 3


LATEX = [
    r"In all rows, \(y = \alpha x\) with \sigma = 2.",
    r"In all rows, \beta_1 = 0.3 and \rho > 0.",
    r"In all rows, \nu rises with \text{age} and \theta.",
]


@pytest.mark.parametrize("sentence", LATEX)
def test_a_quote_of_latex_needs_no_escaped_backslashes(sentence: str) -> None:
    reply = f'{{"asserted": true, "hypothesis": ["{sentence}"], "workflow": [], "explanation": ""}}'
    score, judge = judged([said(f"I looked.\n\n{sentence}\n\nThis is my answer.")], reply)
    assert score.answer == sentence
    assert score.record["submission_source"] == "quoted"
    assert answer_questions(judge) == 1


def test_an_empty_quote_of_the_workflow_is_valid_and_means_none() -> None:
    score, judge = judged(ANSWER, quoting(QUOTE, workflow=""))
    assert score.record["submission_source"] == "quoted"
    assert score.record["workflow"] == ""
    assert answer_questions(judge) == 1


def test_a_text_that_asserts_nothing_scores_0_with_the_reason() -> None:
    plan = said("I will look at the data next.")
    reply = quoting(asserted=False)
    score, judge = judged([plan], reply)
    assert score.values == ZEROS
    assert score.reason == "refusal"
    assert "why" in score.explanation
    assert "look at the data next" in score.explanation
    # This is the judge's decision, so the judge is recorded.
    assert score.record["judge"]
    assert judge.judge_requests() == ["answer"]


CALL = called("finish", answer="C.")
RECEIPT = result("finish", "ok")
CODE = called("python", code="1")
CODE_AND_CALL = ChatMessageAssistant(content="", tool_calls=[*(CODE.tool_calls or []), *(CALL.tool_calls or [])])
OUTPUT = result("python", "1")
TEXTS: dict[str, tuple[list[Message], str]] = {
    # messages, the text that the judge is asked about
    "all texts at the end": (
        [said("First."), USER, said("Second.")],
        "First.\n\nSecond.",
    ),
    "texts after the last result": (
        [said("A."), CODE, OUTPUT, said("C.")],
        "C.",
    ),
    "the last text": (
        [said("A."), said("B."), CODE, OUTPUT],
        "B.",
    ),
    "the arguments of the last call, and the text after it": (
        [CODE_AND_CALL, RECEIPT, said("<think>B.</think>Done.")],
        "C.\n\nDone.",
    ),
}


@pytest.mark.parametrize("case", TEXTS)
def test_the_judge_is_asked_about_what_the_agent_wrote_last(case: str) -> None:
    messages, expected = TEXTS[case]
    _, judge = judged(messages)
    assert text_asked_about(judge) == expected


OBJECT = json.dumps({"hypothesis": QUOTE, "workflow": "w"})
PARSED: dict[str, list[Message]] = {
    "the arguments of a call": [called("finish", "I am done.", hypothesis=QUOTE, workflow="w")],
    "an argument of a call": [called("finish", answer=OBJECT)],
}


@pytest.mark.parametrize("case", PARSED)
def test_a_json_object_is_read_without_the_judge(case: str) -> None:
    score, judge = judged(PARSED[case])
    assert answer_questions(judge) == 0
    assert score.answer == QUOTE
    assert score.record["submission_source"] == "object"


def test_of_a_very_long_text_the_end_is_read() -> None:
    end = QUOTE.rjust(MAX_TEXT, "x")
    message = said(f"beginning {end}")
    _, judge = judged([message])
    assert text_asked_about(judge) == end
