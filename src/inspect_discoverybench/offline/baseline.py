"""`discoverybench/baseline`: a rule-based analyst, and the author of the task `synth_generate`.

Use it to check an installation. It is not a language model. As the author, it composes trees without a meaning from a
committed pool of variables.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from random import Random
from typing import Any

from inspect_ai.model import ChatMessageAssistant

from inspect_discoverybench.offline.provider import Request
from inspect_discoverybench.submission.text import normalize_case_and_spaces

PLAN = "Read the tables, choose the columns that the goal names, and fit several forms of relationship to them."

Values = Mapping[str, Any]

_POOL: Values = json.loads(files(__package__).joinpath("author_pool.json").read_text("utf-8"))
"""The domains of the author with their variables, and wordings."""


def reply(request: Request) -> ChatMessageAssistant:
    """Answer a request of the generator, or analyse the data of a task."""
    if (rule := _RULES.get(request.schema)) is None:
        return _analyse(request)
    _, values = request.question()
    content = rule(values, Random(json.dumps(values, sort_keys=True)))  # choices depend on the request alone
    return ChatMessageAssistant(content=json.dumps(content, ensure_ascii=False))


def _analyse(request: Request) -> ChatMessageAssistant:
    """Run the analysis with `python`, then submit the hypothesis that it printed, by tool call or as text."""
    if request.schema == "verdict":
        return ChatMessageAssistant(content=json.dumps(_verdict(request.roles)))
    task = next((message.text for message in request.messages if message.role == "user"), "")
    goal = task.partition("\n")[0].removeprefix("Goal: ")
    outputs = request.outputs("python")
    hypotheses = re.findall(r"^Hypothesis: (.+)$", "\n".join(outputs), re.MULTILINE)
    if "python" in request.tools and len(outputs) < 2 and not hypotheses:
        # Two calls check that the session keeps its variables. An agent without `submit` may allow only one call.
        cells = [files(__package__).joinpath("analysis.py").read_text("utf-8"), f"discover({goal!r})"]
        return request.call("python", {"code": cells[len(outputs)] if "submit" in request.tools else "\n".join(cells)})
    last = "".join(outputs[-1:])[-300:] or "none"
    steps = PLAN if hypotheses else f"The hypothesis is a guess. Last output of python: {last}"
    guess = "The variables that the goal names are related."
    answer = {"hypothesis": [guess, *hypotheses][-1], "workflow": f"Rule-based baseline, not a language model. {steps}"}
    if "submit" in request.tools and not request.outputs("submit"):
        parameters = request.tools["submit"].parameters.properties
        return request.call("submit", {name: answer.get(name, json.dumps(answer)) for name in parameters})
    words = {"planner": PLAN, "analyst": answer["hypothesis"], "reflection": "Rules do not learn from a score."}
    return ChatMessageAssistant(content=words.get("".join(request.roles[-1:]), json.dumps(answer)))


def _verdict(roles: Sequence[str]) -> dict[str, object]:
    """The verdict of DataVoyager's critic: the planner is followed by the coder, the analyst and the end."""
    worker = next((role for role in reversed(roles) if role != "critic"), "planner")
    role = {"planner": "coder", "coder": "analyst"}.get(worker)
    return {"reason": PLAN, "answered": role is None, "progress": True, "next": role, "instruction": PLAN}


def _domains(values: Values, random: Random) -> Values:
    """The domains of the pool in random order, then the same ones again with other numbers."""
    avoided, entries = (
        {normalize_case_and_spaces(name) for name in values["avoid"]},
        random.sample(_POOL["domains"], len(_POOL["domains"])),
    )
    endings = ["", *(f" {n}" for n in range(2, values["count"] + len(avoided) + 2))]
    numbered = [{**entry, "name": entry["name"] + ending} for ending in endings for entry in entries]
    return {
        "domains": [entry for entry in numbered if normalize_case_and_spaces(entry["name"]) not in avoided][
            : values["count"]
        ]
    }


def _free(domain: str, used: Sequence[str], random: Random) -> tuple[Values, list[Values]]:
    """A domain of the pool, or one in place of any other, and its variables that are not used yet in random order."""
    entries = [
        entry
        for entry in _POOL["domains"]
        if normalize_case_and_spaces(domain).startswith(normalize_case_and_spaces(entry["name"]))
    ]
    [entry, *_] = entries or _POOL["domains"][len(domain) % len(_POOL["domains"]) :]
    free = [variable for variable in entry["variables"] if variable["name"] not in used]
    return entry, random.sample(free, len(free))


