"""Answers that are no clean form: the judge quotes the hypothesis that the author asserts, and cannot invent one."""

import json
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput
from inspect_ai.scorer import Score
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_discoverybench.judge_audit.judge_audit import AnswerText, answer_texts
from inspect_discoverybench.scorer.scorer import hms
from tests.endpoint import question, slots
from tests.scorer.judging import InProcessJudge, sample, score_of, scripted

QUOTE = "BMI rises with age."
TEXT = f"**Hypothesis:** {QUOTE}\n\n**Final Answer:** Yes, the relationship is significant."


@solver
def says(*texts: str) -> Solver:
    """An agent of another package that writes messages, with a user's message between them."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        for text in texts:
            state.messages += [ChatMessageAssistant(content=text), ChatMessageUser(content="Go on.")]
        state.output = ModelOutput.from_message(state.messages[-2].model_copy())
        return state

    return solve


def judged(reply: Any, *texts: str) -> tuple[Score, InProcessJudge]:
    """The score of texts. The replies are those to the answer question, the last one repeated."""
    replies = reply if isinstance(reply, list) else [reply]
    answers = [json.dumps(value) if isinstance(value, dict) else value for value in replies]
    judge = InProcessJudge(scripted(answer=answers))
    [log] = inspect_eval(
        Task([sample()], solver=says(*(texts or (TEXT,))), scorer=hms()),
        model="mockllm/model",
        model_roles={"grader": judge.model},
    )
    return score_of(log), judge


def quoting(*quotes: str, asserted: bool = True, workflow: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"asserted": asserted, "hypothesis": [*quotes], "workflow": [*workflow], "explanation": "why"}


def hypothesis_judged(judge: InProcessJudge) -> set[str]:
    return {slots(request)["HypoB"] for request in judge.requests if question(request) == "variables"}


def test_the_quote_is_the_hypothesis_and_the_question_comes_first() -> None:
    score, judge = judged(quoting(QUOTE, workflow=("the relationship is significant",)))
    assert score.answer == QUOTE
    assert hypothesis_judged(judge) == {QUOTE}
    assert score.metadata
    assert (score.metadata["submission_source"], score.metadata["workflow"]) == (
        "quoted",
        "the relationship is significant",
    )
    assert judge.judge_requests()[0] == "answer"
    assert judge.judge_requests().count("answer") == 1
    assert slots(judge.requests[0]) == {"goal": "What raises yield?", "text": TEXT}


@pytest.mark.parametrize(
    "quote", ["**BMI** rises  with\nage.", "\u201cBMI rises with age.\u201d", "Hypothesis: BMI rises with age."]
)
def test_white_space_markdown_and_quotation_marks_of_a_quote_do_not_matter(quote: str) -> None:
    score, judge = judged(quoting(quote))
    assert score.answer == quote
    assert judge.judge_requests().count("answer") == 1


@pytest.mark.parametrize(
    "reply",
    [
        quoting("BMI falls with age."),
        quoting(QUOTE, workflow=("I made this up",)),
        quoting(),
        quoting("**"),
        {"asserted": "perhaps", "hypothesis": [QUOTE]},
        "BMI rises with age.",
    ],
)
def test_an_invalid_reply_is_sent_back_and_the_whole_text_is_judged_in_the_end(reply: dict[str, Any] | str) -> None:
    score, judge = judged(reply)
    assert score.answer == TEXT
    assert hypothesis_judged(judge) == {TEXT}
    assert judge.judge_requests().count("answer") == 3
    assert score.metadata
    assert score.metadata["submission_source"] == "whole"
    score, judge = judged([reply, quoting(QUOTE)])
    assert score.answer == QUOTE
    assert judge.judge_requests().count("answer") == 2


def test_a_text_that_asserts_nothing_scores_0_with_the_reason() -> None:
    score, judge = judged(quoting(asserted=False), "I will look at the data next.")
    assert score.value == {"hms": 0, "context": 0, "variables": 0, "relationship": 0}
    assert score.reason == "refusal"
    assert "why" in str(score.explanation)
    assert "look at the data next" in str(score.explanation)
    assert judge.judge_requests() == ["answer"]
    assert score.metadata
    assert score.metadata["refusal"] is True
    assert score.metadata["judge"] == "mockllm/judge"


def test_all_texts_after_the_last_tool_result_are_one_text() -> None:
    _, judge = judged(quoting(QUOTE), f"Hypothesis: {QUOTE}", "I have already provided my answer above.")
    assert slots(judge.requests[0])["text"] == f"Hypothesis: {QUOTE}\n\nI have already provided my answer above."


PAIRS = {f"{number} {item.kind}": item for number, item in enumerate(answer_texts(), 1)}


@pytest.mark.parametrize("item", PAIRS.values(), ids=PAIRS)
def test_each_text_of_the_audit_is_quoted_as_expected(item: AnswerText) -> None:
    """With a judge that gives the expected reply. None of the texts is a clean form, which code would parse."""
    reply = quoting(*item.hypothesis, asserted=item.asserted, workflow=item.workflow)
    score, judge = judged(reply, item.text)
    assert judge.judge_requests().count("answer") == 1
    if item.asserted:
        assert str(score.answer).split() == "\n".join(item.hypothesis).split()
    else:
        assert score.reason == "refusal"
