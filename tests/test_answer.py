"""Clean forms of an answer, which code parses, and texts from which the judge must quote."""

import time
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inspect_discoverybench.answer import is_placeholder, read, without_reasoning
from inspect_discoverybench.hypothesis import MAX_CHARACTERS

CLEAN: dict[str, tuple[str, str, str]] = {
    # text, hypothesis, workflow
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
    "raw line end": ('{"hypothesis": "line one\nline two"}', "line one\nline two", ""),
    "a call between tags": (
        '<tool_call>\n{"name": "submit", "arguments": {"hypothesis": "A rises.", "workflow": "w"}}\n</tool_call>',
        "A rises.",
        "w",
    ),
    "a call with an object": ('submit({"hypothesis": "A rises.", "workflow": "w"})', "A rises.", "w"),
    "half a surrogate pair": ('{"hypothesis": "bad \\ud83d x"}', "bad ? x", ""),
    "null and final key": ('{"null_hypothesis": "B", "hypothesis": "A rises.", "p": 0.01}', "A rises.", ""),
    "hypothesis as a list": ('{"hypothesis": ["A rises.", "B falls."]}', "A rises.\nB falls.", ""),
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
    "apostrophes before it": ("It's {'odd. It's {'odder. {\"hypothesis\": \"A rises.\"}", "A rises.", ""),
    "an action": ('Action: submit\nAction Input: {"hypothesis": "A rises.", "workflow": "w"}', "A rises.", "w"),
    "plain": ("Hypothesis: A rises.\n\nWorkflow: load, fit", "A rises.", "load, fit"),
    "bold": ("**Hypothesis:** A rises.\n**Workflow:**\n1. load", "A rises.", "1. load"),
    "colon outside": ("**Hypothesis**: A rises.\n**Workflow**: w", "A rises.", "w"),
    "bold line": ("**Hypothesis**\nA rises.\n\n**Workflow**\nw", "A rises.", "w"),
    "bold sentence": ("**Hypothesis: A rises.**\n\n**Workflow: w**", "A rises.", "w"),
    "bold italics": ("***Hypothesis:*** A rises.\n***Workflow:*** w", "A rises.", "w"),
    "italics": ("*Hypothesis:* A rises.\n*Workflow:* w", "A rises.", "w"),
    "underscores": ("__Hypothesis__: A rises.\n__Workflow:__ w", "A rises.", "w"),
    "single underscores": ("_Hypothesis:_ A rises.\n_Workflow_: w", "A rises.", "w"),
    "code": ("`Hypothesis`: A rises.\n`Workflow`: w", "A rises.", "w"),
    "heading of level 1": ("# Hypothesis\nA rises.\n# Workflow\nw", "A rises.", "w"),
    "heading of level 6": ("###### Hypothesis\nA rises.\n###### Workflow\nw", "A rises.", "w"),
    "heading with a colon": ("### Hypothesis: A rises.\n### Workflow: w", "A rises.", "w"),
    "closed heading": ("## Hypothesis ##\nA rises.\n## Workflow ##\nw", "A rises.", "w"),
    "bold heading": ("## **Hypothesis**\nA rises.\n## **Workflow:**\nw", "A rises.", "w"),
    "heading without a space": ("##Hypothesis\nA rises.\n##Workflow\nw", "A rises.", "w"),
    "setext": ("Hypothesis\n----------\nA rises.\n\nWorkflow\n--------\nw", "A rises.", "w"),
    "small letters": ("hypothesis: A rises.\nworkflow: w", "A rises.", "w"),
    "numbered items": ("1. **Hypothesis**: A rises.\n2. **Workflow**: w", "A rises.", "w"),
    "numbered items with parentheses": ("1) Hypothesis: A rises.\n2) Workflow: w", "A rises.", "w"),
    "lettered items": ("(a) Hypothesis: A rises.\n(b) Workflow: w", "A rises.", "w"),
    "dash items": ("- Hypothesis: A rises.\n- Workflow: w", "A rises.", "w"),
    "star items": ("* **Hypothesis:** A rises.\n* **Workflow:** w", "A rises.", "w"),
    "bullets": ("• Hypothesis: A rises.\n• Workflow: w", "A rises.", "w"),
    "quoted": ("> **Hypothesis:** A rises\n> with B.\n>\n> **Workflow:** w", "A rises\nwith B.", "w"),
    "quoted heading": ("> ## Hypothesis\n> A rises.\n>\n> ## Workflow\n> w", "A rises.", "w"),
    "full-width colon": ("Hypothesis\uff1aA rises.\nWorkflow\uff1aw", "A rises.", "w"),
    "answer around the hypothesis": ("# Final answer\n\n**Hypothesis:** A rises.\n\n**Workflow:** w", "A rises.", "w"),
    "hypothesis and workflow": (
        "# Hypothesis and Workflow\n\n**Hypothesis:** A rises.\n\n**Workflow:** w",
        "A rises.",
        "w",
    ),
    "end-of-turn token": ("Hypothesis: A rises.\nWorkflow: w<|eot_id|>", "A rises.", "w"),
    "value in quotation marks": ('hypothesis: "A rises."\nworkflow: "w"', "A rises.", "w"),
    "Windows line ends": ("## Hypothesis\r\n\r\nA rises.\r\n\r\n## Workflow\r\nw\r\n", "A rises.", "w"),
    "byte-order mark": ("\ufeffHypothesis: A rises.\nWorkflow: w", "A rises.", "w"),
    "rules between": ("**Hypothesis:** A rises.\n\n---\n\n**Workflow:** w\n\n---", "A rises.", "w"),
    "quoted value": ("**Hypothesis**:\n> A rises.\n\n**Workflow**: w", "A rises.", "w"),
    "items without a colon": ("1. Hypothesis\n   A rises.\n2. Workflow\n   w", "A rises.", "w"),
    "bold statement": ("## Hypothesis\n\n**BMI rises with age.**\n\n## Workflow\nw", "**BMI rises with age.**", "w"),
    "a deeper workflow": ("# Hypothesis\nA rises.\n### Workflow\nw", "A rises.", "w"),
    "paragraphs": (
        "**Hypothesis:** A rises.\n\nIt rises by 3 units.\n\n**Workflow:** w",
        "A rises.\n\nIt rises by 3 units.",
        "w",
    ),
    "items": ("## Hypothesis\n- A rises.\n- B falls.\n\n## Workflow\nw", "- A rises.\n- B falls.", "w"),
}