def _root(values: Values, random: Random) -> Values:
    entry, free = _free(values["name"], values["used_names"], random)
    target = next(variable for variable in free if variable["type"] == "real")
    free.remove(target)
    return {**_derivation(target, free, values, random), **entry, "target": target}


def _expand(values: Values, random: Random) -> Values:
    _, free = _free(values["domain"], values["used_names"], random)
    is_label = values["node"]["type"] in ("category", "boolean")
    return {"expression": ""} if is_label else _derivation(values["node"], free, values, random)


def _derivation(target: Values, free: Sequence[Values], values: Values, random: Random) -> Values:
    """An expression of two or three free numbers, and of a label if it is to hold in a sub-population."""
    labels = [variable for variable in free if variable["type"] in ("category", "boolean")]
    children = [variable for variable in free if variable not in labels][
        : 3 if "node" not in values and random.random() < 0.5 else 2
    ]
    signs = [random.choice("+-") for _ in children]
    expression = _relation(target, children, signs, random)
    if values["sub_population"] and labels:
        condition = f"df['{labels[0]['name']}']" + (f" == '{labels[0]['values'][0]}'" if "values" in labels[0] else "")
        other = _relation(target, children[-1:], "-" if signs[-1] == "+" else "+", random)
        expression, children = f"np.where({condition}, {expression}, {other})", [*children, labels[0]]
    return {"expression": expression, "children": children}


def _relation(target: Values, children: Sequence[Values], signs: Sequence[str], random: Random) -> str:
    """A sum of terms whose standard deviation is about a third of the target's range, most of it by the first one."""
    terms = [[child] for child in children]
    if min(child["low"] for child in children[:2]) >= 0 and random.random() < 0.35:
        terms = [list(children[:2]), *terms[2:]]
    base, text = (target["low"] + target["high"]) / 2, ""
    for term, sign in zip(terms, signs, strict=False):
        power = random.choice((1, 2)) if len(term) == 1 and term[0]["low"] >= 0 else 1
        low, high = (math.prod(child[end] ** power for child in term) for end in ("low", "high"))
        weight = random.uniform(0.45, 0.52) / math.sqrt(max(len(terms) - 1, 1)) if text else random.uniform(0.82, 0.9)
        factor = float(f"{weight * (target['high'] - target['low']) / (high - low):.2g}")
        base -= float(f"{sign}{factor * (low + high) / 2}")
        columns = " * ".join(f"df['{child['name']}']{' ** 2' if power > 1 else ''}" for child in term)
        text += f" {sign} {factor:g} * {columns}"
    return f"{base:.3g}{text}"


def _distractors(values: Values, random: Random) -> Values:
    nodes, share = values["variables"], values["count"] // 4
    _, free = _free(values["name"], [node["name"] for node in nodes], random)
    index = {"type": "real", "low": 0, "high": 100, "strength": 0.8}
    copies = [
        {"name": f"{node['name']}_{suffix}", "description": f"{node['description']}, {text}", "follows": node["name"]}
        for node in random.sample(nodes, min(share, len(nodes)))
        for suffix, text in [random.choice([*_POOL["copies"].items()])]
    ]
    following = [{**one, "follows": random.choice(nodes)["name"], "strength": -0.6} for one in free[:share]]
    mixed = [*(copy | index for copy in copies), *following, *free[share:]]
    return {"columns": mixed[: values["count"]]}


def _goal(values: Values, random: Random) -> Values:
    """The question of the pool for the facet and the path length, after the context."""
    names = [f"the {predictor['label']}" for predictor in values["predictors"]]
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    questions, length = _POOL["questions"][values["masked"]], int(values["name"].rpartition("/")[2])
    text = questions[length - 1].format(target=values["target"]["label"], variables=listed)
    context = values["gold_hypothesis"].partition(",")[0]
    return {"goal": text.capitalize() if values["masked"] == "context" else f"{context}, {text}"}


_RULES: Mapping[str, Callable[[Values, Random], Values]] = {
    "synth_domains": _domains,
    "synth_root": _root,
    "synth_expand": _expand,
    "synth_distractors": _distractors,
    "synth_goal": _goal,
    "synth_review": lambda values, random: {"answerable": True, "giveaway": "", "reason": "The goal names the target."},
}
