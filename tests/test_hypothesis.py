import pytest

from inspect_discoverybench.hypothesis import MOST_CHARACTERS, Submission, read_submission


@pytest.mark.parametrize(
    ("text", "hypothesis", "workflow", "source"),
    [
        ('{"hypothesis": "A rises.", "workflow": "1. fit"}', "A rises.", "1. fit", "json"),
        ('```json\n{"hypothesis": "A rises.", "workflow": "fit"}\n```', "A rises.", "fit", "json"),
        ('Here it is:\n```\n{"hypothesis": "A rises."}\n```\nDone.', "A rises.", "", "json"),
        ("My answer is {'hypothesis': 'A rises.', 'workflow': 'fit'}.", "A rises.", "fit", "json"),
        ("{'hypothesis': \"It's A.\", 'workflow': None}", "It's A.", "", "json"),
        ('The set {a, b} matters. {"hypothesis": "A {b} rises.", "workflow": "f"}', "A {b} rises.", "f", "json"),
        ('First {"hypothesis": "draft"}, then {"hypothesis": "final"}', "final", "", "json"),
        ('{"answer": {"hypothesis": "inner", "workflow": "w"}}', "inner", "w", "json"),
        ('{"hypothesis": "outer", "workflow": [{"hypothesis": "inner"}]}', "outer", '{"hypothesis": "inner"}', "json"),
        ('{"Hypothesis": "A rises.", "Workflow": ["load", "fit"]}', "A rises.", "load\nfit", "json"),
        ('{"hypothesis": "line one\nline two"}', "line one\nline two", "", "json"),
        ("Hypothesis: A rises.\n\nWorkflow: load, fit", "A rises.", "load, fit", "sections"),
        ("**Hypothesis:** A rises.\n**Workflow:**\n1. load", "A rises.", "1. load", "sections"),
        ("## Final hypothesis\nA rises.\n\n## Workflow summary\nload", "A rises.", "load", "sections"),
        ('{"hypothesis": "A rises."} I used the form {"hypothesis": "...", "workflow": "..."}', "A rises.", "", "json"),
        ('{"hypothesis": "A rises."} and no {"hypothesis": ""}', "A rises.", "", "json"),
        ('<think>{"hypothesis": "draft"}</think>A rises with B.', "A rises with B.", "", "text"),
        ('{"name": "submit", "arguments": "{\\"hypothesis\\": \\"A rises.\\"}"}', "A rises.", "", "json"),
        ("Hypothesis: A rises.\n\nThe rest.\nHypothesis:", "A rises.\n\nThe rest.", "", "sections"),
        (
            "## Hypothesis\nA rises.\n## Workflow\n1. load\n2. Hypothesis: tested",
            "A rises.",
            "1. load\n2. Hypothesis: tested",
            "sections",
        ),
        ("**Final Hypothesis**: A rises.\n**Analysis workflow**: fit\n## Notes\nnone", "A rises.", "fit", "sections"),
        ('{"hypothesis": "bad \\ud83d x"}', "bad ? x", "", "json"),
        ("I think A rises with B.", "I think A rises with B.", "", "text"),
        ("A rises {with 'odd' braces", "A rises {with 'odd' braces", "", "text"),
        ("The hypothesis is that A rises: clearly.", "The hypothesis is that A rises: clearly.", "", "text"),
        ('{"conclusion": "no such key"}', '{"conclusion": "no such key"}', "", "text"),
    ],
)
def test_final_message_is_read(text: str, hypothesis: str, workflow: str, source: str) -> None:
    expected = Submission(hypothesis=hypothesis, workflow=workflow, source=source)  # type: ignore[arg-type]
    assert read_submission(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        '{"hypothesis": {}}',
        "<think>hm</think>",
        '{"hypothesis": "", "workflow": "w"}',
        "Hypothesis:\n\nWorkflow: w",
    ],
)
def test_nothing_handed_in(text: str) -> None:
    assert read_submission(text) is None


@pytest.mark.parametrize(
    "text",
    ["{'" * 20_000, '{"a":' * 20_000, "{" * 60_000, '{"a":' * 900 + "1" + "}" * 900, '{"hypothesis": "x' + "\\" * 9999],
)
def test_hostile_text_is_read_in_bounded_time(text: str) -> None:
    assert read_submission(text) is not None


def test_long_texts_are_cut() -> None:
    found = read_submission("word " * 5_000)
    assert found is not None
    assert len(found.hypothesis) <= MOST_CHARACTERS
