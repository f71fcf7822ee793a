"""Fenced code blocks: parts of a text between lines of backticks or tildes."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_FENCE = re.compile(r"^[ \t>]*(?P<mark>`{3,}|~{3,})[ \t]*(?P<language>[\w+#.-]*)[^\n]*$", re.MULTILINE)
_TEXT_LANGUAGES = frozenset(
    {"", "json", "jsonc", "json5", "yaml", "yml", "toml", "xml", "html", "md", "markdown", "text", "txt"}
)


@dataclass(frozen=True)
class Fence:
    """A fenced code block.

    Attributes:
        start: Start of the opening line.
        content: Start of the content.
        stop: Start of the closing line.
        end: End of the closing line.
        language: Language in the opening line, in lower case; may be empty.
    """

    start: int
    content: int
    stop: int
    end: int
    language: str

    @property
    def is_program(self) -> bool:
        """Whether the language is a programming language."""
        return self.language not in _TEXT_LANGUAGES


class Fences:
    """The code blocks of a text. An opening line without a closing line is ignored."""

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

    def __iter__(self) -> Iterator[Fence]:
        return iter(self._fences)

    def at(self, position: int) -> Fence | None:
        """The code block that contains a position, if any."""
        index = bisect_right(self._starts, position) - 1
        if index < 0 or position >= self._fences[index].end:
            return None
        return self._fences[index]

    def program_at(self, position: int) -> bool:
        """Whether a position is inside a program."""
        fence = self.at(position)
        return fence is not None and fence.is_program


class Spans:
    """Non-overlapping parts of a text, as start and end positions."""

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self._spans = sorted(spans)
        self._starts = [start for start, _ in self._spans]

    def contain(self, position: int) -> bool:
        """Whether a position is inside one of the spans."""
        index = bisect_right(self._starts, position) - 1
        return index >= 0 and position < self._spans[index][1]
