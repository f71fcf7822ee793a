"""Expressions: what the allow-list admits and refuses."""

import ast

import pytest

from inspect_discoverybench.errors.exceptions import ExpressionRefused
from inspect_discoverybench.synth.expression import Expression
from inspect_discoverybench.synth.expression import filters as conditions

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
    ("text", "filters"),
    [
        ("np.where((df['a'] > 3) & df['b'].isin(['x']), df['c'], 1)", ["df['a'] > 3", "df['b'].isin(['x'])"]),
        ("np.where(df['b'], 2 * df['c'], df['d'])", ["df['b']"]),
        ("np.where(df['a'] > 3, df['a'], df['c'])", None),  # a threshold
        ("np.where(df['a'] + df['b'] > 3, df['c'], 1)", None),  # no column encodes it
        ("np.where(df['b'], 2, 3)", None),  # a difference between groups
    ],
)
def test_a_relation_in_a_sub_population(text: str, filters: list[str] | None) -> None:
    branches = Expression.parse(text).branches
    assert (branches and [ast.unparse(part) for part in conditions(branches[0].syntax)]) == filters
