"""Gold hypotheses in words, written from expressions."""

import ast
from collections.abc import Mapping, Sequence

from inspect_discoverybench.synth.expression import Expression, column_name
from inspect_discoverybench.synth.tree import Tree
from inspect_discoverybench.synth.tree_task import TreeTask

MIN_CORRELATION = 0.15
"""Minimum absolute rank correlation of a column with the target for the gold hypothesis to state a direction."""

_CHOICE, _LOGIC, _COMPARISON, _SUM, _PRODUCT, _PHRASE, _ATOM = range(7)
"""Binding strengths of the words of an expression. A weaker operand is put in parentheses."""

_BINARY = {
    ast.Add: ("{} plus {}", _SUM, _SUM, _PRODUCT),
    ast.Sub: ("{} minus {}", _SUM, _SUM, _PRODUCT),
    ast.Mult: ("{} times {}", _PRODUCT, _ATOM, _PHRASE),
    ast.Div: ("{} divided by {}", _PRODUCT, _ATOM, _PHRASE),
    ast.Mod: ("the remainder of {} divided by {}", _PRODUCT, _ATOM, _PHRASE),
    ast.BitAnd: ("{} and {}", _LOGIC, _COMPARISON, _COMPARISON),
    ast.BitOr: ("{} or {}", _LOGIC, _COMPARISON, _COMPARISON),
}
"""Words and strength of each operator, and the strengths that its left and right operand need."""

_COMPARISONS = {
    ast.Gt: "{} is above {}",
    ast.GtE: "{} is at least {}",
    ast.Lt: "{} is below {}",
    ast.LtE: "{} is at most {}",
    ast.Eq: "{} is {}",
    ast.NotEq: "{} is not {}",
}
_CALLS = {
    "minimum": ("the smaller of {} and {}", _CHOICE),
    "maximum": ("the larger of {} and {}", _CHOICE),
    "clip": ("{} limited to the range from {} to {}", _CHOICE),
    "abs": ("the absolute value of {}", _PHRASE),
    "log": ("the natural logarithm of {}", _PHRASE),
    "log1p": ("the natural logarithm of 1 plus {}", _PHRASE),
    "exp": ("the exponential of {}", _PHRASE),
    "sqrt": ("the square root of {}", _PHRASE),
    "square": ("the square of {}", _PHRASE),
    "tanh": ("the hyperbolic tangent of {}", _PHRASE),
    "sin": ("the sine of {}", _PHRASE),
    "cos": ("the cosine of {}", _PHRASE),
}
_POWERS = {"2": "the square of {}", "3": "the cube of {}", "0.5": "the square root of {}"}


def gold_hypothesis(tree: Tree, task: TreeTask, directions: Mapping[str, float]) -> str:
    """The gold hypothesis of a task: context, variables and relationship, with the directions of the predictors."""
    node, syntax = task.node, task.expression.syntax
    if task.length == 1 and node.hypothesis is not None:
        return node.hypothesis
    labels = {column.name: column.label for column in tree.columns()}
    if node.type == "boolean":
        statement = f"{tree.context}, the {node.label} is true where {_condition(syntax, labels)}"
    else:
        statement = f"{tree.context}, the value of the {node.label} is {in_words(task.expression, labels)}"
    effects = []
    for verb, sign in (("increases", 1), ("decreases", -1)):
        names = [labels[name] for name in task.predictors if sign * directions.get(name, 0) >= MIN_CORRELATION]
        if names:
            effects.append(f"{verb} with {_listing(names)}")
    return f"{statement}; it {' and '.join(effects)}." if effects else f"{statement}."


def in_words(expression: Expression, labels: Mapping[str, str]) -> str:
    """An expression in words, with those for each column."""
    return _words(expression.syntax, labels)[0]


def _words(node: ast.expr, labels: Mapping[str, str]) -> tuple[str, int]:  # noqa: C901 - one case per form
    """The words of an expression and their binding strength."""

    def operand(part: ast.expr, required: int) -> str:
        words, actual = _words(part, labels)
        return words if actual >= required else f"({words})"

    name = column_name(node)
    if name is not None:
        return f"the {labels[name]}", _ATOM
    match node:
        case ast.Constant(value=value):
            return f"{value:.10g}" if isinstance(value, (int, float)) else str(value), _ATOM
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            exponent = operand(right, _CHOICE)
            form = _POWERS.get(exponent, f"{{}} to the power {exponent}")
            return form.format(operand(left, _ATOM)), _PHRASE
        case ast.BinOp(left=left, op=operator, right=right):
            form, strength, first, second = _BINARY[type(operator)]
            return form.format(operand(left, first), operand(right, second)), strength
        case ast.UnaryOp(op=operator, operand=part):
            number = isinstance(part, ast.Constant)
            signs = {ast.Invert: "not ", ast.USub: "-" if number else "minus "}
            return f"{signs.get(type(operator), '')}{operand(part, _ATOM)}", _ATOM if number else _PHRASE
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            return _COMPARISONS[type(operator)].format(operand(left, _SUM), operand(right, _SUM)), _COMPARISON
        case ast.Call(func=ast.Attribute(attr="where"), args=[condition, inside, outside]):
            chosen = f"{operand(inside, _LOGIC)} where {_condition(condition, labels)}"
            return f"{chosen}, and elsewhere {operand(outside, _CHOICE)}", _CHOICE
        case ast.Call(func=ast.Attribute(value=owner, attr="isin"), args=[ast.List(elts=levels)]):
            listed = ", ".join(operand(level, _CHOICE) for level in levels)
            return f"{operand(owner, _CHOICE)} is one of {listed}", _COMPARISON
        case ast.Call(func=ast.Attribute(value=owner, attr="astype")):
            return operand(owner, _CHOICE), _PHRASE
        case ast.Call(func=ast.Attribute(attr=function), args=arguments):
            form, strength = _CALLS[function]
            return form.format(*(operand(part, _ATOM) for part in arguments)), strength
    raise ValueError(f"{ast.unparse(node)} has no words")  # the allow-list admits nothing else


def _condition(node: ast.expr, labels: Mapping[str, str]) -> str:
    """The words of a condition; a boolean column alone needs a verb."""
    match node:
        case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr() as operator, right=right):
            parts = [
                f"({_condition(part, labels)})" if _words(part, labels)[1] == _LOGIC else _condition(part, labels)
                for part in (left, right)
            ]
            return _BINARY[type(operator)][0].format(*parts)
        case ast.UnaryOp(op=ast.Invert(), operand=operand) if column_name(operand) is not None:
            return f"{_words(operand, labels)[0]} is false"
    words, _ = _words(node, labels)
    return f"{words} is true" if column_name(node) is not None else words


def _listing(items: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(f"the {item}" for item in items[:-1]), f"the {items[-1]}"]))
