"""`discoverybench/baseline`: a rule-based analyst, and the author of the task `synth_generate`.

Use it to check an installation. It is not a language model.
"""

import json
import re
from importlib.resources import files

from inspect_ai.model import ChatMessageAssistant

from inspect_discoverybench.offline import author
from inspect_discoverybench.offline.provider import Request

GUESS = "The variables that the goal names are related."
WORKFLOW = "Rule-based baseline, not a language model. It fits lines to the columns that the goal names, or guesses."


def reply(request: Request) -> ChatMessageAssistant:
    """Reply as the critic of DataVoyager, as the author of the generator, or as an agent that analyses data."""
    if request.role == "critic":
        return ChatMessageAssistant(content=json.dumps(_critic_reply(request)))
    _, values = request.question()
    content = author.answer(request.schema, values)
    if content is not None:
        return ChatMessageAssistant(content=json.dumps(content))
    return _analyse(request)


def _critic_reply(request: Request) -> dict[str, object]:
    """The verdict of DataVoyager's critic: the goal is answered when the coder has run the program."""
    return {
        "answered": bool(request.outputs("python")),
        "progress": True,
        "next": "coder",
        "instruction": WORKFLOW,  # required, although the coder of this model does not read it
    }


def _analyse(request: Request) -> ChatMessageAssistant:
    """Run the analysis with `python`, then submit the hypothesis that it printed, by tool call or as text."""
    outputs = request.outputs("python")
    if "python" in request.tools and not outputs:
        return request.call("python", {"code": _program(request)})

    output = "".join(outputs)
    printed = re.search(r"^Hypothesis: (.+)$", output, re.MULTILINE)
    answer = {
        "hypothesis": printed[1] if printed else GUESS,
        "workflow": WORKFLOW,
    }
    text = json.dumps(answer)

    submit = request.tools.get("submit")
    if submit is None:
        return ChatMessageAssistant(content=text)
    # The first call of `submit` has not ended the conversation, so a second one would not, either. A reply without a
    # call ends the loop of Inspect's `generate()`.
    if request.outputs("submit"):
        return ChatMessageAssistant(content=text)
    # Another agent's tool may have a single parameter, for the whole answer.
    arguments = {name: answer.get(name, text) for name in submit.parameters.properties}
    return request.call("submit", arguments)


def _program(request: Request) -> str:
    """The code that analyses the data for the goal. The goal is the first line of the task text."""
    task = next(message.text for message in request.messages if message.role == "user")
    first_line, _, _ = task.partition("\n")
    goal = first_line.removeprefix("Goal: ")
    program = files(__package__).joinpath("analysis.py").read_text("utf-8")
    return f"{program}\ndiscover({goal!r})"
