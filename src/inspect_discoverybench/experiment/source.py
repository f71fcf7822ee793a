"""Experiment files: line numbers, includes, environment variables and `--set`."""

import difflib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from inspect_discoverybench.errors import InvalidExperiment
from inspect_discoverybench.experiment.experiment import Experiment

_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")
Place = tuple[str | int, ...]
"""Path from the root to a value: keys of mappings and indices of lists."""


@dataclass(frozen=True)
class Source:
    """The values of a file and its includes, with the line of each value.

    Attributes:
        path: The file.
        values: The values, not yet validated.
        places: `file:line` of each value.
    """

    path: Path
    values: dict[str, Any]
    places: Mapping[Place, str]

    def where(self, place: Place) -> str:
        """`file:line` of a value, or of the nearest value that contains it."""
        while place and place not in self.places:
            place = place[:-1]
        return self.places.get(place, str(self.path))


def load(path: Path, changes: Sequence[str] = ()) -> tuple[Experiment, Source]:
    """Read and validate an experiment.

    Args:
        path: A YAML file.
        changes: Changes of the form `a.b=c`, where `c` is YAML. List items are numbered from 0.

    Raises:
        InvalidExperiment: The file, or one that it includes, cannot be read or is invalid.
    """
    source = _read(path, ())
    values = source.values
    for change in changes:
        values = _apply(change, values)
    values = _with_environment(values, source, ())
    try:
        return Experiment.model_validate(values), source
    except ValidationError as error:
        # A misspelled key often causes a missing key as well. Report the misspelling.
        first = min(error.errors(), key=lambda details: details["type"] != "extra_forbidden")
        raise InvalidExperiment(f"{source.where(first['loc'])}: {_reason(first)}") from error


def _reason(error: Mapping[str, Any]) -> str:
    place, key = ".".join(str(part) for part in error["loc"]), str(error["loc"][-1]) if error["loc"] else ""
    match error["type"]:
        case "extra_forbidden":
            keys = _keys_at(error["loc"][:-1])
            nearest = difflib.get_close_matches(key, keys, 1, 0.5)
            hint = f" Did you mean {nearest[0]}?" if nearest else ""
            return f"{place}: unknown key.{hint} The keys are: {', '.join(keys)}."
        case "missing":
            return f"{place} is missing. Add it."
    message = error["msg"].removeprefix("Value error, ")
    value = f", got {str(error['input'])[:80]!r}" if not isinstance(error["input"], dict) else ""
    return f"{place}: {message}{value}."


def _keys_at(place: Sequence[str | int]) -> list[str]:
    """The keys that an experiment may have at a place."""
    model: type[BaseModel] = Experiment
    for part in place:
        field = model.model_fields.get(str(part))
        if field is not None:
            model = next(_models_in(field.annotation), model)
    return list(model.model_fields)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in getattr(annotation, "__args__", ()):
        yield from _models_in(part)


def _read(path: Path, including: tuple[Path, ...], included_at: str = "") -> Source:
    """Read a file and its includes.

    Args:
        path: The file.
        including: The chain of files that include it, the outermost first.
        included_at: Prefix of error messages: where the last of these files includes it.
    """
    resolved = path.resolve()
    if resolved in including:
        cycle = " includes ".join(str(part) for part in (*including, resolved))
        raise InvalidExperiment(f"{included_at}circular include: {cycle}. Remove one of them.")
    source = _read_file(path, included_at)
    values = {key: value for key, value in source.values.items() if key != "include"}
    places = source.places
    for name in reversed(_includes(source)):
        base = _read(path.parent / name, (*including, resolved), f"{source.where(('include',))}: include: ")
        values = _merged(base.values, values)
        places = {**base.places, **places}
    return Source(path, values, places)


def _read_file(path: Path, included_at: str) -> Source:
    """Read a file without its includes."""
    try:
        node = yaml.compose(path.read_text("utf-8"), Loader=yaml.SafeLoader)
        values = _values(node, path) if node is not None else None
    except RecursionError as error:
        raise InvalidExperiment(f"{path}: a YAML anchor contains itself. Remove it.") from error
    except OSError as error:
        raise InvalidExperiment(f"{included_at}{path} cannot be read ({error.strerror}). Check the path.") from error
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error)
        raise InvalidExperiment(f"{path}{line}: invalid YAML: {problem}.") from error
    if node is None or not isinstance(values, dict):
        raise InvalidExperiment(f"{path}: expected a mapping with the keys {', '.join(Experiment.model_fields)}.")
    return Source(path, values, dict(_places(node, path)))


