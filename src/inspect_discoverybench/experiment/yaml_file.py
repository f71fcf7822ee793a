"""YAML files: their values with environment variables filled in, and the line of each value."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from inspect_discoverybench.errors.exceptions import InvalidExperiment

_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")
"""Matches `${NAME}` and `${NAME:-default}`."""


_INVALID = (yaml.YAMLError, ValueError, TypeError, RecursionError)
"""What PyYAML raises: also for dates that do not exist, lists as keys, and thousands of brackets."""


class _Loader(yaml.SafeLoader):
    """Refuses duplicate keys, of which YAML would silently drop the first, and fills in environment variables."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = set()
        for key, _ in node.value:
            if key.value in keys:
                raise _problem(f"duplicate key {key.value}", key)
            keys.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_text(self, node: yaml.ScalarNode) -> str:
        for variable in _VARIABLE.finditer(node.value):
            name = variable["name"]
            if variable["default"] is None and name not in os.environ:
                raise _problem(f"the environment variable {name} is not set", node)
        return _VARIABLE.sub(_value_of, node.value)


_Loader.add_constructor("tag:yaml.org,2002:str", _Loader.construct_text)


def _value_of(variable: re.Match[str]) -> str:
    return os.environ.get(variable["name"], variable["default"])


def _problem(problem: str, node: yaml.Node) -> yaml.MarkedYAMLError:
    return yaml.constructor.ConstructorError(problem=problem, problem_mark=node.start_mark)


@dataclass(frozen=True)
class YamlFile:
    """A YAML file.

    Attributes:
        path: Its path.
        values: The value in it.
        root: The same as a tree, whose nodes have line numbers; None if the file is empty.
    """

    path: Path
    values: Any
    root: yaml.Node | None

    @classmethod
    def read(cls, path: Path) -> "YamlFile":
        """Read a file.

        Raises:
            InvalidExperiment: The file cannot be read or is no YAML.
        """
        try:
            text = path.read_text("utf-8")
        except (OSError, ValueError) as error:  # ValueError: a null byte in the path, or a text that is not UTF-8
            reason = getattr(error, "strerror", None) or error
            raise InvalidExperiment(f"{path} cannot be read ({reason}). Check the path.") from error
        values = parse_yaml(text, str(path))
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        return cls(path, values, root)

    def where(self, *place: str | int) -> str:
        """`file:line` of a value, or of the nearest value that contains it.

        Args:
            place: Path from the root to the value: keys of mappings and indices of lists.
        """
        line = 0
        node = self.root
        for part in place:
            children = _children(node)
            if part not in children:
                break
            line, node = children[part]
        return f"{self.path}:{line + 1}"


Child = tuple[int, yaml.Node]
"""The line where a value, or its key, begins, and the value."""


def _children(node: yaml.Node | None) -> dict[str | int, Child]:
    """The values in a mapping by key, or in a list by index."""
    children: dict[str | int, Child] = {}
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            children[key.value] = (key.start_mark.line, value)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            children[index] = (item.start_mark.line, item)
    return children


def parse_yaml(text: str, name: str) -> Any:
    """Parse YAML. The name of the text is the beginning of error messages.

    Raises:
        InvalidExperiment: The text is no YAML.
    """
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = mark.line + 1 if mark else 1
        raise InvalidExperiment(f"{name}:{line}: {error.problem}. Check the YAML around it.") from error
    except _INVALID as error:
        reason = " ".join(str(error).split())
        raise InvalidExperiment(f"{name}: invalid YAML: {reason}.") from error
