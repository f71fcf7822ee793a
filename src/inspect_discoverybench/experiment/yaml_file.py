"""YAML files: their values with environment variables filled in, and the line of each value."""

import os
import re
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
    """Refuses duplicate keys, of which YAML would silently drop the first, and fills in environment variables."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = set()
        for key, _ in node.value:
            if key.value in keys:
                raise _problem(f"duplicate key {key.value}", key)
            keys.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_text(self, node: yaml.ScalarNode) -> str:
        def value_of(variable: re.Match[str]) -> str:
            name = variable["name"]
            value = os.environ.get(name, variable["default"])
            if value is None:
                raise _problem(f"the environment variable {name} is not set", node)
            return value

        return _VARIABLE.sub(value_of, node.value)


_Loader.add_constructor("tag:yaml.org,2002:str", _Loader.construct_text)


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
            InvalidExperiment: The file is no YAML.
            DataError: The file cannot be read.
        """
        content = read_file(path)
        values = parse_yaml(content, str(path))
        root = yaml.compose(content, Loader=yaml.SafeLoader)
        return cls(path, values, root)

    def where(self, *place: str | int) -> str:
        """`file:line` of a value, or of the nearest value that contains it.

        Args:
            place: Path from the root to the value: keys of mappings and indices of lists.
        """
        line = 1
        node = self.root
        for part in place:
            children = _children(node)
            if part not in children:
                break
            start, node = children[part]
            line = start.start_mark.line + 1
        return f"{self.path}:{line}"


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
        raise InvalidExperiment(f"{where}: {error.problem}. Check the YAML around it.") from error
    # PyYAML also raises these: for dates that do not exist, lists as keys, and thousands of brackets.
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise InvalidExperiment(f"{name}: invalid YAML: {one_line(error)}.") from error
