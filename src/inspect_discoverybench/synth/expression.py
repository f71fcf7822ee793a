"""Expressions of semantic trees: pandas expressions over the columns of `df`, as DB-SYNTH writes them.

An expression computes a node from its children, row by row (paper §4.2). Its syntax tree must consist of what `ALLOWED`
lists; other names, attributes and calls are refused. An expression that passes cannot loop, and its memory is bounded
by its size times the number of rows. It is still run only in the sandbox.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from inspect_discoverybench.errors.exceptions import ExpressionRefused

FUNCTIONS: Mapping[str, int] = {
    "where": 3,
    "minimum": 2,
    "maximum": 2,
    "clip": 3,
    **dict.fromkeys(("abs", "log", "log1p", "exp", "sqrt", "square", "tanh", "sin", "cos"), 1),
}
"""Functions of numpy that an expression may call, with the number of arguments."""

COLUMN = re.compile(r"df\['(\w+)'\]")
"""A column in the text of an expression, as Python writes it."""

MAX_CHARACTERS = 2_000
MAX_NODES = 240
"""Maximum number of nodes of the syntax tree."""
MAX_EXPONENT = 4
MAX_NUMBER = 1e12

BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod, ast.BitAnd, ast.BitOr)
UNARY = (ast.USub, ast.UAdd, ast.Invert)
COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Gt: "is above",
    ast.GtE: "is at least",
    ast.Lt: "is below",
    ast.LtE: "is at most",
    ast.Eq: "is",
    ast.NotEq: "is not",
}
"""Comparisons, with the words for them in a hypothesis."""

ALLOWED = (
    f"Use df['name'], numbers up to {MAX_NUMBER:.0e}, + - * / %, ** of a column with an exponent up to {MAX_EXPONENT}, "
    "& | ~, comparisons (also with strings), "
    f"{', '.join(f'np.{name}' for name in FUNCTIONS)} (without keywords), "
    ".isin with a list of constants, .astype(int) and .astype(float)."
)
"""What an author or a person reads when a part is refused."""


@dataclass(frozen=True)
class Expression:
    """An expression that has passed the allow-list.

    Attributes:
        text: The expression in Python.
    """

    text: str

    @classmethod
    def parse(cls, text: str) -> "Expression":
        """Check an expression against the allow-list.

        Raises:
            ExpressionRefused: It is not Python, contains anything else, or exceeds a bound.
        """
        if len(text) > MAX_CHARACTERS:
            raise ExpressionRefused(f"The expression has {len(text):,} characters. Use at most {MAX_CHARACTERS:,}.")
        try:
            syntax = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise ExpressionRefused(f"The expression {_short(text)} is not valid Python: {error}.") from error
        size = sum(1 for _ in ast.walk(syntax))
        if size > MAX_NODES:
            raise ExpressionRefused(f"The expression has {size} parts. Use at most {MAX_NODES}.")
        pending = [syntax]
        while pending:
            operands = _operands(node := pending.pop())
            if operands is None:
                raise ExpressionRefused(f"{_short(ast.unparse(node))} is not allowed in an expression. {ALLOWED}")
            pending += operands
        expression = cls(ast.unparse(syntax))
        if not expression.columns:
            raise ExpressionRefused(f"The expression {_short(text)} uses no column. Write columns as df['name'].")
        return expression

    @cached_property
    def syntax(self) -> ast.expr:
        """The syntax tree."""
        return ast.parse(self.text, mode="eval").body

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in order of appearance."""
        return tuple(dict.fromkeys(COLUMN.findall(self.text)))

    @cached_property
    def constants(self) -> frozenset[str | float]:
        """All strings, which are names of columns and labels, and the absolute values of all numbers."""
        constants = (node.value for node in ast.walk(self.syntax) if isinstance(node, ast.Constant))
        return frozenset(abs(one) if isinstance(one, (int, float)) else str(one) for one in constants)

    def substitute(self, expressions: Mapping[str, "Expression"]) -> "Expression":
        """Replace columns by their expressions.

        Raises:
            ExpressionRefused: The result exceeds a bound.
        """
        parts = {name: f"({expression.text})" for name, expression in expressions.items()}
        return Expression.parse(COLUMN.sub(lambda match: parts.get(match[1], match[0]), self.text))

    @cached_property
    def branches(self) -> "tuple[Expression, Expression, Expression] | None":
        """Condition, relation inside and relation outside, if the expression is a relation in a sub-population.

        The condition compares columns with constants, and the relations use other columns.
        """
        match self.syntax:
            case ast.Call(func=ast.Attribute(attr="where"), args=[condition, *relations]) if filters(condition):
                first, second, third = (Expression(ast.unparse(part)) for part in (condition, *relations))
                others = {*second.columns, *third.columns}
                return (first, second, third) if second.columns and others.isdisjoint(first.columns) else None
        return None


def filters(condition: ast.expr) -> Sequence[ast.expr]:
    """The comparisons of columns with constants that a condition consists of; empty if it has other parts."""
    match condition:
        case ast.BinOp(left=left, op=ast.BitAnd(), right=right) if filters(left) and filters(right):
            return [*filters(left), *filters(right)]
        case ast.Compare(left=ast.Subscript(), comparators=[ast.Constant() | ast.UnaryOp(operand=ast.Constant())]):
            return [condition]
        case ast.Subscript() | ast.Call(func=ast.Attribute(value=ast.Subscript(), attr="isin")):
            return [condition]
    return []


def column_name(node: ast.AST) -> str | None:
    """The name in `df['name']`; None for any other node."""
    match node:
        case ast.Subscript(value=ast.Name(id="df"), slice=ast.Constant(value=str() as name)):
            return name
    return None


def _operands(node: ast.expr) -> Sequence[ast.expr] | None:  # noqa: C901 - one case per form
    """The operands of an allowed node; None if it is not allowed."""
    match node:
        case ast.Subscript() if column_name(node) is not None:
            return []
        case ast.Constant(value=str()):
            return []
        case ast.Constant(value=int() | float() as number):
            return [] if abs(number) <= MAX_NUMBER else None
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int() | float() as exponent)):
            # Whole numbers grow without bound: ((10**12)**4)**4 and so on takes forever.
            return [base] if any(map(column_name, ast.walk(base))) and exponent <= MAX_EXPONENT else None
        case ast.BinOp(left=left, op=operator, right=right) if isinstance(operator, BINARY):
            # 'a' * 10**10 would fill the memory.
            return None if _is_text(left) or _is_text(right) else [left, right]
        case ast.UnaryOp(op=operator, operand=operand) if isinstance(operator, UNARY):
            return None if _is_text(operand) else [operand]
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in COMPARISONS:
            return [left, right]
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr=name), args=arguments, keywords=[]):
            return arguments if len(arguments) == FUNCTIONS.get(name) else None
        case ast.Call(func=ast.Attribute(value=owner, attr="astype"), args=[ast.Name(id="int" | "float")], keywords=[]):
            return [owner]
        case ast.Call(func=ast.Attribute(value=owner, attr="isin"), args=[ast.List(elts=levels)], keywords=[]):
            return [owner, *levels] if levels and all(isinstance(level, ast.Constant) for level in levels) else None
    return None


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 120 else f"{line[:117]}..."
