"""`discoverybench/baseline` as the author of the task `synth_generate`: its domains and trees are a committed pool.

Use it to check an installation. It is not a language model, and its tasks are the same for everyone.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from inspect_ai.model import ChatMessageAssistant

from inspect_discoverybench.offline.request import Request
from inspect_discoverybench.text import fold

_FENCE = "```json"
_UNKNOWN = "discoverybench/baseline knows only the domains of its pool."
Values = Mapping[str, Any]
Answer = Mapping[str, Any]


def reply(request: Request) -> ChatMessageAssistant | None:
    """Answer a request of the generator; None if it is not one."""
    rule = _RULES.get(request.schema)
    if rule is None:
        return None
    question = next(message.text for message in request.messages if _FENCE in message.text)
    values, _ = json.JSONDecoder().raw_decode(question.partition(_FENCE)[2].lstrip())
    return ChatMessageAssistant(content=json.dumps(rule(values), ensure_ascii=False))


@cache
def _pool() -> list[dict[str, Any]]:
    pool: list[dict[str, Any]] = json.loads(files(__package__).joinpath("author_pool.json").read_text("utf-8"))
    return pool


def _domains(values: Values) -> Answer:
    avoided = {fold(name) for name in values["avoid"]}
    free = [entry for entry in _pool() if fold(entry["name"]) not in avoided]
    return {"domains": [_named(entry) for entry in free[: int(values["count"])]]}


def _describe(values: Values) -> Answer:
    known = {fold(entry["name"]): entry for entry in _pool()}
    unknown = {"description": _UNKNOWN}
    return {"domains": [{**_named(known.get(fold(name), unknown)), "name": name} for name in values["domains"]]}


def _named(entry: Mapping[str, Any]) -> dict[str, str]:
    return {"name": str(entry.get("name", "")), "description": str(entry["description"])}


def _root(values: Values) -> Answer:
    used = set(values["used_names"])
    for entry in _pool():
        if fold(entry["name"]) != fold(values["name"]):
            continue
        for tree in entry["trees"]:
            if tree["target"]["name"] not in used:
                distractors = [column for column in entry["distractors"] if column["name"] not in used]
                return {
                    "context": entry["context"],
                    "rows": entry["rows"],
                    "target": _variable(tree["target"]),
                    **_derivation(tree["target"]),
                    "distractors": distractors,
                }
    return {"error": _UNKNOWN}


def _expand(values: Values) -> Answer:
    name = values["name"]
    for entry in _pool():
        for tree in entry["trees"]:
            for node in _walk(tree["target"]):
                if node["name"] == name and node.get("children"):
                    return _derivation(node)
    return {"expression": "", "children": []}


def _derivation(node: Mapping[str, Any]) -> dict[str, Any]:
    return {"expression": node["expression"], "children": [_variable(child) for child in node["children"]]}


def _variable(node: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in node.items() if name not in ("children", "expression")}


def _walk(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield node
    for child in node.get("children", ()):
        yield from _walk(child)


def _goal(values: Values) -> Answer:
    target, context = values["target"]["label"], values["context"]
    predictors = [f"the {predictor['label']}" for predictor in values["predictors"]]
    listed = " and ".join([", ".join(predictors[:-1]), predictors[-1]] if len(predictors) > 1 else predictors)
    match values["masked"]:
        case "variables":
            goal = f"{context}, which recorded variables determine the {target}, and how?"
        case "context":
            goal = f"For which population does the {target} depend on {listed}, and how?"
        case _:
            goal = f"{context}, how does the {target} depend on {listed}?"
    return {"goal": goal}


def _review(values: Values) -> Answer:
    is_named = fold(str(values["target"])) in fold(str(values["goal"]))
    return {"answerable": is_named, "reason": "The goal names the target." if is_named else "The target is not named."}


_RULES: dict[str, Callable[[Values], Answer]] = {
    "synth_domains": _domains,
    "synth_describe": _describe,
    "synth_root": _root,
    "synth_expand": _expand,
    "synth_goal": _goal,
    "synth_review": _review,
}
