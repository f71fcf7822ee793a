"""Fenced blocks of Python code in texts of models."""

import time

import pytest

from inspect_discoverybench.code_fence import fenced_blocks, python_blocks, without_fence

FENCES = {
    "with a fence in the code": "```python\nx = '```'\n```\nmore",
    "with Windows line ends": "```python\r\nx = 1\r\n```\r\nmore",
    "with a version": "```python3.11\nx = 1\n```",
    "with a title in braces": "```{python title=load}\nx = 1\n```",
    "of tildes": "~~~python\nx = 1\n~~~",
    "of four backticks": '````python\nx = """\n```\n"""\n````',
    "in a list": "1. Load\n\n   ```python\n   if True:\n       x = 1\n   ```",
    "of Gemma": "```tool_code\nx = 1\n```",
    "closed at the end of a line": "```python\nx = 1``` \nmore",
    "not closed": "```python\nx = 1",
    "with a fence at the end of a line of code": '```python\nx = f"""```\n```"""\n```',
    "without a label": "First:\n```\nx = 1\n```",
}


@pytest.mark.parametrize("text", FENCES.values(), ids=FENCES)
def test_python_code_is_found_in_a_fence(text: str) -> None:
    [block] = python_blocks(text, is_complete=True)
    compile(block.code, "block", "exec")
    assert "x = " in block.code


def test_labelled_blocks_alone_count_if_there_are_any() -> None:
    blocks = python_blocks("```\nout\n```\n```python\na\n```\n```python\nb\n```\n```\n2\n```")
    assert [block.code for block in blocks] == ["a\n", "b\n"]


COMPLETE_TEXTS = {
    "labelled": "```python\nx = 1\n```",
    "without a label": "\n```\nx = 1\n```\n",
    "of tildes": "~~~py\nx = 1\n~~~",
    "closed at the end of a line": "```python\nx = 1```",
    "not closed": "```python\nx = 1",
    "none": "x = 1",
}


@pytest.mark.parametrize("text", COMPLETE_TEXTS.values(), ids=COMPLETE_TEXTS)
def test_a_fence_around_a_whole_text_is_removed(text: str) -> None:
    assert without_fence(text) == "x = 1"


NOT_WHOLE = ["Look:\n```python\nx = 1\n```", "x = '```'", 'x = """\n```\n"""\n']


@pytest.mark.parametrize("text", NOT_WHOLE)
def test_any_other_text_stays_as_it_is(text: str) -> None:
    assert without_fence(text) == text


def test_a_fence_within_fenced_code_stays() -> None:
    assert without_fence('```python\nx = """\n```\n"""\n```') == 'x = """\n```\n"""'


def test_blocks_have_their_ends() -> None:
    text = "A\n```json\n{}\n```\nB\n~~~\nc\n~~~"
    blocks = fenced_blocks(text)
    assert [(block.label, block.contents, text[block.end :]) for block in blocks] == [
        ("json", "{}\n", "\nB\n~~~\nc\n~~~"),
        ("", "c\n", ""),
    ]


SPACES = " " * 200_000
NO_BLOCKS = {
    "never closed": "```python\n" * 200_000,
    "an object without a label": '```\n{"hypothesis": "A", "note": "b"}\n```',
    "output of another language": "```bash\nls\n```\n```\na.csv\n```",
    "JSON": "```json\n{}\n```\n```\nmean 3.2\n```",
    "empty": "```python\n \n```",
    "a fence within a line": "So: ```python\nx = 1\n```",
    "spaces before a backtick": f"```{SPACES}`",
    "spaces before a fence": f"{SPACES}```" * 2,
    "a long fence": "`" * 500_000,
    "closed on lines of code": "```python\nx```\n" * 50_000,
}


@pytest.mark.parametrize("text", NO_BLOCKS.values(), ids=NO_BLOCKS)
def test_a_text_without_a_block_of_python_has_none_and_is_read_in_linear_time(text: str) -> None:
    """The long texts take much less than two seconds. A quadratic algorithm would take minutes."""
    start = time.process_time()
    assert python_blocks(text) == []
    python_blocks(text, is_complete=True)  # only for the time: an unclosed block with a label then counts
    assert time.process_time() - start < 2
