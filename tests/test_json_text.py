"""JSON as models write it is read as it was meant, and valid JSON as it is."""

import json
import time
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inspect_discoverybench.errors.exceptions import ReplyRejected
from inspect_discoverybench.json_text import parse_json

STRINGS: dict[str, tuple[str, str]] = {
    # the string as it is written, and as it is read
    "LaTeX": (r"\alpha, \(x\), \sigma", r"\alpha, \(x\), \sigma"),
    "Markdown": (r"\_a\_ \* \[1\]", r"\_a\_ \* \[1\]"),
    "a path": (r"C:\data\users", r"C:\data\users"),
    "a quotation mark": (r"it\'s", r"it\'s"),
    "no hexadecimal digits": (r"\usepackage \u12", r"\usepackage \u12"),
    "escapes": (r"\\alpha \"x\" \/ \u00e9 \n1", '\\alpha "x" / é \n1'),
}


@pytest.mark.parametrize("name", STRINGS)
@pytest.mark.parametrize("latex", [False, True])
def test_a_backslash_that_begins_no_escape_is_a_backslash(name: str, latex: bool) -> None:
    written, value = STRINGS[name]
    assert parse_json(f'{{"a": "{written}", "b": 1}}', latex=latex) == {"a": value, "b": 1}


@pytest.mark.parametrize("text", [r'{"a": "\alpha', r'{"a": "C:\data\"}', r'{"a": \alpha}', "\\", '{"a": "\\'])
def test_json_that_is_cut_off_or_has_a_backslash_outside_a_string_is_rejected(text: str) -> None:
    with pytest.raises(ReplyRejected):
        parse_json(text)


@given(st.text(alphabet='\\"bunr0a{}:, \n', max_size=60))
@example("\\" * 99_999)
@example('"\\' * 50_000)
@example('\\"' * 50_000)
def test_repairing_backslashes_changes_no_valid_json(text: str) -> None:
    """It takes much less than two seconds for the long examples. A quadratic algorithm would take minutes."""
    start = time.process_time()
    try:
        expected = json.loads(f'["{text}"]', strict=False)
    except ValueError:
        with suppress(ReplyRejected):
            parse_json(f'["{text}"]')
    else:
        assert parse_json(f'["{text}"]') == expected
    assert time.process_time() - start < 2
