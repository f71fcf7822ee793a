"""Expressions of semantic trees: pandas expressions over the columns of `df`, as DB-SYNTH writes them.

An expression computes a node from its children (paper §4.2). Its syntax tree must consist of what `ALLOWED` lists;
other names, attributes and calls are refused. An expression that passes cannot loop, and its memory is bounded by its
size times the number of rows. It is still run only in the sandbox.
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
"""Functions of numpy that an expression may call, with the number of arguments. `np.select` has a form of its own."""

STATISTICS = ("mean", "median", "min", "max", "std", "sum", "all", "any", "quantile")
"""Statistics of a column, over all rows or in groups. That of `quantile` is a constant."""

COLUMN = re.compile(r"df\['(\w+)'\]")
"""A column in the text of an expression, as Python writes it."""

MAX_PARTS = 700
"""Maximum number of nodes of the syntax tree. The largest released gold expression has 648."""
MAX_EXPONENT = 4
MAX_NUMBER = 1e12

BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.BitAnd, ast.BitOr)
UNARY = (ast.USub, ast.UAdd, ast.Invert)
COMPARISONS = (ast.Gt, ast.GtE, ast.Lt, ast.LtE, ast.Eq, ast.NotEq)

ALLOWED = (
    f"Use df['name'], numbers up to {MAX_NUMBER:.0e}, + - * / // %, ** of a column with an exponent up to "
    f"{MAX_EXPONENT}, & | ~, comparisons (also with strings), np.select with two lists and a default, "
    f"{', '.join(f'np.{name}' for name in FUNCTIONS)} (without keywords), "
    ".isin with a list of constants, .map with labels and their numbers, .astype(int), .astype(float), "
    f"{', '.join(f'.{name}()' for name in STATISTICS)}, and the same in groups: "
    "df['a'].groupby(df['b']).transform('mean')."
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
        try:
            syntax = _CommonForm().visit(ast.parse(text.strip(), mode="eval").body)
            expression = cls(ast.unparse(syntax))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise ExpressionRefused(f"The expression {_short(text)} is not valid Python: {error}.") from error
        size = sum(1 for _ in ast.walk(syntax))
        if size > MAX_PARTS:
            raise ExpressionRefused(f"The expression has {size} parts. Use at most {MAX_PARTS}.")
        pending = [syntax]
        while pending:
            node = pending.pop()
            operands = _operands(node)
            if operands is None:
                raise ExpressionRefused(f"{_short(ast.unparse(node))} is not allowed in an expression. {ALLOWED}")
            pending += operands
        if not expression.columns:
            raise ExpressionRefused(f"The expression {_short(text)} uses no column. Write columns as df['name'].")
        return expression

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in order of appearance."""
        return tuple(dict.fromkeys(COLUMN.findall(self.text)))

    def substitute(self, expressions: Mapping[str, "Expression"]) -> "Expression":
        """Replace columns by their expressions.

        Raises:
            ExpressionRefused: The result exceeds a bound.
        """

        def replacement(match: re.Match[str]) -> str:
            expression = expressions.get(match[1])
            return match[0] if expression is None else f"({expression.text})"

        return Expression.parse(COLUMN.sub(replacement, self.text))


class _CommonForm(ast.NodeTransformer):
    """Writes what authors write in several ways in the one way that the allow-list has."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Write `df.get('name', 0)` as `df['name']`."""
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name("df"), attr="get"), args=[ast.Constant(str(name)), *_]):
                return ast.Subscript(ast.Name("df"), ast.Constant(name))
        return self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """Write `a if condition else b` as `np.where(condition, a, b)`."""
        function = ast.Attribute(ast.Name("np"), "where")
        return self.generic_visit(ast.Call(function, [node.test, node.body, node.orelse], []))


def _is_column(node: ast.AST) -> bool:
    match node:
        case ast.Subscript(value=ast.Name("df"), slice=ast.Constant(str())):
            return True
    return False


def _operands(node: ast.expr) -> Sequence[ast.expr] | None:
    """The operands of an allowed node; None if it is not allowed."""
    if _is_column(node):
        return []
    match node:
        case ast.Constant(str()):
            return []
        case ast.Constant(int() | float() as number):
            return [] if abs(number) <= MAX_NUMBER else None
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(int() | float() as exponent)):
            # Whole numbers grow without bound: ((10**12)**4)**4 and so on takes forever.
            has_column = any(map(_is_column, ast.walk(base)))
            return [base] if has_column and exponent <= MAX_EXPONENT else None
        case ast.BinOp(left=left, op=operator, right=right) if isinstance(operator, BINARY):
            # 'a' * 10**10 would fill the memory.
            return None if _is_text(left) or _is_text(right) else [left, right]
        case ast.UnaryOp(op=operator, operand=operand) if isinstance(operator, UNARY):
            return None if _is_text(operand) else [operand]
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if isinstance(operator, COMPARISONS):
            return [left, right]
        case ast.Call():
            return _operands_of_call(node)
    return None


def _operands_of_call(node: ast.Call) -> Sequence[ast.expr] | None:
    """The operands of an allowed call; None if it is not allowed."""
    match node:
        case ast.Call(
            func=ast.Attribute(ast.Name("np"), "select"),
            args=[ast.List(elts=conditions), ast.List(elts=choices), *default],
            keywords=keywords,
        ):
            named = [keyword.value for keyword in keywords if keyword.arg == "default"]
            is_complete = len(named) == len(keywords) and len(default) + len(named) <= 1
            return [*conditions, *choices, *default, *named] if is_complete else None
        case ast.Call(keywords=[_, *_]):
            return None
        case ast.Call(func=ast.Attribute(ast.Name("np"), name), args=arguments):
            return arguments if len(arguments) == FUNCTIONS.get(name) else None
        case ast.Call(func=ast.Attribute(owner, "astype"), args=[ast.Name("int" | "float")]):
            return [owner]
        case ast.Call(func=ast.Attribute(owner, "isin"), args=[ast.List(elts=[_, *_] as levels)]):
            return [owner, *levels] if all(isinstance(level, ast.Constant) for level in levels) else None
        case ast.Call(func=ast.Attribute(owner, "map"), args=[ast.Dict() as numbers]):
            return [owner] if _has_numbers(numbers) else None
        case ast.Call(func=ast.Attribute(owner, name), args=[] | [ast.Constant()]) if name in STATISTICS:
            return [owner]
        case ast.Call(
            func=ast.Attribute(ast.Call(func=ast.Attribute(owner, "groupby"), args=[key], keywords=[]), "transform"),
            args=[ast.Constant(name)],
        ) if name in STATISTICS:
            return [owner, key]
    return None


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _has_numbers(mapping: ast.Dict) -> bool:
    """Whether a mapping has only constants, and numbers as its values."""
    try:
        values = ast.literal_eval(mapping).values()
    except (ValueError, TypeError):
        return False
    return all(isinstance(value, int | float) and abs(value) <= MAX_NUMBER for value in values)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 120 else f"{line[:117]}..."
