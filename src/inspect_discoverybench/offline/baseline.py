"""`discoverybench/baseline`: a rule-based analyst, and the author of the task `synth_generate`.

Use it to check an installation. It is not a language model.
"""

import json
import re
from collections.abc import Sequence
from importlib.resources import files

from inspect_ai.model import ChatMessageAssistant

from inspect_discoverybench.offline import author
from inspect_discoverybench.offline.provider import Request

PLAN = "Read the tables, choose the columns that the goal names, and fit lines to them."
GUESS = "The variables that the goal names are related."


def reply(request: Request) -> ChatMessageAssistant:
    """Answer a request of the generator, or analyse the data of a task."""
    _, values = request.question()
    content = author.answer(request.schema, values)
    if request.schema == "verdict":
        content = _verdict(request.roles)
    if content is not None:
        return ChatMessageAssistant(content=json.dumps(content))
    return _analyse(request)


def _analyse(request: Request) -> ChatMessageAssistant:
    """Run the analysis with `python`, then submit the hypothesis that it printed, by tool call or as text."""
    outputs = request.outputs("python")
    if "python" in request.tools and not outputs:
        return request.call("python", {"code": _program(request)})

    output = outputs[-1] if outputs else ""
    printed = re.search(r"^Hypothesis: (.+)$", output, re.MULTILINE)
    hypothesis = printed[1] if printed else GUESS
    steps = PLAN if printed else f"The hypothesis is a guess. Output of python: {output[-300:]}"
    answer = {"hypothesis": hypothesis, "workflow": f"Rule-based baseline, not a language model. {steps}"}
    if "submit" in request.tools and not request.outputs("submit"):
        # Another agent's tool may have a single parameter, for the whole answer.
        parameters = request.tools["submit"].parameters.properties
        return request.call("submit", {name: answer.get(name, json.dumps(answer)) for name in parameters})

    texts = {"planner": PLAN, "analyst": hypothesis, "reflection": "Rules do not learn from a score."}
    role = request.roles[-1] if request.roles else ""
    return ChatMessageAssistant(content=texts.get(role, json.dumps(answer)))


def _program(request: Request) -> str:
    """The code that analyses the data for the goal, which is the first line of the task text."""
    task = next(message.text for message in request.messages if message.role == "user")
    goal = task.partition("\n")[0].removeprefix("Goal: ")
    program = files(__package__).joinpath("analysis.py").read_text("utf-8")
    return f"{program}\ndiscover({goal!r})"


def _verdict(roles: Sequence[str]) -> dict[str, object]:
    """The verdict of DataVoyager's critic: the planner is followed by the coder, the analyst and the end."""
    workers = [role for role in roles if role != "critic"]
    worker = workers[-1] if workers else "planner"
    following = {"planner": "coder", "coder": "analyst"}.get(worker)
    return {
        "reason": PLAN,
        "answered": following is None,
        "progress": True,
        "next": following,
        "instruction": PLAN,
    }
