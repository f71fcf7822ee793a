"""Code blocks of a text between lines of backticks or tildes."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

_FENCE = re.compile(r"^[ \t>]*(?P<mark>`{3,}|~{3,})[ \t]*(?P<language>[\w+#.-]*)[^\n]*$", re.MULTILINE)
_OF_TEXT = frozenset(
    {"", "json", "jsonc", "json5", "yaml", "yml", "toml", "xml", "html", "md", "markdown", "text", "txt"}
)


@dataclass(frozen=True)
class Fence:
    """One code block.

    Attributes:
        start: Position of its first line.
        content: Position after that line.
        stop: Position of its last line.
        end: Position after that line.
        language: As its first line names it, in lower case.
    """

    start: int
    content: int
    stop: int
    end: int
    language: str

    @property
    def is_program(self) -> bool:
        """Whether it holds a program, by its language."""
        return self.language not in _OF_TEXT


class Fences:
    """The code blocks of a text. One that is never closed is none: a model forgot to close it, or was cut off."""

    def __init__(self, text: str) -> None:
        self._fences: list[Fence] = []
        opening = None
        for line in _FENCE.finditer(text):
            if opening is None:
                opening = line
            elif line["mark"].startswith(opening["mark"]) and not line["language"]:
                content = min(opening.end() + 1, line.start())
                language = opening["language"].casefold()
                self._fences.append(Fence(opening.start(), content, line.start(), line.end(), language))
                opening = None
        self._starts = [fence.start for fence in self._fences]

    def at(self, position: int) -> Fence | None:
        """The code block around a position."""
        before = bisect_right(self._starts, position) - 1
        fence = self._fences[before] if before >= 0 else None
        return fence if fence is not None and position < fence.end else None


class Spans:
    """Parts of a text that do not overlap, by position."""

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self._spans = sorted(spans)
        self._starts = [start for start, _ in self._spans]

    def hold(self, position: int) -> bool:
        """Whether one of them is around a position."""
        before = bisect_right(self._starts, position) - 1
        return before >= 0 and position < self._spans[before][1]
