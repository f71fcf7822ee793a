"""Clean forms of an answer, which code parses, and texts from which the judge must quote."""

import time
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inspect_discoverybench.replies import without_reasoning
from inspect_discoverybench.submission.answer import is_placeholder, parse_submission

CLEAN: dict[str, tuple[str, str, str]] = {
    # text, hypothesis, workflow
    "heading above": ("# Report\n## Hypothesis\nA rises.\n## Workflow\n1. a\n\n2. b", "A rises.", "1. a\n\n2. b"),
    "object": ('{"hypothesis": "A rises.", "workflow": "1. fit"}', "A rises.", "1. fit"),
    "fenced object": ('```json\n{"hypothesis": "A rises.", "workflow": "fit"}\n```', "A rises.", "fit"),
    "braces around it and in it": (
        'The set {a, b} matters. {"hypothesis": "A {b} rises.", "workflow": "f"}',
        "A {b} rises.",
        "f",
    ),
    "capitals and a list of steps": (
        '{"Hypothesis": "A rises.", "Workflow": ["load", "fit"]}',
        "A rises.",
        "load\nfit",
    ),
    "a call between tags": (
        '<tool_call>\n{"name": "submit", "arguments": {"hypothesis": "A rises.", "workflow": "w"}}\n</tool_call>',
        "A rises.",
        "w",
    ),
    "a call with an object": ('submit({"hypothesis": "A rises.", "workflow": "w"})', "A rises.", "w"),
    "half a surrogate pair": ('{"hypothesis": "bad \\ud83d x"}', "bad ? x", ""),
    "hypothesis as an object": (
        '{"hypothesis": {"context": "men", "variables": ["age", "BMI"], "relationship": "rises"}, "workflow": "w"}',
        "context: men\nvariables: age, BMI\nrelationship: rises",
        "w",
    ),
    "hypothesis as JSON text": (
        '{"hypothesis": "{\\"hypothesis\\": \\"A rises.\\", \\"workflow\\": \\"w\\"}"}',
        "A rises.",
        "w",
    ),
    "plain": ("Hypothesis: A rises.\n\nWorkflow: load, fit", "A rises.", "load, fit"),
    "bold": ("**Hypothesis:** A rises.\n**Workflow:**\n1. load\n2. fit", "A rises.", "1. load\n2. fit"),
    "bold labels and texts": ("**Hypothesis: A rises.**\n**Workflow: w**", "A rises.", "w"),
    "heading with a colon": ("### Hypothesis: A rises.\n### Workflow: w", "A rises.", "w"),
    "setext": ("Hypothesis\n----------\nA rises.\n\nWorkflow\n--------\nw", "A rises.", "w"),
    "numbered items": ("1. **Hypothesis**: A rises.\n2. **Workflow**: w", "A rises.", "w"),
    "quoted": ("> **Hypothesis:** A rises\n> with B.\n>\n> **Workflow:** w", "A rises\nwith B.", "w"),
    "full-width colon": ("Hypothesis\uff1aA rises.\nWorkflow\uff1aw", "A rises.", "w"),
    "end-of-turn token": ("Hypothesis: A rises.\nWorkflow: w<|eot_id|>", "A rises.", "w"),
    "Windows line ends": ("## Hypothesis\r\n\r\nA rises.\r\n\r\n## Workflow\r\nw\r\n", "A rises.", "w"),
    "rules between": ("**Hypothesis:** A rises.\n\n---\n\n**Workflow:** w\n\n---", "A rises.", "w"),
    "items without a colon": ("1. Hypothesis\n   A rises.\n2. Workflow\n   w", "A rises.", "w"),
    "bold statement": ("## Hypothesis\n\n**BMI rises with age.**\n\n## Workflow\nw", "**BMI rises with age.**", "w"),
    "paragraphs": (
        "**Hypothesis:** A rises.\n\nIt rises by 3 units.\n\n**Workflow:** w",
        "A rises.\n\nIt rises by 3 units.",
        "w",
    ),
}

NOT_CLEAN: dict[str, str] = {
    "a draft first": 'First {"hypothesis": "draft"}, then {"hypothesis": "final"}',
    "nested": '{"answer": {"hypothesis": "inner", "workflow": "w"}}',
    "the form quoted after it": ('{"hypothesis": "A rises."} I used the form {"hypothesis": "...", "workflow": "..."}'),
    "bare quotes inside": '{"hypothesis": "The "big" A rises.", "workflow": "w"}',
    "after a label": '**Hypothesis:** a draft.\n\n```json\n{"hypothesis": "A rises.", "workflow": "w"}\n```',
    "an aside in the workflow": "Hypothesis: A rises.\n\nWorkflow:\n1. load\nLimitations: few rows\n2. fit",
    "headings": "## Final hypothesis\nA rises.\n\n## Workflow summary\nload",
    "workflow first": "## Workflow\n1. load\n2. fit\n\n## Hypothesis\nA rises.",
    "tags": "<hypothesis>A rises.</hypothesis>\n<workflow>w</workflow>",
    "null hypothesis after it": "**Hypothesis (H1):** A rises.\n**Null Hypothesis (H0):** none.\n\n**Workflow:** w",
    "in the middle of a line": "Sure! **Hypothesis:** A rises. **Workflow:** w",
    "final after initial": "**Initial hypothesis:** B.\n**Final hypothesis:** A rises.\n**Workflow:** w",
    "after one below its label": "Initial hypothesis:\nB.\n\nHypothesis: A rises.\nWorkflow: w",
    "numbered": "**Hypothesis 1:** A rises.\n**Hypothesis 2:** B falls.\n\n**Workflow:** w",
    "an empty label after it": "Hypothesis: A rises.\n\nThe rest.\nHypothesis:",
    "final label after an object": '{"hypothesis": "draft"}\n\n**Final hypothesis:** A rises.\n\n**Workflow:** w',
    "sentence": "I think A rises with B.",
    "a remark after the labels": "**Hypothesis:** BMI rises.\n\n**Workflow:** fit\n\n**Final Answer:** Yes, it does.",
    "a paragraph after the labels": "Hypothesis: BMI rises.\n\nWorkflow: fit\n\nI have already given my answer.",
    "a conclusion in a list": "Hypothesis: A rises.\nWorkflow:\n1. fit\n\nConclusion: I reject it.",
    "German labels": "Hypothese: BMI steigt mit dem Alter.\nVorgehen: Regression",
    "an object and a second one": '{"hypothesis": "A rises."}\n{"hypothesis": "A falls."}',
    "a rejected object": '{"hypothesis": "A rises."}\n\nConclusion: the data do not support this.',
    "a conclusion in the object": '{"hypothesis": "A rises.", "conclusion": "It is rejected.", "workflow": "w"}',
    "an indented conclusion": "Hypothesis: A rises.\nWorkflow:\n1. load\n2. fit\n\n   The hypothesis is rejected.",
    "a placeholder": '{"hypothesis": "<hypothesis>", "workflow": "w"}',
    "a fenced value": "## Hypothesis\n```text\nA rises.\n```\n## Workflow\nw",
}