NOT_CLEAN: dict[str, str] = {
    "unnamed fence between sentences": 'Here it is:\n```\n{"hypothesis": "A rises."}\n```\nDone.',
    "Python notation": "My answer is {'hypothesis': 'A rises.', 'workflow': 'fit'}.",
    "a draft first": 'First {"hypothesis": "draft"}, then {"hypothesis": "final"}',
    "nested": '{"answer": {"hypothesis": "inner", "workflow": "w"}}',
    "hypothesis around another": '{"hypothesis": "outer", "workflow": [{"hypothesis": "inner"}]}',
    "the form quoted after it": ('{"hypothesis": "A rises."} I used the form {"hypothesis": "...", "workflow": "..."}'),
    "a call in parentheses": 'submit(hypothesis="A rises.", workflow="1. load")',
    "a missing brace in a fence": '```json\n{"hypothesis": "A rises.", "workflow": "w"\n```',
    "final key": '{"final_hypothesis": "A rises.", "workflow": "w"}',
    "list of hypotheses": '{"hypotheses": ["A rises.", "B falls."], "workflow": "w"}',
    "cut off in the workflow": '```json\n{"hypothesis": "A rises.", "workflow": "1. load 2. f',
    "bare quotes inside": '{"hypothesis": "The "big" A rises.", "workflow": "w"}',
    "bare keys": '{hypothesis: "A rises.", workflow: "w"}',
    "after a label": '**Hypothesis:** a draft.\n\n```json\n{"hypothesis": "A rises.", "workflow": "w"}\n```',
    "an aside in the workflow": "Hypothesis: A rises.\n\nWorkflow:\n1. load\nLimitations: few rows\n2. fit",
    "headings": "## Final hypothesis\nA rises.\n\n## Workflow summary\nload",
    "setext with other sections": (
        "Context\n=======\nmen\n\nHypothesis\n==========\nA rises.\n\nEvidence\n========\np < 0.01"
    ),
    "capitals": "FINAL HYPOTHESIS: A rises.\nWORKFLOW: w",
    "table": "| Field | Content |\n|---|---|\n| Hypothesis | A rises. |\n| Workflow | load, fit |",
    "qualified": "**My proposed hypothesis:** A rises.\n**Analysis workflow:** w",
    "statement": "Hypothesis statement: A rises.",
    "final answer": "We looked at B first.\n\n**Final Answer:** A rises.",
    "workflow first": "## Workflow\n1. load\n2. fit\n\n## Hypothesis\nA rises.",
    "steps as a synonym": "**Hypothesis:** A rises.\n\n**Steps:**\n1. load",
    "YAML": "hypothesis: >\n  A rises\n  with B.\nworkflow: |\n  load\n  fit",
    "fenced labels": "Here:\n```\nHypothesis: A rises.\nWorkflow: w\n```\nBye.",
    "tags": "<hypothesis>A rises.</hypothesis>\n<workflow>w</workflow>",
    "call of tags": (
        "<function=submit>\n<parameter=hypothesis>\nA rises.\n</parameter>\n<parameter=workflow>\nw\n"
        "</parameter>\n</function>"
    ),
    "boxed": "We find that $\\boxed{\\text{A rises with B.}}$",
    "scratchpad": "<scratchpad>Final hypothesis: B</scratchpad>\nHypothesis: A rises.",
    "null hypothesis after it": "**Hypothesis (H1):** A rises.\n**Null Hypothesis (H0):** none.\n\n**Workflow:** w",
    "in the middle of a line": "Sure! **Hypothesis:** A rises. **Workflow:** w",
    "LaTeX": "\\textbf{Hypothesis:} A rises.\n\n\\textbf{Workflow:} w",
    "bold labels inside": "**Hypothesis:**\n\n**Context:** men\n**Relationship:** rises",
    "a heading of the same level": "## Hypothesis\nA rises.\n## Evidence\np < 0.01\n## Workflow\nw",
    "final after initial": (
        "**Initial hypothesis:** B.\n**Evidence:** p\n**Final hypothesis:** A rises.\n**Workflow:** w"
    ),
    "final before plain": "Final hypothesis: A rises.\n\nHypothesis: B.\n\nWorkflow: w",
    "numbered": "**Hypothesis 1:** A rises.\n**Hypothesis 2:** B falls.\n\n**Workflow:** w",
    "null and alternative": (
        "**Null hypothesis:** nothing.\n**Alternative hypothesis:** something.\n\n"
        "**Hypothesis:** A rises.\n\n**Workflow:** w"
    ),
    "testing after it": "**Hypothesis**: A rises.\n\n## Hypothesis Testing\np < 0.01",
    "a label in the workflow": "## Hypothesis\nA rises.\n## Workflow\n1. load\n2. Hypothesis: tested",
    "an empty label after it": "Hypothesis: A rises.\n\nThe rest.\nHypothesis:",
    "final label after an object": (
        '{"hypothesis": "draft", "workflow": "x"}\n\nOn reflection:\n\n**Final hypothesis:** A rises.\n'
        "\n**Workflow:** w"
    ),
    "bold conclusion": "**Analysis steps:**\n1. Load\n2. OLS\n\n**Conclusion:** Among men, BMI rises with age.",
    "results": "Workflow: load\n\nResults: Among men, BMI rises with age.",
    "remark: **Final answer:** Submitted.": (
        "**Hypothesis:** Among men, BMI rises with age.\n\n**Final answer:** Submitted."
    ),
    "placeholder object after it": (
        "Hypothesis: Among men, BMI rises with age.\nWorkflow: load\n\n"
        'I would submit as {"hypothesis": "<hypothesis>", "workflow": "<workflow>"}'
    ),
    "XML call with keys": (
        "<tool_call>submit\n<arg_key>hypothesis</arg_key>\n"
        "<arg_value>Among men, BMI rises with age.</arg_value>\n<arg_key>workflow</arg_key>\n"
        "<arg_value>load</arg_value>\n</tool_call>"
    ),
    "box with a verdict": "Among men, BMI rises with age. $\\boxed{\\text{Yes, it does}}$",
    "printed dict": (
        'The regression printed {"hypothesis": "two-sided", "p_value": 0.01}.\n\nAmong men, BMI rises with age.'
    ),
    "sentence": "I think A rises with B.",
    "null hypothesis": "Null hypothesis: nothing.\nAlternative hypothesis: A rises.",
    "refusal": "I cannot determine this without data.",
    "a remark after the labels": (
        "**Hypothesis:** BMI rises with age.\n\n**Workflow:** fit\n\n"
        "**Final Answer:** Yes, the relationship is significant."
    ),
    "a box after the labels": "Hypothesis: BMI rises with age.\nWorkflow: fit\n\n$\\boxed{0.31}$",
    "a paragraph after the labels": (
        "Hypothesis: BMI rises.\n\nWorkflow: fit\n\nI have already provided my answer above."
    ),
    "a conclusion in a list": "Hypothesis: A rises.\nWorkflow:\n1. fit\n\nConclusion: I reject it.",
    "German labels": "Hypothese: BMI steigt mit dem Alter.\nVorgehen: Regression",
    "an object and a second one": '{"hypothesis": "A rises."}\n{"hypothesis": "A falls."}',
    "a rejected object": '{"hypothesis": "A rises."}\n\nConclusion: the data do not support this.',
    "a placeholder": '{"hypothesis": "<hypothesis>", "workflow": "w"}',
    "a fenced value": "## Hypothesis\n```text\nA rises.\n```\n## Workflow\nw",
}

