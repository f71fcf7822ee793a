"""`discoverybench/baseline`: a rule-based analyst that checks an installation; it is not a language model."""

import json
import re
from collections.abc import Sequence
from importlib.resources import files

from inspect_ai.model import ChatMessageAssistant

from inspect_discoverybench.offline.request import Request

PLAN = "Read the tables, choose the columns that the goal names, and fit several forms of relationship to them."


def reply(request: Request) -> ChatMessageAssistant:
    """Run the analysis with `python`, then submit the hypothesis that it printed, by tool call or as text."""
    if request.schema == "verdict":
        return ChatMessageAssistant(content=json.dumps(_verdict(request.roles)))
    task = next((message.text for message in request.messages if message.role == "user"), "")
    goal = next((line for line in reversed(task.splitlines()) if "?" in line), task)
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
