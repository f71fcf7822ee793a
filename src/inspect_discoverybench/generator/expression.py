"""Expressions of semantic trees: pandas expressions over the columns of `df`, as DB-SYNTH writes them.

An expression computes a node from its children (paper §4.2). Its syntax tree must consist of what the prompt
`synth/expressions` lists; other names, attributes and calls are refused. An expression that passes cannot loop, and its
memory is bounded by its size times the number of rows. It is still run only in the sandbox.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import shorten

from inspect_discoverybench.errors.exceptions import ExpressionRefused
from inspect_discoverybench.prompts.prompt import Prompt

FUNCTIONS: Mapping[str, int] = {
    "where": 3,
    "minimum": 2,
    "maximum": 2,
    "clip": 3,
    "abs": 1,
    "log": 1,
    "log1p": 1,
    "exp": 1,
    "sqrt": 1,
    "square": 1,
    "tanh": 1,
    "sin": 1,
    "cos": 1,
}
"""Functions of numpy that an expression may call, with the number of arguments. `np.select` has a form of its own."""

STATISTICS = ("mean", "median", "min", "max", "std", "sum", "all", "any", "quantile")
"""Statistics of a column, over all rows or in groups. The argument of `quantile` is a constant."""

COLUMN = re.compile(r"df\['(?P<name>\w+)'\]")
"""A column in the text of an expression, as `ast.unparse` writes it."""

MAX_PARTS = 700
"""Maximum number of nodes of the syntax tree. The largest released gold expression has 648."""
MAX_EXPONENT = 4
MAX_NUMBER = 1e12
MAX_SHOWN = 120
"""Maximum length of the part that an error message shows."""

OPERATORS = (
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.FloorDiv,
    ast.Mod,
    ast.BitAnd,
    ast.BitOr,
)
"""Allowed operators of two operands. `**` is checked separately, because its exponent must be a constant."""


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
            ExpressionRefused: The text is not Python, uses something that is not on the allow-list, has no column, or
                exceeds a bound.
        """
        try:
            as_written = ast.parse(text.strip(), mode="eval").body
            syntax = _CommonForm().visit(as_written)
            expression = cls(ast.unparse(syntax))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise ExpressionRefused(
                f"The expression {shorten(text, MAX_SHOWN)} is not valid Python: {error}."
            ) from error

        size = sum(1 for _ in ast.walk(syntax))
        if size > MAX_PARTS:
            raise ExpressionRefused(f"The expression has {size} parts. Use at most {MAX_PARTS}.")
        _require_allowed(syntax)
        if not expression.columns:
            raise ExpressionRefused(
                f"The expression {shorten(text, MAX_SHOWN)} uses no column. Write columns as df['name']."
            )
        return expression

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in order of appearance."""
        names = COLUMN.findall(self.text)
        return tuple(dict.fromkeys(names))

    def substitute(self, expressions: Mapping[str, "Expression"]) -> "Expression":
        """Replace each column that has an expression by that expression.

        Args:
            expressions: Expressions by name of the column. Other columns stay.

        Raises:
            ExpressionRefused: The result exceeds a bound.
        """

        def replacement(match: re.Match[str]) -> str:
            name = match["name"]
            if name not in expressions:
                return match.group()
            return f"({expressions[name].text})"

        text = COLUMN.sub(replacement, self.text)
        return Expression.parse(text)


class _CommonForm(ast.NodeTransformer):
    """Rewrites two common notations in the notation that the allow-list has.

    Of the 169 released gold expressions that are Python, 3 are refused. Without the rewriting, 16 would be refused.
    """

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Write `df.get('name', 0)` as `df['name']`.

        The default would be used only if the column were missing. No column is missing: a node must have all columns of
        its expression as children.
        """
        match node:
            case ast.Call(ast.Attribute(ast.Name("df"), "get"), [ast.Constant(str(name)), *_]):
                return ast.Subscript(ast.Name("df"), ast.Constant(name))
        return self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """Write `a if condition else b` as `np.where(condition, a, b)`."""
        function = ast.Attribute(ast.Name("np"), "where")
        choice = ast.Call(function, [node.test, node.body, node.orelse], [])
        return self.generic_visit(choice)


def _require_allowed(syntax: ast.expr) -> None:
    """Raise `ExpressionRefused` for the first part that is not allowed."""
    pending = [syntax]
    while pending:
        node = pending.pop()
        operands = _operands(node)
        if operands is None:
            part = shorten(ast.unparse(node), MAX_SHOWN)
            rules = Prompt.load("synth/expressions").render().replace("\n", " ")
            raise ExpressionRefused(f"{part} is not allowed in an expression. {rules}")
        pending += operands