REASONING: dict[str, tuple[str, str]] = {
    "between tags": ('<think>{"hypothesis": "draft"}</think>A rises with B.', "A rises with B."),
    "attribute": ('<think time="3">draft</think>A rises.', "A rises."),
    "unmatched closing": ("Let me see. Hypothesis: draft.\n</think>\nA rises.", "A rises."),
    "two blocks": ("<think>a</think>A rises <think>b</think>with B.", "A rises with B."),
    "nested": ("<think>a <think>b</think> c</think>A rises.", "A rises."),
    "opened twice, closed once": ("<think>\n<think>\ndraft</think>\nA rises.", "A rises."),
    "answer, then cut off": ("A rises.\n<think>Was that", "A rises.\nWas that"),
    "brackets": ("[THINK]draft[/THINK]A rises.", "A rises."),
    "channels": ("<|channel|>analysis<|message|>draft<|end|><|channel|>final<|message|>A rises.", "A rises."),
    "32,000 opening tags, then the answer": ("<think>" * 32_000 + "x</think>A rises.", "A rises."),
}


@pytest.mark.parametrize(("text", "hypothesis", "workflow"), CLEAN.values(), ids=CLEAN)
def test_a_clean_form_is_parsed(text: str, hypothesis: str, workflow: str) -> None:
    answer = parse_submission(text)
    assert answer is not None
    assert (answer.hypothesis, answer.workflow) == (hypothesis, workflow)
    assert answer.source == ("object" if "{" in text else "labels")


@pytest.mark.parametrize("text", NOT_CLEAN.values(), ids=NOT_CLEAN)
def test_any_other_form_is_left_to_the_judge(text: str) -> None:
    assert parse_submission(text) is None


@pytest.mark.parametrize(("text", "answer"), REASONING.values(), ids=REASONING)
def test_reasoning_is_not_part_of_the_answer(text: str, answer: str) -> None:
    assert without_reasoning(text) == answer


@pytest.mark.parametrize(
    "text", ["", "N/A", "n/a.", "None", "<hypothesis>", "[your hypothesis]", "See above.", "...", "{hypothesis}"]
)
def test_a_placeholder_is_no_hypothesis(text: str) -> None:
    assert is_placeholder(text)
    assert not is_placeholder(f"{text} A rises with B (p < 0.01).")


HOSTILE: dict[str, Callable[[int], str]] = {
    "braces and quotes": lambda n: "{'" * (n // 2),
    "nested hypotheses": lambda n: '{"hypothesis":' * (n // 14),
    "strings on lines": lambda n: '{"hypothesis": "a"' + '\n"a"' * (n // 4),
    "paragraphs of a workflow": lambda n: "Workflow:" + "\n\n" * (n // 2) + "- x",
    "backslashes": lambda n: '{"hypothesis": "x' + "\\" * n,
    "labels and workflows": lambda n: "Hypothesis: a\nWorkflow: b\n" * (n // 26),
    "spaces": lambda n: "Hypothesis" + " " * n + "x",
    "closing tags with spaces": lambda n: "Hypothesis: BMI rises " + "</p> " * (n // 5),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.usefixtures("sweep")
def test_reading_takes_linear_time(name: str) -> None:
    """A text of 200,000 characters takes at most a second; a quadratic algorithm would take minutes."""
    text = HOSTILE[name](200_000)
    start = time.process_time()
    parse_submission(text)
    assert time.process_time() - start < 5


FRAGMENTS = st.sampled_from(
    ["<think>", "</think>", "**", "__", "#", "## ", "\n", "\n\n", "```", "```json\n", "{", "}", '"', "'", ":", "|",
     "- ", "1. ", "> ", "Hypothesis", "hypothesis", "Workflow", "Final ", '{"hypothesis": "', "submit(", "</", "<", ">",
     "<hypothesis>", "\\boxed{", "\\", "---", ",", "a", " ", "\u00a0", "\r\n", "A rises.", "\ud83d"]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(FRAGMENTS, max_size=60).map("".join)))
@example("Hypothesis\n")
@settings(max_examples=1_000)
def test_reading_never_raises_and_returns_words_of_the_text(text: str) -> None:
    answer = parse_submission(text)
    if answer is not None:
        assert any(character.isalnum() or character == "_" for character in answer.hypothesis)