REASONING: dict[str, tuple[str, str]] = {
    "between tags": ('<think>{"hypothesis": "draft"}</think>A rises with B.', "A rises with B."),
    "long name": ("<thinking>\nHypothesis: draft\n</thinking>\nA rises.", "A rises."),
    "reasoning": ("<reasoning>draft</reasoning>\nA rises.", "A rises."),
    "thought": ("<thought>draft</thought>\nA rises.", "A rises."),
    "capitals": ("<THINK>draft</THINK>A rises.", "A rises."),
    "attribute": ('<think time="3">draft</think>A rises.', "A rises."),
    "unmatched closing": ("Let me see. Hypothesis: draft.\n</think>\nA rises.", "A rises."),
    "unmatched closing before a label": ("Hypothesis: draft\n</think>\n\nHypothesis: A rises.", "Hypothesis: A rises."),
    "two blocks": ("<think>a</think>A rises <think>b</think>with B.", "A rises with B."),
    "nested": ("<think>a <think>b</think> c</think>A rises.", "A rises."),
    "nested after the answer": ("A rises. <think>a <think>b</think> c</think>", "A rises."),
    "opened twice, closed once": ("<think>\n<think>\ndraft</think>\nA rises.", "A rises."),
    "a space in the tag": ("<think >draft</think >A rises.", "A rises."),
    "answer, then cut off": ("A rises.\n<think>Was that", "A rises.\nWas that"),
    "opened and never closed": ("<think>Hm.\nHypothesis: A rises.", "Hm.\nHypothesis: A rises."),
    "brackets": ("[THINK]draft[/THINK]A rises.", "A rises."),
    "channels": ("<|channel|>analysis<|message|>draft<|end|><|channel|>final<|message|>A rises.", "A rises."),
    "32,000 opening tags, then the answer": ("<think>" * 32_000 + "x</think>A rises.", "A rises."),
}


