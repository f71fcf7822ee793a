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
    node = task.node
    if task.length == 1 and node.hypothesis is not None:
        return node.hypothesis
    labels = {column.name: column.label for column in tree.columns()}
    is_condition = node.type == "boolean"
    verb = f"the {node.label} is true where" if is_condition else f"the value of the {node.label} is"
    statement = f"{tree.context}, {verb} {in_words(task.expression, labels, is_condition)}"
    effects = []
    for change, sign in (("increases", 1), ("decreases", -1)):
        names = [labels[name] for name in task.predictors if sign * directions.get(name, 0) >= MIN_CORRELATION]
        if names:
            effects.append(f"{change} with {_listing(names)}")
    return f"{statement}; it {' and '.join(effects)}." if effects else f"{statement}."


def in_words(expression: Expression, labels: Mapping[str, str], is_condition: bool = False) -> str:
    """An expression in words, with those for each column."""
    return _words(expression.syntax, labels, is_condition)[0]


def _words(node: ast.expr, labels: Mapping[str, str], is_condition: bool = False) -> tuple[str, int]:  # noqa: C901
    """The words of an expression and their binding strength. A boolean column that is a condition needs a verb."""

    def operand(part: ast.expr, required: int, is_condition: bool = False) -> str:
        words, actual = _words(part, labels, is_condition)
        return words if actual >= required else f"({words})"

    name = column_name(node)
    if name is not None:
        return (f"the {labels[name]} is true", _COMPARISON) if is_condition else (f"the {labels[name]}", _ATOM)
    match node:
        case ast.Constant(value=value):
            return f"{value:.10g}" if isinstance(value, (int, float)) else str(value), _ATOM
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            exponent = operand(right, _CHOICE)
            form = _POWERS.get(exponent, f"{{}} to the power {exponent}")
            return form.format(operand(left, _ATOM)), _PHRASE
        case ast.BinOp(left=left, op=operator, right=right):
            form, strength, first, second = _BINARY[type(operator)]
            is_logic = strength == _LOGIC
            return form.format(operand(left, first, is_logic), operand(right, second, is_logic)), strength
        case ast.UnaryOp(op=operator, operand=part):
            number = isinstance(part, ast.Constant)
            signs = {ast.Invert: "not ", ast.USub: "-" if number else "minus "}
            words = operand(part, _ATOM, isinstance(operator, ast.Invert))
            return f"{signs.get(type(operator), '')}{words}", _ATOM if number else _PHRASE
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            return _COMPARISONS[type(operator)].format(operand(left, _SUM), operand(right, _SUM)), _COMPARISON
        case ast.Call(func=ast.Attribute(attr="where"), args=[condition, inside, outside]):
            chosen = f"{operand(inside, _LOGIC)} where {operand(condition, _LOGIC, True)}"
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


def _listing(items: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(f"the {item}" for item in items[:-1]), f"the {items[-1]}"]))
