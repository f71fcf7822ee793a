"""Gold hypotheses in words, written from expressions and their measured effects."""

import ast
from collections.abc import Mapping, Sequence
from decimal import Decimal

from inspect_discoverybench.synth.expression import COMPARISONS, column_name, filters
from inspect_discoverybench.synth.sampler import Effect, Measures
from inspect_discoverybench.synth.tree import Tree
from inspect_discoverybench.synth.tree_task import TreeTask

_SHAPES = {
    "rises": "increases {}",
    "falls": "decreases {}",
    "peaks": "is highest at a middle value of",
    "dips": "is lowest at a middle value of",
    "varies": "depends on",
    "": "does not depend on",
}
_FORMS = {
    "linear": "linearly with",
    "quadratic": "quadratically with",
    "cubic": "cubically with",
    "root": "with the square root of",
    "logarithmic": "logarithmically with",
    "exponential": "exponentially with",
    "steeper": "more and more steeply with",
    "flatter": "less and less steeply with",
    "step": "at a threshold of",
    "other": "with",
    "": "",
}
_COMPARISONS = {"rises": "is higher", "falls": "is lower", "": "is the same"}
"""What is said of the label with the higher mean."""


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
        _relation(next(effects), labels, task.numbered) if one.columns else "does not depend on them"
        for one in relations
    ]
    return f"{tree.context}{where}, the {subject} {'; elsewhere it '.join(clauses)}."


def _relation(effects: Mapping[str, Effect], labels: Mapping[str, str], numbered: bool) -> str:
    """What a relation says about the target, as the predicate of a sentence."""
    phrases, clauses, interactions = dict[str, list[str]](), list[str](), dict[frozenset[str], str]()
    for name, effect in effects.items():
        label, partner = f"the {labels[name]}", f"the {labels.get(effect.partner, '')}"
        words, first, then, link, span = (
            (_COMPARISONS, f"where {label} is {effect.labels[-1]} than where it is {effect.labels[0]}", "", "if", "")
            if effect.labels and effect.cases[0].shape != "varies"
            else (_SHAPES, label, "it", "where", " over most of its range")
        )
        verbs = [words[case.shape].format(_FORMS[case.form]) for case in effect.cases]
        sizes = [
            f" (by about {Decimal(f'{case.size:.2g}'):f}{span})" if numbered and case.shape else ""
            for case in effect.cases
        ]
        if len(verbs) == 1:
            phrases.setdefault(verbs[0], []).append(first + sizes[0])
        else:
            objects = [f"{then if number else first}{size}".lstrip() for number, size in enumerate(sizes)]
            groups = [*(f"{link} {partner} {_is(case.where)}" for case in effect.cases[:-1]), "otherwise"]
            clauses.append(
                _listing([" ".join(filter(None, part)) for part in zip(verbs, objects, groups, strict=True)])
            )
        if effect.interaction:
            statement = f"the effect of {label} {effect.interaction} with {partner}"
            interactions.setdefault(frozenset((name, effect.partner)), statement)
    plain = [_listing([f"{phrase} {_listing(names)}" for phrase, names in phrases.items()])] if phrases else []
    return "; ".join(("; it ".join((*plain, *clauses)), *interactions.values()))


def _in_words(condition: ast.expr, labels: Mapping[str, str]) -> str:
    """The words of a comparison of a column with constants."""
    match condition:
        case ast.Compare(left=column, ops=[operator], comparators=[right]):
            words = f"{COMPARISONS[type(operator)]} {ast.literal_eval(right)}"
        case ast.Call(func=ast.Attribute(value=column), args=[levels]):
            words = _is([*map(str, ast.literal_eval(levels))])
        case column:
            words = "is true"
    return f"the {labels[column_name(column) or '']} {words}"


def _is(levels: Sequence[str]) -> str:
    return f"is {levels[0]}" if len(levels) == 1 else f"is one of {_listing(levels)}"


def _listing(items: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(items[:-1]), items[-1]]))
