"""The task as the analyst reads it: the text that `prompts/solvers/task.txt` renders."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspect_ai.model import ChatMessage

_FILE = re.compile(r"^### `?(?P<name>[^`\n]+)`?[ \t]*\n(?P<body>.*?)(?=^### |\Z)", re.MULTILINE | re.DOTALL)
_SECTION = r"^## {heading}[ \t]*\n(?P<body>.*?)(?=^## |\Z)"


@dataclass(frozen=True)
class DataFile:
    """One data file as the task describes it.

    Attributes:
        name: File name.
        lines: The `column: description` lines, unread, since a column's name may hold a colon.
    """

    name: str
    lines: tuple[str, ...]

    @property
    def columns(self) -> Mapping[str, str]:
        """Description of each column, taking the name to end at the first colon."""
        pairs = (line.partition(": ") for line in self.lines)
        return {name.strip("` "): about for name, _, about in pairs}

    def describe(self, column: str) -> str:
        """The description of a column whose exact name is known; empty when there is none."""
        for line in self.lines:
            bare = line.replace("`", "")
            if bare.startswith(f"{column}:"):
                return bare[len(column) + 1 :].strip()
        return ""


@dataclass(frozen=True)
class TaskText:
    """A discovery task.

    Attributes:
        goal: The question.
        files: The data files it describes.
        start: Index of the message that holds it.
    """

    goal: str
    files: tuple[DataFile, ...]
    start: int

    @classmethod
    def read(cls, messages: Sequence[ChatMessage]) -> "TaskText":
        """Find the task in the messages; without its headings the last user message is the goal."""
        users = [(i, message.text) for i, message in enumerate(messages) if message.role == "user"]
        for start, text in reversed(users):
            goal = _section(text, "Goal")
            if goal:
                files = tuple(
                    DataFile(found["name"].strip(), tuple(re.findall(r"^- (.+)$", found["body"], re.MULTILINE)))
                    for found in _FILE.finditer(_section(text, "Data files"))
                )
                return cls(goal=goal, files=files, start=start)
        start, text = users[-1] if users else (-1, "")
        return cls(goal=text.strip(), files=(), start=start)


def _section(text: str, heading: str) -> str:
    found = re.search(_SECTION.format(heading=heading), text, re.MULTILINE | re.DOTALL)
    return found["body"].strip() if found else ""
