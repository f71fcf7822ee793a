"""Expressions of semantic trees: pandas expressions over the columns of `df`, as DB-SYNTH writes them.

An expression computes a node from its children, row by row (paper §4.2). Its syntax tree must consist of:

- columns: `df['name']`
- numbers up to a million million, and short strings
- `+ - * / % **` (power of a column, constant exponent of at most 4), `& | ~`, and single comparisons
- the functions of `FUNCTIONS`, called as `np.log(…)`
- the methods of `METHODS`, called as `df['name'].isin(['a', 'b'])`, and `.astype(int)` or `.astype(float)`

Everything else is refused: other names, attributes and calls, comprehensions, lambdas, strings in arithmetic. An
expression that passes cannot loop, and its memory is bounded by its size times the number of rows. It is still run only
in the sandbox.
"""

import ast
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from inspect_discoverybench.errors import ExpressionRefused

FUNCTIONS: Mapping[str, int] = {
    "where": 3,
    "minimum": 2,
    "maximum": 2,
    "clip": 3,
    **dict.fromkeys(("abs", "log", "log1p", "exp", "sqrt", "square", "tanh", "sin", "cos"), 1),
}
"""Functions of numpy that an expression may call, with the number of arguments."""

METHODS: Mapping[str, int] = {"isin": 1, "between": 2, "clip": 2, "abs": 0, "astype": 1}
"""Methods of a column that an expression may call, with the number of arguments."""

MAX_CHARACTERS = 2_000
MAX_NODES = 240
"""Maximum number of nodes of the syntax tree."""
MAX_DEPTH = 40
MAX_EXPONENT = 4
MAX_NUMBER = 1e12
MAX_STRING = 80
MAX_LEVELS = 20
"""Maximum number of strings in `isin([…])`."""

BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod, ast.BitAnd, ast.BitOr)
UNARY = (ast.USub, ast.UAdd, ast.Invert)
COMPARISONS = (ast.Gt, ast.GtE, ast.Lt, ast.LtE, ast.Eq, ast.NotEq)


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
            tree = ast.parse(text.strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise ExpressionRefused(f"The expression {_short(text)} is not valid Python: {error}.") from error
        size = sum(1 for _ in ast.walk(tree))
        if size > MAX_NODES:
            raise ExpressionRefused(f"The expression has {size} parts. Use at most {MAX_NODES}.")
        _check(tree.body, 0)
        expression = cls(ast.unparse(tree))
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
        return tuple(dict.fromkeys(_columns(self.syntax)))

    @cached_property
    def numbers(self) -> frozenset[float]:
        """The absolute values of all numbers."""
        constants = (node.value for node in ast.walk(self.syntax) if isinstance(node, ast.Constant))
        return frozenset(abs(float(value)) for value in constants if isinstance(value, (int, float)))

    def substitute(self, expressions: Mapping[str, "Expression"]) -> "Expression":
        """Replace columns by their expressions.

        Raises:
            ExpressionRefused: The result exceeds a bound.
        """
        return Expression.parse(ast.unparse(_Substitution(expressions).visit(ast.parse(self.text, mode="eval"))))

    @cached_property
    def forms(self) -> frozenset[str]:
        """Which of these it contains: `product` (of columns), `function` (or power), `condition`."""
        forms = set()
        for node in ast.walk(self.syntax):
            match node:
                case ast.BinOp(left=left, op=ast.Mult() | ast.Div() | ast.Mod() as operator, right=right):
                    if any(_columns(right)) and (isinstance(operator, ast.Div) or any(_columns(left))):
                        forms.add("product")
                case ast.Compare() | ast.Call(func=ast.Attribute(attr="where" | "isin" | "between")):
                    forms.add("condition")
                case ast.BinOp(op=ast.Pow()):
                    forms.add("function")
                case ast.Call(func=ast.Attribute(attr=name)) if name != "astype":
                    forms.add("function")
        return frozenset(forms)


def column_name(node: ast.AST) -> str | None:
    """The name in `df['name']`; None for any other node."""
    match node:
        case ast.Subscript(value=ast.Name(id="df"), slice=ast.Constant(value=str() as name)):
            return name
    return None


class _Substitution(ast.NodeTransformer):
    def __init__(self, expressions: Mapping[str, Expression]) -> None:
        self.expressions = expressions

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        expression = self.expressions.get(column_name(node) or "")
        return node if expression is None else ast.parse(expression.text, mode="eval").body


def _check(node: ast.expr, depth: int) -> None:
    """Check one node and those below it."""
    if depth > MAX_DEPTH:
        raise ExpressionRefused(f"The expression is nested deeper than {MAX_DEPTH} levels. Simplify it.")
    if column_name(node) is None:
        for operand in _operands(node):
            _check(operand, depth + 1)


def _operands(node: ast.expr) -> list[ast.expr]:
    """The operands of an allowed node.

    Raises:
        ExpressionRefused: The node is not allowed.
    """
    match node:
        case ast.Constant(value=value):
            _check_constant(value)
            return []
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            _check_exponent(right)
            if not any(_columns(left)):
                # Whole numbers grow without bound: ((10**12)**4)**4 and so on takes forever.
                raise _refusal(node, "write the power of a number as a number")
            return [left]
        case ast.BinOp(left=left, op=operator, right=right) if isinstance(operator, BINARY):
            return _without_text(node, [left, right])
        case ast.UnaryOp(op=operator, operand=operand) if isinstance(operator, UNARY):
            return _without_text(node, [operand])
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if isinstance(operator, COMPARISONS):
            return [left, right]
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr=name), args=arguments, keywords=[]):
            return _arguments(node, name, arguments, FUNCTIONS)
        case ast.Call(func=ast.Attribute(value=owner, attr=name), args=arguments, keywords=[]):
            return [owner, *_arguments(node, name, arguments, METHODS)]
    raise _refusal(node)


