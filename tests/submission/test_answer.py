"""Answers that code reads: one JSON object. Everything else is left to the judge."""

import json
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inspect_discoverybench.replies import MAX_REPLY_LENGTH, without_reasoning
from inspect_discoverybench.submission.answer import parse_submission

OBJECTS: dict[str, tuple[str, str, str]] = {
    # text, hypothesis, workflow
    "the whole text": ('{"hypothesis": "A rises.", "workflow": "1. fit"}', "A rises.", "1. fit"),
    "in a code fence": ('```json\n{"hypothesis": "A rises.", "workflow": "fit"}\n```', "A rises.", "fit"),
    "in the last code fence": (
        'The data first:\n```\n1, 2\n```\nNow the answer.\n```json\n{"hypothesis": "A rises."}\n```\n',
        "A rises.",
        "",
    ),
    "in a fence that opens at the end of a line": ('The answer: ```\n{"hypothesis": "A rises."}\n```', "A rises.", ""),
    "between tildes": ('Here:\n~~~json\n{"hypothesis": "A rises."}\n~~~', "A rises.", ""),
    "in a fence that is not closed, in brackets": (
        'Here:\n```json\n{"hypothesis": "[A rises (r = 0.4).]"}',
        "[A rises (r = 0.4).]",
        "",
    ),
    "after reasoning": ('<think>{"hypothesis": "B"}</think>\n{"hypothesis": "A rises."}<end_of_turn>', "A rises.", ""),
    "raw line ends in a string": ('{"hypothesis": "A rises\nwith B."}', "A rises\nwith B.", ""),
    "capitals and a list of steps": (
        '{"Hypothesis": "A rises.", "Workflow": ["load", "fit"]}',
        "A rises.",
        "load\nfit",
    ),
    "a call": (
        '{"name": "submit", "arguments": {"hypothesis": "A rises.", "workflow": "w"}}',
        "A rises.",
        "w",
    ),
    "a call with JSON text as arguments": (
        '{"type": "function", "parameters": "{\\"hypothesis\\": \\"A rises.\\"}"}',
        "A rises.",
        "",
    ),
    "half a surrogate pair": ('{"hypothesis": "bad \\ud83d x"}', "bad ? x", ""),
    "hypothesis as an object": (
        '{"hypothesis": {"context": "men", "variables": ["age", "BMI"], "relationship": "rises"}, "workflow": "w"}',
        "context: men\nvariables: age, BMI\nrelationship: rises",
        "w",
    ),
}

LATEX: dict[str, tuple[str, str]] = {
    # what stands in the object, and the hypothesis
    "each letter": (r"$\beta$, \frac{1}{2}, \nu, \rho and \text{x}", r"$\beta$, \frac{1}{2}, \nu, \rho and \text{x}"),
    "other commands": (
        r"\times 3, \theta \neq 0, \bar{x} \rightarrow \forall y",
        r"\times 3, \theta \neq 0, \bar{x} \rightarrow \forall y",
    ),
    "beside lone backslashes": (r"\alpha and \beta", r"\alpha and \beta"),
    "escaped as JSON asks": (r"\\beta and \\nu", r"\beta and \nu"),
    "escaped line breaks": (r"1. a\n2. b\nand c", "1. a\n2. b\nand c"),
    "a line break before a capital": (r"A rises.\nB falls.", "A rises.\nB falls."),
    "an empty line": (r"First.\n\nthen", "First.\n\nthen"),
    # An escape is not taken for LaTeX if the text has its control character, or has the escape without a small letter
    # after it. So `\nu` beside a raw line break is read as JSON, and so is `\rho` beside `\r\n`.
    "raw line breaks": ("A rises\nwith \\nu", "A rises\nwith \nu"),
    "tabs": (r"a\t1\tb", "a\t1\tb"),
    "Windows line breaks": (r"a\r\n\r\nb \rho", "a\r\n\r\nb \rho"),
    "LaTeX beside line breaks": (r"1. a\n2. \beta", "1. a\n2. \\beta"),
}


@pytest.mark.parametrize(("written", "hypothesis"), LATEX.values(), ids=LATEX)
def test_latex_stays_unless_its_escape_also_stands_for_a_control_character(written: str, hypothesis: str) -> None:
    answer = parse_submission(f'{{"hypothesis": "{written}", "workflow": "w"}}')
    assert answer is not None
    assert answer.hypothesis == hypothesis