def _operands(node: ast.expr) -> Sequence[ast.expr] | None:
    """The operands of an allowed node, which are to be checked next; None if the node is not allowed."""
    match node:
        case ast.Subscript(ast.Name("df"), ast.Constant(str())) | ast.Constant(str()):
            return []
        case ast.Constant(number) if _is_allowed_number(number):
            return []
        case ast.BinOp():
            return _operands_of_operator(node)
        # Python's `not` would ask whether a whole column is true. `is` and `in` would give one value for all rows.
        case ast.UnaryOp(ast.Not()) | ast.Compare(_, [ast.Is() | ast.IsNot() | ast.In() | ast.NotIn()]):
            return None
        case ast.UnaryOp(_, operand):
            return [operand]
        # A chain such as `0 < a < 1` is not allowed: Python would ask whether a whole column is true.
        case ast.Compare(left, [_], [right]):
            return [left, right]
        case ast.Call(ast.Attribute(ast.Name("np"))):
            return _operands_of_function(node)
        case ast.Call():
            return _operands_of_method(node)
    return None


def _is_column(node: ast.AST) -> bool:
    match node:
        case ast.Subscript(ast.Name("df"), ast.Constant(str())):
            return True
    return False


def _operands_of_operator(operation: ast.BinOp) -> Sequence[ast.expr] | None:
    """The operands of an allowed operator that are to be checked next; None if it is not allowed."""
    match operation:
        case ast.BinOp(base, ast.Pow(), ast.Constant(int() | float() as exponent)):
            # Without a column, the base may be a Python integer, which grows without bound: ((10**12)**4)**4 and so on
            # takes forever. The floats of a column overflow instead.
            has_column = any(map(_is_column, ast.walk(base)))
            if has_column and exponent <= MAX_EXPONENT:
                return [base]  # the exponent is checked above
            return None
        case ast.BinOp(ast.Constant(str())) | ast.BinOp(right=ast.Constant(str())):
            return None  # 'a' * 10**10 would fill the memory
        case ast.BinOp(left, operator, right) if isinstance(operator, OPERATORS):
            return [left, right]
    return None


def _operands_of_function(call: ast.Call) -> Sequence[ast.expr] | None:
    """The operands of an allowed call of a numpy function that are to be checked next; None if it is not allowed."""
    match call:
        # np.select([condition, …], [choice, …]) or np.select([condition, …], [choice, …], 0)
        case ast.Call(ast.Attribute(_, "select"), [ast.List(conditions), ast.List(choices), *default], []):
            return [*conditions, *choices, *default]
        # np.select([condition, …], [choice, …], default=0)
        case ast.Call(
            ast.Attribute(_, "select"),
            [ast.List(conditions), ast.List(choices)],
            [ast.keyword("default", value)],
        ):
            return [*conditions, *choices, value]
        # np.clip(column, 0, 1)
        case ast.Call(ast.Attribute(_, name), arguments, []) if len(arguments) == FUNCTIONS.get(name):
            return arguments
    return None


def _operands_of_method(call: ast.Call) -> Sequence[ast.expr] | None:
    """The operands of an allowed call of a column's method that are to be checked next; None if it is not allowed."""
    match call:
        # column.astype(int)
        case ast.Call(ast.Attribute(owner, "astype"), [ast.Name("int" | "float")], []):
            return [owner]
        # column.isin(['a', 'b']). An empty list is refused, because the result would be False in every row.
        case ast.Call(ast.Attribute(owner, "isin"), [ast.List([_, *_] as levels)], []):
            return [owner, *levels]
        # column.map({'a': 1, 'b': 2})
        case ast.Call(ast.Attribute(owner, "map"), [ast.Dict() as mapping], []) if _maps_to_numbers(mapping):
            return [owner]
        # column.mean(), column.quantile(0.9)
        case ast.Call(ast.Attribute(owner, name), [] | [ast.Constant()], []) if name in STATISTICS:
            return [owner]
        # column.groupby(key).transform('mean')
        case ast.Call(
            ast.Attribute(ast.Call(ast.Attribute(owner, "groupby"), [key], []), "transform"),
            [ast.Constant(name)],
            [],
        ) if name in STATISTICS:
            return [owner, key]
    return None


def _maps_to_numbers(mapping: ast.Dict) -> bool:
    """Whether a mapping maps constants to numbers of an allowed size."""
    try:
        numbers = ast.literal_eval(mapping).values()
    except (ValueError, TypeError):
        return False
    return all(map(_is_allowed_number, numbers))


def _is_allowed_number(value: object) -> bool:
    """Whether a value is a number of an allowed size."""
    return isinstance(value, int | float) and abs(value) <= MAX_NUMBER
