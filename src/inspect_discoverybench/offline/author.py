"""The author and the reviewer of the task `synth_generate`, by rule: they compose trees without a meaning."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from random import Random
from typing import Any

Values = Mapping[str, Any]

_POOL: Values = json.loads(files(__package__).joinpath("author_pool.json").read_text("utf-8"))
"""The domains of the author with their things, and what can be measured of a thing."""

LINEAR = 0.5
"""Share of the terms of an expression that are linear. The others are quadratic, with the vertex in the middle."""

SPREAD = 0.25
"""Standard deviation of computed values, in widths of the variable's range."""

COUNTS = (2, 3, 3, 3)
"""Numbers of children. With the paper's probability of derivation, difficulties have about the released shares."""


def answer(schema: str, values: Values) -> Values | None:
    """The reply to a request of the generator; None if the schema is none of its requests."""
    rule = _RULES.get(schema)
    if rule is None:
        return None
    # Choices depend on the request alone.
    return rule(values, Random(json.dumps(values, sort_keys=True)))


def _domains(values: Values, random: Random) -> Values:
    """The domains of the pool in turn, numbered on from those to avoid."""
    domains = []
    for number in range(len(values["avoid"]), len(values["avoid"]) + values["count"]):
        entry = _POOL["domains"][number % len(_POOL["domains"])]
        domains.append({"name": f"{entry['name']} {number}", "description": entry["description"]})
    return {"domains": domains}


def _domain_entry(domain: str) -> Values:
    """The entry of a domain of the pool, or one in place of any other."""
    entries: dict[str, Values] = {entry["name"]: entry for entry in _POOL["domains"]}
    name = domain.rstrip(" 0123456789")
    return entries.get(name, entries["night markets"])


def _unused_variables(domain: str, used: Sequence[str], random: Random) -> list[Values]:
    """The variables of a domain whose names are not used yet, in random order."""
    variables = []
    for thing in _domain_entry(domain)["things"]:
        for measure, fields in _POOL["measures"].items():
            name = f"{thing}_{measure}"
            description = fields["description"].format(thing=thing)
            variables.append(fields | {"name": name, "description": description})
    random.shuffle(variables)
    return [variable for variable in variables if variable["name"] not in used]


def _root(values: Values, random: Random) -> Values:
    entry = _domain_entry(values["name"])
    target, *others = _unused_variables(values["name"], values["used_names"], random)
    while target["type"] != "real":
        target, *others = others
    derivation = _derivation(target, others, random)
    return derivation | {"context": entry["context"], "rows": entry["rows"], "target": target}


def _expand(values: Values, random: Random) -> Values:
    variables = _unused_variables(values["domain"], values["used_names"], random)
    return _derivation(values["node"], variables, random)


def _derivation(target: Values, variables: Sequence[Values], random: Random) -> dict[str, Any]:
    numbers = [variable for variable in variables if "low" in variable]
    children = numbers[: random.choice(COUNTS)]
    return {
        "expression": _relation(target, children, random),
        "children": children,
    }


def _relation(target: Values, children: Sequence[Values], random: Random) -> str:
    """A sum of linear and quadratic terms with the same standard deviation, around the middle of the target's range."""
    deviation = SPREAD * _width(target) / math.sqrt(len(children))
    text = f"{_middle(target):g}"
    for child in children:
        sign = random.choice("+-")
        text += f" {sign} {_term(child, deviation, random)}"
    return text


def _term(child: Values, deviation: float, random: Random) -> str:
    """A term with this standard deviation."""
    width = _width(child)
    middle = _middle(child)
    distance = f"(df['{child['name']}'] - {middle:g})"
    if random.random() < LINEAR:
        slope = deviation / SPREAD / width
        return f"{slope:.3g} * {distance}"

    # The square of a distance has about a twelfth of the squared width as its mean and its standard deviation.
    square = width**2 / 12
    curvature = deviation / square
    return f"({curvature:.3g} * {distance} ** 2 - {deviation:.3g})"


def _width(variable: Values) -> float:
    return float(variable["high"] - variable["low"])


def _middle(variable: Values) -> float:
    return float(variable["high"] + variable["low"]) / 2


def _distractors(values: Values, random: Random) -> Values:
    variables = _unused_variables(values["name"], values["used_names"], random)
    return {"columns": variables[: values["count"]]}


def _task(values: Values, random: Random) -> Values:
    """The hypothesis says what the table shows. The goal names the path length, so that no two tasks share it."""
    target, length = values["name"].split("/")
    population = values["population"]
    variables = " and ".join(values["variables"])
    goals = {
        "relationship": f"{population}, how does the {target} depend on {variables}?",
        "variables": f"{population}, what determines the {target} in {length} steps?",
    }
    [table] = values["table"].values()
    effects = []
    for name, groups in table.items():
        first, *_, last = groups.values()
        effects.append(f"from {first} at the lowest to {last} at the highest values of {name}")
    hypothesis = f"{population}, the mean of {target} goes {' and '.join(effects)}."
    return {"hypothesis": hypothesis, "goal": goals[values["masked"]]}


def _review(values: Values, random: Random) -> Values:
    return {"statement_is_true": True, "reason": "The rule accepts every task."}


_RULES: Mapping[str, Callable[[Values, Random], Values]] = {
    "synth_domains": _domains,
    "synth_root": _root,
    "synth_expand": _expand,
    "synth_distractors": _distractors,
    "synth_task": _task,
    "synth_review": _review,
}
