"""Expressions: what the allow-list admits and refuses."""

import pytest

from inspect_discoverybench.errors import ExpressionRefused
from inspect_discoverybench.synth.expression import Expression
from inspect_discoverybench.synth.wording import in_words

HOSTILE = [
    "__import__('os').system('touch /tmp/owned') + df['a']",
    "df['a'].apply.__globals__['__builtins__']",
    "np.fromfile('/etc/passwd') + df['a']",
    "df['a'] + [x for x in iter(int, 1)]",
    "df['a'] ** 10 ** 10",
    "df['a'] ** df['b']",
    "9 ** 9 ** 9 + df['a']",
    "'x' * 10 ** 9 == df['a']",
    "df[df['a'] > 1]",
    "df['a'].astype(object)",
    "np.where(*df)",
    "np.where(df['a'])",
    "(y := df['a'])",
    "df['a'];import os",
    "",
    "df['a'] + " * 400 + "1",
    "(" * 500 + "df['a']" + ")" * 500,
    "-" * 200 + "df['a']",
    "\x00df['a']",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_refused_with_a_reason(text: str) -> None:
    with pytest.raises(ExpressionRefused) as refused:
        Expression.parse(text)
    assert 10 < len(refused.value.message) < 700
    assert "\n" not in refused.value.message.strip()


def test_substitution_gives_the_expression_over_observed_columns() -> None:
    root = Expression.parse("2 * df['a'] + df['b']")
    composed = root.substitute({"a": Expression.parse("df['c'] + 1")})
    assert (composed.text, composed.columns) == ("2 * (df['c'] + 1) + df['b']", ("c", "b"))
    wide = Expression.parse(" + ".join(["df['a']"] * 20))
    with pytest.raises(ExpressionRefused, match="Use at most"):
        wide.substitute({"a": wide}).substitute({"a": wide})


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("6 + 1.8 * df['a']", set()),
        ("1 / df['__class__']", {"product"}),  # a column, whatever its name
        ("-np.log1p(np.abs(df['a'])) % 3 + df['b'].isin(['x', 'y']).astype(int)", {"condition", "function"}),
        ("np.exp(df['a']) * df['b'] * (df['c'] == 'x')", {"product", "function", "condition"}),
    ],
)
def test_allowed_expressions_have_forms(text: str, forms: set[str]) -> None:
    assert Expression.parse(text).forms == forms


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("df['a'] - (df['b'] - 1)", "the first minus (the second minus 1)"),
        ("0.5 * (df['a'] - 3) ** 2", "0.5 times the square of (the first minus 3)"),
        (
            "np.where(df['a'] == 'x', 'p', np.where(df['b'], 'q', 'r'))",
            "p where the first is x, and elsewhere q where the second is true, and elsewhere r",
        ),
        ("(df['a'] > 1) & ~df['b']", "the first is above 1 and not (the second is true)"),
        ("df['a'].isin(['x', 'y'])", "the first is one of x, y"),
    ],
)
def test_words(text: str, words: str) -> None:
    assert in_words(Expression.parse(text), {"a": "first", "b": "second"}) == words
