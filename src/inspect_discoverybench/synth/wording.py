"""Gold hypotheses in words, written from expressions and their measured effects."""

import ast
from collections.abc import Mapping, Sequence

from inspect_discoverybench.synth.expression import COMPARISONS, column_name, filters
from inspect_discoverybench.synth.sampler import Effect, Measures
from inspect_discoverybench.synth.tree import Tree
from inspect_discoverybench.synth.tree_task import TreeTask

_MANNERS = {
    "square": "quadratically with",
    "2": "quadratically with",
    "3": "cubically with",
    "sqrt": "with the square root of",
    "0.5": "with the square root of",
    "log": "logarithmically with",
    "log1p": "logarithmically with",
    "exp": "exponentially with",
}
"""How the target changes with a column, by the function or power around it."""

_BENDS = {
    "": "linearly with",
    "steeper": "more and more steeply with",
    "flatter": "less and less steeply with",
    "step": "at a threshold of",
}
_SHAPES = {
    "rises": "increases",
    "falls": "decreases",
    "peaks": "is highest at a middle value of",
    "dips": "is lowest at a middle value of",
}


def gold_hypothesis(tree: Tree, task: TreeTask, measures: Measures) -> str:
    """The gold hypothesis of a task: context, variables and relationship.

    It states directions, forms and interactions as the released ones do, with the sizes of the effects if the task is
    numbered.
    """
    node, branches = task.node, task.expression.branches
    if task.length == 1 and node.hypothesis is not None:
        return node.hypothesis
    labels = {column.name: column.label for column in tree.columns()}
    subject = f"chance that the {node.label} is {measures.outcome.lower()}" if measures.outcome else node.label
    conditions = [_in_words(one, labels) for one in filters(branches[0].syntax)] if branches else []
    where = f" where {' and '.join(conditions)}" if conditions else ""
    relations = branches[1:] if branches else (task.expression,)
    effects = iter(measures.effects[1:] if branches else measures.effects)
    clauses = [
        _relation(one.syntax, next(effects), labels, task.numbered) if one.columns else "does not depend on them"
        for one in relations
    ]
    return f"{tree.context}{where}, the {subject} {'; elsewhere it '.join(clauses)}."


def _relation(syntax: ast.expr, effects: Mapping[str, Effect], labels: Mapping[str, str], numbered: bool) -> str:
    """What a relation says about the target, as the predicate of a sentence."""
    manners, phrases, interactions = _manners(syntax), dict[str, list[str]](), dict[frozenset[str], str]()
    for name, effect in effects.items():
        phrase, label = _SHAPES.get(effect.shape, "is higher where"), f"the {labels[name]}"
        if effect.shape in ("rises", "falls"):
            phrase += f" {(effect.bend and manners.get(name)) or _BENDS[effect.bend]}"
        elif not effect.shape:
            label += f" is {effect.highest.lower()} than where it is {effect.lowest.lower()}"
        size = f" (by about {effect.size:.2g} over its range)" if numbered else ""
        phrases.setdefault(phrase, []).append(label + size)
        if effect.partner:
            change = ("grows" if effect.grows else "shrinks") if effects[effect.partner].shape else "changes"
            text = f"the effect of the {labels[name]} {change} with the {labels[effect.partner]}"
            interactions.setdefault(frozenset((name, effect.partner)), text)
    predicate = _listing([f"{phrase} {_listing(names)}" for phrase, names in phrases.items()])
    return "; ".join((predicate, *interactions.values()))


def _manners(node: ast.AST, manner: str = "") -> Mapping[str, str]:
    """The manner of each column, by the innermost function or power around it."""
    match node:
        case ast.BinOp(op=ast.Pow(), right=ast.Constant(value=int() | float() as exponent)):
            manner = _MANNERS.get(f"{exponent:g}", manner)
        case ast.Call(func=ast.Attribute(attr=function)):
            manner = _MANNERS.get(function, manner)
    name = column_name(node)
    parts = [{name: manner}] if name else [_manners(part, manner) for part in ast.iter_child_nodes(node)]
    return {column: found for part in parts for column, found in part.items() if found}


def _in_words(condition: ast.expr, labels: Mapping[str, str]) -> str:
    """The words of a comparison of a column with constants."""
    match condition:
        case ast.Compare(left=column, ops=[operator], comparators=[right]):
            words = f"{COMPARISONS[type(operator)]} {ast.literal_eval(right)}"
        case ast.Call(func=ast.Attribute(value=column), args=[levels]):
            words = f"is one of {_listing([*map(str, ast.literal_eval(levels))])}"
        case column:
            words = "is true"
    return f"the {labels[column_name(column) or '']} {words}"


def _listing(items: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(items[:-1]), items[-1]]))