@pytest.mark.parametrize(("text", "hypothesis", "workflow"), CLEAN.values(), ids=CLEAN)
def test_a_clean_form_is_parsed(text: str, hypothesis: str, workflow: str) -> None:
    answer = read(text)
    assert answer is not None
    assert (answer.hypothesis, answer.workflow) == (hypothesis, workflow)
    assert answer.source == ("object" if "{" in text else "labels")


@pytest.mark.parametrize("text", NOT_CLEAN.values(), ids=NOT_CLEAN)
def test_any_other_form_is_left_to_the_judge(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(("text", "answer"), REASONING.values(), ids=REASONING)
def test_reasoning_is_not_part_of_the_answer(text: str, answer: str) -> None:
    assert without_reasoning(text) == answer


@pytest.mark.parametrize(
    "text", ["", "N/A", "n/a.", "None", "<hypothesis>", "[your hypothesis]", "See above.", "...", "{hypothesis}"]
)
def test_a_placeholder_is_no_hypothesis(text: str) -> None:
    assert is_placeholder(text)
    assert not is_placeholder(f"{text} A rises with B (p < 0.01).")


def test_long_texts_are_truncated() -> None:
    answer = read(f"Hypothesis: {'A rises. ' * 5_000}\n\nWorkflow: {'load ' * 5_000}")
    assert answer is not None
    assert max(len(answer.hypothesis), len(answer.workflow)) == MAX_CHARACTERS


HOSTILE: dict[str, Callable[[int], str]] = {
    "opening tags": lambda n: "<think>" * (n // 7),
    "closing tags": lambda n: "</think>" * (n // 8),
    "opened tags": lambda n: "<think" * (n // 6),
    "braces": lambda n: "{" * n,
    "braces and quotes": lambda n: "{'" * (n // 2),
    "nested objects": lambda n: '{"a":' * (n // 5),
    "a list in lists": lambda n: '{"hypothesis": ' + "[" * 900 + '"A"' + "]" * 900 + "}",
    "nested hypotheses": lambda n: '{"hypothesis":' * (n // 14),
    "strings on lines": lambda n: '{"hypothesis": "a"' + '\n"a"' * (n // 4),
    "end-of-turn tokens": lambda n: "<|end" * (n // 5),
    "paragraphs of a workflow": lambda n: "Workflow:" + "\n\n" * (n // 2) + "- x",
    "cut-off hypotheses": lambda n: '{"hypothesis": "' * (n // 16),
    "closed objects": lambda n: '{"a": 1}' * (n // 8),
    "broken objects": lambda n: '{"a": x} ' * (n // 9),
    "brackets": lambda n: '{"a": ' + "[" * n,
    "backslashes": lambda n: '{"hypothesis": "x' + "\\" * n,
    "bold marks": lambda n: "**" * (n // 2),
    "bold lines": lambda n: "**\n" * (n // 3),
    "bold words": lambda n: "**a** " * (n // 6),
    "underscores": lambda n: "__a" * (n // 3),
    "hashes": lambda n: "#" * n,
    "headings": lambda n: "# a\n" * (n // 4),
    "labels": lambda n: "Hypothesis:\n" * (n // 12),
    "labels and workflows": lambda n: "Hypothesis: a\nWorkflow: b\n" * (n // 26),
    "numbered labels": lambda n: "Hypothesis 1: a\n" * (n // 16),
    "embedded labels": lambda n: "Workflow:\n" + "1. Hypothesis: a\n" * (n // 17),
    "tags": lambda n: "<hypothesis>" * (n // 12),
    "tags of parameters": lambda n: "<parameter=" * (n // 11),
    "calls": lambda n: "submit(" * (n // 7),
    "calls with a string": lambda n: 'submit("a' * (n // 9),
    "boxes": lambda n: r"\boxed{" * (n // 7),
    "quotes of mail": lambda n: "> " * (n // 2),
    "items": lambda n: "- " * (n // 2),
    "numbered items": lambda n: "1. " * (n // 3),
    "pipes": lambda n: "|" * n,
    "rows": lambda n: "| a | b |\n" * (n // 10),
    "labelled rows": lambda n: "| Hypothesis | b |\n" * (n // 19),
    "fences": lambda n: "```\n" * (n // 4),
    "open fences": lambda n: "```python\n" * (n // 10),
    "spaces": lambda n: "Hypothesis" + " " * n + "x",
    "blank lines": lambda n: "Hypothesis:" + "\n" * n + "x",
    "dashes": lambda n: "Hypothesis " + "-" * n,
    "one word": lambda n: "a" * n,
    "apostrophes": lambda n: "it's " * (n // 5),
    "conclusions": lambda n: "Hypothesis: a\n" + "Conclusion: b\n" * (n // 14),
    "asides": lambda n: "Workflow: a\n" + "Limitations: b\n" * (n // 15),
    "keys of arguments": lambda n: "<arg_key> " * (n // 10),
    "curly quotes": lambda n: "{\u201ca\u201d: " * (n // 6),
    "closing tags at the end": lambda n: "Hypothesis: BMI rises " + "</p>" * (n // 4),
    "closing tags with spaces": lambda n: "Hypothesis: BMI rises " + "</p> " * (n // 5),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.usefixtures("sweep")
def test_reading_takes_linear_time(name: str) -> None:
    """A text of 200,000 characters takes at most a second; a quadratic algorithm would take minutes."""
    text = HOSTILE[name](200_000)
    start = time.process_time()
    read(text)
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
    answer = read(text)
    if answer is not None:
        assert any(character.isalnum() or character == "_" for character in answer.hypothesis)
