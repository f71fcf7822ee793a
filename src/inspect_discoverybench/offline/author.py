"""The author and the reviewer of the task `synth_generate`, by rule: they compose trees without a meaning."""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from random import Random
from typing import Any

Values = Mapping[str, Any]

_FILE = files(__package__).joinpath("author_variables.json")
VARIABLES: Sequence[Values] = json.loads(_FILE.read_text("utf-8"))
"""The variables of all trees."""

CHILDREN = 3
"""Number of children. With the paper's probability of derivation, difficulties have about the released shares."""

SPREAD = 0.15
"""Standard deviation of a term, in widths of the target's range."""


def answer(schema: str, values: Values) -> Values | None:
    """The reply to a request of the generator; None if the schema is none of its requests."""
    match schema:
        case "synth_domains":
            return _domains(values)
        case "synth_root":
            return _root(values)
        case "synth_expand":
            variables = _unused_variables(values)
            return _derivation(values["node"], variables)
        case "synth_distractors":
            variables = _unused_variables(values)
            count = values["count"]
            return {"columns": variables[:count]}
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
    """Domains with numbers, on from the number of those to avoid."""
    first = len(values["avoid"])
    end = first + values["count"]
    numbers = range(first, end)
    domains = [{"name": f"invented domain {number}"} for number in numbers]
    return {"domains": domains}


def _root(values: Values) -> Values:
    domain = values["name"]
    variables = _unused_variables(values)
    possible_targets = [variable for variable in variables if variable["type"] == "real"]
    target = possible_targets[0]
    variables.remove(target)
    derivation = _derivation(target, variables)
    return {
        "context": f"Among the records of {domain}",
        "rows": f"One record of {domain}.",
        "target": target,
        **derivation,
    }


def _unused_variables(values: Values) -> list[Values]:
    """The variables whose names are not used yet, in an order that depends on the request alone."""
    used = values["used_names"]
    variables = [variable for variable in VARIABLES if variable["name"] not in used]
    seed = json.dumps(values, sort_keys=True)
    Random(seed).shuffle(variables)
    return variables


def _derivation(target: Values, variables: Sequence[Values]) -> Values:
    """Children of a target, and the sum of a quadratic term for each, around the middle of the target's range."""
    numbers = [variable for variable in variables if "low" in variable]
    children = numbers[:CHILDREN]
    width, middle = _range(target)
    deviation = SPREAD * width
    expression = f"{middle:g}"
    for child in children:
        name = child["name"]
        width, middle = _range(child)
        square = f"(df['{name}'] - {middle:g}) ** 2"
        # The square of a distance has about a twelfth of the squared width as its mean and its standard deviation.
        curvature = 12 * deviation / width**2
        term = f"{curvature:.3g} * {square} - {deviation:.3g}"
        expression += f" + {term}"
    return {
        "expression": expression,
        "children": children,
    }


def _range(variable: Values) -> tuple[float, float]:
    """The width and the middle of the range of a number."""
    low = variable["low"]
    high = variable["high"]
    middle = (low + high) / 2
    return high - low, middle


def _task(values: Values) -> Values:
    """The hypothesis has the numbers of the table. The goal mentions what is not masked, and so differs by task."""
    target, _ = values["name"].split("/")
    population = values["population"]
    variables = " and ".join(values["variables"])
    means = json.dumps(values["table"])
    means = means[:600]  # a hypothesis has at most 1,200 characters
    return {
        "hypothesis": f"{population}, the {target} depends on {variables}: {means}",
        "goal": _goal(values["masked"], population, target, values),
    }


def _goal(masked: str, population: str, target: str, values: Values) -> str:
    """A question about the masked facet. The context is never masked: the hypotheses hold in all rows."""
    if masked == "relationship":
        variables = " and ".join(values["variables"])
        return f"{population}, how does the {target} depend on {variables}?"

    relationship = values["expression"]
    for number, name in enumerate(values["variables"], 1):
        relationship = relationship.replace(f"df['{name}']", f"x{number}")
    return f"{population}, on which variables does the {target} depend as {relationship}?"
