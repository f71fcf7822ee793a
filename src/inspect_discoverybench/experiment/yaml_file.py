"""YAML files: their values with environment variables filled in, and where each value is from."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.file_failures import read_file
from inspect_discoverybench.errors.provider_failures import one_line

_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")
"""Matches `${NAME}` and `${NAME:-default}`."""


class _Loader(yaml.SafeLoader):
    """Fills in environment variables, and refuses two kinds of keys.

    YAML would silently drop the first of two equal keys. A key that is a mapping or a list is a mistake, such as
    `{{ NAME }}` for `${NAME}`.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _problem("a key is a mapping or a list", "Write text that begins with { or [ in quotes.", key)
            if key.value in keys:
                raise _problem(f"duplicate key {key.value}", "Remove one of them.", key)
            keys.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_text(self, node: yaml.ScalarNode) -> str:
        def value_of(variable: re.Match[str]) -> str:
            name = variable["name"]
            value = os.environ.get(name, variable["default"])
            if value is None:
                remedy = f"Export it, or give it a default: ${{{name}:-DEFAULT}}."
                raise _problem(f"the environment variable {name} is not set", remedy, node)
            return value

        return _VARIABLE.sub(value_of, node.value)


_Loader.add_constructor("tag:yaml.org,2002:str", _Loader.construct_text)


def _problem(problem: str, remedy: str, node: yaml.Node) -> yaml.MarkedYAMLError:
    return yaml.constructor.ConstructorError(problem=problem, problem_mark=node.start_mark, note=remedy)


Place = tuple[str | int, ...]
"""Path from the root of a file to a value: keys of mappings and indices of lists."""


@dataclass(frozen=True)
class Override:
    """A value that the command line has set.

    Attributes:
        place: Where it is.
        words: The words of the command line, such as `--set epochs=3`.
    """

    place: Place
    words: str

    def sets(self, place: Place) -> bool:
        """Whether this override set the value at a place, or a value that contains that value."""
        return place[: len(self.place)] == self.place  # the given place begins with the override's

    def sets_part_of(self, place: Place) -> bool:
        """Whether this override set the value at a place, or a part of that value."""
        return self.place[: len(place)] == place  # the override's place begins with the given one


@dataclass(frozen=True)
class YamlFile:
    """A YAML file.

    Attributes:
        path: Its path.
        values: The value in it, with what the command line has set.
        root: The value in it as a tree, whose nodes have line numbers; None if the file is empty.
        overrides: The values that the command line has set, in the order in which it set them. A later one may have
            replaced an earlier one or a part of it.
    """

    path: Path
    values: Any
    root: yaml.Node | None
    overrides: Sequence[Override] = ()

    @classmethod
    def read(cls, path: Path) -> "YamlFile":
        """Read a file.

        Raises:
            InvalidExperiment: The file is no YAML.
            DataError: The file cannot be read.
        """
        content = read_file(path)
        values = parse_yaml(content, str(path))
        root = yaml.compose(content, Loader=yaml.SafeLoader)
        return cls(path, values, root)

    def is_overridden(self, *place: str | int) -> bool:
        """Whether the command line has set a value: the value itself, or one that contains it.

        Args:
            place: Where the value is after validation.
        """
        place_in_file = self.place_in_file(place)
        return any(override.sets(place_in_file) for override in self.overrides)

    def where(self, *place: str | int) -> str:
        """Where a value is from, as the beginning of a message about it.

        If the command line has set the value, the result is the words that set it, such as `--set epochs=none`. If it
        has not, the result is `file:line` of the value, or of the nearest value that contains the value. Words that
        have set only a part of the value are added: `file:line with --set grader.config.seed=x`.

        Args:
            place: Where the value is after validation; nothing for the whole file.
        """
        place_in_file = self.place_in_file(place)
        words_for_parts: list[str] = []
        # From the last override to the first. An override that sets the whole value ends the search, because it has
        # replaced what earlier overrides set.
        for override in reversed(self.overrides):
            if override.sets(place_in_file):
                return _with_parts(override.words, words_for_parts)
            if override.sets_part_of(place_in_file):
                words_for_parts.insert(0, override.words)
        return _with_parts(self._line_of(place_in_file), words_for_parts)

    def place_in_file(self, place: Place) -> Place:
        """Convert the place of a value after validation into its place in the file.

        Where a list is expected, a file may have a single value, such as `models: openai/gpt-4o`. Validation makes a
        list of it. So the model whose place is `models.0` after validation is at `models` in the file.
        """
        place_in_file: list[str | int] = []
        value = self.values
        for part in place:
            if isinstance(part, int) and not isinstance(value, list):
                continue
            place_in_file.append(part)
            try:
                value = value[part]
            except (LookupError, TypeError):  # a value that the file lacks
                value = None
        return tuple(place_in_file)

    def _line_of(self, place: Place) -> str:
        """`file:line` of a value, or of the nearest value of the file that contains it; `file` for the whole file."""
        if not place:
            return str(self.path)
        line = 1
        node = self.root
        for part in place:
            children = _children(node)
            if part not in children:
                break
            start, node = children[part]
            line = start.start_mark.line + 1
        return f"{self.path}:{line}"


def _with_parts(origin: str, words_for_parts: Sequence[str]) -> str:
    """The origin of a value, with the words of the command line that have set parts of the value."""
    if not words_for_parts:
        return origin
    return f"{origin} with {' '.join(words_for_parts)}"


def _children(node: yaml.Node | None) -> dict[str | int, tuple[yaml.Node, yaml.Node]]:
    """The items of a list by index, or of a mapping by key: where each begins, and its value."""
    children: dict[str | int, tuple[yaml.Node, yaml.Node]] = {}
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            children[key.value] = (key, value)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            children[index] = (item, item)
    return children


def parse_yaml(text: str | bytes, name: str) -> Any:
    """Parse YAML. The name of the text is the beginning of error messages.

    Raises:
        InvalidExperiment: The text is no YAML.
    """
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        where = name
        mark = error.problem_mark
        if mark:
            line = mark.line + 1
            where = f"{name}:{line}"
        remedy = error.note or "Check the YAML around it."
        raise InvalidExperiment(f"{where}: {error.problem}. {remedy}") from error
    # PyYAML also raises these: for dates that do not exist, lists as keys, and thousands of brackets.
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise InvalidExperiment(f"{name}: invalid YAML: {one_line(error)}.") from error
