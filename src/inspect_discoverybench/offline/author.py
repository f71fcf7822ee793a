"""The author and the reviewer of the task `synth_generate`, by rule: they compose trees without a meaning."""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from random import Random
from typing import Any

Values = Mapping[str, Any]

VARIABLES: Sequence[Values] = json.loads(files(__package__).joinpath("author_variables.json").read_text("utf-8"))
"""The variables of all trees."""

CHILDREN = 3
"""Number of children of a node. With this number, and with the paper's probability that a leaf is derived further, the
difficulties of the tasks have about the same shares as in the released data."""

SPREAD = 0.15
"""Standard deviation of a term, as a share of the width of the target's range."""


def answer(schema: str | None, values: Values) -> Values | None:
    """Answer a request of the generator.

    Args:
        schema: Name of the response schema, which says what is requested.
        values: The values of the request.

    Returns:
        None if the schema is not one of the generator.
    """
    match schema:
        case "synth_domains":
            return _domains(values)
        case "synth_root":
            return _root(values)
        case "synth_expand":
            return _derivation(values["node"], _unused_variables(values))
        case "synth_distractors":
            count = values["count"]
            return {"columns": _unused_variables(values)[:count]}
        case "synth_task":
            return _task(values)
        case "synth_review":
            return {
                "reason": "The rule accepts every task.",
                "statement_is_true": True,
                "goal_giveaway": "",
                "description_giveaway": "",
            }
    return None


def _domains(values: Values) -> Values:
    """Name each domain by a number, so that the names differ from each other.

    They also differ from the names of the domains to be avoided, which have no numbers. The numbering starts at the
    count of these domains. Any other start would do, but changing it would change the trees that a seed gives.
    """
    first = len(values["avoid"])
    numbers = range(first, first + values["count"])
    return {"domains": [{"name": f"invented domain {number}"} for number in numbers]}


def _root(values: Values) -> Values:
    domain = values["name"]
    variables = _unused_variables(values)
    # A target that is real keeps the values of its expression. Those of an integer would be rounded.
    target = next(variable for variable in variables if variable["type"] == "real")
    variables.remove(target)
    return {
        "context": f"Among the records of {domain}",
        "rows": f"One record of {domain}.",
        "target": target,
        **_derivation(target, variables),
    }


def _unused_variables(values: Values) -> list[Values]:
    """The variables whose names are not used yet, in an order that depends on the request alone."""
    used = values["used_names"]
    variables = [variable for variable in VARIABLES if variable["name"] not in used]
    seed = json.dumps(values, sort_keys=True)
    Random(seed).shuffle(variables)
    return variables


def _derivation(target: Values, variables: Sequence[Values]) -> Values:
    """The children of a target, and an expression of them: the middle of the target's range, and a term for each child.

    A term is quadratic in the child's distance from the middle of the child's range. This form is arbitrary, because
    the trees have no meaning.
    """
    numeric = [variable for variable in variables if "low" in variable]
    children = numeric[:CHILDREN]
    deviation = SPREAD * _width(target)
    terms = [f"{_middle(target):g}"]
    for child in children:
        name = child["name"]
        squared_distance = f"(df['{name}'] - {_middle(child):g}) ** 2"
        # If the child's values are spread evenly over its range, the squared distance has a mean of a twelfth of the
        # squared width. Its standard deviation is nearly the same number. So the term has the mean 0, and about the
        # standard deviation `deviation`.
        curvature = 12 * deviation / _width(child) ** 2
        terms.append(f"{curvature:.3g} * {squared_distance} - {deviation:.3g}")
    return {"expression": " + ".join(terms), "children": children}


def _width(variable: Values) -> float:
    return float(variable["high"] - variable["low"])


def _middle(variable: Values) -> float:
    return float(variable["low"] + variable["high"]) / 2


def _task(values: Values) -> Values:
    """A hypothesis that quotes the table of the request, and a question about its masked facet.

    The table has the mean of the target in groups of rows. The question names the target, and either its variables or
    its relationship. Two tasks with the same target differ in both, so no two questions are equal.
    """
    target, _ = values["name"].split("/")  # the second part is the length of the path in the tree
    population = values["population"]
    variables = " and ".join(values["variables"])
    table = json.dumps(values["table"])[:600]  # leaves half of the 1,200 characters of a hypothesis to the names
    return {
        "hypothesis": f"{population}, the {target} depends on {variables}: {table}",
        "goal": _goal(values, target),
    }


def _goal(values: Values, target: str) -> str:
    """A question about the masked facet. The context is never masked: the hypotheses hold in all rows."""
    population = values["population"]
    if values["masked"] == "relationship":
        variables = " and ".join(values["variables"])
        return f"{population}, how does the {target} depend on {variables}?"

    # The question has the expression, but not the names of its variables, which are masked.
    relationship = values["expression"]
    for number, name in enumerate(values["variables"], 1):
        relationship = relationship.replace(f"df['{name}']", f"x{number}")
    return f"{population}, on which variables does the {target} depend as {relationship}?"
