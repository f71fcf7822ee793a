"""Gold hypotheses in words, written from expressions."""

import ast
from collections.abc import Mapping, Sequence

from inspect_discoverybench.synth.expression import Expression, column_name
from inspect_discoverybench.synth.tree import Node, Tree
from inspect_discoverybench.synth.variant import Variant

MIN_CORRELATION = 0.15
"""Minimum absolute rank correlation of a column with the target for the gold hypothesis to state a direction."""

_BINARY = {
    ast.Add: "{} plus {}",
    ast.Sub: "{} minus {}",
    ast.Mult: "{} times {}",
    ast.Div: "{} divided by {}",
    ast.Mod: "the remainder of {} divided by {}",
    ast.BitAnd: "{} and {}",
    ast.BitOr: "{} or {}",
}
_COMPARISONS = {
    ast.Gt: "{} is above {}",
    ast.GtE: "{} is at least {}",
    ast.Lt: "{} is below {}",
    ast.LtE: "{} is at most {}",
    ast.Eq: "{} is {}",
    ast.NotEq: "{} is not {}",
}
_CALLS = {
    "minimum": "the smaller of {} and {}",
    "maximum": "the larger of {} and {}",
    "clip": "{} limited to the range from {} to {}",
    "abs": "the absolute value of {}",
    "log": "the natural logarithm of {}",
    "log1p": "the natural logarithm of 1 plus {}",
    "exp": "the exponential of {}",
    "sqrt": "the square root of {}",
    "square": "the square of {}",
    "tanh": "the hyperbolic tangent of {}",
    "sin": "the sine of {}",
    "cos": "the cosine of {}",
    "between": "{} is between {} and {}",
    "astype": "{}",
}


def gold_hypothesis(tree: Tree, variant: Variant, directions: Mapping[str, float]) -> str:
    """The gold hypothesis of a task: context, variables and relationship.

    Args:
        tree: The tree.
        variant: The task.
        directions: Rank correlation of each numeric predictor with the target, −1 to 1.
    """
    node = variant.node
    if variant.length == 1 and node.hypothesis is not None:
        return node.hypothesis
    labels = {column.name: column.label for column in tree.columns()}
    statement = f"{tree.context}, {_statement(node, variant.expression, labels)}"
    rising = [labels[name] for name in variant.predictors if directions.get(name, 0) >= MIN_CORRELATION]
    falling = [labels[name] for name in variant.predictors if directions.get(name, 0) <= -MIN_CORRELATION]
    effects = {"increases": rising, "decreases": falling}
    parts = [f"{verb} with {_listing(names)}" for verb, names in effects.items() if names]
    return f"{statement}; it {' and '.join(parts)}." if parts else f"{statement}."


def in_words(expression: Expression, labels: Mapping[str, str]) -> str:
    """An expression in words.

    Args:
        expression: The expression.
        labels: The words for each column.
    """
    return _words(expression.syntax, labels)


def _statement(node: Node, expression: Expression, labels: Mapping[str, str]) -> str:
    if node.type == "boolean":
        return f"the {node.label} is true where {_condition(expression.syntax, labels)}"
    return f"the value of the {node.label} is {in_words(expression, labels)}"


def _words(node: ast.expr, labels: Mapping[str, str]) -> str:
    name = column_name(node)
    if name is not None:
        return f"the {labels[name]}"
    match node:
        case ast.Constant(value=value):
            return value if isinstance(value, str) else _number(value)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_operand(left, labels, _ATOM), _words(right, labels))
        case ast.BinOp(left=left, op=operator, right=right):
            first, second = _OPERANDS[_strength(node)]
            return _BINARY[type(operator)].format(_operand(left, labels, first), _operand(right, labels, second))
        case ast.UnaryOp(op=operator, operand=operand):
            signs = {ast.Invert: "not ", ast.USub: "-" if isinstance(operand, ast.Constant) else "minus "}
            return f"{signs.get(type(operator), '')}{_operand(operand, labels, _ATOM)}"
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            return _COMPARISONS[type(operator)].format(_operand(left, labels, _SUM), _operand(right, labels, _SUM))
        case ast.Call(func=ast.Attribute(value=owner, attr=function), args=arguments):
            is_function = isinstance(owner, ast.Name) and owner.id == "np"
            return _call(function, arguments if is_function else [owner, *arguments], labels)
    raise ValueError(f"{ast.unparse(node)} has no words")  # the allow-list admits nothing else


_CHOICE, _LOGIC, _COMPARISON, _SUM, _PRODUCT, _PHRASE, _ATOM = range(7)
"""Binding strengths of the words of an expression. A weaker operand is put in parentheses."""

_OPERANDS = {_LOGIC: (_COMPARISON, _COMPARISON), _SUM: (_SUM, _PRODUCT), _PRODUCT: (_ATOM, _PHRASE)}
"""The strengths that the left and the right operand need."""


def _strength(node: ast.expr) -> int:
    if column_name(node) is not None:
        return _ATOM
    match node:
        case ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
            return _ATOM
        case ast.Compare():
            return _COMPARISON
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr()):
            return _LOGIC
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            return _SUM
        case ast.BinOp(op=ast.Mult() | ast.Div() | ast.Mod()):
            return _PRODUCT
        case ast.Call(func=ast.Attribute(attr="where" | "minimum" | "maximum" | "clip")):
            return _CHOICE
        case ast.Call(func=ast.Attribute(attr="isin" | "between")):
            return _COMPARISON
    return _PHRASE


def _number(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, (int, float)) else str(value)


def _call(function: str, arguments: Sequence[ast.expr], labels: Mapping[str, str]) -> str:
    if function == "where":
        condition, inside, outside = arguments
        first = _operand(inside, labels, _LOGIC)
        return f"{first} where {_condition(condition, labels)}, and elsewhere {_words(outside, labels)}"
    if function == "isin":
        levels = arguments[1].elts if isinstance(arguments[1], ast.List) else []
        return f"{_words(arguments[0], labels)} is one of {', '.join(_words(level, labels) for level in levels)}"
    if function == "astype":
        return _words(arguments[0], labels)
    return _CALLS[function].format(*(_operand(argument, labels, _ATOM) for argument in arguments))


def _condition(node: ast.expr, labels: Mapping[str, str]) -> str:
    """The words of a condition; a boolean column alone needs a verb."""
    match node:
        case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr() as operator, right=right):
            parts = [
                f"({_condition(part, labels)})" if _strength(part) == _LOGIC else _condition(part, labels)
                for part in (left, right)
            ]
            return _BINARY[type(operator)].format(*parts)
        case ast.UnaryOp(op=ast.Invert(), operand=operand) if column_name(operand) is not None:
            return f"{_words(operand, labels)} is false"
    return f"{_words(node, labels)} is true" if column_name(node) is not None else _words(node, labels)


def _operand(node: ast.expr, labels: Mapping[str, str], strength: int) -> str:
    """The words of an operand, in parentheses if they bind less strongly than this."""
    words = _words(node, labels)
    return words if _strength(node) >= strength else f"({words})"


def _power(base: str, exponent: str) -> str:
    names = {"2": "the square of", "3": "the cube of", "0.5": "the square root of"}
    return f"{names[exponent]} {base}" if exponent in names else f"{base} to the power {exponent}"


def _listing(items: Sequence[str]) -> str:
    return ", ".join(f"the {item}" for item in items[:-1]) + (" and " if len(items) > 1 else "") + f"the {items[-1]}"
