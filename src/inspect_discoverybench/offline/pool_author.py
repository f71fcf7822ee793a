"""`discoverybench/baseline` as the author of the task `synth_generate`: its domains and trees are a committed pool.

Use it to check an installation. It is not a language model, and its tasks are the same for everyone.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from inspect_ai.model import ChatMessageAssistant

from inspect_discoverybench.offline.request import Request
from inspect_discoverybench.text import fold

Values = Mapping[str, Any]


def reply(request: Request) -> ChatMessageAssistant | None:
    """Answer a request of the generator; None if it is not one."""
    rule = _RULES.get(request.schema)
    if rule is None:
        return None
    _, values = request.question()
    return ChatMessageAssistant(content=json.dumps(rule(values), ensure_ascii=False))


@cache
def _pool() -> Mapping[str, Values]:
    """The domains by their names in lower case."""
    entries = json.loads(files(__package__).joinpath("author_pool.json").read_text("utf-8"))
    return {fold(entry["name"]): entry for entry in entries}


def _domains(values: Values) -> Values:
    avoided = {fold(name) for name in values["avoid"]}
    free = [entry for name, entry in _pool().items() if name not in avoided]
    return {"domains": free[: int(values["count"])]}


def _root(values: Values) -> Values:
    entry, used = _pool().get(fold(values["name"]), {"trees": ()}), set(values["used_names"])
    for target in (tree["target"] for tree in entry["trees"]):
        if target["name"] not in used:
            distractors = [column for column in entry["distractors"] if column["name"] not in used]
            described = {"context": entry["context"], "rows": entry["rows"], "target": target}
            return {**target, **described, "distractors": distractors}
    return {"error": "discoverybench/baseline knows only the domains of its pool."}


def _expand(values: Values) -> Values:
    pending = [tree["target"] for entry in _pool().values() for tree in entry["trees"]]
    while pending:
        node: Values = pending.pop()
        if node["name"] == values["name"] and "children" in node:
            return node  # the generator ignores the fields that it did not ask for
        pending += node.get("children", ())
    return {"expression": "", "children": []}


def _goal(values: Values) -> Values:
    target, context = values["target"]["label"], values["context"]
    predictors = [f"the {predictor['label']}" for predictor in values["predictors"]]
    listed = " and ".join(filter(None, (", ".join(predictors[:-1]), predictors[-1])))
    goals = {
        "variables": f"{context}, which recorded variables determine the {target}, and how?",
        "context": f"For which population does the {target} depend on {listed}, and how?",
        "relationship": f"{context}, how does the {target} depend on {listed}?",
    }
    return {"goal": goals[values["masked"]]}


_RULES: Mapping[str, Callable[[Values], Values]] = {
    "synth_domains": _domains,
    "synth_root": _root,
    "synth_expand": _expand,
    "synth_goal": _goal,
    "synth_review": lambda _: {"answerable": True, "reason": "The goal names the target."},
}
