"""`discoverybench/baseline`: a rule-based analyst that acts through the same tools as a model."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageTool
from inspect_ai.tool import ToolInfo

from inspect_discoverybench.offline.plan import Plan, Table, described_tables, make_plan
from inspect_discoverybench.offline.statement import hypothesis
from inspect_discoverybench.offline.task_text import TaskText
from inspect_discoverybench.offline.team import role_of, words
from inspect_discoverybench.offline.turn import Turn

_SIGNATURE = "Rule-based baseline (no language model)"
_LINE = r"^DISCOVERY-{kind} (\{{.*\}})\s*$"


class Baseline:
    """An analyst made of rules; it is no language model.

    It looks at the data, matches columns to the words of the goal, fits a few forms of relationship
    (linear, quadratic, threshold, ratio, interaction, effect in one group) and submits the one that
    the data prefer. It shows that tools, session and scoring work, and gives a floor for scores.
    """

    def reply(self, messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> Turn:
        """Look, fit, submit: the step follows from the messages alone."""
        offered = {tool.name for tool in tools}
        task = TaskText.read(messages)
        later = messages[task.start + 1 :]
        findings = _lines(later, "FINDINGS")
        runs = [message for message in later if isinstance(message, ChatMessageTool) and message.function == "python"]
        role = role_of(messages)
        if role is not None and not offered:
            return Turn(f"{_SIGNATURE}. {words(role, task, later, findings[-1] if findings else None)}")
        if "python" in offered and not findings:
            if not runs:
                return _look(task, alone="submit" not in offered)
            plan = make_plan(task, _tables(later))
            if len(runs) == 1 and plan is not None:
                return _fit(plan)
        return _end(task, findings[-1] if findings else None, runs, "submit" in offered)


def _look(task: TaskText, alone: bool) -> Turn:
    """Profile the data; where no later turn can fit (`codegen` runs one program), fit as well."""
    plan = make_plan(task, described_tables(task)) if alone else None
    if plan is not None:
        text = f"{_SIGNATURE}. One program: load the files and fit {plan.target} to {', '.join(plan.predictors)}."
        return Turn(text, "python", {"code": _cell("profile") + "\n" + _cell("findings") + _report(plan)})
    text = f"{_SIGNATURE}. First I load every data file and look at its columns."
    return Turn(text, "python", {"code": _cell("profile")})


def _fit(plan: Plan) -> Turn:
    named = ", ".join(plan.predictors) or "whatever is associated with it"
    text = (
        f"{_SIGNATURE}. The goal's words fit {plan.target} in {plan.file}; I compare forms of its "
        f"relationship with {named}."
    )
    return Turn(text, "python", {"code": _cell("findings") + _report(plan)})


def _end(task: TaskText, finding: dict[str, Any] | None, runs: Sequence[ChatMessageTool], submit: bool) -> Turn:
    if finding is not None:
        found = hypothesis(task.goal, finding)
        steps = (
            "1. Loaded every data file. 2. Matched columns to the words of the goal. 3. Compared linear, "
            f"quadratic, threshold, ratio and interaction forms by BIC on {finding['rows']} complete rows. "
            f"4. Chose the {finding['kind']} form and fitted it by ordinary least squares."
        )
    else:
        found, steps = _guess(task), _excuse(runs)
    answer = {"hypothesis": found, "workflow": f"{_SIGNATURE}. {steps}"}
    if submit:
        return Turn(f"{_SIGNATURE}. I submit what was found.", "submit", answer)
    return Turn(json.dumps(answer, ensure_ascii=False))


def _guess(task: TaskText) -> str:
    """A hypothesis from the task's text alone."""
    plan = make_plan(task, described_tables(task))
    if plan is None or not plan.predictors:
        return f"A relationship exists, but it was not established from the data: {' '.join(task.goal.split())[:300]}"
    return (
        f"{plan.target} increases with {' and '.join(plan.predictors)}; this is a guess from the column "
        "descriptions, not tested against the data."
    )


def _excuse(runs: Sequence[ChatMessageTool]) -> str:
    if not runs:
        return "No analysis was run: the hypothesis is guessed from the text of the task."
    last = runs[-1]
    said = last.error.message if last.error else last.text
    reason = next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "no output")
    return (
        f"The analysis could not be done: the Python session gave no findings ({reason[:300]}). The "
        "hypothesis is guessed."
    )


def _cell(name: str) -> str:
    return files("inspect_discoverybench.offline.cells").joinpath(f"{name}.py").read_text("utf-8")


def _report(plan: Plan) -> str:
    """The call that ends the program; the plan is written as a Python literal."""
    return f"\n\nPLAN = {asdict(plan)!r}\nreport(FRAMES, PLAN)\n"


def _lines(messages: Sequence[ChatMessage], kind: str) -> list[dict[str, Any]]:
    """What the cells printed, also where another solver quotes their output in a user message."""
    found: list[dict[str, Any]] = []
    for message in messages:
        if message.role in ("tool", "user"):
            for line in re.findall(_LINE.format(kind=kind), message.text, re.MULTILINE):
                try:
                    found.append(json.loads(line))
                except json.JSONDecodeError:  # cut off by the tool's limit on output
                    continue
    return found


def _tables(messages: Sequence[ChatMessage]) -> list[Table]:
    return [
        Table(profile["file"], profile["rows"], dict(profile["columns"]))
        for profile in _lines(messages, "PROFILE")
        if profile["columns"]
    ]