OTHER_TEXTS: dict[str, str] = {
    "labels": "**Hypothesis:** A rises.\n\n**Workflow:** load, fit",
    "an object after a sentence": 'My answer: {"hypothesis": "A rises.", "workflow": "w"}',
    "an object before a sentence": '{"hypothesis": "A rises."}\n\nConclusion: the data do not support this.',
    "a fence before a sentence": '```json\n{"hypothesis": "A rises."}\n```\nI reject it.',
    "a sentence beside the closing fence": '```json\n{"hypothesis": "A rises."}\n``` I reject it.',
    "a fence before another": '```json\n{"hypothesis": "A rises."}\n```\n```\nno\n```',
    "two objects": '{"hypothesis": "A rises."}\n{"hypothesis": "A falls."}',
    "two hypotheses": '{"hypothesis": "A rises.", "hypothesis": "A falls."}',
    "two hypotheses, one of them capitalised": '{"Hypothesis": "A rises.", "hypothesis": "A falls."}',
    "an object in another": '{"answer": {"hypothesis": "inner", "workflow": "w"}}',
    "a conclusion in the object": '{"hypothesis": "A rises.", "conclusion": "It is rejected.", "workflow": "w"}',
    "a placeholder": '{"hypothesis": "...", "workflow": "..."}',
    "a list": '[{"hypothesis": "A rises."}]',
}


REASONING: dict[str, tuple[str, str]] = {
    "two blocks": ("<think>a</think>A rises <think>b</think>with B.", "A rises with B."),
    "attribute": ('<think time="3">draft</think>A rises.', "A rises."),
    "unmatched closing": ("Let me see. Hypothesis: draft.\n</think>\nA rises.", "A rises."),
    "nested": ("<think>a <think>b</think> c</think>A rises.", "A rises."),
    # In a complete text, the text after a tag that is never closed may be the answer.
    "not closed": ("A rises.\n<think>Was that", "A rises.\n<think>Was that"),
    "brackets": ("[THINK]draft[/THINK]A rises.", "A rises."),
    "channels": ("<|channel|>analysis<|message|>draft<|end|><|channel|>final<|message|>A rises.", "A rises."),
}


@pytest.mark.parametrize(("text", "hypothesis", "workflow"), OBJECTS.values(), ids=OBJECTS)
def test_one_json_object_is_parsed(text: str, hypothesis: str, workflow: str) -> None:
    answer = parse_submission(text)
    assert answer is not None
    assert answer.hypothesis == hypothesis
    assert answer.workflow == workflow
    assert answer.source == "object"


@pytest.mark.parametrize("text", OTHER_TEXTS.values(), ids=OTHER_TEXTS)
def test_any_other_text_is_left_to_the_judge(text: str) -> None:
    assert parse_submission(text) is None


@pytest.mark.parametrize(("text", "answer"), REASONING.values(), ids=REASONING)
def test_reasoning_is_not_part_of_the_answer(text: str, answer: str) -> None:
    assert without_reasoning(text) == answer


UNUSUAL_HYPOTHESES = ["[A rises with B.]", "<A rises with B.>", "<your hypothesis here>", "N/A", "See above."]


@pytest.mark.parametrize("hypothesis", UNUSUAL_HYPOTHESES)
def test_a_hypothesis_in_brackets_or_without_content_is_kept(hypothesis: str) -> None:
    answer = parse_submission(json.dumps({"hypothesis": hypothesis, "workflow": "w"}))
    assert answer is not None
    assert answer.hypothesis == hypothesis


def test_a_text_that_is_longer_than_a_reply_may_be_is_not_parsed() -> None:
    text = '{"hypothesis": "A rises with B."}'
    assert parse_submission(text.rjust(MAX_REPLY_LENGTH))
    assert parse_submission(text.rjust(MAX_REPLY_LENGTH + 1)) is None


def test_a_block_that_resembles_what_follows_takes_linear_time() -> None:
    """`text.rfind(block)` takes quadratic time: at each place of what follows, all letters match up to the `c`."""
    block = "ac" + "a" * 300_000
    text = f"```\n{block}\n```\n" + "a" * 590_000
    start = time.process_time()
    assert parse_submission(text) is None
    assert time.process_time() - start < 5


@pytest.mark.parametrize("fragment", ["{'", '{"hypothesis":', "```\n", "\\", "<think ", " "])
@pytest.mark.usefixtures("slow")
def test_reading_takes_linear_time(fragment: str) -> None:
    """A text of 900,000 characters takes less than a second; a quadratic algorithm would take hours."""
    text = '{"hypothesis": "x' + fragment * (900_000 // len(fragment))
    start = time.process_time()
    parse_submission(text)
    parse_submission(text.removeprefix('{"hypothesis": "x'))
    assert time.process_time() - start < 5


FRAGMENTS = st.sampled_from(
    ["<think>", "</think>", "\n", "```", "```json\n", "{", "}", "[", '"', ":", "\\", '{"hypothesis": "', "A rises."]
)  # fmt: skip
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(), st.text(max_size=9)),
    lambda inner: st.dictionaries(st.sampled_from(["hypothesis", "workflow", "arguments"]), inner, max_size=3),
    max_leaves=9,
)


@given(st.one_of(st.text(), st.lists(FRAGMENTS, max_size=60).map("".join), VALUES.map(json.dumps)))
@example('{"hypothesis": ' + "[" * 5_000)
def test_reading_never_raises_and_returns_no_empty_hypothesis(text: str) -> None:
    answer = parse_submission(text)
    if answer is not None:
        assert answer.hypothesis