def _arguments(node: ast.expr, name: str, arguments: list[ast.expr], allowed: Mapping[str, int]) -> list[ast.expr]:
    if name not in allowed:
        raise _refusal(node)
    if len(arguments) != allowed[name] or any(isinstance(argument, ast.Starred) for argument in arguments):
        raise _refusal(node, f"{name} takes {allowed[name]} argument(s)")
    match name, arguments:
        case "astype", [ast.Name(id="int" | "float")]:
            return []
        case "astype", _:
            raise _refusal(node, "use astype(int) or astype(float)")
        case "isin", [ast.List(elts=levels)] if 1 <= len(levels) <= MAX_LEVELS:
            if all(isinstance(level, ast.Constant) for level in levels):
                return levels
    if name == "isin":
        raise _refusal(node, f"isin takes a list of 1 to {MAX_LEVELS} constants")
    return arguments


def _check_constant(value: object) -> None:
    if isinstance(value, str):
        if len(value) > MAX_STRING:
            raise ExpressionRefused(f"The string {_short(repr(value))} is longer than {MAX_STRING} characters.")
    elif not isinstance(value, (bool, int, float)):
        raise ExpressionRefused(f"The constant {_short(repr(value))} is not allowed. Use numbers and strings.")
    elif abs(value) > MAX_NUMBER or not math.isfinite(value):
        raise ExpressionRefused(f"The number {value:.3g} is too large. Use at most {MAX_NUMBER:.0e}.")


def _check_exponent(node: ast.expr) -> None:
    match node:
        case ast.Constant(value=value) | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)):
            if isinstance(value, (int, float)) and not isinstance(value, bool) and value <= MAX_EXPONENT:
                return
    raise _refusal(node, f"use an exponent from -{MAX_EXPONENT} to {MAX_EXPONENT}")


def _without_text(node: ast.expr, operands: list[ast.expr]) -> list[ast.expr]:
    """The operands, none of which is a string: `'a' * 10**10` would fill the memory."""
    if any(isinstance(operand, ast.Constant) and isinstance(operand.value, str) for operand in operands):
        raise _refusal(node, "strings can only be compared")
    return operands


def _refusal(node: ast.expr, reason: str = "") -> ExpressionRefused:
    if reason:
        return ExpressionRefused(f"{_short(ast.unparse(node))}: {reason}.")
    return ExpressionRefused(
        f"{_short(ast.unparse(node))} is not allowed in an expression. Use df['name'], numbers, strings, "
        f"+ - * / % **, & | ~, comparisons, np.{{{', '.join(FUNCTIONS)}}} and the methods {', '.join(METHODS)}."
    )


def _columns(node: ast.AST) -> Iterator[str]:
    """The names of the columns in the order of the text."""
    name = column_name(node)
    if name is not None:
        yield name
    for child in ast.iter_child_nodes(node):
        yield from _columns(child)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 120 else f"{line[:117]}..."
