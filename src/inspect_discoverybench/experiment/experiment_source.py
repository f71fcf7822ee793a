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
from inspect_discoverybench.experiment.definition import Experiment

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

    def where(self, *place: str | int) -> str:
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
    values = _with_environment(values, source)
    try:
        return Experiment.model_validate(values), source
    except ValidationError as error:
        # A misspelled key often causes a missing key as well. Report the misspelling.
        first = min(error.errors(), key=lambda details: details["type"] != "extra_forbidden")
        raise InvalidExperiment(f"{source.where(*first['loc'])}: {_reason(first)}") from error


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """A sentence with the name that is most similar to a misspelled one; empty if none is."""
    nearest = difflib.get_close_matches(name, names, 1, 0.5)
    return f" Did you mean {nearest[0]}?" if nearest else ""


def reason_of_error(error: Mapping[str, Any]) -> str:
    """What pydantic says about an invalid value, with the value unless it is a mapping."""
    value = "" if isinstance(error["input"], dict) else f", got {str(error['input'])[:80]!r}"
    return f"{error['msg'].removeprefix('Value error, ')}{value}."


def _reason(error: Mapping[str, Any]) -> str:
    place = ".".join(map(str, error["loc"]))
    if error["type"] == "missing":
        return f"{place} is missing. Add it."
    if error["type"] != "extra_forbidden":
        return f"{place}: {reason_of_error(error)}"
    model: type[BaseModel] = Experiment
    for part in error["loc"][:-1]:
        if part in model.model_fields:
            model = next(_models_in(model.model_fields[part].annotation), model)
    keys = list(model.model_fields)
    return f"{place}: unknown key.{did_you_mean(str(error['loc'][-1]), keys)} The keys are: {', '.join(keys)}."


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
    values, places, where = source.values, source.places, f"{source.where('include')}: include: "
    names = values.pop("include", [])
    names = [names] if isinstance(names, str) else names
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InvalidExperiment(f"{where}expected a path or a list of paths, got {names}.")
    for name in reversed(_with_environment(names, source, "include")):
        base = _read(path.parent / name, (*including, resolved), where)
        values = _merged(base.values, values)
        places = {**base.places, **places}
    return Source(path, values, places)


def _read_file(path: Path, included_at: str) -> Source:
    """Read a file without its includes."""
    places: dict[Place, str] = {}
    try:
        node = yaml.compose(path.read_text("utf-8"), Loader=yaml.SafeLoader)
        values = _plain_value(node, path, (), places) if node is not None else None
    except RecursionError as error:
        raise InvalidExperiment(f"{path}: a YAML anchor contains itself. Remove it.") from error
    except OSError as error:
        raise InvalidExperiment(f"{included_at}{path} cannot be read ({error.strerror}). Check the path.") from error
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise InvalidExperiment(f"{path}{line}: invalid YAML: {getattr(error, 'problem', None) or error}.") from error
    if not isinstance(values, dict):
        raise InvalidExperiment(f"{path}: expected a mapping with the keys {', '.join(Experiment.model_fields)}.")
    return Source(path, values, places)


def _plain_value(node: yaml.Node, path: Path, place: Place, places: dict[Place, str]) -> Any:
    """The plain value of a YAML node. Duplicate keys are errors, because YAML would silently drop the first.

    Adds `file:line` of each value to `places`; for the values of a mapping, that of the key.
    """
    places.setdefault(place, f"{path}:{node.start_mark.line + 1}")
    if isinstance(node, yaml.SequenceNode):
        return [_plain_value(item, path, (*place, number), places) for number, item in enumerate(node.value)]
    if not isinstance(node, yaml.MappingNode):
        return yaml.constructor.SafeConstructor().construct_object(node)
    values: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        line = f"{path}:{key_node.start_mark.line + 1}"
        if not isinstance(key_node, yaml.ScalarNode):
            raise InvalidExperiment(f"{line}: a key must be a word, got a list or a mapping.")
        key = yaml.constructor.SafeConstructor().construct_object(key_node)
        if key in values:
            raise InvalidExperiment(f"{line}: duplicate key {key}. Remove one.")
        places[*place, key] = line
        values[key] = _plain_value(value_node, path, (*place, key), places)
    return values


def _merged(base: Any, own: Any) -> Any:
    """Own values take precedence. Mappings are merged, lists are replaced."""
    if isinstance(base, dict) and isinstance(own, dict):
        return base | {key: _merged(base[key], value) if key in base else value for key, value in own.items()}
    return own


def _apply(change: str, values: dict[str, Any]) -> Any:
    path, equals, text = change.partition("=")
    if not equals or not path:
        raise InvalidExperiment(f"--set {change}: expected a.b=c.")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InvalidExperiment(f"--set {change}: {text} is not valid YAML.") from error
    return _replace(values, path.split("."), value, f"--set {change}")


def _replace(container: Any, path: Sequence[str], value: Any, where: str) -> Any:
    if not path:
        return value
    first, rest = path[0], path[1:]
    if isinstance(container, list):
        if not first.isdigit() or int(first) >= len(container):
            raise InvalidExperiment(f"{where}: there is no item {first}. The items are 0 to {len(container) - 1}.")
        number = int(first)
        return [*container[:number], _replace(container[number], rest, value, where), *container[number + 1 :]]
    if not isinstance(container, dict | None):
        raise InvalidExperiment(f"{where}: {container!r} has no keys.")
    return (container or {}) | {first: _replace((container or {}).get(first), rest, value, where)}


def _with_environment(values: Any, source: Source, *place: str | int) -> Any:
    if isinstance(values, dict):
        return {key: _with_environment(value, source, *place, key) for key, value in values.items()}
    if isinstance(values, list):
        return [_with_environment(value, source, *place, number) for number, value in enumerate(values)]
    if not isinstance(values, str):
        return values

    def value_of(variable: re.Match[str]) -> str:
        name = variable["name"]
        value = os.environ.get(name, variable["default"])
        if value is None:
            where = source.where(*place)
            remedy = f"Set it, or write ${{{name}:-DEFAULT}}"
            raise InvalidExperiment(f"{where}: the environment variable {name} is not set. {remedy}.")
        return value

    return _VARIABLE.sub(value_of, values)
