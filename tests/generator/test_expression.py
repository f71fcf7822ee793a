"""Expressions: what the allow-list admits and refuses."""

import json
from pathlib import Path

import pytest

from inspect_discoverybench.dataset.text_file import read_text
from inspect_discoverybench.errors.exceptions import ExpressionRefused
from inspect_discoverybench.generator.expression import Expression

NOT_ALLOWED = [
    # Code, functions that are not on the list, and results that would fill the memory.
    "__import__('os').system('touch /tmp/owned') + df['a']",
    "df['a'].apply.__globals__['__builtins__']",
    "np.fromfile('/etc/passwd') + df['a']",
    "df['a'] + [x for x in iter(int, 1)]",
    "df['a'].apply(lambda x: x)",
    "df['a'].map(print)",
    "df['a'].map({'x': 'y' * 10**9})",
    "df['a'].map({'x': 'y'}) * 10**9",
    "df['a'].groupby(df['b']).apply('mean')",
    "df['a'].groupby(df['b']).transform('pipe')",
    "np.select([df['a'] > 1], [__import__('os')])",
    "np.select([df['a'] > 1], [2], out=df['a'])",
    "(10**12 if df['a'].any() else 1) ** 4 ** 4",
    "df['a'] ** 10 ** 10",
    "df['a'] ** df['b']",
    "'x' * 10 ** 9 == df['a']",
    "df[df['a'] > 1]",
    # Python's `is`, `not` and `in` give one value for all rows instead of a column.
    "((df['a'] is 1) + 10) ** 4",
    "(not df['a']) + 1",
    "(1 in df['a']) + 1",
    # Forms that are not on the list, and what is no expression.
    "df['a'].astype(object)",
    "np.where(*df)",
    "np.where(df['a'])",
    "(y := df['a'])",
    "df['a'];import os",
    "",
    # Too large, too deep, and with a null byte.
    "df['a'] + " * 800 + "1",
    "(" * 500 + "df['a']" + ")" * 500,
    "-" * 600 + "df['a']",
    "\x00df['a']",
]


@pytest.mark.parametrize("text", NOT_ALLOWED)
def test_an_expression_that_is_not_allowed_is_refused_with_a_reason_in_one_line(text: str) -> None:
    with pytest.raises(ExpressionRefused) as refused:
        Expression.parse(text)
    message = refused.value.message
    assert "\n" not in message
    # The list of what is allowed has about 600 characters. A long expression is shortened.
    assert 10 < len(message) < 900


@pytest.mark.parametrize(
    "text",
    [
        "np.select([df['a'] > 3, df['b']], ['x', 'y'], default='z')",
        "df['a'].map({'low': -1, 'high': 2.5}) * df['b']",
        "df['a'] - df['a'].groupby(df['b']).transform('mean')",
        "df['a'] > df['a'].quantile(0.9)",
    ],
)
def test_choices_mappings_and_groups_are_allowed(text: str) -> None:
    assert Expression.parse(text).text == text


@pytest.mark.parametrize(
    ("text", "common_form"),
    [
        ("df['a'] // 2 + df.get('b', 0)", "df['a'] // 2 + df['b']"),
        ("2 if df['a'].any() else 1", "np.where(df['a'].any(), 2, 1)"),
    ],
)
def test_other_forms_are_rewritten(text: str, common_form: str) -> None:
    assert Expression.parse(text).text == common_form


def test_released_gold_expressions_are_allowed_with_three_exceptions(upstream: Path) -> None:
    """Of 183, 14 are not Python: a parenthesis is missing. Of the others, three are refused."""
    reasons = []
    for path in sorted(upstream.glob("discoverybench/synth/*/*/metadata_*.json")):
        for query in json.loads(read_text(path))["queries"]:
            expression = query.get("true_hypothesis_expr")
            if not expression:
                continue
            try:
                Expression.parse(expression)
            except ExpressionRefused as error:
                reasons.append(error.message)
    not_python = [reason for reason in reasons if "not valid Python" in reason]
    assert len(not_python) == 14
    assert len(reasons) - len(not_python) == 3


def test_substitution_gives_the_expression_over_observed_columns() -> None:
    root = Expression.parse("2 * df['a'] + df['b']")
    inner = Expression.parse("df['c'] + 1")
    composed = root.substitute({"a": inner})
    assert composed.text == "2 * (df['c'] + 1) + df['b']"
    assert composed.columns == ("c", "b")


def test_substitution_is_bounded() -> None:
    wide = Expression.parse("df['a']" + " + df['a']" * 30)  # 31 columns, so 31 * 31 after the substitution
    with pytest.raises(ExpressionRefused, match="Use at most"):
        wide.substitute({"a": wide})
