"""The baseline in the roles of DataVoyager and Reflexion, which it knows by their prompts."""

import json
from collections.abc import Sequence
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool

from inspect_discoverybench.offline.plan import described_tables, make_plan
from inspect_discoverybench.offline.statement import hypothesis
from inspect_discoverybench.offline.task_text import TaskText
from inspect_discoverybench.prompts import Prompt

_MOST_PROGRAMS = 2


def role_of(messages: Sequence[ChatMessage]) -> str | None:
    """`planner`, `analyst` or `critic` if the system prompt is theirs; `reflexion` if a reflection is asked for."""
    first, last = messages[0], messages[-1]
    for role in ("planner", "analyst", "critic"):
        if first.role == "system" and first.text == Prompt.load(f"solvers/datavoyager/{role}").text:
            return role
    question = Prompt.load("solvers/reflexion_reflect").text.partition("$")[0]
    return "reflexion" if last.role == "user" and last.text.startswith(question) else None


def words(role: str, task: TaskText, later: Sequence[ChatMessage], finding: dict[str, Any] | None) -> str:
    """What the baseline says in a role that calls no tool."""
    match role:
        case "planner":
            return _plan(task)
        case "critic":
            return _verdict(later, finding)
        case "analyst":
            return hypothesis(task.goal, finding) if finding else "The results show no relationship that can be stated."
        case _:
            return "Rules learn nothing from a score: the next trial will do the same."


def _plan(task: TaskText) -> str:
    plan = make_plan(task, described_tables(task))
    given = ", ".join(file.name for file in task.files) or "no data file that is described"
    columns = f"{plan.target} by {', '.join(plan.predictors) or 'what goes with it'}" if plan else "the goal's columns"
    return (
        f"Given: {given}.\nAsked: {' '.join(task.goal.split())}\n\n"
        f"1. Load every file and look at its columns.\n2. Explain {columns}: compare forms of relationship.\n"
        "3. State the form that the data prefer, with its numbers."
    )


def _verdict(later: Sequence[ChatMessage], finding: dict[str, Any] | None) -> str:
    """Code until there are findings, then their interpretation, then the end."""
    runs = [number for number, message in enumerate(later) if isinstance(message, ChatMessageTool)]
    since = later[runs[-1] :] if runs else []
    interpreted = any(isinstance(message, ChatMessageAssistant) for message in since)
    reason, act, instruction = (
        "There are no findings yet.",
        "coder",
        "Load the files, compare forms, print findings.",
    )
    if finding is not None or len(runs) >= _MOST_PROGRAMS:
        reason, act, instruction = "The code has run.", "analyst", "Say what the findings show."
    return json.dumps(
        {
            "reason": "The findings are interpreted." if interpreted else reason,
            "answered": interpreted,
            "progress": finding is not None or not runs,
            "next": act,
            "instruction": instruction,
        }
    )