def _includes(source: Source) -> list[str]:
    value = source.values.get("include", [])
    names = [value] if isinstance(value, str) else value
    place: Place = ("include",)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InvalidExperiment(f"{source.where(place)}: include: expected a path or a list of paths, got {names}.")
    substituted: list[str] = _with_environment(names, source, place)
    return substituted


def _values(node: yaml.Node, path: Path) -> Any:
    """Plain values of a YAML node. Duplicate keys are errors, because YAML would silently drop the first."""
    if isinstance(node, yaml.SequenceNode):
        return [_values(item, path) for item in node.value]
    if not isinstance(node, yaml.MappingNode):
        return _scalar(node)
    values: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            raise InvalidExperiment(f"{_line(key_node, path)}: a key must be a word, got a list or a mapping.")
        key = _scalar(key_node)
        if key in values:
            raise InvalidExperiment(f"{_line(key_node, path)}: duplicate key {key}. Remove one.")
        values[key] = _values(value_node, path)
    return values


def _places(node: yaml.Node, path: Path, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """`file:line` of each value in a YAML node; for the values of a mapping, that of the key."""
    yield place, _line(node, path)
    if isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            yield from _places(item, path, (*place, number))
    elif isinstance(node, yaml.MappingNode):
        for key_node, value_node in node.value:
            key_place = (*place, _scalar(key_node))
            yield from _places(value_node, path, key_place)
            yield key_place, _line(key_node, path)


def _line(node: yaml.Node, path: Path) -> str:
    return f"{path}:{node.start_mark.line + 1}"


def _scalar(node: yaml.Node) -> Any:
    return yaml.constructor.SafeConstructor().construct_object(node)


def _merged(base: Any, own: Any) -> Any:
    """Own values take precedence. Mappings are merged, lists are replaced."""
    if isinstance(base, dict) and isinstance(own, dict):
        return base | {key: _merged(base[key], value) if key in base else value for key, value in own.items()}
    return own


def _apply(change: str, values: dict[str, Any]) -> dict[str, Any]:
    path, equals, text = change.partition("=")
    if not equals or not path:
        raise InvalidExperiment(f"--set {change}: expected a.b=c.")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InvalidExperiment(f"--set {change}: {text} is not valid YAML.") from error
    result: dict[str, Any] = _replace(values, path.split("."), value, change)
    return result


def _replace(container: Any, path: Sequence[str], value: Any, change: str) -> Any:
    if not path:
        return value
    first, rest = path[0], path[1:]
    if isinstance(container, list):
        if not first.isdigit() or int(first) >= len(container):
            raise InvalidExperiment(
                f"--set {change}: there is no item {first}. The items are 0 to {len(container) - 1}."
            )
        number = int(first)
        return [_replace(part, rest, value, change) if n == number else part for n, part in enumerate(container)]
    if container is None:
        container = {}
    if not isinstance(container, dict):
        raise InvalidExperiment(f"--set {change}: {container!r} has no keys.")
    return container | {first: _replace(container.get(first), rest, value, change)}


def _with_environment(values: Any, source: Source, place: Place) -> Any:
    if isinstance(values, dict):
        return {key: _with_environment(value, source, (*place, key)) for key, value in values.items()}
    if isinstance(values, list):
        return [_with_environment(value, source, (*place, number)) for number, value in enumerate(values)]
    if not isinstance(values, str):
        return values

    def value_of(variable: re.Match[str]) -> str:
        name = variable["name"]
        value = os.environ.get(name, variable["default"])
        if value is None:
            raise InvalidExperiment(
                f"{source.where(place)}: the environment variable {name} is not set. Set it, or write "
                f"${{{name}:-DEFAULT}}."
            )
        return value

    return _VARIABLE.sub(value_of, values)
